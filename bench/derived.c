/*
 * derived - the client's cost of a fetch of derived metrics: the same program runs with our library
 * and with Debian's against one collector (LD_LIBRARY_PATH selects).
 *
 *     bench-derived HOST FETCHES METRICS
 *
 * The expressions are of six forms, over six metrics of the collector itself. Prints two numbers
 * in nanoseconds per fetch, including freeing the result: elapsed time, and CPU time.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pcp/pmapi.h>

enum { TEXT = 160 };

static const char *const forms[] = {
    "pmcd.numagents * %d + pmcd.numclients",
    "rate(pmcd.pdu_in.total) + %d * rate(pmcd.pdu_out.total)",
    "pmcd.numagents > %d ? pmcd.numagents : pmcd.numclients",
    "sum(pmcd.buf.alloc) / (%d + count(pmcd.buf.alloc))",
    "(pmcd.buf.alloc - pmcd.buf.free) * %d",
    "delta(pmcd.pdu_in.total) > %d && max(pmcd.buf.free) < 3",
};

enum { NFORM = sizeof(forms) / sizeof(forms[0]) };

static double now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fetch(int fetches, int n, pmID *pmids)
{
	pmResult *result;

	for (int i = 0; i < fetches; i++) {
		if (pmFetch(n, pmids, &result) < 0)
			exit(1);
		pmFreeResult(result);
	}
}

static void define(int i, pmID *ret_pmid)
{
	char expr[TEXT];
	char name[TEXT];
	const char *names[1] = {name};
	pmDesc desc;

	snprintf(name, sizeof(name), "bench.m%d", i);
	snprintf(expr, sizeof(expr), forms[i % NFORM], i);
	if (pmRegisterDerived(name, expr) != NULL || pmLookupName(1, names, ret_pmid) < 0 ||
	    pmLookupDesc(*ret_pmid, &desc) < 0) {
		fprintf(stderr, "bench-derived: %s\n", expr);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int fetches = argc < 4 ? 0 : atoi(argv[2]);
	int n = argc < 4 ? 0 : atoi(argv[3]);
	double wall, cpu;
	pmID *pmids;
	cpu_set_t cpus;

	if (fetches < 1 || n < 1)
		return 2;
	/* See client.c. */
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	pmids = calloc((size_t)n, sizeof(pmids[0]));
	if (pmids == NULL || pmNewContext(PM_CONTEXT_HOST, argv[1]) < 0)
		return 1;
	for (int i = 0; i < n; i++)
		define(i, &pmids[i]);
	fetch(fetches / 10 + 1, n, pmids);
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	fetch(fetches, n, pmids);
	printf("%.0f %.0f\n", (now_ns(CLOCK_MONOTONIC) - wall) / fetches,
	       (now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / fetches);
	free(pmids);
	return 0;
}
