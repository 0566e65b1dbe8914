/*
 * fetch - values from and to the current context; the instances that it wants
 * (docs/spec/pmapi.md 4); the position, records, label and end of an archive. A daemon whose loop
 * must not wait for a reply detaches the connection, and decodes the results itself.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/archive_ops.h"
#include "libpcp/context.h"
#include "libpcp/derive/plan.h"
#include "libpcp/host.h"
#include "libpcp/results.h"
#include "libpcp/trace.h"
#include "libwire/profile.h"
#include "libwire/result.h"

enum { MODE_MASK = 0xffff, NSEC_PER_USEC = 1000, NSEC_PER_SEC = 1000000000 };

/* ---- Traces --------------------------------------------------------------------------------- */

static void trace_metric_names(pmID pmid)
{
	char **names;
	int n = pmNameAll(pmid, &names);

	if (n <= 0)
		return;
	fprintf(stderr, " (");
	for (int i = 0; i < n; i++)
		fprintf(stderr, "%s%s", i > 0 ? ", " : "", names[i]);
	fprintf(stderr, ")");
	free(names);
}

/* The type of a value, as far as the value itself shows it. */
static int traced_type(const pmValueSet *vset, const pmValue *v)
{
	if (vset->valfmt == PM_VAL_INSITU)
		return PM_TYPE_32;
	return v->value.pval->vtype == 0 ? PM_TYPE_UNKNOWN : v->value.pval->vtype;
}

static void trace_set_value(const pmValueSet *vset, const pmValue *v, pmInDom indom)
{
	char *name = NULL;

	fprintf(stderr, "   ");
	if (v->inst != (int)PM_IN_NULL) {
		fprintf(stderr, " inst [%d", v->inst);
		if (indom != PM_INDOM_NULL && pmNameInDom(indom, v->inst, &name) >= 0)
			fprintf(stderr, " or \"%s\"", name);
		fprintf(stderr, "]");
		free(name);
	}
	fprintf(stderr, "%svalue ", v->inst != (int)PM_IN_NULL ? " " : "");
	pmPrintValue(stderr, vset->valfmt, traced_type(vset, v), v, 1);
	putc('\n', stderr);
}

static void trace_set(const pmValueSet *vset)
{
	char text[PM_MAXERRMSGLEN];
	pmDesc desc = {.indom = PM_INDOM_NULL};

	fprintf(stderr, "  %s", pmIDStr_r(vset->pmid, text, sizeof(text)));
	trace_metric_names(vset->pmid);
	if (vset->numval <= 0) {
		fprintf(stderr, ": %s\n",
			vset->numval == 0 ? "No values returned!"
					  : pmErrStr_r(vset->numval, text, sizeof(text)));
		return;
	}
	fprintf(stderr, ": numval: %d valfmt: %d vlist[]:\n", vset->numval, vset->valfmt);
	if (vset->vlist[0].inst != (int)PM_IN_NULL && pmLookupDesc(vset->pmid, &desc) < 0)
		desc.indom = PM_INDOM_NULL;
	for (int i = 0; i < vset->numval; i++)
		trace_set_value(vset, &vset->vlist[i], desc.indom);
}

/* Values on stderr, with the debug option fetch; names and instances are asked for, so no context
 * may be held. */
static void trace_result(const pmHighResResult *result)
{
	if (!pmDebugOptions.fetch)
		return;
	fprintf(stderr, "pmFetch returns ...\n__pmResult dump from %p timestamp: %lld.%09ld ",
		(const void *)result, (long long)result->timestamp.tv_sec,
		result->timestamp.tv_nsec);
	pmPrintHighResStamp(stderr, &result->timestamp);
	fprintf(stderr, " numpmid: %d\n", result->numpmid);
	for (int i = 0; i < result->numpmid; i++)
		trace_set(result->vset[i]);
}

/* ---- Values --------------------------------------------------------------------------------- */

int pmFetchHighRes(int n, pmID *pmids, pmHighResResult **result)
{
	struct context *ctx;
	int r;

	if (n < 1)
		return PM_ERR_TOOSMALL;
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	if (plan_needed((size_t)n, pmids))
		r = plan_fetch(ctx, (size_t)n, pmids, result);
	else
		r = ctx->ops->fetch(ctx, (size_t)n, pmids, result);
	context_release(ctx);
	trace_call(r, "pmFetch(%d)", n);
	if (r >= 0)
		trace_result(*result);
	return r;
}

int pmHighResFetch(int n, pmID *pmids, pmHighResResult **result)
{
	return pmFetchHighRes(n, pmids, result);
}

int pmFetch(int n, pmID *pmids, pmResult **result)
{
	pmHighResResult *highres;
	int r = pmFetchHighRes(n, pmids, &highres);

	if (r >= 0)
		*result = results_to_usec(highres);
	return r;
}

int pmStoreHighRes(const pmHighResResult *result)
{
	struct context *ctx;
	int r;

	if (result->numpmid < 1)
		return PM_ERR_TOOSMALL;
	for (int i = 0; i < result->numpmid; i++) {
		if (result->vset[i]->numval < 1)
			return PM_ERR_VALUE;
	}
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = ctx->ops->store == NULL ? PM_ERR_NOTHOST : ctx->ops->store(ctx, result);
	context_release(ctx);
	trace_call(r, "pmStore(%d)", result->numpmid);
	return r;
}

int pmStore(const pmResult *result)
{
	AUTO_FREE pmHighResResult *highres = NULL;
	size_t nsets;

	if (result->numpmid < 1)
		return PM_ERR_TOOSMALL;
	nsets = (size_t)result->numpmid * sizeof(result->vset[0]);
	highres = malloc(sizeof(*highres) + nsets);
	if (highres == NULL)
		return -ENOMEM;
	highres->timestamp.tv_sec = result->timestamp.tv_sec;
	highres->timestamp.tv_nsec = result->timestamp.tv_usec * NSEC_PER_USEC;
	highres->numpmid = result->numpmid;
	memcpy(highres->vset, result->vset, nsets);
	return pmStoreHighRes(highres);
}

/* ---- Archives ------------------------------------------------------------------------------- */

int pmSetModeHighRes(int mode, const struct timespec *when, const struct timespec *delta)
{
	struct context *ctx = context_hold_current();
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = ctx->ops->set_mode(ctx, mode & MODE_MASK, when, delta);
	context_release(ctx);
	return r;
}

/* Nanoseconds in one unit of delta; milliseconds if mode names none. */
static int64_t delta_unit_ns(int mode)
{
	static const int64_t units[] = {
	    [PM_TIME_NSEC] = 1,
	    [PM_TIME_USEC] = NSEC_PER_USEC,
	    [PM_TIME_MSEC] = 1000000,
	    [PM_TIME_SEC] = NSEC_PER_SEC,
	    [PM_TIME_MIN] = 60 * (int64_t)NSEC_PER_SEC,
	    [PM_TIME_HOUR] = 3600 * (int64_t)NSEC_PER_SEC,
	};
	int unit = PM_XTB_GET(mode);

	return unit >= PM_TIME_NSEC && unit <= PM_TIME_HOUR ? units[unit] : units[PM_TIME_MSEC];
}

int pmSetMode(int mode, const struct timeval *when, int delta)
{
	int64_t delta_ns = delta * delta_unit_ns(mode);
	struct timespec step = {delta_ns / NSEC_PER_SEC, delta_ns % NSEC_PER_SEC};
	struct timespec start;

	if (when == NULL)
		return pmSetModeHighRes(mode, NULL, &step);
	start.tv_sec = when->tv_sec;
	start.tv_nsec = when->tv_usec * NSEC_PER_USEC;
	return pmSetModeHighRes(mode, &start, &step);
}

/* The whole of the next record. */
static int fetch_record(pmHighResResult **ret_result)
{
	struct context *ctx = context_hold_current();
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = archive_fetch_record(ctx, ret_result);
	context_release(ctx);
	trace_call(r, "pmFetchArchive()");
	if (r >= 0)
		trace_result(*ret_result);
	return r;
}

int pmFetchArchive(pmResult **result)
{
	pmHighResResult *highres;
	int r = fetch_record(&highres);

	if (r >= 0)
		*result = results_to_usec(highres);
	return r;
}

int pmFetchHighResArchive(pmHighResResult **result)
{
	return fetch_record(result);
}

int pmGetHighResArchiveLabel(pmHighResLogLabel *label)
{
	struct context *ctx = context_hold_current();
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = archive_label_of(ctx, label);
	context_release(ctx);
	trace_call(r, "pmGetArchiveLabel()");
	return r;
}

int pmGetArchiveLabel(pmLogLabel *label)
{
	pmHighResLogLabel highres;
	int r = pmGetHighResArchiveLabel(&highres);

	if (r < 0)
		return r;
	memset(label, 0, sizeof(*label));
	label->ll_magic = highres.magic;
	label->ll_pid = highres.pid;
	label->ll_start.tv_sec = highres.start.tv_sec;
	label->ll_start.tv_usec = highres.start.tv_nsec / NSEC_PER_USEC;
	memcpy(label->ll_hostname, highres.hostname, sizeof(label->ll_hostname) - 1);
	memcpy(label->ll_tz, highres.timezone, sizeof(label->ll_tz) - 1);
	return r;
}

int pmGetHighResArchiveEnd(struct timespec *end)
{
	struct context *ctx = context_hold_current();
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = archive_end_of(ctx, end);
	context_release(ctx);
	trace_call(r, "pmGetArchiveEnd()");
	return r;
}

int pmGetArchiveEnd(struct timeval *end)
{
	struct timespec highres;
	int r = pmGetHighResArchiveEnd(&highres);

	if (r < 0)
		return r;
	end->tv_sec = highres.tv_sec;
	end->tv_usec = highres.tv_nsec / NSEC_PER_USEC;
	return r;
}

int pitot_context_wrap(int handle, int wrap)
{
	struct context *ctx = context_hold(handle);
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = archive_set_wrap(ctx, wrap != 0);
	context_release(ctx);
	trace_call(r, "pitot_context_wrap(%d, %d)", handle, wrap);
	return r;
}

/* ---- The instance profile ------------------------------------------------------------------- */

static int profile_change(pmInDom indom, int n, int *list,
			  int (*apply)(pmProfile *, pmInDom, int, const int *))
{
	struct context *ctx;
	int r;

	if (indom == PM_INDOM_NULL && list != NULL)
		return PM_ERR_PROFILESPEC;
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = apply(&ctx->profile, indom, n, list);
	if (r == 0) {
		ctx->profile_sent = false;
		trace_profile(apply == profile_add ? "pmAddProfile()" : "pmDelProfile()",
			      &ctx->profile);
	}
	context_release(ctx);
	trace_call(r, "%s(0x%x, %d)", apply == profile_add ? "pmAddProfile" : "pmDelProfile", indom,
		   n);
	return r;
}

int pmAddProfile(pmInDom indom, int n, int *list)
{
	return profile_change(indom, n, list, profile_add);
}

int pmDelProfile(pmInDom indom, int n, int *list)
{
	return profile_change(indom, n, list, profile_del);
}

int __pmInProfile(pmInDom indom, const pmProfile *profile, int inst)
{
	return profile_wants(profile, indom, inst);
}

/* ---- Detached connections ------------------------------------------------------------------- */

/* For programs that serve the connection themselves. */
static int detach(int handle, unsigned int *features, int *timeout_ms)
{
	struct context *ctx = context_hold(handle);
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = PM_ERR_NOTHOST;
	if (ctx->ops == &host_ops) {
		*timeout_ms = host_of(ctx)->conn.timeout_ms;
		r = conn_detach(&host_of(ctx)->conn, features);
	}
	context_release(ctx);
	return r;
}

int pitot_context_detach(int handle, unsigned int *features, int *timeout_ms)
{
	int r = detach(handle, features, timeout_ms);

	trace_call(r, "pitot_context_detach(%d)", handle);
	return r;
}

int pitot_result_decode(const void *pdu, size_t len, pmHighResResult **result)
{
	pmHighResResult *made;
	int r = result_decode(pdu, len, &made);

	if (r < 0)
		return r;
	r = results_add(made);
	if (r < 0) {
		free(made);
		return r;
	}
	trace_result(made);
	*result = made;
	return 0;
}
