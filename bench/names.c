/*
 * names - the cost of a local name space through the PMAPI: the same program runs with our library
 * and with Debian's (LD_LIBRARY_PATH selects).
 *
 *     bench-names FILE ROUNDS
 *
 * Prints four numbers in nanoseconds of CPU time, each the best of the rounds: load the file; look
 * up one name in a batch of 100, in random order; traverse all names; and find the name of a PMID.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>

enum { BATCH = 100, NAMES_MAX = 1 << 20 };

static char **names;
static pmID *pmids;
static int nname;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void best(double *least, double since)
{
	double took = now_ns() - since;

	if (*least == 0 || took < *least)
		*least = took;
}

static void gather(const char *name)
{
	if (nname < NAMES_MAX && strncmp(name, "event.", 6) != 0)
		names[nname++] = strdup(name);
}

static void ignore(const char *name)
{
}

static void shuffle(void)
{
	srandom(1);
	for (int i = nname - 1; i > 0; i--) {
		int j = (int)(random() % (i + 1));
		char *name = names[i];

		names[i] = names[j];
		names[j] = name;
	}
}

static void look_up_all(void)
{
	for (int i = 0; i + BATCH <= nname; i += BATCH) {
		if (pmLookupName(BATCH, (const char **)names + i, pmids + i) != BATCH)
			exit(1);
	}
}

static void name_all(void)
{
	for (int i = 0; i + BATCH <= nname; i++) {
		char *name;

		if (pmNameID(pmids[i], &name) < 0)
			exit(1);
		free(name);
	}
}

int main(int argc, char **argv)
{
	double load = 0, lookup = 0, traverse = 0, name = 0, t;
	int rounds = argc == 3 ? atoi(argv[2]) : 0;

	names = calloc(NAMES_MAX, sizeof(*names));
	pmids = calloc(NAMES_MAX, sizeof(*pmids));
	for (int i = 0; i < rounds; i++) {
		pmUnloadNameSpace();
		t = now_ns();
		if (pmLoadNameSpace(argv[1]) < 0)
			return 1;
		best(&load, t);
	}
	pmTraversePMNS("", gather);
	shuffle();
	for (int i = 0; i < rounds; i++) {
		t = now_ns();
		look_up_all();
		best(&lookup, t);
		t = now_ns();
		pmTraversePMNS("", ignore);
		best(&traverse, t);
		t = now_ns();
		name_all();
		best(&name, t);
	}
	if (nname == 0)
		return 1;
	printf("%.0f %.0f %.0f %.0f\n", load, lookup / nname, traverse, name / nname);
	return 0;
}
