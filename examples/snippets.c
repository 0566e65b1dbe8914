/*
 * snippets - the shorter calls, one in each function; the manual pages of these names quote them.
 *
 *     cc snippets.c $(pkg-config --cflags --libs libpcp)
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <pcp/pmapi.h>

static void print_name(const char *name)
{
	puts(name);
}

/* pmGetConfig(3) */
static void configuration(void)
{
	const char *dir = pmGetOptionalConfig("PCP_VAR_DIR");

	printf("names are in %s/pmns\n", dir != NULL ? dir : "?");
	printf("PCP %s\n", pmGetAPIConfig("pcp_version"));
}

/* pmID_build(3) */
static void identifiers(void)
{
	pmID pmid = pmID_build(60, 2, 0);

	printf("domain %u, cluster %u\n", pmID_domain(pmid), pmID_cluster(pmid));
}

/* pmLoadNameSpace(3) */
static void name_space(void)
{
	if (pmLoadASCIINameSpace("./names", 1) < 0)
		pmflush();
	pmTraversePMNS("", print_name);
	pmUnloadNameSpace();
}

/* pmNewZone(3) */
static void zone(void)
{
	time_t now = time(NULL);
	char text[26];

	if (pmNewZone("Europe/Vienna") >= 0)
		printf("%s", pmCtime(&now, text));
}

/* pmParseInterval(3) */
static void interval(void)
{
	struct timespec step;
	char *why;

	if (pmParseHighResInterval("1min 30sec", &step, &why) < 0) {
		fputs(why, stderr);
		free(why);
	}
}

/* pmParseMetricSpec(3) */
static void metric(void)
{
	pmMetricSpec *spec;
	char *why;

	if (pmParseMetricSpec("myhost:disk.dev.read[sda]", 0, NULL, &spec, &why) == 0) {
		printf("%s of %s\n", spec->metric, spec->source);
		pmFreeMetricSpec(spec);
	}
}

/* pmSetDebug(3) */
static void debug(void)
{
	if (pmSetDebug("fetch,appl0") < 0)
		fprintf(stderr, "no such subject\n");
	if (pmDebugOptions.appl0)
		fprintf(stderr, "about to fetch\n");
}

/* pmSetMode(3) */
static void mode(void)
{
	struct timeval start = {1700000000, 0};

	if (pmSetMode(PM_MODE_INTERP | PM_XTB_SET(PM_TIME_SEC), &start, 60) == PM_ERR_MODE)
		fprintf(stderr, "a collector knows only now\n");
}

/* pmUnpackEventRecords(3) */
static void events(pmValueSet *vset)
{
	pmResult **records;
	int n = pmUnpackEventRecords(vset, 0, &records);

	for (int i = 0; i < n; i++)
		pmPrintStamp(stdout, &records[i]->timestamp);
	if (n > 0)
		pmFreeEventResult(records);
}

/* pmprintf(3) */
static void messages(const char *host)
{
	pmprintf("%s: cannot connect to %s\n", pmGetProgname(), host);
	pmprintf("Is pmcd running there?\n");
	pmflush();
}

/* pmsprintf(3) */
static void paths(const char *dir)
{
	char path[MAXPATHLEN];

	pmsprintf(path, sizeof(path), "%s/pmns", dir);
	if (pmstrncat(path, sizeof(path), "/root") < 0)
		fprintf(stderr, "the path is too long\n");
}

/* pmSpecLocalPMDA(3) */
static void local_context(void)
{
	int ctx = -1;

	if (pmSpecLocalPMDA("clear") == NULL &&
	    pmSpecLocalPMDA("add,250,./pmda_trivial.so,trivial_init") == NULL)
		ctx = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	pmDestroyContext(ctx);
}

/* pmUnpackEventRecords(3) needs a value of an event metric, named on the command line. */
static int first_events(const char *metric)
{
	pmResult *result;
	pmID pmid;
	int r = pmLookupName(1, &metric, &pmid);

	if (r >= 0)
		r = pmFetch(1, &pmid, &result);
	if (r < 0)
		return r;
	events(result->vset[0]);
	pmFreeResult(result);
	return 0;
}

int main(int argc, char **argv)
{
	configuration();
	identifiers();
	name_space();
	zone();
	interval();
	metric();
	debug();
	mode();
	local_context();
	paths(".");
	if (argc < 3)
		return 0;
	if (pmNewContext(PM_CONTEXT_HOST, argv[1]) < 0)
		messages(argv[1]);
	return first_events(argv[2]) < 0;
}
