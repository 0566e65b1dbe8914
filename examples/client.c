/*
 * client - prints values of metrics: connect, look up, fetch, print.
 *
 *     cc client.c $(pkg-config --cflags --libs libpcp)
 *     ./a.out localhost kernel.all.load hinv.ncpu
 */
#include <stdio.h>
#include <stdlib.h>
#include <pcp/pmapi.h>

enum { METRICS_MAX = 100 };

static void print_metric(const char *name, const pmDesc *desc, const pmValueSet *vset)
{
	char text[PM_MAXERRMSGLEN];

	if (vset->numval < 0)
		printf("%s: %s\n", name, pmErrStr_r(vset->numval, text, sizeof(text)));
	for (int i = 0; i < vset->numval; i++) {
		char *inst = NULL;

		if (desc->indom != PM_INDOM_NULL)
			pmNameInDom(desc->indom, vset->vlist[i].inst, &inst);
		printf("%s[%s] ", name, inst != NULL ? inst : "");
		pmPrintValue(stdout, vset->valfmt, desc->type, &vset->vlist[i], 0);
		printf(" %s\n", pmUnitsStr(&desc->units));
		free(inst);
	}
}

static int print_values(int n, const char **names)
{
	pmID pmids[METRICS_MAX];
	pmDesc descs[METRICS_MAX];
	pmResult *result;
	int r = pmLookupName(n, names, pmids);

	if (r >= 0)
		r = pmLookupDescs(n, pmids, descs);
	if (r >= 0)
		r = pmFetch(n, pmids, &result);
	if (r < 0)
		return r;
	for (int i = 0; i < n; i++)
		print_metric(names[i], &descs[i], result->vset[i]);
	pmFreeResult(result);
	return 0;
}

int main(int argc, char **argv)
{
	int r;

	if (argc < 3 || argc - 2 > METRICS_MAX) {
		fprintf(stderr, "Usage: %s HOST METRIC ...\n", argv[0]);
		return 2;
	}
	r = pmNewContext(PM_CONTEXT_HOST, argv[1]);
	if (r >= 0)
		r = print_values(argc - 2, (const char **)argv + 2);
	if (r < 0)
		fprintf(stderr, "%s: %s\n", argv[0], pmErrStr(r));
	return r < 0;
}
