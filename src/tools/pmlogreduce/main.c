/*
 * pmlogreduce - copies an archive with fewer records over the same time (docs/spec/logger.md D7).
 */
#include "tools/pmlogreduce/pmlogreduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

/*
 * The command line
 */

#define TOO_MANY "Error: too many arguments; several inputs are one argument, with commas between"

enum { INTERVAL_SEC = 600 };

static void set_interval(void *options)
{
	struct options *o = options;
	char *message = NULL;

	if (pmParseHighResInterval(o->pm.optarg, &o->interval, &message) < 0) {
		pmprintf("%s", message);
		free(message);
		o->pm.errors++;
	} else if (o->interval.tv_sec == 0 && o->interval.tv_nsec == 0) {
		cmdline_complain(&o->pm, "-t requires an interval above zero");
	}
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ PMOPT_ALIGN, CMDLINE_TEXT, AT(align) },
	{ { "mean", 0, 'm', 0, "means of instantaneous and discrete values, not the value at a time" }, CMDLINE_FLAG, AT(mean) },
	{ PMOPT_START, CMDLINE_START },
	{ { "samples", 1, 's', "N", "terminate after this many samples" }, CMDLINE_LONG, AT(samples), .max = LONG_MAX,
	  .complaint = "-s requires numeric argument" },
	{ PMOPT_FINISH },
	{ { "interval", 1, 't', "DELTA", "sample output interval [default 10min]" }, CMDLINE_CALL, .call = set_interval },
	{ { "", 1, 'v', "NUM", "switch log volumes after this many samples" }, CMDLINE_LONG, AT(volsamples), .max = LONG_MAX,
	  .complaint = "-v requires numeric argument" },
	{ PMOPT_VERSION },
	{ PMOPT_TIMEZONE },
	{ PMOPT_HOSTZONE, CMDLINE_HOSTZONE, .complaint = "at most one of -Z and/or -z allowed" },
	{ PMOPT_HELP },
	{ PMOPT_DEBUG, .form = CMDLINE_LETTER_ONLY },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/* Returns false if the program is to end with *ret_status. */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int left;

	memset(o, 0, sizeof(*o));
	o->interval.tv_sec = INTERVAL_SEC;
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_usage = "[options] input-archive output-archive";
	cmdline_parse(o, rows, argc, argv);
	o->pm.align_optarg = o->align;
	left = argc - o->pm.optind;
	if (o->pm.errors == 0 && left != 2 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		cmdline_complain(&o->pm, left < 2 ? "Error: insufficient arguments" : TOO_MANY);
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	o->input = argv[o->pm.optind];
	o->output = argv[o->pm.optind + 1];
	return true;
}

static void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

/*
 * The program
 */

enum { NSEC_PER_USEC = 1000 };

/* Samples are taken at whole microseconds, as in version 2. */
static bool choose_window(const struct options *o, const struct input *s, struct window *ret_window)
{
	struct timespec start = s->label.start, end = s->end, origin;
	char *message = NULL;
	int sts;

	if (!window_zone(&o->pm, &s->label))
		return false;
	fflush(stdout);
	sts = pmParseHighResTimeWindow(o->pm.start_optarg, o->pm.finish_optarg, o->pm.align_optarg,
				       NULL, &start, &end, &ret_window->start, &ret_window->finish,
				       &origin, &message);
	if (sts < 0)
		fprintf(stderr, "%s: Invalid time window specified: %s\n", pmGetProgname(),
			message);
	free(message);
	ret_window->start = origin;
	ret_window->start.tv_nsec -= origin.tv_nsec % NSEC_PER_USEC;
	return sts >= 0;
}

static bool pmlogreduce_reduce(const struct options *o, const struct input *s)
{
	struct metrics metrics = {0};
	struct window window;
	bool ok;

	if (!choose_window(o, s, &window))
		return false;
	ok = metrics_find(&metrics, s, o->mean) && reduce_run(o, s, &metrics, &window);
	metrics_done(&metrics);
	return ok;
}

int main(int argc, char **argv)
{
	struct options o;
	struct input input = {.records = -1, .values = -1};
	int status = 1;

	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	recording_report_refusals();
	if (options_parse(&o, argc, argv, &status)) {
		status = input_open(&input, o.input) && pmlogreduce_reduce(&o, &input) ? 0 : 1;
		input_close(&input);
	}
	options_done(&o);
	return output_finish(status);
}
