/*
 * host_fetch - values from and to a collector.
 *
 * The profile, when the collector does not have it yet, travels in front of the fetch in the same
 * system call. The special metrics have values in event records alone and are never asked for: the
 * null id takes their place, so that even a list of special metrics alone is a fetch.
 */
#include "libpcp/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libpcp/event.h"
#include "libpcp/results.h"
#include "libpcp/trace.h"
#include "libvalue/vset.h"
#include "libwire/result.h"

enum { NSEC_PER_USEC = 1000, SLOT = 0 /* each context has a connection of its own */ };

int host_put_profile(struct context *ctx)
{
	const union pdu_body body = {.profile = {.slot = SLOT, .profile = ctx->profile}};
	struct conn *c = &host_of(ctx)->conn;
	int r;

	if (ctx->profile_sent)
		return 0;
	trace_profile("pmFetch: sending the profile", &ctx->profile);
	r = conn_put(c, PDU_PROFILE, &body);
	if (r == 0)
		c->untried = true;
	return r;
}

/* The list as the collector may see it: the list itself, or a copy for *ret_copy. */
static const pmID *hide_special(size_t n, const pmID *pmids, pmID **ret_copy)
{
	pmID *copy = NULL;

	for (size_t i = 0; i < n; i++) {
		if (special_by_pmid(pmids[i]) == NULL)
			continue;
		if (copy == NULL) {
			copy = malloc(n * sizeof(copy[0]));
			if (copy == NULL)
				return NULL;
			memcpy(copy, pmids, n * sizeof(copy[0]));
		}
		copy[i] = PM_ID_NULL;
	}
	*ret_copy = copy;
	return copy == NULL ? pmids : copy;
}

/* A hidden metric is returned with its own id, without values. */
static void restore_special(size_t n, const pmID *pmids, pmHighResResult *result)
{
	for (size_t i = 0; i < n; i++) {
		if (result->vset[i]->pmid != pmids[i]) {
			result->vset[i]->pmid = pmids[i];
			result->vset[i]->numval = 0;
		}
	}
}

/* The reply must have what was asked for, in that order. */
static bool is_answer(const pmHighResResult *result, size_t n, const pmID *pmids)
{
	if ((size_t)result->numpmid != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (result->vset[i]->pmid != pmids[i])
			return false;
	}
	return true;
}

/* The reply to a fetch that was sent. */
static int host_receive(struct conn *c, enum pdu_type type, int *ret_changes,
			pmHighResResult **ret_result)
{
	const uint8_t *pdu;
	size_t len;
	int r = conn_reply_raw(c, type, ret_changes, &pdu, &len);

	return r < 0 ? r : result_decode(pdu, len, ret_result);
}

static int host_exchange(struct context *ctx, size_t n, const pmID *pmids, int *ret_changes,
			 pmHighResResult **ret_result)
{
	const union pdu_body request = {
	    .fetch = {.slot = SLOT, .numpmid = (uint32_t)n, .pmids = pmids},
	};
	struct conn *c = &host_of(ctx)->conn;
	bool highres = (c->features & PDU_FEATURE_HIGHRES) != 0;
	int r;

	r = host_put_profile(ctx);
	if (r == 0)
		r = conn_put(c, highres ? PDU_HIGHRES_FETCH : PDU_FETCH, &request);
	if (r == 0)
		r = conn_flush(c);
	if (r == 0)
		r = host_receive(c, highres ? PDU_HIGHRES_RESULT : PDU_RESULT, ret_changes,
				 ret_result);
	if (r < 0)
		return r;
	ctx->profile_sent = true;
	if (is_answer(*ret_result, n, pmids))
		return 0;
	free(*ret_result);
	conn_close(c, PM_ERR_IPC);
	return PM_ERR_IPC;
}

int host_fetch(struct context *ctx, size_t n, const pmID *pmids, pmHighResResult **ret_result)
{
	AUTO_FREE pmID *copy = NULL;
	const pmID *asked = hide_special(n, pmids, &copy);
	pmHighResResult *result;
	int changes = 0;
	int r;

	if (asked == NULL)
		return -ENOMEM;
	r = host_exchange(ctx, n, asked, &changes, &result);
	if (r < 0)
		return r;
	if (copy != NULL)
		restore_special(n, pmids, result);
	r = results_add(result);
	if (r < 0) {
		free(result);
		return r;
	}
	*ret_result = result;
	return changes;
}

/* A value that cannot be sent would be encoded as an error code, which agents skip. */
static int store_sources(const pmHighResResult *result, struct result_source *sources)
{
	for (int i = 0; i < result->numpmid; i++) {
		const pmValueSet *vset = result->vset[i];
		struct vset_len ignored = {0, 0};

		if (!vset_host_len(vset, &ignored))
			return PM_ERR_CONV;
		sources[i] =
		    (struct result_source){.kind = RESULT_HOST, .pmid = vset->pmid, .host = vset};
	}
	return 0;
}

int host_store(struct context *ctx, const pmHighResResult *result)
{
	struct conn *c = &host_of(ctx)->conn;
	AUTO_FREE struct result_source *sources =
	    calloc((size_t)result->numpmid, sizeof(sources[0]));
	union pdu_body body;
	int r;

	if (sources == NULL)
		return -ENOMEM;
	r = store_sources(result, sources);
	if (r < 0)
		return r;
	r = conn_put_result(c, result->timestamp.tv_sec, result->timestamp.tv_nsec / NSEC_PER_USEC,
			    sources, (size_t)result->numpmid);
	if (r == 0)
		r = conn_flush(c);
	if (r == 0)
		r = conn_reply(c, PDU_ERROR, NULL, &body);
	return r;
}
