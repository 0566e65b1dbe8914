/* plan - see plan.h. */
#include "libpcp/derive/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libpcp/context.h"
#include "libpcp/derive/derive.h"
#include "libpcp/derive/eval.h"
#include "libpcp/results.h"

/* One metric of the request. */
struct wanted {
	struct bound *bound; /* of a derived metric; NULL: it is none, or it is bad */
	size_t place;        /* else in the list for the source */
	int error;           /* of a derived metric that is bad, or 0 */
};

struct plan {
	size_t n;
	pmID *pmids; /* of the request */
	struct wanted *wanted;
	size_t nasked;
	pmID *asked;
	struct operand **operands; /* those that expressions use */
	size_t noperands;
	bool incomplete; /* an id may become that of a metric */
};

void plan_free(struct plan *p)
{
	if (p == NULL)
		return;
	free(p->pmids);
	free(p->wanted);
	free(p->asked);
	free(p->operands);
	free(p);
}

bool plan_needed(size_t n, const pmID *pmids)
{
	for (size_t i = 0; i < n; i++) {
		if (derive_is_pmid(pmids[i]))
			return true;
	}
	return false;
}

/* ---- Making a plan -------------------------------------------------------------------------- */

/* Finds the derived metrics of the request, and binds them. How many can be evaluated. */
static int plan_bind(struct plan *p, struct context *ctx)
{
	struct bound **bounds = malloc(p->n * sizeof(bounds[0]));
	size_t nbounds = 0;
	int good = 0;
	int r = bounds == NULL ? -ENOMEM : 0;

	for (size_t i = 0; i < p->n && r == 0; i++) {
		if (!derive_is_pmid(p->pmids[i]))
			continue;
		p->wanted[i].error = PM_ERR_PMID;
		r = derive_find(ctx, p->pmids[i], &p->wanted[i].bound);
		if (r == 0)
			bounds[nbounds++] = p->wanted[i].bound;
		if (r == PM_ERR_PMID) {
			p->incomplete = true;
			r = 0;
		}
	}
	if (r == 0 && nbounds > 0)
		r = derive_bind(ctx, bounds, nbounds);
	free(bounds);
	for (size_t i = 0; i < p->n && r == 0; i++) {
		struct wanted *w = &p->wanted[i];

		if (w->bound == NULL)
			continue;
		if (w->bound->state == BOUND_GOOD) {
			w->error = 0;
			good++;
		} else {
			w->bound = NULL;
		}
	}
	return r < 0 ? r : good;
}

static size_t count_operands(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->wanted[i].bound == NULL ? 0 : (size_t)p->wanted[i].bound->def->expr.n;
	return n;
}

/* A metric gets one place in the list, whether the caller or an expression wants it. */
static void plan_place(struct plan *p, struct operand *op, unsigned int number)
{
	if (op->fetch == number)
		return;
	op->fetch = number;
	op->used = false;
	op->place = p->nasked;
	p->asked[p->nasked++] = op->desc.pmid;
}

static void plan_use(struct plan *p, const struct bound *b, unsigned int number)
{
	for (int i = 0; i < b->def->expr.n; i++) {
		struct operand *op = b->nodes[i].metric;

		if (op == NULL)
			continue;
		plan_place(p, op, number);
		if (!op->used)
			p->operands[p->noperands++] = op;
		op->used = true;
	}
}

static void plan_list(struct plan *p, struct derive *d)
{
	unsigned int number = ++d->global_bounds.plans;

	for (size_t i = 0; i < p->n; i++) {
		struct wanted *w = &p->wanted[i];
		struct operand *op;

		if (w->bound != NULL || w->error != 0)
			continue;
		op = bound_operand(&d->global_bounds, p->pmids[i]);
		w->place = p->nasked;
		if (op != NULL && op->fetch != number)
			plan_place(p, op, number);
		else
			p->asked[p->nasked++] = p->pmids[i];
	}
	for (size_t i = 0; i < p->n; i++) {
		if (p->wanted[i].bound != NULL)
			plan_use(p, p->wanted[i].bound, number);
	}
}

static struct plan *plan_alloc(size_t n, const pmID *pmids)
{
	struct plan *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->n = n;
	p->pmids = malloc(n * sizeof(p->pmids[0]));
	p->wanted = calloc(n, sizeof(p->wanted[0]));
	if (p->pmids == NULL || p->wanted == NULL) {
		plan_free(p);
		return NULL;
	}
	memcpy(p->pmids, pmids, n * sizeof(p->pmids[0]));
	return p;
}

/* 0: there is a plan; 1: no derived metric can be evaluated. */
static int plan_make(struct context *ctx, size_t n, const pmID *pmids, struct plan **ret_plan)
{
	struct plan *p = plan_alloc(n, pmids);
	size_t most;
	int r = p == NULL ? -ENOMEM : plan_bind(p, ctx);

	if (r > 0) {
		most = n + count_operands(p) + 1;
		p->asked = malloc(most * sizeof(p->asked[0]));
		p->operands = malloc(most * sizeof(p->operands[0]));
		if (p->asked == NULL || p->operands == NULL)
			r = -ENOMEM;
	}
	if (r <= 0) {
		plan_free(p);
		return r < 0 ? r : 1;
	}
	plan_list(p, ctx->derive);
	if (p->nasked == 0) /* constants: for the time of the fetch alone */
		p->asked[p->nasked++] = special_next(NULL)->desc.pmid;
	*ret_plan = p;
	return 0;
}

static bool plan_is_for(const struct plan *p, size_t n, const pmID *pmids)
{
	return p != NULL && !p->incomplete && p->n == n &&
	       memcmp(p->pmids, pmids, n * sizeof(pmids[0])) == 0;
}

/* The plan leaves the context while it is in use: an agent in this process may fetch from the same
 * context. 0, or 1 as plan_make. */
static int plan_take(struct context *ctx, size_t n, const pmID *pmids, struct plan **ret_plan)
{
	struct derive *d = derive_of(ctx);
	struct plan *p;

	if (d == NULL)
		return -ENOMEM;
	p = TAKE(d->plan);
	if (plan_is_for(p, n, pmids)) {
		*ret_plan = p;
		return 0;
	}
	plan_free(p);
	return plan_make(ctx, n, pmids, ret_plan);
}

static void plan_put(struct context *ctx, struct plan *p)
{
	plan_free(ctx->derive->plan);
	ctx->derive->plan = p;
}

/* ---- The result ----------------------------------------------------------------------------- */

static int plan_read(struct plan *p, const pmHighResResult *answer)
{
	for (size_t i = 0; i < p->noperands; i++) {
		struct operand *op = p->operands[i];

		if (special_by_pmid(op->desc.pmid) != NULL)
			op->vals.n = PM_ERR_NOAGENT; /* as the collector says of it */
		else if (values_read(&op->vals, answer->vset[op->place], op->desc.type) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int plan_evaluate(struct plan *p, struct context *ctx, const struct timespec *stamp)
{
	unsigned int fetch = ++ctx->derive->global_bounds.fetches;
	int r = 0;

	for (size_t i = 0; i < p->n && r == 0; i++) {
		struct bound *b = p->wanted[i].bound;

		if (b == NULL || b->fetch == fetch)
			continue;
		b->fetch = fetch;
		r = eval_run(b, ctx, stamp);
	}
	return r;
}

static const struct values bad_metric = {.n = PM_ERR_PMID};

static pmHighResResult *plan_write(const struct plan *p, const pmHighResResult *answer)
{
	size_t head = sizeof(pmHighResResult) + p->n * sizeof(pmValueSet *);
	size_t size = head;
	pmHighResResult *result;
	char *at;

	for (size_t i = 0; i < p->n; i++) {
		const struct wanted *w = &p->wanted[i];

		if (w->bound != NULL)
			size += values_size(eval_values(w->bound), bound_desc(w->bound).type);
		else
			size += w->error != 0 ? values_size(&bad_metric, PM_TYPE_32)
					      : values_set_size(answer->vset[w->place]);
	}
	result = malloc(size);
	if (result == NULL)
		return NULL;
	result->timestamp = answer->timestamp;
	result->numpmid = (int)p->n;
	at = (char *)result + head;
	for (size_t i = 0; i < p->n; i++) {
		const struct wanted *w = &p->wanted[i];

		if (w->bound != NULL)
			result->vset[i] = values_write(eval_values(w->bound),
						       bound_desc(w->bound).type, p->pmids[i], &at);
		else
			result->vset[i] =
			    w->error != 0 ? values_write(&bad_metric, PM_TYPE_32, p->pmids[i], &at)
					  : values_set_copy(answer->vset[w->place], &at);
	}
	return result;
}

static int plan_answer(struct plan *p, struct context *ctx, const pmHighResResult *answer,
		       pmHighResResult **ret_result)
{
	pmHighResResult *result;
	int r = plan_read(p, answer);

	if (r == 0)
		r = plan_evaluate(p, ctx, &answer->timestamp);
	if (r < 0)
		return r;
	result = plan_write(p, answer);
	if (result == NULL)
		return -ENOMEM;
	r = results_add(result);
	if (r < 0) {
		free(result);
		return r;
	}
	*ret_result = result;
	return 0;
}

int plan_fetch(struct context *ctx, size_t n, const pmID *pmids, pmHighResResult **ret_result)
{
	struct plan *p;
	pmHighResResult *answer;
	int changes;
	int r = plan_take(ctx, n, pmids, &p);

	if (r < 0)
		return r;
	if (r > 0)
		return ctx->ops->fetch(ctx, n, pmids, ret_result);
	changes = ctx->ops->fetch(ctx, p->nasked, p->asked, &answer);
	if (changes >= 0) {
		r = plan_answer(p, ctx, answer, ret_result);
		pmFreeHighResResult(answer);
	}
	plan_put(ctx, p);
	return r < 0 ? r : changes;
}
