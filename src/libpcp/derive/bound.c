/* bound - see bound.h. */
#include "libpcp/derive/bound.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libpcp/context.h"
#include "libpcp/event.h"
#include "libpcp/namespace.h"

enum { FIRST_CAP = 16 };

/* ---- Memory --------------------------------------------------------------------------------- */

static void bound_release(struct bound *b)
{
	for (int i = 0; b->nodes != NULL && i < b->def->expr.n; i++) {
		values_done(&b->nodes[i].vals);
		values_done(&b->nodes[i].last);
		free(b->nodes[i].verdicts);
	}
	free(b->nodes);
	free(b->rules);
	*b = (struct bound){.def = b->def};
}

static void operands_done(struct hash *operands)
{
	struct operand *op;
	size_t pos = 0;

	while ((op = hash_next(operands, &pos)) != NULL) {
		values_done(&op->vals);
		free(op);
	}
	hash_done(operands);
	*operands = HASH_INIT;
}

static void bound_set_reset(struct bound_set *set)
{
	for (size_t i = 0; i < set->cap; i++) {
		if (set->bounds[i] != NULL)
			bound_release(set->bounds[i]);
	}
	operands_done(&set->operands);
}

void bound_set_done(struct bound_set *set)
{
	bound_set_reset(set);
	for (size_t i = 0; i < set->cap; i++)
		free(set->bounds[i]);
	free(set->bounds);
	*set = (struct bound_set){0};
}

static int grow(struct bound_set *set, size_t index)
{
	size_t cap = set->cap == 0 ? FIRST_CAP : set->cap;
	struct bound **bounds;

	if (index < set->cap)
		return 0;
	while (cap <= index)
		cap *= 2;
	bounds = reallocarray(set->bounds, cap, sizeof(bounds[0]));
	if (bounds == NULL)
		return -ENOMEM;
	memset(bounds + set->cap, 0, (cap - set->cap) * sizeof(bounds[0]));
	set->bounds = bounds;
	set->cap = cap;
	return 0;
}

struct bound *bound_get(struct bound_set *set, size_t index, const struct definition *def)
{
	if (grow(set, index) < 0)
		return NULL;
	if (set->bounds[index] == NULL) {
		set->bounds[index] = calloc(1, sizeof(*set->bounds[index]));
		if (set->bounds[index] != NULL)
			set->bounds[index]->def = def;
	}
	return set->bounds[index];
}

void bound_drop(struct bound_set *set, size_t index)
{
	if (index >= set->cap || set->bounds[index] == NULL)
		return;
	bound_release(set->bounds[index]);
	free(set->bounds[index]);
	set->bounds[index] = NULL;
}

static bool has_pmid(const void *entry, const void *key)
{
	return ((const struct operand *)entry)->desc.pmid == *(const pmID *)key;
}

struct operand *bound_operand(const struct bound_set *set, pmID pmid)
{
	return hash_find(&set->operands, hash_u64(pmid), has_pmid, &pmid);
}

static int operand_add(struct bound_set *set, const pmDesc *desc)
{
	struct operand *op;

	if (bound_operand(set, desc->pmid) != NULL)
		return 0;
	op = calloc(1, sizeof(*op));
	if (op == NULL)
		return -ENOMEM;
	op->desc = *desc;
	if (hash_add(&set->operands, hash_u64(desc->pmid), op) < 0) {
		free(op);
		return -ENOMEM;
	}
	return 0;
}

/* ---- Questions to the source ---------------------------------------------------------------- */

/* The names of all operands, and their ids. */
struct question {
	size_t n;
	size_t cap;
	const char **names;
	pmID *pmids;
	struct hash index; /* the number of a name, plus one */
};

static void question_done(struct question *q)
{
	free(q->names);
	free(q->pmids);
	hash_done(&q->index);
}

struct name_key {
	const struct question *q;
	const char *name;
};

static bool is_name(const void *entry, const void *key)
{
	const struct name_key *k = key;

	return strcmp(k->q->names[(uintptr_t)entry - 1], k->name) == 0;
}

static size_t question_find(const struct question *q, const char *name)
{
	const struct name_key key = {q, name};

	return (uintptr_t)hash_find(&q->index, hash_bytes(name, strlen(name)), is_name, &key);
}

static int question_add(struct question *q, const char *name)
{
	if (question_find(q, name) != 0)
		return 0;
	if (q->n == q->cap) {
		size_t cap = q->cap == 0 ? FIRST_CAP : q->cap * 2;
		const char **names = reallocarray(q->names, cap, sizeof(names[0]));
		pmID *pmids;

		if (names == NULL)
			return -ENOMEM;
		q->names = names;
		pmids = reallocarray(q->pmids, cap, sizeof(pmids[0]));
		if (pmids == NULL)
			return -ENOMEM;
		q->pmids = pmids;
		q->cap = cap;
	}
	q->names[q->n] = name;
	q->pmids[q->n] = PM_ID_NULL;
	q->n++;
	return hash_add(&q->index, hash_bytes(name, strlen(name)), (void *)(uintptr_t)q->n);
}

static bool is_operand(const struct expr_node *node)
{
	return node->op == EXPR_NAME || node->op == EXPR_DEFINED;
}

static int question_collect(struct question *q, struct bound *const *bounds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct expr *e = &bounds[i]->def->expr;

		if (bounds[i]->state != BOUND_NEW)
			continue;
		for (int k = 0; k < e->n; k++) {
			if (is_operand(&e->nodes[k]) && question_add(q, e->nodes[k].text) < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

/* An answer that is about the connection and not about a metric. */
static bool is_fatal(int r)
{
	return r == -ENOMEM || r == PM_ERR_IPC || r == PM_ERR_TIMEOUT || r == PM_ERR_THREAD ||
	       (r < 0 && r > -1000);
}

/* The special metrics are part of every name space. Derived metrics cannot be operands. */
static int ask_names(struct question *q, struct context *ctx)
{
	const struct context_ops *ops = namespace_ops();
	int r;

	if (q->n == 0)
		return 0;
	if (ops == NULL || ctx->type == PM_CONTEXT_LOCAL)
		ops = ctx->ops;
	r = ops->lookup_names(ctx, q->n, q->names, q->pmids);
	for (size_t i = 0; i < q->n; i++) {
		const struct special *special;

		if (r < 0)
			q->pmids[i] = PM_ID_NULL;
		special = q->pmids[i] == PM_ID_NULL ? special_by_name(q->names[i]) : NULL;
		if (special != NULL)
			q->pmids[i] = special->desc.pmid;
	}
	return is_fatal(r) ? r : 0;
}

/* The metrics that are not known yet become operands, if they have descriptors. */
static int ask_descs(const struct question *q, struct bound_set *set, struct context *ctx)
{
	AUTO_FREE pmID *pmids = NULL;
	AUTO_FREE pmDesc *descs = NULL;
	size_t n = 0;
	int r = 0;

	if (q->n == 0)
		return 0;
	pmids = malloc(q->n * sizeof(pmids[0]));
	descs = malloc(q->n * sizeof(descs[0]));
	if (pmids == NULL || descs == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < q->n && r == 0; i++) {
		const struct special *special = special_by_pmid(q->pmids[i]);

		if (special != NULL)
			r = operand_add(set, &special->desc);
		else if (q->pmids[i] != PM_ID_NULL && bound_operand(set, q->pmids[i]) == NULL)
			pmids[n++] = q->pmids[i];
	}
	if (r < 0 || n == 0)
		return r;
	r = ctx->ops->descs(ctx, n, pmids, descs);
	if (r < 0)
		return is_fatal(r) ? r : 0;
	for (size_t i = 0; i < n; i++) {
		if (descs[i].pmid != PM_ID_NULL && operand_add(set, &descs[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- Binding -------------------------------------------------------------------------------- */

static int alloc_nodes(struct bound *b)
{
	size_t n = (size_t)b->def->expr.n;

	if (b->rules == NULL)
		b->rules = calloc(n, sizeof(b->rules[0]));
	if (b->nodes == NULL)
		b->nodes = calloc(n, sizeof(b->nodes[0]));
	return b->rules == NULL || b->nodes == NULL ? -ENOMEM : 0;
}

/* False if there is no such metric. */
static bool bind_operand(struct bound *b, int i, const struct bound_set *set,
			 const struct question *q)
{
	const struct expr_node *node = &b->def->expr.nodes[i];
	pmID pmid = q->pmids[question_find(q, node->text) - 1];
	struct values *vals = &b->nodes[i].vals;

	if (node->op == EXPR_DEFINED) {
		vals->v[0].atom.ul = pmid != PM_ID_NULL;
		return true;
	}
	b->nodes[i].metric = pmid == PM_ID_NULL ? NULL : bound_operand(set, pmid);
	if (b->nodes[i].metric == NULL)
		return false;
	b->rules[i].desc = b->nodes[i].metric->desc;
	return true;
}

/* A constant has its value from now on. */
static int set_constant(struct bound *b, int i)
{
	const struct expr_node *node = &b->def->expr.nodes[i];
	struct values *vals = &b->nodes[i].vals;

	if (node->op != EXPR_CONST && node->op != EXPR_DEFINED)
		return 0;
	if (values_reserve(vals, 1) < 0)
		return -ENOMEM;
	vals->n = 1;
	vals->v[0] = (struct value){.inst = (int)PM_IN_NULL, .atom = node->value};
	return 0;
}

static int bind_one(struct bound *b, const struct bound_set *set, const struct question *q)
{
	const struct expr *e = &b->def->expr;
	bool good = true;

	if (alloc_nodes(b) < 0)
		return -ENOMEM;
	for (int i = 0; i < e->n; i++) {
		if (set_constant(b, i) < 0)
			return -ENOMEM;
		if (is_operand(&e->nodes[i]) && !bind_operand(b, i, set, q))
			good = false;
	}
	for (int i = 0; good && i < e->n; i++) {
		if (rules_apply(e, b->rules, i, &b->reason) < 0) {
			b->wrong = i;
			good = false;
		}
	}
	b->state = good ? BOUND_GOOD : BOUND_BAD;
	return 0;
}

static void report_refusal(const struct bound *b)
{
	struct buffer text = BUFFER_INIT;

	rules_render(&b->def->expr, b->wrong, b->reason, &text);
	pmprintf("Semantic error: derived metric %s: %s: %s\n", b->def->name, buffer_str(&text),
		 b->reason);
	pmflush();
	buffer_done(&text);
}

static bool all_bound(struct bound *const *bounds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bounds[i]->state == BOUND_NEW)
			return false;
	}
	return true;
}

int bound_bind(struct bound_set *set, struct context *ctx, struct bound *const *bounds, size_t n,
	       bool report)
{
	struct question q = {0};
	int r;

	if (all_bound(bounds, n))
		return 0;
	r = question_collect(&q, bounds, n);
	if (r == 0)
		r = ask_names(&q, ctx);
	if (r == 0)
		r = ask_descs(&q, set, ctx);
	for (size_t i = 0; i < n && r == 0; i++) {
		if (bounds[i]->state != BOUND_NEW)
			continue;
		r = bind_one(bounds[i], set, &q);
		if (r == 0 && report && bounds[i]->reason != NULL)
			report_refusal(bounds[i]);
	}
	question_done(&q);
	return r;
}

pmDesc bound_desc(const struct bound *b)
{
	pmDesc desc = b->rules[b->def->expr.n - 1].desc;

	desc.pmid = b->def->pmid;
	return desc;
}
