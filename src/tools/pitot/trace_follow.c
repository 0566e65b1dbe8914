/*
 * trace_follow - `pitot trace follow`: events as they come, from a stream without log.
 *
 * When the process has ended, what is still unread is shown; then the counts. What came too fast to
 * be read is lost, and said so.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pitot.h"
#include "tools/common/output.h"
#include "trace_commands.h"
#include "trace_line.h"
#include "trace_select.h"
#include "trace_source.h"
#include "trace_stream.h"
#include "trace_target.h"

enum {
	FOLLOW_JSON = TRACE_STREAM_LETTERS,
	FOLLOW_SIZE = 1 << 20,
	FOLLOW_WAIT_MS = 50,
	FOLLOW_BATCH = 4096, /* events between two looks at the process and the signals */
};

struct follow {
	struct trace_stream stream;
	struct trace_target target;
	struct trace_select select;
	struct trace_source source;
	struct trace_line line;
	const char *file, *zone;
	bool json, date;
	FILE *out;
};

/* clang-format off */
static const pmLongOptions rows[] = {
	{ "output",   1, 'o', "FILE", "write the lines there instead of standard output" },
	{ "json",     0, 'j', NULL, "one JSON object a line, for programs" },
	{ "date",     0, 'd', NULL, "the date before the time" },
	{ "timezone", 1, 'Z', "TZ", "times in this time zone, UTC say" },
	TRACE_SELECT_NAME,
	TRACE_STREAM_ROWS,
	{ "policy",   1, TRACE_STREAM_POLICY, "WORD", "when memory is full: loop [loop], or until-full" },
	{ NULL, 0, 0, NULL, NULL },
};
/* clang-format on */

static int take_option(void *arg, int letter, const char *value)
{
	struct follow *f = arg;
	int taken = trace_stream_take(&f->stream, letter, value);

	if (taken <= 0)
		return taken;
	switch (letter) {
	case 'o':
		f->file = value;
		return 0;
	case 'j':
		f->json = true;
		return 0;
	case 'd':
		f->date = true;
		return 0;
	case 'Z':
		f->zone = value;
		return 0;
	default:
		return trace_select_take(&f->select, letter, value);
	}
}

static const struct options options = {
    .command = "trace follow",
    .purpose = "Shows the events of a command or a process as they come, until it ends or we are "
	       "interrupted.",
    .rows = rows,
    .operands = "[-- COMMAND [ARGUMENT...]]",
    .runs = true,
    .take = take_option,
};

static int make_stream(struct follow *f, const char *name)
{
	trace_attr_t attr;
	int error;

	if (trace_stream_attr(&f->stream, name, &attr) < 0)
		return -1;
	error = posix_trace_create(f->target.pid, &attr, &f->stream.trid);
	if (error != 0) {
		trace_stream_complain(&f->stream, f->target.pid, error);
		return -1;
	}
	error = trace_source_init(&f->source, f->stream.trid, true);
	if (error == 0 && trace_stream_filter(&f->stream) == 0)
		error = posix_trace_start(f->stream.trid);
	else if (error == 0)
		return -1;
	if (error != 0)
		trace_failed("follow", "start", error);
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

/* Prints what is there, at most a batch. 1: there may be more, 0, or a negative error number. */
static int print_events(struct follow *f, const struct timespec *abstime)
{
	struct trace_event e;
	int r, n = 0;

	while ((r = trace_source_next(&f->source, abstime, &e)) > 0) {
		abstime = NULL;
		if (trace_select_wants(&f->select, &e))
			trace_line_print(&f->line, &f->source, &e);
		if (++n == FOLLOW_BATCH)
			return 1;
	}
	if (n > 0 && fflush(f->out) != 0)
		return -errno;
	return r;
}

/* Until the process has ended and all is read, or we are told to stop. 0 or an error number. */
static int watch(struct follow *f)
{
	bool told = false, ended = false;
	int r;

	while (!told) {
		struct timespec until = after_ms(FOLLOW_WAIT_MS);

		r = print_events(f, ended ? NULL : &until);
		if (r < 0 || ferror(f->out))
			return r < 0 ? -r : EIO;
		if (r == 0 && ended)
			return 0;
		switch (trace_target_wait(&f->target, 0)) {
		case TRACE_WAIT_SIGNAL:
			told = true;
			break;
		case TRACE_WAIT_ENDED:
			ended = true; /* what it recorded before may still be unread */
			break;
		default:
			break;
		}
	}
	trace_target_forward(&f->target);
	trace_target_wait(&f->target, FOLLOW_WAIT_MS);
	posix_trace_stop(f->stream.trid);
	while ((r = print_events(f, NULL)) > 0)
		;
	return -r;
}

static void summarise(const struct follow *f)
{
	char text[TRACE_COUNTS_TEXT];
	struct posix_trace_counts_np n = {0};

	if (posix_trace_get_counts_np(f->stream.trid, &n) == 0 &&
	    (isatty(STDERR_FILENO) || trace_lost(&n) > 0))
		pitot_complain("trace follow: %s", trace_counts_text(&n, text, sizeof(text)));
}

static int follow(struct follow *f, char **argv)
{
	int status = 0, error = 0;

	if (make_stream(f, f->target.child ? argv[0] : f->stream.pid) < 0)
		return PITOT_FAILED;
	trace_select_times(&f->select, &(struct timespec){0});
	trace_line_init(&f->line, f->out, f->json, f->date);
	if (f->target.child)
		status = trace_target_release(&f->target, "follow");
	if (status == 0)
		error = watch(f);
	summarise(f);
	if (error != 0 && !ferror(f->out))
		return trace_failed("follow", "events", error);
	return status != 0 ? status : trace_target_exit_status(&f->target);
}

/* 0, or -1 after a message. */
static int open_output(struct follow *f)
{
	f->out = f->file != NULL ? fopen(f->file, "we") : stdout;
	if (f->out == NULL)
		trace_failed("follow", f->file, errno);
	if (f->zone != NULL) {
		setenv("TZ", f->zone, 1);
		tzset();
	}
	return f->out != NULL ? 0 : -1;
}

/* Lines that could not be written. */
static int close_output(struct follow *f, int status)
{
	if (f->out == stdout)
		return output_finish(status);
	if (ferror(f->out) || fclose(f->out) != 0)
		return trace_failed("follow", f->file, errno);
	return status;
}

int trace_follow_run(int argc, char **argv)
{
	struct follow f = {.stream = {.command = "follow", .size = FOLLOW_SIZE}};
	int status = options_parse(&options, argc, argv, &f), error;
	char **command = argv + optind;

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	if ((*command != NULL) == (f.stream.pid != NULL)) {
		pitot_complain("trace follow: expected either a command or --pid: see pitot trace "
			       "follow --help");
		return PITOT_USAGE;
	}
	if (open_output(&f) < 0)
		return PITOT_FAILED;
	error = *command != NULL ? trace_target_spawn(&f.target, "follow", command)
				 : trace_target_attach(&f.target, "follow", f.stream.pid);
	status = error == 0 ? follow(&f, command) : PITOT_FAILED;
	if (f.stream.trid != 0)
		posix_trace_shutdown(f.stream.trid);
	trace_target_done(&f.target);
	trace_source_done(&f.source);
	trace_select_done(&f.select);
	trace_stream_done(&f.stream);
	return close_output(&f, status);
}
