/*
 * archive_fetch - the speed of reading archives through libpcp (docs/performance.md D);
 * LD_LIBRARY_PATH selects the library.
 *
 *     archive_fetch BASE          each figure on a line: what, operations a second of CPU time
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>

enum { MOST = 1000 };

struct load {
	const char *what;
	const char *pattern; /* metric, %d: a number */
	int n;
	int mode; /* 0: pmFetchArchive */
	double step;
	int most; /* operations */
};

static const struct load loads[] = {
    {"pmFetchArchive, records", NULL, 0, PM_MODE_FORW, 0, 100000},
    {"pmFetchArchive backward, records", NULL, 0, PM_MODE_BACK, 0, 100000},
    {"FORW, 1 metric", "bench.archive.metric%d", 1, PM_MODE_FORW, 0, 100000},
    {"FORW, 1000 metrics", "bench.archive.metric%d", 1000, PM_MODE_FORW, 0, 100000},
    {"FORW, 10000 instances", "bench.archive.metric1000", 1, PM_MODE_FORW, 0, 100000},
    {"INTERP, 1 metric, 0.1 s", "bench.archive.metric%d", 1, PM_MODE_INTERP, 0.1, 1600},
    {"INTERP, 1 metric, 1 s", "bench.archive.metric%d", 1, PM_MODE_INTERP, 1, 160},
    {"INTERP, 1 metric, 10 s", "bench.archive.metric%d", 1, PM_MODE_INTERP, 10, 16},
    {"INTERP, 100 metrics, 1 s", "bench.archive.metric%d", 100, PM_MODE_INTERP, 1, 160},
    {"INTERP, 10000 instances, 1 s", "bench.archive.metric1000", 1, PM_MODE_INTERP, 1, 160},
};

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void need(const char *what, int r)
{
	if (r < 0) {
		fprintf(stderr, "archive_fetch: %s: %s\n", what, pmErrStr(r));
		exit(1);
	}
}

static void look_up(const struct load *load, pmID *pmids)
{
	for (int i = 0; i < load->n; i++) {
		char buf[40];
		const char *name = buf;

		snprintf(buf, sizeof(buf), "%s", load->pattern);
		if (strchr(buf, '%') != NULL)
			snprintf(buf, sizeof(buf), "bench.archive.metric%d", i);
		need("pmLookupName", pmLookupName(1, &name, &pmids[i]));
	}
}

static int run(const struct load *load, pmID *pmids)
{
	int n = 0;

	while (n < load->most) {
		pmResult *result;
		int r = load->n == 0 ? pmFetchArchive(&result) : pmFetch(load->n, pmids, &result);

		if (r == PM_ERR_EOL)
			break;
		need("fetch", r);
		pmFreeResult(result);
		n++;
	}
	return n;
}

static void measure(const struct load *load, const char *base)
{
	static pmID pmids[MOST];
	struct timespec start, end,
	    step = {(time_t)load->step, (long)((load->step - (double)(time_t)load->step) * 1e9)};
	pmHighResLogLabel label;
	double before;
	int n;

	need("pmNewContext", pmNewContext(PM_CONTEXT_ARCHIVE, base));
	need("label", pmGetHighResArchiveLabel(&label));
	need("end", pmGetHighResArchiveEnd(&end));
	look_up(load, pmids);
	start = load->mode == PM_MODE_BACK ? end : label.start;
	start.tv_sec += load->mode == PM_MODE_INTERP;
	need("mode", pmSetModeHighRes(load->mode, &start, &step));
	before = cpu_s();
	n = run(load, pmids);
	printf("%s\t%.6g\n", load->what, n / (cpu_s() - before));
	fflush(stdout);
	pmDestroyContext(pmWhichContext());
}

static void measure_open(const char *base)
{
	enum { TIMES = 20 };
	double before = cpu_s();

	for (int i = 0; i < TIMES; i++) {
		struct timespec end;

		need("pmNewContext", pmNewContext(PM_CONTEXT_ARCHIVE, base));
		need("end", pmGetHighResArchiveEnd(&end));
		pmDestroyContext(pmWhichContext());
	}
	printf("open, end, close\t%.6g\n", TIMES / (cpu_s() - before));
}

int main(int argc, char **argv)
{
	measure_open(argv[1]);
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		if (argc < 3 || strstr(loads[i].what, argv[2]) != NULL)
			measure(&loads[i], argv[1]);
	}
	return 0;
}
