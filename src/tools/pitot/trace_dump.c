/* trace_dump - `pitot trace dump`: the events of a log as lines. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pitot.h"
#include "tools/common/cmdline.h"
#include "trace_commands.h"
#include "trace_line.h"
#include "trace_nothing.h"
#include "trace_select.h"
#include "trace_source.h"

enum {
	DUMP_BUFFER = 1 << 20,
	DUMP_FLUSH = 256, /* events */
};

struct dump {
	struct trace_select select;
	const char *zone;
	bool json, date;
};

/* clang-format off */
static const pmLongOptions rows[] = {
	{ "json",     0, 'j', NULL, "one JSON object a line, for programs" },
	{ "date",     0, 'd', NULL, "the date before the time" },
	{ "timezone", 1, 'Z', "TZ", "times in this time zone, UTC say" },
	TRACE_SELECT_ROWS,
	{ NULL, 0, 0, NULL, NULL },
};
/* clang-format on */

static int take_option(void *arg, int letter, const char *value)
{
	struct dump *d = arg;
	int taken = trace_select_take(&d->select, letter, value);

	if (taken <= 0)
		return taken;
	switch (letter) {
	case 'j':
		d->json = true;
		return 0;
	case 'd':
		d->date = true;
		return 0;
	default:
		return trace_take_zone(value, &d->zone);
	}
}

static const struct options options = {
    .command = "trace dump",
    .purpose = "Prints the events of a log, oldest first.",
    .rows = rows,
    .operands = "FILE",
    .take = take_option,
};

static int print_events(struct dump *d, struct trace_source *source, const char *path)
{
	struct trace_event e;
	struct trace_line line;
	uint64_t n = 0;
	int r;

	setvbuf(stdout, NULL, _IOFBF, DUMP_BUFFER);
	trace_line_init(&line, stdout, d->json, d->date);
	while ((r = trace_source_next(source, NULL, &e)) > 0) {
		if (trace_select_wants(&d->select, &e))
			trace_line_print(&line, source, &e);
		/* Often enough that no buffer overflows, where the reason of a failure is lost. */
		if (++n % DUMP_FLUSH == 0 && !output_flush())
			return PITOT_FAILED;
	}
	if (r < 0)
		return trace_failed("dump", path, -r);
	return trace_nothing_selected("dump", source->trid, &d->select) ? PITOT_FAILED : PITOT_OK;
}

static int dump(struct dump *d, const char *path)
{
	struct timespec created = {0};
	struct trace_source source = {0};
	trace_attr_t attr;
	trace_id_t trid;
	int status = PITOT_FAILED, error;

	if (trace_open_log("dump", path, &trid) < 0)
		return PITOT_FAILED;
	error = trace_source_init(&source, trid, false);
	if (error == 0)
		error = posix_trace_get_attr(trid, &attr);
	if (error != 0)
		trace_failed("dump", path, error);
	else if (posix_trace_attr_getcreatetime(&attr, &created),
		 trace_select_times(&d->select, &created) < 0)
		status = PITOT_USAGE;
	else
		status = print_events(d, &source, path);
	trace_source_done(&source);
	posix_trace_close(trid);
	return status;
}

int trace_dump_run(int argc, char **argv)
{
	struct dump d = {0};
	int status = options_parse(&options, argc, argv, &d);

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	if (argc - optind != 1) {
		pitot_complain("trace dump: expected one FILE: see pitot trace dump --help");
		return PITOT_USAGE;
	}
	trace_zone(d.zone);
	status = dump(&d, argv[optind]);
	trace_select_done(&d.select);
	return output_finish(status);
}
