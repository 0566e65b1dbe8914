/*
 * target - the metric that is watched, and the value that is stored first.
 */
#include "tools/pmval/pmval.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "tools/common/value.h"

/*
 * Target
 */

static int target_find_metric(struct target *t, const struct options *o)
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
	sts = target_find_metric(t, o);
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

/*
 * Storing a value
 */

static int target_complain(const char *text, const char *what, int sts)
{
	fprintf(stderr, "%s: %s \"%s\" failed: %s\n", pmGetProgname(), what, text, pmErrStr(sts));
	return sts;
}

static int parse(const struct target *t, const char *text, pmAtomValue *ret_atom)
{
	char type[32];
	int sts = __pmStringValue(text, ret_atom, t->desc.type);

	if (sts >= 0)
		return 0;
	pmTypeStr_r(t->desc.type, type, sizeof(type));
	if (sts == PM_ERR_TYPE)
		fprintf(stderr, "%s: filter \"%s\" incompatible with metric type (PM_TYPE_%s)\n",
			pmGetProgname(), text, type);
	else if (sts == -ERANGE)
		fprintf(
		    stderr,
		    "%s: filter value \"%s\" is out of range for metric data type (PM_TYPE_%s)\n",
		    pmGetProgname(), text, type);
	else
		target_complain(text, "failed to convert value", sts);
	return sts;
}

/* The instances to store to: the chosen ones, all of the domain, or the only one. */
static int target_get_instances(const struct target *t, int **ret_ids)
{
	char **names, buf[32];
	int n;

	if (t->desc.indom != PM_INDOM_NULL && t->n_chosen == 0) {
		n = pmGetInDom(t->desc.indom, ret_ids, &names);
		if (n < 0)
			fprintf(stderr, "%s: pmGetInDom(%s): %s\n", pmGetProgname(),
				pmInDomStr_r(t->desc.indom, buf, sizeof(buf)), pmErrStr(n));
		if (n > 0)
			free(names);
		return n;
	}
	n = t->desc.indom == PM_INDOM_NULL ? 1 : t->n_chosen;
	*ret_ids = calloc(n, sizeof((*ret_ids)[0]));
	if (*ret_ids == NULL)
		pmNoMem("store", n * sizeof((*ret_ids)[0]), PM_FATAL_ERR);
	(*ret_ids)[0] = PM_IN_NULL;
	if (t->desc.indom != PM_INDOM_NULL)
		memcpy(*ret_ids, t->chosen, n * sizeof((*ret_ids)[0]));
	return n;
}

int store_value(const struct target *t, const char *text)
{
	int *ids = NULL;
	pmAtomValue atom;
	pmResult *result;
	int n, sts = parse(t, text, &atom);

	if (sts < 0)
		return sts;
	n = target_get_instances(t, &ids);
	if (n < 0)
		return n;
	sts = result_make(&t->desc, &atom, ids, n, &result);
	if (sts < 0) {
		target_complain(text, "stuff value", sts);
	} else {
		sts = pmStore(result);
		if (sts < 0)
			target_complain(text, "store value", sts);
		pmFreeResult(result);
	}
	free(ids);
	if (t->desc.type == PM_TYPE_STRING)
		free(atom.cp);
	return sts < 0 ? sts : 0;
}
