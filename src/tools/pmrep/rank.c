/*
 * Ranking keeps the values of some instances of each metric. With predicates, the instances of the
 * predicate are those of all metrics of its instance domain.
 */
#include "tools/pmrep/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ranked {
	double number;
	const char *text; /* of a string; else NULL */
	int order;        /* in the list of values */
};

static struct ranked ranked(const struct metric *m, const pmAtomValue *atom, int order)
{
	if (metric_is_number(m))
		return (struct ranked){metric_number(m, atom), NULL, order};
	return (struct ranked){0, atom->cp != NULL ? atom->cp : "", order};
}

/* Below 0 if the first is lower. */
static int rank_compare(const struct ranked *x, const struct ranked *y)
{
	if (x->text != NULL)
		return strcmp(x->text, y->text);
	return x->number < y->number ? -1 : x->number > y->number;
}

static int rank_higher(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int difference = rank_compare(y, x);

	return difference != 0 ? difference : x->order - y->order;
}

static int rank_lower(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int difference = rank_compare(x, y);

	return difference != 0 ? difference : x->order - y->order;
}

static bool is_ranked(const struct metric *m)
{
	return m->desc.indom != PM_INDOM_NULL;
}

/* Keeps the values for which keep is true, in their order. */
static void keep_values(struct metric *m, const bool *keep)
{
	int n = 0;

	for (int i = 0; i < m->n_values; i++)
		if (keep[i])
			m->values[n++] = m->values[i];
	m->n_values = n;
}

static void *rank_memory(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (memory == NULL)
		pmNoMem("ranking", n * size, PM_FATAL_ERR);
	return memory;
}

/* Keeps the `rank` highest values, or, below 0, the lowest. */
static void rank_metric(struct metric *m, int rank)
{
	int n = m->n_values, kept = abs(rank);
	struct ranked *list;
	bool *keep;

	if (kept >= n)
		return;
	list = rank_memory((size_t)n, sizeof(list[0]));
	keep = rank_memory((size_t)n, sizeof(keep[0]));
	for (int i = 0; i < n; i++)
		list[i] = ranked(m, &m->values[i].atom, i);
	qsort(list, (size_t)n, sizeof(list[0]), rank > 0 ? rank_higher : rank_lower);
	for (int i = 0; i < kept; i++)
		keep[list[i].order] = true;
	keep_values(m, keep);
	free(keep);
	free(list);
}

/* Removes values below a limit, or above a negative one. */
static void limit_metric(struct metric *m)
{
	bool *keep;

	if (m->limit == 0 || !metric_is_number(m) || m->n_values == 0 ||
	    m->desc.indom == PM_INDOM_NULL)
		return;
	keep = rank_memory((size_t)m->n_values, sizeof(keep[0]));
	for (int i = 0; i < m->n_values; i++) {
		double number = metric_number(m, &m->values[i].atom);

		keep[i] = m->limit > 0 ? number >= m->limit : number <= -m->limit;
	}
	keep_values(m, keep);
	free(keep);
}

/* True if the words of a list, separated by commas, have a name. */
static bool has_word(const char *list, const char *name)
{
	size_t length = strlen(name);

	while (list != NULL && *list != '\0') {
		size_t n = strcspn(list, ",");

		if (n == length && memcmp(list, name, n) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static void follow_predicate(struct metric *m, const struct metric *predicate)
{
	bool *keep;

	if (m->n_values == 0)
		return;
	keep = rank_memory((size_t)m->n_values, sizeof(keep[0]));
	for (int i = 0; i < m->n_values; i++)
		keep[i] = metric_value(predicate, m->values[i].inst) != NULL;
	keep_values(m, keep);
	free(keep);
}

/* True if a metric's instances are those of a predicate. */
static bool is_predicated(const struct report *r, const struct metric *m)
{
	for (size_t p = 0; p < r->metrics.n; p++)
		if (r->metrics.list[p].desc.indom == m->desc.indom &&
		    has_word(r->settings.predicate, r->metrics.list[p].name))
			return true;
	return false;
}

static void rank_by_predicates(struct report *r)
{
	struct metrics *metrics = &r->metrics;

	for (size_t p = 0; p < metrics->n; p++) {
		struct metric *predicate = &metrics->list[p];

		if (!is_ranked(predicate) || !has_word(r->settings.predicate, predicate->name))
			continue;
		limit_metric(predicate);
		if (r->settings.rank != 0)
			rank_metric(predicate, r->settings.rank);
		for (size_t i = 0; i < metrics->n; i++)
			if (i != p && metrics->list[i].desc.indom == predicate->desc.indom)
				follow_predicate(&metrics->list[i], predicate);
	}
}

static const struct metric *find_metric(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->metrics.n; i++)
		if (strcmp(r->metrics.list[i].name, name) == 0)
			return &r->metrics.list[i];
	return NULL;
}

static int check_sort(const struct report *r)
{
	const char *name = r->settings.sort_metric;
	const struct metric *m;

	if (name == NULL)
		return 0;
	m = find_metric(r, name + (name[0] == '-'));
	if (r->settings.colxrow != NULL && m != NULL && m->desc.indom != PM_INDOM_NULL)
		return 0;
	if (m == NULL || r->settings.colxrow == NULL)
		fprintf(stderr, "Sort reference metric %s not part of metrics.\n", name);
	else
		fprintf(stderr, "Sort reference metric must have instances.\n");
	return PM_ERR_NAME;
}

int rank_check(const struct report *r)
{
	for (size_t i = 0; i < r->metrics.n; i++) {
		const struct metric *m = &r->metrics.list[i];

		if (m->desc.indom != PM_INDOM_NULL || !has_word(r->settings.predicate, m->name))
			continue;
		fprintf(stderr, "Predicate metric must have instances.\n");
		return PM_ERR_INDOM;
	}
	return check_sort(r);
}

/* Keeps the values of the instances that are requested. */
static void filter_metric(struct metric *m)
{
	bool *keep;

	if (m->desc.indom == PM_INDOM_NULL || m->n_values == 0)
		return;
	keep = rank_memory((size_t)m->n_values, sizeof(keep[0]));
	for (int i = 0; i < m->n_values; i++)
		keep[i] = filter_matches(&m->filter, m->values[i].name);
	keep_values(m, keep);
	free(keep);
}

void rank_values(struct report *r)
{
	bool later = r->settings.live_filter && r->settings.invert_filter;

	if (r->settings.predicate != NULL)
		rank_by_predicates(r);
	for (size_t i = 0; i < r->metrics.n; i++) {
		struct metric *m = &r->metrics.list[i];

		if (r->settings.predicate == NULL || !is_predicated(r, m)) {
			limit_metric(m);
			if (r->settings.rank != 0 && is_ranked(m))
				rank_metric(m, r->settings.rank);
		}
		if (later)
			filter_metric(m);
	}
}

/*
 * The overall ranking
 */

/* The best value of an instance so far. */
struct best {
	const struct metric *metric;
	int inst;
	char *name; /* or NULL */
	pmAtomValue atom;
};

static struct {
	struct best *list;
	size_t n;
} overall; /* static: a program has one ranking */

static struct best *find_best(const struct metric *m, int inst)
{
	for (size_t i = 0; i < overall.n; i++)
		if (overall.list[i].metric == m && overall.list[i].inst == inst)
			return &overall.list[i];
	return NULL;
}

static void add_best(const struct metric *m, const struct value *v)
{
	struct best *list = realloc(overall.list, (overall.n + 1) * sizeof(list[0]));
	char *name = v->name != NULL ? strdup(v->name) : NULL;

	if (list == NULL || (v->name != NULL && name == NULL))
		pmNoMem("ranking", (overall.n + 1) * sizeof(list[0]), PM_FATAL_ERR);
	overall.list = list;
	list[overall.n++] = (struct best){m, v->inst, name, v->atom};
}

void rank_collect(struct report *r)
{
	for (size_t i = 0; i < r->metrics.n; i++) {
		const struct metric *m = &r->metrics.list[i];

		for (int n = 0; metric_is_number(m) && n < m->n_values; n++) {
			const struct value *v = &m->values[n];
			struct best *best = find_best(m, v->inst);
			double number = metric_number(m, &v->atom);

			if (best == NULL)
				add_best(m, v);
			else if (r->settings.rank > 0 ? number > metric_number(m, &best->atom)
						      : number < metric_number(m, &best->atom))
				best->atom = v->atom;
		}
	}
}

/* The values of the overall ranking replace those of the last sample. */
static struct best **best_of(const struct metric *m, int rank, size_t *ret_n)
{
	struct ranked *list = rank_memory(overall.n + 1, sizeof(list[0]));
	struct best **chosen = rank_memory(overall.n + 1, sizeof(chosen[0]));
	size_t n = 0, kept = (size_t)abs(rank);

	for (size_t i = 0; i < overall.n; i++)
		if (overall.list[i].metric == m)
			list[n++] = ranked(m, &overall.list[i].atom, (int)i);
	qsort(list, n, sizeof(list[0]), rank > 0 ? rank_higher : rank_lower);
	*ret_n = n < kept ? n : kept;
	for (size_t i = 0; i < *ret_n; i++)
		chosen[i] = &overall.list[list[i].order];
	free(list);
	return chosen;
}

struct widths {
	int metric, inst, unit, value;
};

static void rank_widen(int *width, const char *text)
{
	int length = text != NULL ? (int)strlen(text) : 0;

	if (length > *width)
		*width = length;
}

/* Prints the metrics as arguments of pmrep. */
static void print_argument(const struct metric *m, struct best **chosen, size_t n)
{
	if (n == 0)
		return;
	printf("%s,,", m->name);
	if (chosen[0]->name != NULL) {
		putchar('"');
		for (size_t i = 0; i < n; i++)
			printf("%s'%s'", i > 0 ? "," : "", chosen[i]->name);
		putchar('"');
	}
	putchar('\n');
}

static void print_ranking(const struct report *r, const struct metric *m, struct best **chosen,
			  size_t n, struct widths *w, bool print)
{
	char buf[TEXT_MAX];

	for (size_t i = 0; i < n; i++) {
		const char *value = text_value(r, m, &chosen[i]->atom, 0, buf, sizeof(buf));
		const char *name = chosen[i]->name != NULL ? chosen[i]->name : "";

		if (print) {
			printf("%-*s   %-*s   %*s    %*s\n", w->metric, m->name, w->inst, name,
			       w->unit, m->unit, w->value, value);
			continue;
		}
		rank_widen(&w->metric, m->name);
		rank_widen(&w->inst, name);
		rank_widen(&w->unit, m->unit);
		rank_widen(&w->value, value);
	}
}

void rank_print(struct report *r)
{
	struct widths w = {3, 3, 3, 3};
	size_t n;

	for (int print = 0; print < 2; print++)
		for (size_t i = 0; i < r->metrics.n; i++) {
			const struct metric *m = &r->metrics.list[i];
			struct best **chosen = best_of(m, r->settings.rank, &n);

			if (!r->settings.overall_rank_alt)
				print_ranking(r, m, chosen, n, &w, print);
			else if (print)
				print_argument(m, chosen, n);
			free(chosen);
		}
	for (size_t i = 0; i < overall.n; i++)
		free(overall.list[i].name);
	free(overall.list);
	overall.list = NULL;
	overall.n = 0;
}
