#include "tools/pmval/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pmval/options.h"

static int find_metric(struct target *t, const struct options *o)
{
	int sts = pmLookupName(1, &t->name, &t->pmid);

	if (sts < 0) {
		fprintf(stderr, "%s: pmLookupName(%s): %s\n", pmGetProgname(), t->name,
			pmErrStr(sts));
		return sts;
	}
	sts = pmLookupDesc(t->pmid, &t->desc);
	if (sts < 0) {
		fprintf(stderr, "%s: pmLookupDesc: %s\n", pmGetProgname(), pmErrStr(sts));
		return sts;
	}
	t->rate = t->desc.sem == PM_SEM_COUNTER && !o->raw;
	t->event = t->desc.type == PM_TYPE_EVENT || t->desc.type == PM_TYPE_HIGHRES_EVENT;
	return 0;
}

static int choose_instance(struct target *t, const char *name, const struct options *o)
{
	int inst = options_archive(o) ? pmLookupInDomArchive(t->desc.indom, name)
				      : pmLookupInDom(t->desc.indom, name);

	if (inst < 0) {
		fprintf(stderr, "%s: instance %s not available\n", pmGetProgname(), name);
		return inst;
	}
	t->chosen[t->n_chosen++] = inst;
	return 0;
}

/* The instances in the argument, else those of -i. */
static int choose_instances(struct target *t, const struct options *o)
{
	char **names = o->spec->ninst > 0 ? o->spec->inst : o->chosen.words;
	int n = o->spec->ninst > 0 ? o->spec->ninst : (int)o->chosen.n;
	int sts = 0;

	if (n == 0)
		return 0;
	t->chosen_names = names;
	t->chosen = calloc(n, sizeof(t->chosen[0]));
	if (t->chosen == NULL)
		pmNoMem("instances", n * sizeof(t->chosen[0]), PM_FATAL_ERR);
	for (int i = 0; i < n && sts >= 0; i++)
		sts = choose_instance(t, names[i], o);
	if (sts < 0)
		return sts;
	sts = pmAddProfile(t->desc.indom, t->n_chosen, t->chosen);
	if (sts < 0)
		fprintf(stderr, "%s: pmAddProfile: %s\n", pmGetProgname(), pmErrStr(sts));
	return sts;
}

int target_find(struct target *t, const struct options *o)
{
	int sts;

	memset(t, 0, sizeof(*t));
	t->name = o->spec->metric;
	sts = find_metric(t, o);
	if (sts < 0)
		return sts;
	if (t->desc.indom != PM_INDOM_NULL)
		return choose_instances(t, o);
	if (o->spec->ninst > 0) {
		fprintf(stderr, "%s: %s: singular metrics do not have instances\n", pmGetProgname(),
			t->name);
		return PM_ERR_INDOM;
	}
	return 0;
}

bool target_wants(const struct target *t, int inst)
{
	for (int i = 0; i < t->n_chosen; i++)
		if (t->chosen[i] == inst)
			return true;
	return t->n_chosen == 0;
}

void target_done(struct target *t)
{
	free(t->chosen);
	t->chosen = NULL;
	t->n_chosen = 0;
}
