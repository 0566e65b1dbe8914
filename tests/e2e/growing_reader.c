/*
 * growing_reader - one context of an archive that grows: ARCHIVE METRIC. For each line of input it
 * reads to the end and prints the number of new records with the metric, and the greatest value so
 * far.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

static double greatest;

static void look(const pmHighResResult *result, int type)
{
	for (int i = 0; i < result->vset[0]->numval; i++) {
		pmAtomValue atom;

		if (pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[i], type, &atom,
				   PM_TYPE_DOUBLE) == 0 &&
		    atom.d > greatest)
			greatest = atom.d;
	}
}

static int read_on(pmID pmid, int type)
{
	pmHighResResult *result;
	int n = 0, r;

	while ((r = pmFetchHighRes(1, &pmid, &result)) >= 0) {
		look(result, type);
		pmFreeHighResResult(result);
		n++;
	}
	if (r != PM_ERR_EOL) {
		fprintf(stderr, "%s\n", pmErrStr(r));
		exit(1);
	}
	return n;
}

int main(int argc, char **argv)
{
	const char *name = argc > 2 ? argv[2] : "";
	char line[16];
	pmDesc desc;
	pmID pmid;

	if (pmNewContext(PM_CONTEXT_ARCHIVE, argv[1]) < 0 || pmLookupName(1, &name, &pmid) != 1 ||
	    pmLookupDesc(pmid, &desc) < 0)
		return 1;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		int n = read_on(pmid, desc.type);

		printf("%d %.0f\n", n, greatest);
		fflush(stdout);
	}
	return 0;
}
