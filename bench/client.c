/*
 * client - the client's cost of a fetch through the PMAPI: the same program runs with our library
 * and with Debian's against one collector (LD_LIBRARY_PATH selects).
 *
 *     bench-client HOST FETCHES PMID …
 *
 * Prints two numbers in nanoseconds per fetch, including freeing the result: elapsed time, and CPU
 * time.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>

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

int main(int argc, char **argv)
{
	int fetches = argc < 4 ? 0 : atoi(argv[2]);
	int n = argc - 3;
	double wall, cpu;
	pmID *pmids;
	cpu_set_t cpus;

	if (fetches < 1)
		return 2;
	/* The collector is pinned to the same processor: a wake-up across processors would hide
	   everything else. */
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	pmids = calloc((size_t)n, sizeof(pmids[0]));
	for (int i = 0; i < n; i++) {
		unsigned int domain, cluster, item;

		if (sscanf(argv[3 + i], "%u.%u.%u", &domain, &cluster, &item) != 3)
			return 2;
		pmids[i] = pmID_build(domain, cluster, item);
	}
	if (pmNewContext(PM_CONTEXT_HOST, argv[1]) < 0)
		return 1;
	fetch(fetches / 10 + 1, n, pmids);
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	fetch(fetches, n, pmids);
	printf("%.0f %.0f\n", (now_ns(CLOCK_MONOTONIC) - wall) / fetches,
	       (now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / fetches);
	free(pmids);
	return 0;
}
