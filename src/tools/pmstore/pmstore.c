/*
 * pmstore - changes the value of a metric (docs/spec/tools.md 5).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/names.h"
#include "tools/common/value.h"

/*
 * options - the command line of pmstore.
 */

struct options {
	pmOptions pm;           /* the standard options */
	struct wordlist chosen; /* -i: names of instances */
	bool force;             /* -f: also store if there is no value yet */
	bool confirm;           /* -F: fetch again afterwards to print the new value */
	const char *metric;     /* the arguments */
	const char *value;
};

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("General options") },
	{ PMOPT_DEBUG },
	{ PMOPT_HOST },
	{ PMOPT_LOCALPMDA },
	{ PMOPT_SPECLOCAL },
	{ PMOPT_NAMESPACE },
	{ PMOPT_VERSION },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_HEADER("Value options") },
	{ { "fetch", 0, 'F', 0, "perform pmFetch after pmStore to confirm value" }, CMDLINE_FLAG, AT(confirm) },
	{ { "force", 0, 'f', 0, "store the value even if there is no current value set" }, CMDLINE_FLAG, AT(force) },
	{ { "insts", 1, 'i', "INSTS", "restrict store to comma-separated list of instances" }, CMDLINE_WORDS, AT(chosen) },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	memset(o, 0, sizeof(*o));
	o->pm.flags = PM_OPTFLAG_POSIX; /* a value may be negative: "pmstore metric -5" */
	o->pm.short_usage = "[options] metricname value";
	cmdline_parse(o, rows, argc, argv);
	if ((o->pm.flags & PM_OPTFLAG_EXIT) == 0 && o->pm.optind != argc - 2)
		o->pm.errors++;
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	o->metric = argv[o->pm.optind];
	o->value = argv[o->pm.optind + 1];
	return true;
}

/* Frees the contents of the options; also of options that were refused. */
static void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
	wordlist_done(&o->chosen);
}

/*
 * target - the metric that is stored to, and the chosen instances.
 */

struct target {
	const char *name; /* borrowed from the options */
	pmDesc desc;
	int *chosen; /* from -i; none: all instances that have a value */
	int n_chosen;
};

static int pmstore_find_metric(struct target *t)
{
	pmID pmid;
	int sts = pmLookupName(1, &t->name, &pmid);

	if (sts < 0) {
		printf("%s: pmLookupName: %s\n", t->name, pmErrStr(sts));
		return sts;
	}
	if (pmid == PM_ID_NULL) {
		printf("%s: unknown metric\n", t->name);
		return PM_ERR_NAME;
	}
	sts = pmLookupDesc(pmid, &t->desc);
	if (sts < 0)
		printf("%s: pmLookupDesc: %s\n", t->name, pmErrStr(sts));
	return sts;
}

static int check_type(const struct target *t)
{
	switch (t->desc.type) {
	case PM_TYPE_AGGREGATE:
	case PM_TYPE_AGGREGATE_STATIC:
		fprintf(stderr, "%s: Cannot modify values for PM_TYPE_AGGREGATE metrics\n",
			pmGetProgname());
		return PM_ERR_TYPE;
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		fprintf(stderr, "%s: Cannot modify values for event type metrics\n",
			pmGetProgname());
		return PM_ERR_TYPE;
	default:
		return 0;
	}
}

static int pmstore_choose(struct target *t, const struct wordlist *names)
{
	if (names->n == 0)
		return 0;
	t->chosen = calloc(names->n, sizeof(t->chosen[0]));
	if (t->chosen == NULL)
		pmNoMem("instances", names->n * sizeof(t->chosen[0]), PM_FATAL_ERR);
	for (size_t i = 0; i < names->n; i++) {
		int inst = pmLookupInDom(t->desc.indom, names->words[i]);

		if (inst < 0) {
			printf("pmLookupInDom %s[%s]: %s\n", t->name, names->words[i],
			       pmErrStr(inst));
			return inst;
		}
		t->chosen[t->n_chosen++] = inst;
	}
	pmDelProfile(t->desc.indom, 0, NULL);
	return pmAddProfile(t->desc.indom, t->n_chosen, t->chosen);
}

/*
 * Finds the metric that the options name, chooses the instances (this sets a profile) and checks
 * that the metric's type can be stored. Returns 0, or an error after reporting it.
 */
static int target_find(struct target *t, const struct options *o)
{
	int sts;

	memset(t, 0, sizeof(*t));
	t->name = o->metric;
	sts = pmstore_find_metric(t);
	if (sts >= 0)
		sts = check_type(t);
	if (sts >= 0)
		sts = pmstore_choose(t, &o->chosen);
	return sts;
}

/*
 * The text as a value of the metric's type; the caller owns a string. Returns 0, or an error after
 * reporting it.
 */
static int target_parse(const struct target *t, const char *text, pmAtomValue *ret_atom)
{
	char type[32];
	int sts = __pmStringValue(text, ret_atom, t->desc.type);

	if (sts >= 0)
		return 0;
	pmTypeStr_r(t->desc.type, type, sizeof(type));
	if (sts == PM_ERR_TYPE)
		fprintf(stderr,
			"The value \"%s\" is incompatible with the data type (PM_TYPE_%s)\n", text,
			type);
	else if (sts == -ERANGE)
		fprintf(stderr, "The value \"%s\" is out of range for the data type (PM_TYPE_%s)\n",
			text, type);
	else
		fprintf(stderr, "The value \"%s\" cannot be converted: %s\n", text, pmErrStr(sts));
	return sts;
}

static void target_done(struct target *t)
{
	free(t->chosen);
	t->chosen = NULL;
	t->n_chosen = 0;
}

/*
 * report - the old and new values of a metric, one line an instance.
 */

static void pmstore_print_instance(pmInDom indom, int inst)
{
	char *name;

	if (pmNameInDom(indom, inst, &name) < 0) {
		printf(" inst [%d]", inst);
		return;
	}
	printf(" inst [%d or \"%s\"]", inst, name);
	free(name);
}

/*
 * Results of one metric usually have their instances in the same order: look at the same index
 * first.
 */
static const pmValue *pmstore_find_value(const pmValueSet *vset, int inst, int place)
{
	if (place < vset->numval && vset->vlist[place].inst == inst)
		return &vset->vlist[place];
	for (int i = 0; i < vset->numval; i++)
		if (vset->vlist[i].inst == inst)
			return &vset->vlist[i];
	return NULL;
}

/*
 * Prints a line for each value in now, with the value that its instance had before, if it had one.
 */
static void report_print(const struct target *t, const pmValueSet *before, const pmValueSet *now)
{
	for (int i = 0; i < now->numval; i++) {
		int inst = now->vlist[i].inst;
		const pmValue *old = pmstore_find_value(before, inst, i);

		fputs(t->name, stdout);
		if (t->desc.indom != PM_INDOM_NULL)
			pmstore_print_instance(t->desc.indom, inst);
		fputs(" old value=", stdout);
		if (old != NULL)
			pmPrintValue(stdout, before->valfmt, t->desc.type, old, 1);
		else
			fputs("\"(none)\"", stdout);
		fputs(" new value=", stdout);
		pmPrintValue(stdout, now->valfmt, t->desc.type, &now->vlist[i], 1);
		putchar('\n');
	}
}

/*
 * The program
 */

/* Fetches the metric; `when` is the word for the error message. Returns 0 or an error. */
static int pmstore_fetch(const struct target *t, const char *when, pmResult **ret_result)
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
static int pmstore_get_instances(const struct target *t, const pmValueSet *before, int **ret_insts)
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
static int pmstore_store(const struct target *t, const char *text, const pmValueSet *before,
			 pmResult **ret_sent)
{
	pmAtomValue atom;
	pmResult *sent;
	int *insts, n, sts = target_parse(t, text, &atom);

	if (sts < 0)
		return sts;
	n = pmstore_get_instances(t, before, &insts);
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

static int pmstore_change(const struct target *t, const struct options *o)
{
	pmResult *before = NULL, *now = NULL;
	int sts = pmstore_fetch(t, "pre", &before);

	if (sts >= 0)
		sts = check_values(t, before->vset[0], o->force);
	if (sts >= 0)
		sts = pmstore_store(t, o->value, before->vset[0], &now);
	if (sts >= 0 && o->confirm) {
		pmFreeResult(now);
		now = NULL;
		sts = pmstore_fetch(t, "post", &now);
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
static int pmstore_run(struct options *o)
{
	struct target t;
	int sts;

	if (source_open_options(&o->pm, "make standalone local connection") < 0)
		return 1;
	sts = target_find(&t, o);
	if (sts >= 0)
		sts = pmstore_change(&t, o);
	target_done(&t);
	return sts < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	if (options_parse(&o, argc, argv, &status))
		status = pmstore_run(&o);
	options_done(&o);
	return output_finish(status);
}
