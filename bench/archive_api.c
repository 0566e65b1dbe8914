/*
 * archive_api - reading an archive through the PMAPI of any libpcp (docs/performance.md D).
 *
 *     bench-archive-api BASE
 *
 * Prints, in CPU time: microseconds of a context with label and end; nanoseconds per value of
 * pmFetchArchive forward and backward; microseconds of pmSetMode to a random time with its record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pcp/pmapi.h>

enum { OPENS = 20, SEEKS = 200 };

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void stop(const char *what, int r)
{
	fprintf(stderr, "bench-archive-api: %s: %s\n", what, pmErrStr(r));
	exit(1);
}

static int context(const char *base, struct timeval *ret_start, struct timeval *ret_end)
{
	pmLogLabel label;
	int r = pmNewContext(PM_CONTEXT_ARCHIVE, base), context = r;

	if (r >= 0)
		r = pmGetArchiveLabel(&label);
	if (r >= 0)
		r = pmGetArchiveEnd(ret_end);
	if (r < 0)
		stop(base, r);
	*ret_start = label.ll_start;
	return context;
}

static double scan(int mode, struct timeval *from)
{
	double start = cpu();
	uint64_t n = 0;
	pmResult *result;
	int r = pmSetMode(mode, from, 0);

	if (r < 0)
		stop("pmSetMode", r);
	while ((r = pmFetchArchive(&result)) >= 0) {
		for (int i = 0; i < result->numpmid; i++)
			n += result->vset[i]->numval > 0 ? (uint64_t)result->vset[i]->numval : 0;
		pmFreeResult(result);
	}
	if (r != PM_ERR_EOL)
		stop("pmFetchArchive", r);
	return (cpu() - start) / (double)n;
}

static double seek(const struct timeval *from, const struct timeval *end)
{
	double start = cpu();
	uint32_t turn = 1;
	pmResult *result;

	for (int i = 0; i < SEEKS; i++) {
		struct timeval when = *from;
		int r;

		turn = turn * 69069 + 1;
		when.tv_sec += turn % (uint32_t)(end->tv_sec - from->tv_sec + 1);
		r = pmSetMode(PM_MODE_FORW, &when, 0);
		if (r >= 0)
			r = pmFetchArchive(&result);
		if (r < 0)
			stop("seek", r);
		pmFreeResult(result);
	}
	return (cpu() - start) / SEEKS;
}

int main(int argc, char **argv)
{
	struct timeval from, end;
	double start, opened, forward, backward;

	if (argc != 2) {
		fprintf(stderr, "usage: bench-archive-api BASE\n");
		return 1;
	}
	pmDestroyContext(context(argv[1], &from, &end));
	start = cpu();
	for (int i = 0; i < OPENS; i++)
		pmDestroyContext(context(argv[1], &from, &end));
	opened = (cpu() - start) / OPENS;
	context(argv[1], &from, &end);
	forward = scan(PM_MODE_FORW, &from);
	backward = scan(PM_MODE_BACK, &end);
	printf("%.1f %.2f %.2f %.1f\n", opened / 1e3, forward, backward, seek(&from, &end) / 1e3);
	return 0;
}
