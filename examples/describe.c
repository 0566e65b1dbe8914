/*
 * describe - prints the type, units, instances, labels and help text of the metrics below a name.
 *
 *     cc describe.c $(pkg-config --cflags --libs libpcp)
 *     ./a.out localhost kernel.all
 */
#include <stdio.h>
#include <stdlib.h>
#include <pcp/pmapi.h>

enum { LEVELS_MAX = 5 }; /* context, domain, instance domain, cluster, item */

static void print_instances(pmInDom indom)
{
	int *ids;
	char **names;
	int n = pmGetInDom(indom, &ids, &names);

	for (int i = 0; i < n; i++)
		printf("    %d \"%s\"\n", ids[i], names[i]);
	if (n > 0) {
		free(ids);
		free(names);
	}
}

static void print_labels(pmID pmid)
{
	pmLabelSet *sets = NULL;
	int n = pmLookupLabels(pmid, &sets);

	if (n > 0) {
		pmLabelSet *levels[LEVELS_MAX];
		char json[PM_MAXLABELJSONLEN];

		for (int i = 0; i < n && i < LEVELS_MAX; i++)
			levels[i] = &sets[i];
		if (pmMergeLabelSets(levels, n, json, sizeof(json), NULL, NULL) > 0)
			printf("    labels %s\n", json);
		pmFreeLabelSets(sets, n);
	}
}

static void describe(const char *name, void *count)
{
	char idbuf[20], indombuf[20], unitbuf[60];
	char *line = NULL;
	pmDesc desc;
	pmID pmid;
	int r = pmLookupName(1, &name, &pmid);

	if (r >= 0)
		r = pmLookupDesc(pmid, &desc);
	if (r < 0) {
		printf("%s: %s\n", name, pmErrStr(r));
		return;
	}
	pmLookupText(pmid, PM_TEXT_ONELINE, &line);
	printf("%s %s [%s]\n", name, pmIDStr_r(pmid, idbuf, sizeof(idbuf)), line ? line : "?");
	printf("    %s %s, units \"%s\", instances %s\n", pmTypeStr(desc.type), pmSemStr(desc.sem),
	       pmUnitsStr_r(&desc.units, unitbuf, sizeof(unitbuf)),
	       pmInDomStr_r(desc.indom, indombuf, sizeof(indombuf)));
	free(line);
	if (desc.indom != PM_INDOM_NULL)
		print_instances(desc.indom);
	print_labels(pmid);
	++*(int *)count;
}

int main(int argc, char **argv)
{
	int count = 0;
	int r;

	if (argc != 3) {
		fprintf(stderr, "Usage: %s HOST NAME\n", argv[0]);
		return 2;
	}
	r = pmNewContext(PM_CONTEXT_HOST, argv[1]);
	if (r >= 0)
		r = pmTraversePMNS_r(argv[2], describe, &count);
	if (r < 0)
		fprintf(stderr, "%s: %s\n", argv[0], pmErrStr(r));
	return r < 0 || count == 0;
}
