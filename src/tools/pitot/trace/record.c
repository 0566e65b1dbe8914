/*
 * record - `pitot trace record` and `pitot trace run`.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cmdline.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/trace/source.h"
#include "tools/pitot/trace/stream.h"
#include "tools/pitot/trace/target.h"
#include "tools/pitot/trace/trace.h"

/*
 * trace_record - `pitot trace record`: the events of a command or of a process into a log.
 *
 *     hold the command -> create the stream -> start -> let go -> wait -> shut down -> count
 */

enum { RECORD_PROGRESS_MS = 500 };

struct record {
	pmOptions pm;
	struct trace_stream stream;
	struct trace_target target;
	struct trace_log log;
	char named[64]; /* the default name of the file */
};

#define AT(member) offsetof(struct record, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ { "output",     1, 'o', "FILE", "the log; with --pid [trace-PID.log]" }, CMDLINE_TEXT, AT(log.file) },
	TRACE_STREAM_ROWS(AT(stream)),
	{ { "policy",     1, 0, "WORD", "when memory is full: flush [flush], loop or until-full" }, CMDLINE_SET, AT(stream.policy), POSIX_TRACE_APPEND,
	  .complaint = "expected loop, until-full or flush", .set = trace_set_policy },
	{ { "log-size",   1, 0, "N", "the most that the log may hold, with k, M or G" }, CMDLINE_SET, AT(log.size), .set = trace_set_size },
	{ { "log-policy", 1, 0, "WORD", "when the log is full: loop, until-full; append: it never is" }, CMDLINE_SET, AT(log.policy), POSIX_TRACE_FLUSH,
	  .complaint = "expected append, loop or until-full", .set = trace_set_policy },
	{ { "verbose",    0, 'v', NULL, "tell counts also where standard error is no terminal" }, CMDLINE_FLAG, AT(log.verbose) },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options options = {
    .command = "trace record",
    .purpose = "Records the events of a command until it ends, or of a process until it ends or "
	       "we are interrupted.",
    .rows = rows,
    .operands = "[-- COMMAND [ARGUMENT...]]",
    .runs = true,
};

/* Checks the combination of options. Returns 0, or -1 after a message. */
static int record_judge(struct record *r, bool command)
{
	const char *wrong = NULL;

	if (command == (r->stream.pid != NULL))
		wrong = command ? "a command and --pid exclude each other"
				: "expected a command, or --pid";
	else if (r->log.file == NULL && command)
		wrong = "expected -o FILE";
	else if (r->log.policy == POSIX_TRACE_APPEND && r->log.size != 0)
		wrong = "--log-size is not for --log-policy append";
	else if (r->log.policy != 0 && r->log.policy != POSIX_TRACE_APPEND && r->log.size == 0)
		wrong = "--log-policy loop and until-full need --log-size";
	if (wrong != NULL) {
		pitot_complain("trace record: %s: see pitot trace record --help", wrong);
		return -1;
	}
	if (r->log.policy == 0)
		r->log.policy = r->log.size != 0 ? POSIX_TRACE_LOOP : POSIX_TRACE_APPEND;
	if (r->log.file == NULL) {
		snprintf(r->named, sizeof(r->named), "trace-%s.log", r->stream.pid);
		r->log.file = r->named;
	}
	return 0;
}

static void show_progress(const struct record *r, time_t since)
{
	struct trace_account account;
	struct stat st;
	long seconds = (long)(time(NULL) - since);

	if (trace_account_get(r->stream.trid, r->log.policy, &account) != 0 ||
	    fstat(r->log.fd, &st) < 0)
		return;
	fprintf(stderr,
		"\r%ld:%02ld  %" PRIu64 " events, %" PRIu64 " overwritten, %" PRIu64
		" lost, %.1f MiB \033[K",
		seconds / 60, seconds % 60, account.emitted, account.overwritten, account.lost,
		(double)st.st_size / 1048576);
	fflush(stderr);
}

/*
 * Waits until the process ends or a signal arrives; a command that receives the signal, too, gets
 * some time to end.
 */
static void wait_end(struct record *r)
{
	/* A command has the terminal to itself. */
	const bool progress = !r->target.child && isatty(STDERR_FILENO);
	const time_t since = time(NULL);
	enum trace_event_kind kind;

	do {
		if (progress)
			show_progress(r, since);
		kind = trace_target_wait(&r->target, progress ? RECORD_PROGRESS_MS : -1);
	} while (kind == TRACE_WAIT_TIMEOUT || (kind == TRACE_WAIT_ENDED && !r->target.ended));
	if (progress)
		fputs("\r\033[K", stderr);
	if (kind != TRACE_WAIT_SIGNAL || !r->target.child)
		return;
	trace_target_forward(&r->target);
	trace_target_leave(&r->target, "record");
}

static int record(struct record *r, char **argv)
{
	const char *name = r->target.child ? argv[0] : r->stream.pid;
	int status;

	if (trace_log_open(&r->log) < 0 ||
	    trace_log_start(&r->log, &r->stream, r->target.pid, name) < 0)
		return PITOT_FAILED;
	status = r->target.child ? trace_target_release(&r->target, "record", argv[0]) : 0;
	r->log.unstarted = status != 0;
	if (!r->target.child)
		trace_nothing_warn("record", r->target.pid);
	if (status == 0)
		wait_end(r);
	if (trace_log_finish(&r->log, &r->stream) != 0)
		return PITOT_FAILED;
	status = status != 0 ? status : trace_target_exit_status(&r->target);
	return status == 0 && r->log.nothing ? PITOT_FAILED : status;
}

int trace_record_run(int argc, char **argv)
{
	struct record r = {.stream = {.command = "record", .size = TRACE_LOG_SIZE},
			   .log = {.command = "record", .fd = -1}};
	int status = options_parse(&options, argc, argv, &r), error;
	char **command = argv + optind;

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	if (record_judge(&r, *command != NULL) < 0)
		return PITOT_USAGE;
	status = *command != NULL ? trace_target_find("record", command[0]) : 0;
	if (status != 0)
		return status;
	error = *command != NULL
		    ? trace_target_spawn(&r.target, "record", command, r.stream.children)
		    : trace_target_attach(&r.target, "record", r.stream.pid);
	status = error == 0 ? record(&r, command) : PITOT_FAILED;
	trace_target_done(&r.target);
	trace_stream_done(&r.stream);
	trace_log_done(&r.log);
	return status;
}

/*
 * trace_run - `pitot trace run`: a command with its events in a log and, as they come, on standard
 * error.
 *
 *     hold the command -> make both streams -> let go -> show -> wait -> complete the log
 *
 * Two streams, because the standard's streams with a log can't be read while they are written. The
 * command finds PITOT_TRACE in its environment, so the tracing agent shows it as metrics, too.
 */

struct record_run {
	pmOptions pm;
	struct trace_stream stream; /* options of the log; the command line sets them */
	struct trace_log log;
	struct trace_live live;
	struct trace_target target;
	const char *zone;
	bool quiet;
	char named[256]; /* the default name of the log */
};

#define RUN_AT(member) offsetof(struct record_run, member)

/* clang-format off */
static const struct cmdline_row run_rows[] = {
	{ { "output",   1, 'o', "FILE", "the log [trace-COMMAND-PID.log]" }, CMDLINE_TEXT, RUN_AT(log.file) },
	{ { "quiet",    0, 'q', NULL, "do not show the events" }, CMDLINE_FLAG, RUN_AT(quiet) },
	{ { "json",     0, 'j', NULL, "show one JSON object a line, for programs" }, CMDLINE_FLAG, RUN_AT(live.json) },
	{ { "date",     0, 'd', NULL, "the date before the time" }, CMDLINE_FLAG, RUN_AT(live.date) },
	{ { "timezone", 1, 'Z', "TZ", "times in this time zone, UTC say" }, CMDLINE_SET, RUN_AT(zone), .set = trace_set_zone },
	TRACE_SELECT_NAME(RUN_AT(live.select)),
	TRACE_STREAM_PROGRAM_ROWS(RUN_AT(stream)),
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options run_options = {
    .command = "trace run",
    .purpose = "Runs a command, records its events, and shows them on standard error as they come.",
    .rows = run_rows,
    .operands = "[--] COMMAND [ARGUMENT...]",
    .runs = true,
};

static void name_log(struct record_run *r, const char *command)
{
	const char *base = strrchr(command, '/');

	if (r->log.file != NULL)
		return;
	snprintf(r->named, sizeof(r->named), "trace-%.200s-%d.log",
		 base != NULL ? base + 1 : command, (int)r->target.pid);
	r->log.file = r->named;
}

/* The live stream records the same events; the option texts belong to the other. */
static void share_options(struct record_run *r)
{
	struct trace_stream *live = &r->live.stream;

	live->data_size = r->stream.data_size;
	live->children = r->stream.children;
	live->filter = r->stream.filter;
	live->only = r->stream.only;
}

static int record_start(struct record_run *r, char **argv)
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

static void run_wait_end(struct record_run *r)
{
	enum trace_event_kind kind = TRACE_WAIT_TIMEOUT;

	while (!r->target.ended && r->target.signal == 0)
		kind = trace_target_wait(&r->target, -1);
	if (kind == TRACE_WAIT_SIGNAL)
		trace_target_forward(&r->target);
	trace_target_leave(&r->target, "run");
}

static int record_run(struct record_run *r, char **argv)
{
	int status, error = 0;

	if (record_start(r, argv) < 0)
		return PITOT_FAILED;
	status = trace_target_release(&r->target, "run", argv[0]);
	if (status == 0 && !r->quiet)
		error = trace_live_watch(&r->live, &r->target);
	if (status == 0)
		run_wait_end(r);
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
	struct record_run r = {
	    .stream = {.command = "run", .size = TRACE_LOG_SIZE},
	    .log = {.command = "run", .policy = POSIX_TRACE_APPEND, .verbose = true, .fd = -1},
	    .live = {.stream = {.command = "run", .size = TRACE_LIVE_SIZE}, .out = stderr}};
	int status = options_parse(&run_options, argc, argv, &r);
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
		status = record_run(&r, command);
	}
	r.live.stream.filter = r.live.stream.only = (struct wordlist){NULL, 0};
	trace_live_done(&r.live);
	trace_stream_done(&r.stream);
	trace_target_done(&r.target);
	trace_log_done(&r.log);
	return status;
}
