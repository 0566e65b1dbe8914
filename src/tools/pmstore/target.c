#include "tools/pmstore/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "tools/pmstore/options.h"

static int find_metric(struct target *t)
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

static int choose(struct target *t, const struct wordlist *names)
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

int target_find(struct target *t, const struct options *o)
{
	int sts;

	memset(t, 0, sizeof(*t));
	t->name = o->metric;
	sts = find_metric(t);
	if (sts >= 0)
		sts = check_type(t);
	if (sts >= 0)
		sts = choose(t, &o->chosen);
	return sts;
}

int target_parse(const struct target *t, const char *text, pmAtomValue *ret_atom)
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

void target_done(struct target *t)
{
	free(t->chosen);
	t->chosen = NULL;
	t->n_chosen = 0;
}
