/*
 * follow - `pitot trace follow`, and the display of events as they come.
 */
#include "tools/pitot/trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cmdline.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/trace/source.h"
#include "tools/pitot/trace/target.h"

/*
 * The display
 */

enum {
	LIVE_WAIT_MS = 50,
	LIVE_BATCH = 4096, /* events between two checks of the process and the signals */
};

int trace_live_start(struct trace_live *l, const struct trace_target *t, const char *name)
{
	struct trace_stream *s = &l->stream;
	trace_attr_t attr;
	int error;

	if (trace_stream_attr(s, name, &attr) < 0)
		return -1;
	error = posix_trace_create(t->pid, &attr, &s->trid);
	if (error != 0) {
		trace_stream_complain(s, t->pid, error);
		return -1;
	}
	error = trace_source_init(&l->source, s->trid, true);
	if (error == 0 && trace_stream_filter(s) == 0)
		error = posix_trace_start(s->trid);
	else if (error == 0)
		return -1;
	if (error != 0)
		trace_failed(s->command, "start", error);
	trace_select_times(&l->select, &(struct timespec){0});
	trace_line_init(&l->line, l->out, l->json, l->date);
	return error == 0 ? 0 : -1;
}

static struct timespec after_ms(int ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_nsec += ms * 1000000L;
	if (ts.tv_nsec >= 1000000000) {
		ts.tv_nsec -= 1000000000;
		ts.tv_sec++;
	}
	return ts;
}

/*
 * Prints the available events, at most a batch. Returns 1: there may be more, 0, or a negative
 * error number.
 */
static int print_events(struct trace_live *l, const struct timespec *abstime)
{
	struct trace_event e;
	int r, n = 0;

	while ((r = trace_source_next(&l->source, abstime, &e)) > 0) {
		abstime = NULL;
		errno = 0;
		if (trace_select_wants(&l->select, &e))
			trace_line_print(&l->line, &l->source, &e);
		if (ferror(l->out))
			return errno != 0 ? -errno : -EIO;
		if (++n == LIVE_BATCH)
			return 1;
	}
	if (n > 0 && fflush(l->out) != 0)
		return -errno;
	return r;
}

int trace_live_watch(struct trace_live *l, struct trace_target *t)
{
	bool stopped = false, ended = false;
	int r;

	while (!stopped) {
		struct timespec until = after_ms(LIVE_WAIT_MS);

		r = print_events(l, ended ? NULL : &until);
		if (r < 0 || ferror(l->out))
			return r < 0 ? -r : EIO;
		if (r == 0 && ended)
			return 0;
		switch (trace_target_wait(t, 0)) {
		case TRACE_WAIT_SIGNAL:
			stopped = true;
			break;
		case TRACE_WAIT_ENDED:
			ended = true; /* events that it recorded before may still be unread */
			break;
		default:
			break;
		}
	}
	trace_target_forward(t);
	trace_target_wait(t, LIVE_WAIT_MS);
	posix_trace_stop(l->stream.trid);
	while ((r = print_events(l, NULL)) > 0)
		;
	return -r;
}

/*
 * Prints how much was read and lost: on a terminal, and if anything was lost; and says so if there
 * was nothing (trace_nothing). command: the command that was run, or NULL.
 */
static bool trace_live_summarise(const struct trace_live *l, const char *command)
{
	char text[TRACE_ACCOUNT_TEXT];
	struct trace_account account;

	if (trace_account_get(l->stream.trid, 0, &account) != 0)
		return false;
	if ((isatty(STDERR_FILENO) || account.kept != account.emitted))
		pitot_complain("trace %s: %s", l->stream.command,
			       trace_account_text(&account, text, sizeof(text)));
	return account.emitted == 0
		   ? trace_nothing_recorded(&l->stream, command)
		   : trace_nothing_selected(l->stream.command, l->stream.trid, &l->select);
}

void trace_live_done(struct trace_live *l)
{
	if (l->stream.trid != 0)
		posix_trace_shutdown(l->stream.trid);
	trace_source_done(&l->source);
	trace_select_done(&l->select);
	trace_stream_done(&l->stream);
}

/*
 * trace_follow - `pitot trace follow`: events as they come.
 */

struct follow_follow {
	pmOptions pm;
	struct trace_live live;
	struct trace_target target;
	const char *file, *zone;
	int unwritten; /* the error of writing the lines, or 0 */
};

#define AT(member) offsetof(struct follow_follow, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ { "output",   1, 'o', "FILE", "write the lines there instead of standard output" }, CMDLINE_TEXT, AT(file) },
	{ { "json",     0, 'j', NULL, "one JSON object a line, for programs" }, CMDLINE_FLAG, AT(live.json) },
	{ { "date",     0, 'd', NULL, "the date before the time" }, CMDLINE_FLAG, AT(live.date) },
	{ { "timezone", 1, 'Z', "TZ", "times in this time zone, UTC say" }, CMDLINE_SET, AT(zone), .set = trace_set_zone },
	TRACE_SELECT_NAME(AT(live.select)),
	TRACE_STREAM_ROWS(AT(live.stream)),
	{ { "policy",   1, 0, "WORD", "when memory is full: loop [loop], or until-full" }, CMDLINE_SET, AT(live.stream.policy), POSIX_TRACE_APPEND,
	  .complaint = "expected loop, until-full or flush", .set = trace_set_policy },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options options = {
    .command = "trace follow",
    .purpose = "Shows the events of a command or a process as they come, until it ends or we are "
	       "interrupted.",
    .rows = rows,
    .operands = "[-- COMMAND [ARGUMENT...]]",
    .runs = true,
};

static int follow_follow(struct follow_follow *f, char **argv)
{
	int status = 0, error = 0;
	bool nothing = false;

	if (trace_live_start(&f->live, &f->target, f->target.child ? argv[0] : f->live.stream.pid) <
	    0)
		return PITOT_FAILED;
	if (f->target.child)
		status = trace_target_release(&f->target, "follow", argv[0]);
	else
		trace_nothing_warn("follow", f->target.pid);
	if (status == 0)
		error = trace_live_watch(&f->live, &f->target);
	f->unwritten = error;
	if (error == EPIPE) /* the reader of the pipe has ended */
		return 0;
	if (status == 0)
		nothing = trace_live_summarise(&f->live, argv[0]);
	if (error != 0 && !ferror(f->live.out))
		return trace_failed("follow", "events", error);
	status = status != 0 ? status : trace_target_exit_status(&f->target);
	return status == 0 && nothing ? PITOT_FAILED : status;
}

/* Returns 0, or -1 after a message. */
static int follow_open_output(struct follow_follow *f)
{
	f->live.out = f->file != NULL ? fopen(f->file, "we") : stdout;
	if (f->live.out == NULL)
		trace_failed("follow", f->file, errno);
	return f->live.out != NULL ? 0 : -1;
}

/* Reports lines that could not be written. */
static int follow_close_output(struct follow_follow *f, int status)
{
	const bool failed = ferror(f->live.out);

	if (f->unwritten == EPIPE) { /* as a program that does not handle the signal */
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	if (f->live.out == stdout)
		return output_finish(status);
	if (fclose(f->live.out) != 0 || failed)
		return trace_failed("follow", f->file, failed ? f->unwritten : errno);
	return status;
}

int trace_follow_run(int argc, char **argv)
{
	struct follow_follow f = {.live.stream = {.command = "follow", .size = TRACE_LIVE_SIZE}};
	int status = options_parse(&options, argc, argv, &f), error;
	char **command = argv + optind;

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	if ((*command != NULL) == (f.live.stream.pid != NULL)) {
		pitot_complain("trace follow: expected either a command or --pid: see pitot trace "
			       "follow --help");
		return PITOT_USAGE;
	}
	status = *command != NULL ? trace_target_find("follow", command[0]) : 0;
	if (status != 0)
		return status;
	if (follow_open_output(&f) < 0)
		return PITOT_FAILED;
	error = *command != NULL
		    ? trace_target_spawn(&f.target, "follow", command, f.live.stream.children)
		    : trace_target_attach(&f.target, "follow", f.live.stream.pid);
	trace_zone(f.zone); /* only now: the command must not inherit it */
	status = error == 0 ? follow_follow(&f, command) : PITOT_FAILED;
	trace_live_done(&f.live);
	trace_target_done(&f.target);
	return follow_close_output(&f, status);
}
