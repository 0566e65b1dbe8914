/*
 * pmstore - changes the value of a metric (docs/spec/tools.md 5).
 */
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "tools/common/output.h"
#include "tools/common/result.h"
#include "tools/common/source.h"
#include "tools/pmstore/options.h"
#include "tools/pmstore/report.h"
#include "tools/pmstore/target.h"

/* Fetches the metric; `when` is the word for the error message. Returns 0 or an error. */
static int fetch(const struct target *t, const char *when, pmResult **ret_result)
{
	pmID pmid = t->desc.pmid;
	int sts = pmFetch(1, &pmid, ret_result);

	if (sts < 0)
		printf("%s: %s pmFetch: %s\n", t->name, when, pmErrStr(sts));
	return sts < 0 ? sts : 0;
}

/*
 * An error in place of values is always a failure; no values only if the caller does not allow it.
 */
static int check_values(const struct target *t, const pmValueSet *vset, bool may_be_none)
{
	if (vset->numval < 0) {
		printf("%s: Error: %s\n", t->name, pmErrStr(vset->numval));
		return vset->numval;
	}
	if (vset->numval == 0 && !may_be_none) {
		printf("%s: No value(s) available!\n", t->name);
		return PM_ERR_VALUE;
	}
	return 0;
}

/*
 * The instances to store to: those with a value, else the chosen ones, else the first that an agent
 * could have.
 */
static int get_instances(const struct target *t, const pmValueSet *before, int **ret_insts)
{
	int n = before->numval > 0 ? before->numval : t->n_chosen > 0 ? t->n_chosen : 1;
	int *insts = calloc(n, sizeof(insts[0]));

	if (insts == NULL)
		pmNoMem("instances", n * sizeof(insts[0]), PM_FATAL_ERR);
	for (int i = 0; i < n; i++) {
		if (before->numval > 0)
			insts[i] = before->vlist[i].inst;
		else if (t->n_chosen > 0)
			insts[i] = t->chosen[i];
	}
	*ret_insts = insts;
	return n;
}

/* Stores the text to all instances; the result is the one that was sent. Returns 0 or an error. */
static int store(const struct target *t, const char *text, const pmValueSet *before,
		 pmResult **ret_sent)
{
	pmAtomValue atom;
	pmResult *sent;
	int *insts, n, sts = target_parse(t, text, &atom);

	if (sts < 0)
		return sts;
	n = get_instances(t, before, &insts);
	sts = result_make(&t->desc, &atom, insts, n, &sent);
	free(insts);
	if (t->desc.type == PM_TYPE_STRING)
		free(atom.cp);
	if (sts >= 0) {
		sts = pmStore(sent);
		if (sts < 0)
			pmFreeResult(sent);
	}
	if (sts < 0) {
		printf("%s: new value=\"%s\" pmStore: %s\n", t->name, text, pmErrStr(sts));
		return sts;
	}
	*ret_sent = sent;
	return 0;
}

static int change(const struct target *t, const struct options *o)
{
	pmResult *before = NULL, *now = NULL;
	int sts = fetch(t, "pre", &before);

	if (sts >= 0)
		sts = check_values(t, before->vset[0], o->force);
	if (sts >= 0)
		sts = store(t, o->value, before->vset[0], &now);
	if (sts >= 0 && o->confirm) {
		pmFreeResult(now);
		now = NULL;
		sts = fetch(t, "post", &now);
		if (sts >= 0)
			sts = check_values(t, now->vset[0], false);
	}
	if (sts >= 0)
		report_print(t, before->vset[0], now->vset[0]);
	if (before != NULL)
		pmFreeResult(before);
	if (now != NULL)
		pmFreeResult(now);
	return sts;
}

/* Returns the exit status. */
static int run(struct options *o)
{
	struct target t;
	int sts;

	if (source_open_options(&o->pm, "make standalone local connection") < 0)
		return 1;
	sts = target_find(&t, o);
	if (sts >= 0)
		sts = change(&t, o);
	target_done(&t);
	return sts < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	if (options_parse(&o, argc, argv, &status))
		status = run(&o);
	options_done(&o);
	return output_finish(status);
}
