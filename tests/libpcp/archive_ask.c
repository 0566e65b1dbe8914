/*
 * archive_ask - one question to an archive through libpcp, in text: the same with our library and
 * with the reference's (archive_defects.py).
 *
 *     archive_ask NAME seek METRIC STEP TIME...    values at each time, interpolated; +: after the
 * step archive_ask NAME cluster|labels PMID         labels at the end, a set a line
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

static void need(const char *what, int r)
{
	if (r < 0) {
		fprintf(stderr, "archive_ask: %s: %s\n", what, pmErrStr(r));
		exit(1);
	}
}

static struct timespec after(const struct timespec *start, double seconds)
{
	int64_t ns = start->tv_nsec + (int64_t)(seconds * 1e9);

	return (struct timespec){start->tv_sec + ns / 1000000000, ns % 1000000000};
}

static void print_count(const char *when, pmID pmid)
{
	pmHighResResult *result;
	int r = pmFetchHighRes(1, &pmid, &result);

	printf("%s %d\n", when, r < 0 ? r : result->vset[0]->numval);
	if (r >= 0)
		pmFreeHighResResult(result);
}

static int seek(int argc, char **argv)
{
	const char *name = argv[3];
	struct timespec step = {.tv_sec = atoi(argv[4])};
	pmHighResLogLabel label;
	pmID pmid;

	need("label", pmGetHighResArchiveLabel(&label));
	need(name, pmLookupName(1, &name, &pmid));
	for (int i = 5; i < argc; i++) {
		struct timespec when = after(&label.start, atof(argv[i]));

		if (strcmp(argv[i], "+") != 0)
			need("mode", pmSetModeHighRes(PM_MODE_INTERP, &when, &step));
		print_count(argv[i], pmid);
	}
	return 0;
}

static int labels(const char *kind, const char *text)
{
	unsigned int domain, cluster, item;
	struct timespec end;
	pmLabelSet *sets = NULL;
	pmID pmid;
	int n;

	if (sscanf(text, "%u.%u.%u", &domain, &cluster, &item) != 3)
		return 1;
	pmid = pmID_build(domain, cluster, item);
	need("end", pmGetHighResArchiveEnd(&end));
	need("mode", pmSetModeHighRes(PM_MODE_FORW, &end, NULL));
	n = strcmp(kind, "cluster") == 0 ? pmGetClusterLabels(pmid, &sets)
					 : pmLookupLabels(pmid, &sets);
	need(kind, n);
	for (int i = 0; i < n; i++)
		printf("%.*s\n", (int)sets[i].jsonlen, sets[i].json);
	if (n > 0)
		pmFreeLabelSets(sets, n);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 1;
	need(argv[1], pmNewContext(PM_CONTEXT_ARCHIVE, argv[1]));
	return strcmp(argv[2], "seek") == 0 && argc > 5 ? seek(argc, argv)
							: labels(argv[2], argv[3]);
}
