/*
 * pmlogreduce - copies an archive with fewer records over the same time (docs/spec/logger.md D7).
 */
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/output.h"
#include "tools/pmlogreduce/metrics.h"
#include "tools/pmlogreduce/options.h"
#include "tools/pmlogreduce/reduce.h"
#include "tools/pmlogreduce/source.h"

enum { NSEC_PER_USEC = 1000 };

/* Samples are taken at whole microseconds, as in version 2. */
static bool choose_window(const struct options *o, const struct source *s,
			  struct window *ret_window)
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

static bool reduce(const struct options *o, const struct source *s)
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
	struct source source = {.records = -1, .values = -1};
	int status = 1;

	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	recording_report_refusals();
	if (options_parse(&o, argc, argv, &status)) {
		status = source_open(&source, o.input) && reduce(&o, &source) ? 0 : 1;
		source_close(&source);
	}
	options_done(&o);
	return output_finish(status);
}
