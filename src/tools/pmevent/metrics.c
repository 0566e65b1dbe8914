/*
 * metrics - the event metrics that are watched, and their instances.
 */
#include "tools/pmevent/pmevent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/names.h"

/* A search in progress. */
struct search {
	struct metrics *found;
	const struct command *command;
	bool quiet;
};

static int metrics_complain(const struct search *s, const char *what, const char *why)
{
	if (!s->quiet)
		fprintf(stderr, "%s: %s: %s\n", pmGetProgname(), what, why);
	return PM_ERR_NAME;
}

static bool is_event(int type)
{
	return type == PM_TYPE_EVENT || type == PM_TYPE_HIGHRES_EVENT;
}

static int metrics_add(struct metrics *m, const char *name, const pmDesc *desc)
{
	struct metric *list;
	pmID *pmids;

	if (metrics_by_pmid(m, desc->pmid) != NULL)
		return 0;
	list = reallocarray(m->list, (size_t)m->n + 1, sizeof(list[0]));
	if (list != NULL)
		m->list = list;
	pmids = reallocarray(m->pmids, (size_t)m->n + 1, sizeof(pmids[0]));
	if (pmids != NULL)
		m->pmids = pmids;
	if (list == NULL || pmids == NULL)
		pmNoMem("metrics", sizeof(list[0]), PM_FATAL_ERR);
	list[m->n] = (struct metric){.name = strdup(name), .desc = *desc};
	pmids[m->n] = desc->pmid;
	if (list[m->n].name == NULL)
		pmNoMem("metrics", strlen(name), PM_FATAL_ERR);
	m->n++;
	return 0;
}

static int metrics_choose(const struct search *s, struct metric *metric, int n, char **names)
{
	pmInDom indom = metric->desc.indom;

	if (n == 0)
		return 0;
	if (indom == PM_INDOM_NULL)
		return metrics_complain(s, metric->name, "singular metrics do not have instances");
	metric->chosen = calloc((size_t)n, sizeof(metric->chosen[0]));
	if (metric->chosen == NULL)
		pmNoMem("instances", (size_t)n * sizeof(metric->chosen[0]), PM_FATAL_ERR);
	for (int i = 0; i < n; i++) {
		int inst = s->command->pm.context == PM_CONTEXT_ARCHIVE
			       ? pmLookupInDomArchive(indom, names[i])
			       : pmLookupInDom(indom, names[i]);

		if (inst < 0)
			return metrics_complain(s, names[i], pmErrStr(inst));
		metric->chosen[metric->n_chosen++] = inst;
	}
	return 0;
}

/* Looks up one name; *ret_found is whether it is an event metric. */
static int find_leaf(const struct search *s, const char *name, bool *ret_found)
{
	pmID pmid;
	pmDesc desc;
	int sts = pmLookupName(1, &name, &pmid);

	*ret_found = false;
	if (sts >= 0)
		sts = pmLookupDesc(pmid, &desc);
	if (sts < 0) {
		metrics_complain(s, name, pmErrStr(sts));
		return sts;
	}
	*ret_found = is_event(desc.type);
	return *ret_found ? metrics_add(s->found, name, &desc) : 0;
}

/* Looks up all metrics below a node; skips other metrics, and those that cannot be read. */
static int find_below(const struct search *s, const char *node)
{
	struct search silent = {.found = s->found, .command = s->command, .quiet = true};
	struct names names = {0};
	bool found = false, any = false;
	int sts = pmTraversePMNS_r(node, names_add, &names);

	for (size_t i = 0; sts >= 0 && i < names.n; i++) {
		if (find_leaf(&silent, names.list[i], &found) >= 0)
			any = any || found;
	}
	names_free(&names);
	if (sts < 0)
		metrics_complain(s, node, pmErrStr(sts));
	else if (!any)
		sts = metrics_complain(s, node, "no event metric");
	return sts < 0 ? sts : 0;
}

static int find_spec(const struct search *s, const pmMetricSpec *spec)
{
	const struct wordlist *instances = &s->command->instances;
	int before = s->found->n;
	int sts = find_below(s, spec->metric);

	for (int i = before; i < s->found->n && sts >= 0; i++) {
		if (spec->ninst > 0)
			sts =
			    metrics_choose(s, &s->found->list[i], spec->ninst, (char **)spec->inst);
		else if (s->found->list[i].desc.indom != PM_INDOM_NULL)
			sts = metrics_choose(s, &s->found->list[i], (int)instances->n,
					     instances->words);
	}
	return sts;
}

static int find(const struct search *s, const char *argument)
{
	static char none[] = "";
	pmMetricSpec *spec;
	char *message;
	int sts = pmParseMetricSpec(argument, 0, none, &spec, &message);

	if (sts < 0) {
		if (!s->quiet)
			fputs(message, stderr);
		free(message);
		return sts;
	}
	if (spec->source != none)
		sts = metrics_complain(s, argument, "the source is named by -h, -a or -L");
	else
		sts = find_spec(s, spec);
	pmFreeMetricSpec(spec);
	return sts;
}

/* The instances of a metric that is alone in the request, so that its agent sends no others. */
static int limit(const struct metrics *m)
{
	if (m->n != 1 || m->list[0].n_chosen == 0)
		return 0;
	return pmAddProfile(m->list[0].desc.indom, m->list[0].n_chosen, m->list[0].chosen);
}

int metrics_find(struct metrics *m, const struct command *c, bool quiet)
{
	struct metrics found = {0};
	struct search s = {.found = &found, .command = c, .quiet = quiet};
	int sts = 0;

	for (int i = 0; i < c->n_metrics && sts >= 0; i++)
		sts = find(&s, c->metrics[i]);
	if (c->n_metrics == 0) {
		sts = find(&s, METRICS_DEFAULT);
		if (sts == PM_ERR_NAME && !quiet)
			fprintf(stderr,
				"%s: no metric is named, and the tracing agent is not there\n",
				pmGetProgname());
	}
	if (sts >= 0)
		sts = limit(&found);
	if (sts < 0) {
		metrics_done(&found);
		return sts;
	}
	*m = found;
	return 0;
}

struct metric *metrics_by_pmid(const struct metrics *m, pmID pmid)
{
	for (int i = 0; i < m->n; i++)
		if (m->pmids[i] == pmid)
			return &m->list[i];
	return NULL;
}

bool metrics_wants(const struct metric *metric, int inst)
{
	for (int i = 0; i < metric->n_chosen; i++)
		if (metric->chosen[i] == inst)
			return true;
	return metric->n_chosen == 0;
}

void metrics_done(struct metrics *m)
{
	for (int i = 0; i < m->n; i++) {
		free(m->list[i].name);
		free(m->list[i].chosen);
	}
	free(m->list);
	free(m->pmids);
	*m = (struct metrics){0};
}
