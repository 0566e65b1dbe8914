#include "tools/pmval/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "tools/common/result.h"
#include "tools/pmval/target.h"

static int complain(const char *text, const char *what, int sts)
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
		complain(text, "failed to convert value", sts);
	return sts;
}

/* The instances to store to: the chosen ones, all of the domain, or the only one. */
static int get_instances(const struct target *t, int **ret_ids)
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
	n = get_instances(t, &ids);
	if (n < 0)
		return n;
	sts = result_make(&t->desc, &atom, ids, n, &result);
	if (sts < 0) {
		complain(text, "stuff value", sts);
	} else {
		sts = pmStore(result);
		if (sts < 0)
			complain(text, "store value", sts);
		pmFreeResult(result);
	}
	free(ids);
	if (t->desc.type == PM_TYPE_STRING)
		free(atom.cp);
	return sts < 0 ? sts : 0;
}
