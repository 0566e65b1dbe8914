/*
 * trace_run - `pitot trace run`: a command with its events in a log and, as they come, on standard
 * error.
 *
 *     hold the command -> make both streams -> let go -> show -> wait -> complete the log
 *
 * Two streams, because the standard's streams with a log can't be read while they are written. The
 * command finds PITOT_TRACE in its environment, so the tracing agent shows it as metrics, too.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pitot.h"
#include "tools/common/cmdline.h"
#include "trace_commands.h"
#include "trace_live.h"
#include "trace_log.h"
#include "trace_nothing.h"
#include "trace_target.h"

struct run {
	struct trace_stream stream; /* of the log: the options are read into it */
	struct trace_log log;
	struct trace_live live;
	struct trace_target target;
	const char *zone;
	bool quiet;
	char named[256]; /* the log where no name was given */
};

/* clang-format off */
static const pmLongOptions rows[] = {
	{ "output",   1, 'o', "FILE", "the log [trace-COMMAND-PID.log]" },
	{ "quiet",    0, 'q', NULL, "do not show the events" },
	{ "json",     0, 'j', NULL, "show one JSON object a line, for programs" },
	{ "date",     0, 'd', NULL, "the date before the time" },
	{ "timezone", 1, 'Z', "TZ", "times in this time zone, UTC say" },
	TRACE_SELECT_NAME,
	{ "children", 0, TRACE_STREAM_CHILDREN, NULL, "trace what it forks and spawns, too" },
	{ "filter",   1, TRACE_STREAM_FILTER, "NAMES", "do not record these event types" },
	{ "only",     1, TRACE_STREAM_ONLY, "NAMES", "record these event types and no other" },
	{ "size",     1, TRACE_STREAM_SIZE, "N", "room for events in memory, with k, M or G" },
	{ "data",     1, TRACE_STREAM_DATA, "N", "the most that is kept of an event's data" },
	{ NULL, 0, 0, NULL, NULL },
};
/* clang-format on */

static int take_option(void *arg, int letter, const char *value)
{
	struct run *r = arg;
	int taken = trace_stream_take(&r->stream, letter, value);

	if (taken <= 0)
		return taken;
	switch (letter) {
	case 'o':
		r->log.file = value;
		return 0;
	case 'q':
		r->quiet = true;
		return 0;
	case 'j':
		r->live.json = true;
		return 0;
	case 'd':
		r->live.date = true;
		return 0;
	case 'Z':
		return trace_take_zone(value, &r->zone);
	default:
		return trace_select_take(&r->live.select, letter, value);
	}
}

static const struct options options = {
    .command = "trace run",
    .purpose = "Runs a command, records its events, and shows them on standard error as they come.",
    .rows = rows,
    .operands = "[--] COMMAND [ARGUMENT...]",
    .runs = true,
    .take = take_option,
};

static void name_log(struct run *r, const char *command)
{
	const char *base = strrchr(command, '/');

	if (r->log.file != NULL)
		return;
	snprintf(r->named, sizeof(r->named), "trace-%.200s-%d.log", base != NULL ? base + 1 : command,
		 (int)r->target.pid);
	r->log.file = r->named;
}

/* The live stream records what the other does; the words stay the other's. */
static void share_options(struct run *r)
{
	struct trace_stream *live = &r->live.stream;

	live->data_size = r->stream.data_size;
	live->children = r->stream.children;
	live->filter = r->stream.filter;
	live->only = r->stream.only;
}

static int start(struct run *r, char **argv)
{
	if (trace_log_open(&r->log) < 0 ||
	    trace_log_start(&r->log, &r->stream, r->target.pid, argv[0]) < 0)
		return -1;
	share_options(r);
	if (r->quiet || trace_live_start(&r->live, &r->target, argv[0]) == 0)
		return 0;
	posix_trace_shutdown(r->stream.trid);
	return -1;
}

static void wait_end(struct run *r)
{
	enum trace_event_kind kind = TRACE_WAIT_TIMEOUT;

	while (!r->target.ended && r->target.signal == 0)
		kind = trace_target_wait(&r->target, -1);
	if (kind == TRACE_WAIT_SIGNAL)
		trace_target_forward(&r->target);
	trace_target_leave(&r->target, "run");
}

static int run(struct run *r, char **argv)
{
	int status, error = 0;

	if (start(r, argv) < 0)
		return PITOT_FAILED;
	status = trace_target_release(&r->target, "run", argv[0]);
	if (status == 0 && !r->quiet)
		error = trace_live_watch(&r->live, &r->target);
	if (status == 0)
		wait_end(r);
	if (error != 0)
		trace_failed("run", "showing events", error);
	r->log.unstarted = status != 0;
	if (trace_log_finish(&r->log, &r->stream) != 0 || error != 0)
		return PITOT_FAILED;
	if (status == 0 && !r->quiet && !r->log.nothing)
		(void)trace_nothing_selected("run", r->live.stream.trid, &r->live.select);
	status = status != 0 ? status : trace_target_exit_status(&r->target);
	return status == 0 && r->log.nothing ? PITOT_FAILED : status;
}

int trace_run_run(int argc, char **argv)
{
	struct run r = {.stream = {.command = "run", .size = TRACE_LOG_SIZE},
			.log = {.command = "run", .policy = POSIX_TRACE_APPEND, .verbose = true, .fd = -1},
			.live = {.stream = {.command = "run", .size = TRACE_LIVE_SIZE}, .out = stderr}};
	int status = options_parse(&options, argc, argv, &r);
	char **command = argv + optind;

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	if (*command == NULL) {
		pitot_complain("trace run: expected a command: see pitot trace run --help");
		return PITOT_USAGE;
	}
	status = trace_target_find("run", command[0]);
	if (status != 0)
		return status;
	setenv("PITOT_TRACE", "1", 0);
	status = PITOT_FAILED;
	if (trace_target_spawn(&r.target, "run", command, r.stream.children) == 0) {
		trace_zone(r.zone);
		name_log(&r, command[0]);
		status = run(&r, command);
	}
	r.live.stream.filter = r.live.stream.only = (struct wordlist){NULL, 0};
	trace_live_done(&r.live);
	trace_stream_done(&r.stream);
	trace_target_done(&r.target);
	trace_log_done(&r.log);
	return status;
}
