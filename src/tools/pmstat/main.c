/*
 * pmstat - a line about the whole system at each interval (docs/spec/tools.md 6).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/jsontext.h"
#include "tools/pmstat/pmstat.h"

#define INTERVAL_S  5
#define ROWS        24 /* of a terminal whose size is unknown */
#define HEADER_ROWS 3
#define NS_PER_S    1000000000
#define NS_PER_US   1000

/*
 * Options
 */

struct options {
	pmOptions pm;
	struct layout layout;
	bool json;  /* objects, not lines */
	bool pause; /* -P: wait between the samples of an archive */
};

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("General options") },
	{ PMOPT_ALIGN },
	{ PMOPT_ARCHIVE },
	{ PMOPT_DEBUG },
	{ PMOPT_GUIMODE },
	{ PMOPT_HOST },
	{ PMOPT_NAMESPACE },
	{ PMOPT_ORIGIN },
	{ PMOPT_GUIPORT },
	{ PMOPT_START },
	{ PMOPT_SAMPLES },
	{ PMOPT_FINISH },
	{ PMOPT_INTERVAL },
	{ PMOPT_TIMEZONE },
	{ PMOPT_HOSTZONE },
	{ PMOPT_VERSION },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_HEADER("Alternate sources") },
	{ PMOPT_HOSTSFILE },
	{ PMOPT_LOCALPMDA },
	{ { "spec-local", 1, 'K', NULL, NULL } },
	{ PMAPI_OPTIONS_HEADER("Reporting options") },
	{ { "suffix", 0, 'l', 0, "print last 7 charcters of the host name(s)" }, CMDLINE_FLAG, AT(layout.suffix) },
	{ { "pause", 0, 'P', 0, "pause between updates for archive replay" }, CMDLINE_FLAG, AT(pause) },
	{ { "xcpu", 0, 'x', 0, "extended CPU statistics reporting" }, CMDLINE_FLAG, AT(layout.xcpu) },
	JSONTEXT_ROW(AT(json)),
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	o->pm.flags = PM_OPTFLAG_MULTI | PM_OPTFLAG_STDOUT_TZ | PM_OPTFLAG_BOUNDARIES;
	o->pm.interval.tv_sec = INTERVAL_S;
	cmdline_parse(o, rows, argc, argv);
	if (o->pause && o->pm.context != PM_CONTEXT_ARCHIVE)
		cmdline_complain(&o->pm, "-P can only be used with archives");
	if (o->pm.errors == 0 && o->pm.optind < argc)
		cmdline_complain(&o->pm, "too many options");
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	if (!o->pm.guiflag && o->pm.guiport_optarg == NULL)
		return true;
	fprintf(stderr, "%s: time control by a graphical program is not available\n",
		pmGetProgname());
	*ret_status = 1;
	return false;
}

/*
 * Sources
 */

struct run {
	struct options o;
	struct source **sources; /* each in its place: its fetch group writes to it */
	int n;
	bool archive;
	struct timespec origin, interval;
	struct timespec due; /* time of the next fetch, on the monotonic clock */
};

static struct timespec timespec_of(const struct timeval *tv)
{
	return (struct timespec){tv->tv_sec, tv->tv_usec * NS_PER_US};
}

static struct source *room_for_source(struct run *r)
{
	struct source **more = realloc(r->sources, (size_t)(r->n + 1) * sizeof(more[0]));
	struct source *s = calloc(1, sizeof(*s));

	if (more == NULL || s == NULL)
		pmNoMem("sources", sizeof(*s), PM_FATAL_ERR);
	r->sources = more;
	r->sources[r->n] = s;
	return s;
}

/* Sets the mode of an archive. */
static int set_mode(struct run *r, int ctx)
{
	int sts = pmUseContext(ctx);

	if (sts >= 0)
		sts = pmSetModeHighRes(PM_MODE_INTERP, &r->origin, &r->interval);
	if (sts < 0)
		fprintf(stderr, "%s: pmSetMode: %s\n", pmGetProgname(), pmErrStr(sts));
	return sts;
}

/*
 * Adds a source; the first one gives the time zone and the window. A source that cannot be used is
 * reported and left out. Returns an error if the program is to end.
 */
static int add_source(struct run *r, int type, const char *name)
{
	struct source *s = room_for_source(r);
	int ctx = source_open_group(s, type, name);

	if (ctx < 0) {
		source_close(s);
		free(s);
		return 0;
	}
	r->n++;
	if (r->n == 1 && pmGetContextOptions(ctx, &r->o.pm) < 0) {
		pmflush();
		return PM_ERR_GENERIC;
	}
	r->origin = timespec_of(&r->o.pm.origin);
	return r->archive ? set_mode(r, ctx) : 0;
}

static bool collector_answers(void)
{
	int ctx = pmNewContext(PM_CONTEXT_HOST, SOURCE_DEFAULT_HOST);

	if (ctx >= 0)
		pmDestroyContext(ctx);
	return ctx >= 0;
}

/* Without a source in the options: the default collector, or else agents in this process. */
static int add_default_source(struct run *r)
{
	if (!r->o.pm.Lflag && collector_answers())
		return add_source(r, PM_CONTEXT_HOST, SOURCE_DEFAULT_HOST);
	return add_source(r, PM_CONTEXT_LOCAL, NULL);
}

static int add_sources(struct run *r)
{
	const pmOptions *pm = &r->o.pm;
	int sts = 0;

	if (pm->nhosts == 0 && pm->narchives == 0)
		return add_default_source(r);
	for (int i = 0; i < pm->nhosts && sts >= 0; i++)
		sts = add_source(r, PM_CONTEXT_HOST, pm->hosts[i]);
	for (int i = 0; i < pm->narchives && sts >= 0; i++)
		sts = add_source(r, PM_CONTEXT_ARCHIVE, pm->archives[i]);
	return sts;
}

/*
 * The loop over time
 */

static bool any_left(const struct run *r)
{
	for (int i = 0; i < r->n; i++)
		if (r->sources[i]->state != SOURCE_ENDED)
			return true;
	return false;
}

/*
 * The first error of an archive may mean that the time of its first record has not come yet.
 */
static void fetch_failed(struct source *s, int sts)
{
	if (s->type == PM_CONTEXT_HOST && (sts == PM_ERR_IPC || sts == PM_ERR_TIMEOUT)) {
		puts(" Fetch failed. Reconnecting ...");
		pmReconnectContext(pmGetFetchGroupContext(s->group));
	} else if (sts == PM_ERR_EOL && s->state == SOURCE_NEW) {
		puts(" No data in the archive");
	} else {
		printf(" pmFetchGroup: %s\n", pmErrStr(sts));
		s->state = SOURCE_ENDED;
	}
}

static void print_object(struct source *s)
{
	int sts;

	if (s->state == SOURCE_ENDED)
		return;
	sts = source_fetch(s);
	if (sts >= 0) {
		s->state = SOURCE_ACTIVE;
		json_print_values(s);
		return;
	}
	json_print_failure(s, sts);
	if (s->type == PM_CONTEXT_HOST && (sts == PM_ERR_IPC || sts == PM_ERR_TIMEOUT))
		pmReconnectContext(pmGetFetchGroupContext(s->group));
	else if (sts != PM_ERR_EOL || s->state != SOURCE_NEW)
		s->state = SOURCE_ENDED;
}

static void print_source(const struct run *r, struct source *s)
{
	int sts;

	if (r->o.json) {
		print_object(s);
		return;
	}
	line_print_host(&r->o.layout, s->host);
	if (s->state == SOURCE_ENDED) {
		putchar('\n');
		return;
	}
	sts = source_fetch(s);
	if (sts < 0) {
		fetch_failed(s, sts);
		return;
	}
	s->state = SOURCE_ACTIVE;
	line_print_values(&r->o.layout, s);
}

/* Waits for the time of the next fetch. */
static void wait_next(struct run *r)
{
	r->due.tv_sec += r->interval.tv_sec;
	r->due.tv_nsec += r->interval.tv_nsec;
	if (r->due.tv_nsec >= NS_PER_S) {
		r->due.tv_nsec -= NS_PER_S;
		r->due.tv_sec++;
	}
	if (r->archive && !r->o.pause)
		return;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &r->due, NULL) == EINTR)
		continue;
}

/* The number of lines between two headers. */
static int lines_per_page(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_row > HEADER_ROWS)
		return size.ws_row - HEADER_ROWS;
	return ROWS - HEADER_ROWS;
}

static double seconds(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / NS_PER_S;
}

/* The number of samples, or 0: no limit. The larger one of -s and the window of -T counts. */
static int number_of_samples(const struct run *r)
{
	const pmOptions *pm = &r->o.pm;
	struct timespec finish = timespec_of(&pm->finish);
	double n, interval = seconds(&r->interval);

	if (pm->finish_optarg == NULL || interval <= 0)
		return pm->samples;
	n = (seconds(&finish) - seconds(&r->origin)) / interval;
	return n > pm->samples && n <= 1e9 ? (int)n : pm->samples;
}

/*
 * True if no archive can have another sample: PCP's pmstat then reports the same line without end.
 * With a number of samples, these lines are printed, as there.
 */
static bool is_past_end(const struct run *r, const struct timespec *last, long sample)
{
	double next = seconds(&r->origin) + (double)sample * seconds(&r->interval);

	return r->archive && next > seconds(last);
}

/* The end of the archive that ends last. */
static struct timespec last_end(const struct run *r)
{
	struct timespec end, last = {0};

	for (int i = 0; r->archive && i < r->n; i++)
		if (pmUseContext(pmGetFetchGroupContext(r->sources[i]->group)) >= 0 &&
		    pmGetHighResArchiveEnd(&end) >= 0 && seconds(&end) > seconds(&last))
			last = end;
	return last;
}

static int run(struct run *r)
{
	int samples = number_of_samples(r), page = lines_per_page(), lines = 0;
	struct timespec last = last_end(r);

	clock_gettime(CLOCK_MONOTONIC, &r->due);
	for (int i = 0; i < r->n; i++)
		source_fetch(r->sources[i]); /* the rates of the first line begin here */
	for (long n = 1; samples == 0 || n <= samples; n++) {
		if (!r->o.json && lines % page < r->n) {
			line_print_titles(&r->o.layout, r->sources[0]->swaps,
					  &r->sources[0]->stamp);
			if (!output_flush())
				return 1;
		}
		wait_next(r);
		for (int i = 0; i < r->n; i++, lines++)
			print_source(r, r->sources[i]);
		if (!output_flush() || !any_left(r) || (samples == 0 && is_past_end(r, &last, n)))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct run r = {0};
	int status;

	setlinebuf(stdout);
	if (!options_parse(&r.o, argc, argv, &status)) {
		pmFreeOptions(&r.o.pm);
		return status;
	}
	r.archive = r.o.pm.narchives > 0;
	r.interval = timespec_of(&r.o.pm.interval);
	status = 1;
	if (add_sources(&r) >= 0) {
		r.o.layout.hosts = r.n > 1;
		if (r.n > 0)
			status = run(&r);
		else
			fprintf(stderr, "%s: No place to get data from!\n", pmGetProgname());
	}
	for (int i = 0; i < r.n; i++) {
		source_close(r.sources[i]);
		free(r.sources[i]);
	}
	free(r.sources);
	pmFreeOptions(&r.o.pm);
	return output_finish(status);
}
