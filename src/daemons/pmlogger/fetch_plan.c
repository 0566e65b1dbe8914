/*
 * fetch_plan - see fetch_plan.h.
 *
 * Items are gathered by metric, metrics by what they want of their domain; the k-th different wish
 * that a domain is met with goes to the k-th group.
 */
#include "daemons/pmlogger/fetch_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmlogger/logging_state.h"
#include "libbase/arena.h"
#include "libbase/hash.h"

/* A metric of the task while the plan is made. */
struct gather {
	struct gather *next;
	struct logging_metric *metric;
	bool all;
	int *insts;
	size_t n, room;
	size_t group;
};

/* A wish of a domain. */
struct wish {
	struct wish *next; /* of the same domain */
	pmInDom indom;
	const struct gather *first; /* who has it */
	size_t group;
};

struct making {
	struct arena mem;
	struct gather *first, **end;
	struct hash wishes; /* the first of each domain */
	size_t ngroup;
	size_t *counts; /* metrics of each group */
	size_t *nwants;
};

static int fetch_plan_compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static int gather_inst(struct making *m, struct gather *g, int inst)
{
	if (g->n == g->room) {
		size_t room = g->room > 0 ? g->room * 2 : 4;
		int *more = arena_alloc(&m->mem, room * sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		if (g->n > 0)
			memcpy(more, g->insts, g->n * sizeof(*more));
		g->insts = more;
		g->room = room;
	}
	g->insts[g->n++] = inst;
	return 0;
}

static int gather_item(struct making *m, const struct logging_item *item)
{
	struct gather *g = item->metric->mark;

	if (item->metric->waiting)
		return 0;
	if (g == NULL) {
		g = arena_calloc(&m->mem, 1, sizeof(*g));
		if (g == NULL)
			return -ENOMEM;
		g->metric = item->metric;
		item->metric->mark = g;
		*m->end = g;
		m->end = &g->next;
	}
	if (item->whole) {
		g->all = true;
		return 0;
	}
	return gather_inst(m, g, item->inst);
}

static int gather_all(struct making *m, const struct logging_task *task)
{
	int r = 0;

	m->end = &m->first;
	LIST_FOR_EACH (node, &task->items) {
		if (r == 0)
			r = gather_item(m, LIST_ENTRY(node, struct logging_item, in_task));
	}
	for (struct gather *g = m->first; g != NULL; g = g->next) {
		g->metric->mark = NULL;
		if (!g->all)
			qsort(g->insts, g->n, sizeof(*g->insts), fetch_plan_compare_ints);
	}
	return r;
}

static bool wish_is(const struct wish *w, const struct gather *g)
{
	if (w->first->all || g->all)
		return w->first->all && g->all;
	return w->first->n == g->n && memcmp(w->first->insts, g->insts, g->n * sizeof(int)) == 0;
}

static bool wish_eq(const void *entry, const void *key)
{
	return ((const struct wish *)entry)->indom == *(const pmInDom *)key;
}

/* Which group a metric goes to. */
static int fetch_plan_choose(struct making *m, struct gather *g)
{
	pmInDom indom = g->metric->desc.indom;
	struct wish *w, **at = &w;

	if (indom == PM_INDOM_NULL)
		return 0;
	w = hash_find(&m->wishes, hash_u64(indom), wish_eq, &indom);
	for (; *at != NULL; at = &(*at)->next) {
		if (wish_is(*at, g)) {
			g->group = (*at)->group;
			return 0;
		}
		g->group = (*at)->group + 1;
	}
	*at = arena_calloc(&m->mem, 1, sizeof(**at));
	if (*at == NULL)
		return -ENOMEM;
	(*at)->indom = indom;
	(*at)->first = g;
	(*at)->group = g->group;
	if (g->group + 1 > m->ngroup)
		m->ngroup = g->group + 1;
	return at == &w ? hash_add(&m->wishes, hash_u64(indom), w) : 0;
}

static int choose_all(struct making *m)
{
	int r = 0;

	m->ngroup = m->first != NULL;
	for (struct gather *g = m->first; g != NULL && r == 0; g = g->next)
		r = fetch_plan_choose(m, g);
	return r;
}

static void group_done(struct fetch_group *g)
{
	for (size_t i = 0; g->metrics != NULL && i < g->n; i++)
		free(g->metrics[i].insts);
	for (size_t i = 0; i < g->nwant; i++)
		free(g->wants[i].insts);
	free(g->pmids);
	free(g->metrics);
	free(g->wants);
}

void fetch_plan_done(struct fetch_plan *plan)
{
	for (size_t i = 0; i < plan->ngroup; i++)
		group_done(&plan->groups[i]);
	free(plan->groups);
	*plan = (struct fetch_plan){0};
}

static int want_put(struct fetch_group *group, const struct gather *g)
{
	struct fetch_want *w = &group->wants[group->nwant];

	w->insts = malloc(g->n * sizeof(*w->insts));
	if (w->insts == NULL)
		return -ENOMEM;
	memcpy(w->insts, g->insts, g->n * sizeof(*w->insts));
	w->n = g->n;
	w->indom = g->metric->desc.indom;
	group->nwant++;
	return 0;
}

static int compare_metrics(const void *a, const void *b)
{
	pmID x = ((const struct fetch_metric *)a)->metric->desc.pmid;
	pmID y = ((const struct fetch_metric *)b)->metric->desc.pmid;

	return (x < y) - (x > y);
}

/* The wishes of all domains, each in its group. */
static int put_wishes(struct making *m, struct fetch_plan *plan)
{
	struct wish *w;
	size_t pos = 0;
	int r = 0;

	while ((w = hash_next(&m->wishes, &pos)) != NULL) {
		for (; w != NULL && r == 0; w = w->next) {
			if (!w->first->all)
				r = want_put(&plan->groups[w->group], w->first);
		}
	}
	return r;
}

static int fetch_plan_count(struct making *m)
{
	struct wish *w;
	size_t pos = 0;

	m->counts = arena_calloc(&m->mem, m->ngroup, sizeof(*m->counts));
	m->nwants = arena_calloc(&m->mem, m->ngroup, sizeof(*m->nwants));
	if (m->counts == NULL || m->nwants == NULL)
		return -ENOMEM;
	for (const struct gather *g = m->first; g != NULL; g = g->next)
		m->counts[g->group]++;
	while ((w = hash_next(&m->wishes, &pos)) != NULL) {
		for (; w != NULL; w = w->next)
			m->nwants[w->group]++;
	}
	return 0;
}

static int group_init(struct fetch_group *group, size_t n, size_t nwant)
{
	static uint64_t last_id;

	group->id = ++last_id;
	group->pmids = calloc(n + 1, sizeof(*group->pmids));
	group->metrics = calloc(n + 1, sizeof(*group->metrics));
	group->wants = calloc(nwant + 1, sizeof(*group->wants));
	return group->pmids == NULL || group->metrics == NULL || group->wants == NULL ? -ENOMEM : 0;
}

/* Which also orders them. */
static void group_finish(struct fetch_group *group)
{
	qsort(group->metrics, group->n, sizeof(*group->metrics), compare_metrics);
	for (size_t i = 0; i < group->n; i++)
		group->pmids[i] = group->metrics[i].metric->desc.pmid;
}

static void group_add(struct fetch_group *group, struct logging_metric *m)
{
	bool events = m->desc.type == PM_TYPE_EVENT || m->desc.type == PM_TYPE_HIGHRES_EVENT;

	group->metrics[group->n++] =
	    (struct fetch_metric){.metric = m, .indom = m->desc.indom, .events = events};
	group->events |= events;
}

static int put_groups(struct making *m, struct fetch_plan *plan)
{
	int r = fetch_plan_count(m);

	if (r < 0)
		return r;
	plan->groups = calloc(m->ngroup + 1, sizeof(*plan->groups));
	if (plan->groups == NULL)
		return -ENOMEM;
	plan->ngroup = m->ngroup;
	for (size_t i = 0; i < m->ngroup && r == 0; i++)
		r = group_init(&plan->groups[i], m->counts[i], m->nwants[i]);
	for (struct gather *g = m->first; g != NULL && r == 0; g = g->next)
		group_add(&plan->groups[g->group], g->metric);
	if (r == 0)
		r = put_wishes(m, plan);
	for (size_t i = 0; i < m->ngroup && r == 0; i++)
		group_finish(&plan->groups[i]);
	return r;
}

int fetch_plan_make(const struct logging_task *task, struct fetch_plan *ret_plan)
{
	struct making m = {.mem = ARENA_INIT, .wishes = HASH_INIT};
	struct fetch_plan plan = {0};
	int r = gather_all(&m, task);

	if (r == 0)
		r = choose_all(&m);
	if (r == 0)
		r = put_groups(&m, &plan);
	hash_done(&m.wishes);
	arena_done(&m.mem);
	if (r == 0)
		*ret_plan = plan;
	else
		fetch_plan_done(&plan);
	return r;
}
