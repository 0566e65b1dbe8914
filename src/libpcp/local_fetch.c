/*
 * local_fetch - values from and to the agents in this process.
 *
 * Each agent is asked once, for all of its metrics. Its result stays its own: the values are copied
 * into one block, as if they had come over a connection, and then given back to it.
 */
#include "libpcp/local.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/libpcp.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libpcp/event.h"
#include "libpcp/local_agent.h"
#include "libpcp/results.h"
#include "libwire/host_agent.h"

enum { ALIGN = 8 };

/* A fetch under way: for each metric the agent's values, or an error. */
struct fetch {
	struct context *ctx;
	size_t n;
	const pmID *pmids;
	const pmValueSet **vsets; /* NULL: there is only an error */
	int *errors;
	bool *done;
	struct answer *answers; /* to be given back */
};

struct answer {
	struct answer *next;
	struct local_agent *agent;
	pmResult *result;
};

static size_t aligned(size_t len)
{
	return (len + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static void give_back(struct answer *answers)
{
	while (answers != NULL) {
		struct answer *a = answers;
		pmdaExt *ext = local_agent_ext(a->agent);

		answers = a->next;
		if (ext != NULL && ext->e_resultCallBack != NULL)
			ext->e_resultCallBack(a->result);
		else
			__pmFreeResultValues(a->result);
		free(a);
	}
}

/* Asks an agent for n metrics; index has their places in the request. 0 or an error. */
static int ask_agent(struct fetch *f, struct local_agent *agent, pmID *list, size_t *index,
		     size_t n)
{
	struct answer *a = malloc(sizeof(*a));
	int r = a == NULL ? -ENOMEM : local_agent_give_profile(f->ctx, agent);

	if (r >= 0) {
		a->result = NULL;
		r = agent->dispatch.version.any.fetch((int)n, list, &a->result,
						      local_agent_ext(agent));
	}
	if (r < 0 || a->result == NULL) {
		free(a);
		return r < 0 ? r : PM_ERR_VALUE;
	}
	a->agent = agent;
	a->next = f->answers;
	f->answers = a;
	for (int i = 0; i < (int)n && i < a->result->numpmid; i++) {
		if (host_agent_values(a->result->vset[i]))
			f->vsets[index[i]] = a->result->vset[i];
	}
	return 0;
}

static int fetch_domain(struct fetch *f, size_t first, pmID *list, size_t *index)
{
	unsigned int domain = pmID_domain(f->pmids[first]);
	struct local_agent *agent;
	size_t n = 0;
	int r;

	for (size_t i = first; i < f->n; i++) {
		if (f->done[i] || pmID_domain(f->pmids[i]) != domain)
			continue;
		list[n] = f->pmids[i];
		index[n++] = i;
		f->done[i] = true;
	}
	r = f->pmids[first] == PM_ID_NULL ? PM_ERR_NOAGENT
					  : local_agent_for(f->ctx, domain, &agent);
	if (r == 0)
		r = ask_agent(f, agent, list, index, n);
	for (size_t i = 0; i < n; i++)
		f->errors[index[i]] = r < 0 ? r : PM_ERR_VALUE;
	return r == -ENOMEM || r == PM_ERR_THREAD ? r : 0;
}

static int fetch_all(struct fetch *f, struct arena *mem)
{
	pmID *list = arena_calloc(mem, f->n, sizeof(list[0]));
	size_t *index = arena_calloc(mem, f->n, sizeof(index[0]));
	int r = local_agent_thread();

	f->vsets = arena_calloc(mem, f->n, sizeof(f->vsets[0]));
	f->errors = arena_calloc(mem, f->n, sizeof(f->errors[0]));
	f->done = arena_calloc(mem, f->n, sizeof(f->done[0]));
	if (list == NULL || index == NULL || f->vsets == NULL || f->errors == NULL ||
	    f->done == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++)
		f->done[i] = special_by_pmid(f->pmids[i]) != NULL; /* they have no values */
	for (size_t i = 0; i < f->n && r == 0; i++) {
		if (!f->done[i])
			r = fetch_domain(f, i, list, index);
	}
	return r;
}

/* ---- Into one block ------------------------------------------------------------------------- */

static bool has_blocks(const pmValueSet *vset)
{
	return vset->valfmt != PM_VAL_INSITU;
}

static size_t vset_size(const pmValueSet *vset)
{
	size_t size = aligned(sizeof(pmValueSet));

	if (vset == NULL || vset->numval <= 0)
		return size;
	size += aligned((size_t)vset->numval * sizeof(vset->vlist[0]));
	for (int i = 0; has_blocks(vset) && i < vset->numval; i++)
		size += aligned(vset->vlist[i].value.pval->vlen);
	return size;
}

/* Copies a value set to *at and moves *at to the end of the copy. */
static pmValueSet *copy_vset(const pmValueSet *from, char **at)
{
	pmValueSet *to = (pmValueSet *)*at;

	*at += aligned(sizeof(pmValueSet)) + aligned((size_t)from->numval * sizeof(to->vlist[0]));
	to->numval = from->numval;
	to->valfmt = has_blocks(from) ? PM_VAL_DPTR : PM_VAL_INSITU;
	memcpy(to->vlist, from->vlist, (size_t)from->numval * sizeof(to->vlist[0]));
	for (int i = 0; has_blocks(from) && i < from->numval; i++) {
		const pmValueBlock *block = from->vlist[i].value.pval;

		to->vlist[i].value.pval = (pmValueBlock *)*at;
		memcpy(*at, block, block->vlen);
		*at += aligned(block->vlen);
	}
	return to;
}

static pmValueSet *empty_vset(int numval, char **at)
{
	pmValueSet *to = (pmValueSet *)*at;

	*at += aligned(sizeof(pmValueSet));
	to->numval = numval;
	to->valfmt = PM_VAL_INSITU;
	return to;
}

static int gather(const struct fetch *f, pmHighResResult **ret_result)
{
	size_t head = aligned(sizeof(pmHighResResult) + f->n * sizeof(pmValueSet *));
	size_t size = head;
	pmHighResResult *result;
	char *at;
	int r;

	for (size_t i = 0; i < f->n; i++)
		size += vset_size(f->vsets[i]);
	result = malloc(size);
	if (result == NULL)
		return -ENOMEM;
	clock_gettime(CLOCK_REALTIME, &result->timestamp);
	result->numpmid = (int)f->n;
	at = (char *)result + head;
	for (size_t i = 0; i < f->n; i++) {
		const pmValueSet *vset = f->vsets[i];

		if (vset != NULL && vset->numval > 0)
			result->vset[i] = copy_vset(vset, &at);
		else
			result->vset[i] =
			    empty_vset(vset == NULL ? f->errors[i] : vset->numval, &at);
		result->vset[i]->pmid = f->pmids[i];
	}
	r = results_add(result);
	if (r < 0) {
		free(result);
		return r;
	}
	*ret_result = result;
	return 0;
}

int local_fetch(struct context *ctx, size_t n, const pmID *pmids, pmHighResResult **ret_result)
{
	struct fetch f = {.ctx = ctx, .n = n, .pmids = pmids};
	struct arena mem = ARENA_INIT;
	int r = fetch_all(&f, &mem);

	if (r == 0)
		r = gather(&f, ret_result);
	give_back(f.answers);
	arena_done(&mem);
	return r;
}

/* One value set a call, and no further after an error. The agent sees a result of the old form. */
int local_store(struct context *ctx, const pmHighResResult *result)
{
	pmResult one = {.numpmid = 1};
	int r = 0;

	one.timestamp.tv_sec = result->timestamp.tv_sec;
	one.timestamp.tv_usec = result->timestamp.tv_nsec / 1000;
	for (int i = 0; i < result->numpmid && r >= 0; i++) {
		struct local_agent *agent;

		r = local_agent_for(ctx, pmID_domain(result->vset[i]->pmid), &agent);
		one.vset[0] = result->vset[i];
		if (r == 0)
			r = agent->dispatch.version.any.store(&one, local_agent_ext(agent));
	}
	return r < 0 ? r : 0;
}
