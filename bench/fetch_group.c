/*
 * fetch_group - the cost of a fetch group on an archive of bench-archive-make, through the PMAPI of
 * any libpcp (LD_LIBRARY_PATH chooses).
 *
 *     bench-fetch-group BASE
 *
 * Prints, in CPU time: nanoseconds a value, with its instance and its name, of a metric with 100
 * instances, and of one with 10,000; and nanoseconds an item, for adding the first of 1,000 metrics
 * and for adding the last hundred. A figure that grows with the number of instances or items shows
 * a cost that is not linear.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "quick.h"

enum { WIDE = 10000, ITEMS = 1000, LAST = 100 };

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void stop(const char *what, int r)
{
	fprintf(stderr, "bench-fetch-group: %s: %s\n", what, pmErrStr(r));
	exit(1);
}

static pmFG group_new(const char *base)
{
	pmFG group;
	int r = pmCreateFetchGroup(&group, PM_CONTEXT_ARCHIVE, base);

	if (r < 0)
		stop(base, r);
	return group;
}

/* One metric's values, as often as the archive has them: the best of the fetches. */
static double values_of(const char *base, const char *metric, int rounds)
{
	static pmAtomValue values[WIDE];
	static int codes[WIDE], statuses[WIDE];
	static char *names[WIDE];
	unsigned int num = 0;
	pmFG group = group_new(base);
	double least = 0;
	int status;
	int r = pmExtendFetchGroup_indom(group, metric, "instant", codes, names, values,
					 PM_TYPE_U64, statuses, WIDE, &num, &status);

	if (r < 0)
		stop(metric, r);
	for (int i = 0; i < rounds; i++) {
		double start = cpu();

		r = pmFetchGroup(group);
		start = cpu() - start;
		if (r < 0 || num == 0)
			break;
		if (least == 0 || start / num < least)
			least = start / num;
	}
	pmDestroyFetchGroup(group);
	return least;
}

static void add_items(pmFG group, int from, int to)
{
	char name[64];

	for (int i = from; i < to; i++) {
		int r;

		snprintf(name, sizeof(name), "bench.archive.metric%d", i);
		r = pmExtendFetchGroup_item(group, name, NULL, "instant", NULL, PM_TYPE_U64, NULL);
		if (r < 0)
			stop(name, r);
	}
}

int main(int argc, char **argv)
{
	int rounds = quick(20, 1);
	double first, last;
	pmFG group;

	if (argc != 2) {
		fprintf(stderr, "usage: bench-fetch-group BASE\n");
		return 1;
	}
	printf("100 instances %.0f ns a value, ",
	       values_of(argv[1], "bench.archive.metric1001", rounds));
	printf("10000 instances %.0f ns a value\n",
	       values_of(argv[1], "bench.archive.metric1000", rounds));
	group = group_new(argv[1]);
	first = cpu();
	add_items(group, 0, LAST);
	first = cpu() - first;
	add_items(group, LAST, ITEMS - LAST);
	last = cpu();
	add_items(group, ITEMS - LAST, ITEMS);
	last = cpu() - last;
	printf("first items %.0f ns each, last items of %d %.0f ns each\n", first / LAST, ITEMS,
	       last / LAST);
	pmDestroyFetchGroup(group);
	return 0;
}
