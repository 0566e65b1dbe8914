#include "tools/pmlogextract/chosen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libstore/archive_meta.h"
#include "tools/archive/name_tree.h"
#include "tools/common/finding.h"
#include "tools/pmlogextract/conflicts.h"
#include "tools/pmlogextract/inputs.h"
#include "tools/pmlogextract/specs.h"

/* A specification that is looked up. */
struct choice {
	struct chosen *chosen;
	const struct spec *spec;
	const struct inputs *in;
	const char *config;
};

static int compare_metrics(const void *a, const void *b)
{
	const struct chosen_metric *x = a, *y = b;

	return (x->pmid > y->pmid) - (x->pmid < y->pmid);
}

/* The list is not sorted while it grows, so the search is linear. */
static struct chosen_metric *find_or_add(struct chosen *c, pmID pmid)
{
	struct chosen_metric *list;

	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].pmid == pmid)
			return &c->list[i];
	list = reallocarray(c->list, c->n + 1, sizeof(*list));
	if (list == NULL)
		pmNoMem("metrics", sizeof(*list), PM_FATAL_ERR);
	c->list = list;
	list[c->n] = (struct chosen_metric){.pmid = pmid};
	return &list[c->n++];
}

/* Adds all instances that ever had the name or the number. Returns false if there is none. */
static bool add_spec_inst(struct chosen_metric *m, struct archive_meta *meta,
			  const struct spec_inst *spec)
{
	const struct archive_metric *metric = archive_meta_metric(meta, m->pmid);

	return metric != NULL &&
	       inst_set_add_name(&m->insts, meta, metric->desc.indom, spec->name, spec->inst);
}

static void report_no_inst(const struct choice *choice, const struct spec_inst *inst,
			 const char *metric)
{
	fprintf(finding(), "Warning [%s, line %d]\nInstance \"", choice->config, choice->spec->line);
	if (inst->name != NULL)
		fputs(inst->name, stderr);
	else
		fprintf(stderr, "%d", inst->inst);
	fprintf(stderr, "\" is not defined for the metric \"%s\"\n", metric);
}

/* A metric without chosen instances is in the list but has no value. */
static void add_leaf(const char *name, pmID pmid, void *arg)
{
	const struct choice *choice = arg;
	const struct spec *spec = choice->spec;
	struct chosen_metric *m = find_or_add(choice->chosen, pmid);
	bool had = m->insts.all || m->insts.n > 0; /* had instances already: then nothing is reported */
	bool any = spec->n == 0;

	m->insts.all |= spec->n == 0;
	for (size_t i = 0; i < spec->n; i++) {
		bool found = false;

		for (size_t k = 0; k < choice->in->n; k++)
			found |= add_spec_inst(m, choice->in->list[k].recording.meta,
					       &spec->insts[i]);
		if (!found && !had)
			report_no_inst(choice, &spec->insts[i], name);
		any |= found;
	}
	if (!any && !had)
		fprintf(finding(),
			"Warning [%s, line %d]\n"
			"None of the instances for metric \"%s\" are valid, metric not extracted\n",
			choice->config, spec->line, name);
}

static void report_unknown(const struct spec *spec, const char *config)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(finding(),
		"Warning [%s, line %d]\n"
		"Problem with lookup for metric \"%s\" ... metric ignored\n"
		"Reason: %s\n",
		config, spec->line, spec->metric, pmErrStr_r(PM_ERR_NAME, text, sizeof(text)));
}

/* Looks the name up in the name spaces of all inputs. */
static void choose_spec(struct choice *choice, struct name_tree *const *trees)
{
	bool found = false;

	for (size_t i = 0; i < choice->in->n; i++)
		if (name_tree_walk(trees[i], choice->spec->metric, add_leaf, choice) >= 0)
			found = true;
	if (!found)
		report_unknown(choice->spec, choice->config);
}

static void choose(struct chosen *c, const struct specs *s, const struct inputs *in,
		   const char *config)
{
	struct name_tree **trees = calloc(in->n, sizeof(struct name_tree *));

	if (trees == NULL)
		pmNoMem("metrics", in->n, PM_FATAL_ERR);
	for (size_t i = 0; i < in->n; i++)
		trees[i] = name_tree_new(in->list[i].recording.meta);
	for (size_t i = 0; i < s->n; i++) {
		struct choice choice = {c, &s->list[i], in, config};

		choose_spec(&choice, trees);
	}
	for (size_t i = 0; i < in->n; i++)
		name_tree_free(trees[i]);
	free(trees);
	if (c->n > 0)
		qsort(c->list, c->n, sizeof(*c->list), compare_metrics);
}

bool chosen_read(struct chosen *c, const char *config, const struct inputs *in,
		 const struct conflicts *conflicts)
{
	struct specs specs = {0};
	bool ok = true;

	*c = (struct chosen){.some = config != NULL, .conflicts = conflicts};
	if (config != NULL) {
		ok = specs_read(&specs, config);
		c->some = specs.n > 0; /* an empty configuration chooses everything */
		choose(c, &specs, in, config); /* warnings about the part before a mistake come first */
		specs_complain(&specs, config);
		specs_done(&specs);
	}
	return ok;
}

void chosen_done(struct chosen *c)
{
	for (size_t i = 0; i < c->n; i++)
		inst_set_done(&c->list[i].insts);
	free(c->list);
}

bool chosen_everything(const struct chosen *c)
{
	return !c->some && c->conflicts->n == 0;
}

/* Moves the values of chosen instances to the front. Returns false if the set is left out. */
static bool reduce_set(const struct chosen_metric *m, pmValueSet *set)
{
	int n = 0;

	if (m->insts.all || set->numval <= 0)
		return true;
	for (int i = 0; i < set->numval; i++)
		if (inst_set_has(&m->insts, set->vlist[i].inst))
			set->vlist[n++] = set->vlist[i];
	set->numval = n;
	return n > 0;
}

static bool keep_set(const struct chosen *c, pmValueSet *set)
{
	struct chosen_metric key = {.pmid = set->pmid};
	const struct chosen_metric *m;

	if (conflicts_has(c->conflicts, set->pmid))
		return false;
	if (!c->some)
		return true;
	m = c->n > 0 ? bsearch(&key, c->list, c->n, sizeof(key), compare_metrics) : NULL;
	return m != NULL && reduce_set(m, set);
}

bool chosen_reduce(const struct chosen *c, pmHighResResult *result)
{
	int n = 0;

	for (int i = 0; i < result->numpmid; i++)
		if (keep_set(c, result->vset[i]))
			result->vset[n++] = result->vset[i];
	result->numpmid = n;
	return n > 0;
}
