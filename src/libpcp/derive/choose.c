/*
 * choose - see choose.h.
 *
 * Whether an instance is wanted is found out once, by its name, and kept by its id.
 */
#include "libpcp/derive/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp/context.h"

enum { FIRST_CAP = 16 };

/* The place of an instance, or where it would be. */
static int verdict_place(const struct bound_node *own, int inst)
{
	int from = 0;
	int to = own->nverdicts;

	while (from < to) {
		int mid = from + (to - from) / 2;

		if (own->verdicts[mid].inst < inst)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static const struct verdict *verdict_of(const struct bound_node *own, int inst)
{
	int i = verdict_place(own, inst);

	return i < own->nverdicts && own->verdicts[i].inst == inst ? &own->verdicts[i] : NULL;
}

static int verdict_add(struct bound_node *own, int inst, bool wanted)
{
	int i = verdict_place(own, inst);

	if (i < own->nverdicts && own->verdicts[i].inst == inst)
		return 0;
	if (own->nverdicts == own->cap_verdicts) {
		int cap = own->cap_verdicts == 0 ? FIRST_CAP : own->cap_verdicts * 2;
		struct verdict *v = reallocarray(own->verdicts, (size_t)cap, sizeof(v[0]));

		if (v == NULL)
			return -ENOMEM;
		own->verdicts = v;
		own->cap_verdicts = cap;
	}
	memmove(&own->verdicts[i + 1], &own->verdicts[i],
		(size_t)(own->nverdicts - i) * sizeof(own->verdicts[0]));
	own->verdicts[i] = (struct verdict){.inst = inst, .wanted = wanted};
	own->nverdicts++;
	return 0;
}

/* An instance is meant by its whole name or by the part before its first blank. */
static bool is_named(const char *inst, const char *name)
{
	size_t len = strcspn(inst, " ");

	return strcmp(inst, name) == 0 || (strlen(name) == len && strncmp(inst, name, len) == 0);
}

/* The pattern sees the part before the first blank. The name is cut. */
static bool matches(const struct expr_node *node, char *name)
{
	name[strcspn(name, " ")] = '\0';
	return (regexec(node->pattern, name, 0, NULL, 0) == 0) != node->negate;
}

/* Finds out about all instances that there are now. An instance domain without an answer has none.
 */
static int learn(struct bound_node *own, const struct expr_node *node, pmInDom indom,
		 struct context *ctx)
{
	struct context_insts insts;
	int r = ctx->ops->instances(ctx, indom, (int)PM_IN_NULL, NULL, &insts);
	int n = r;

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = 0;
	for (int i = 0; i < n && r == 0; i++)
		r = verdict_add(own, insts.ids[i],
				node->op == EXPR_MATCHINST ? matches(node, insts.names[i])
							   : is_named(insts.names[i], node->text));
	free(insts.ids);
	free(insts.names);
	return r;
}

int choose_run(struct bound *b, int at, const struct values *in, struct context *ctx)
{
	const struct expr_node *node = &b->def->expr.nodes[at];
	pmInDom indom = b->rules[at].desc.indom;
	struct bound_node *own = &b->nodes[at];
	bool learnt = indom == PM_INDOM_NULL;

	own->vals.n = in->n < 0 ? in->n : 0;
	if (in->n <= 0)
		return 0;
	if (values_reserve(&own->vals, in->n) < 0)
		return -ENOMEM;
	for (int i = 0; i < in->n; i++) {
		const struct verdict *v = verdict_of(own, in->v[i].inst);

		if (v == NULL && !learnt) {
			learnt = true;
			if (learn(own, node, indom, ctx) < 0)
				return -ENOMEM;
			v = verdict_of(own, in->v[i].inst);
		}
		if (v == NULL || !v->wanted)
			continue;
		own->vals.v[own->vals.n++] = in->v[i];
		if (node->op == EXPR_INSTANCE)
			break;
	}
	return 0;
}
