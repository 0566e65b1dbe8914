/* trace_live - see trace_live.h. */
#include "trace_live.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "pitot.h"
#include "trace_account.h"
#include "trace_commands.h"
#include "trace_nothing.h"
#include "trace_target.h"

enum {
	LIVE_WAIT_MS = 50,
	LIVE_BATCH = 4096, /* events between two looks at the process and the signals */
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

/* Prints what is there, at most a batch. 1: there may be more, 0, or a negative error number. */
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
	bool told = false, ended = false;
	int r;

	while (!told) {
		struct timespec until = after_ms(LIVE_WAIT_MS);

		r = print_events(l, ended ? NULL : &until);
		if (r < 0 || ferror(l->out))
			return r < 0 ? -r : EIO;
		if (r == 0 && ended)
			return 0;
		switch (trace_target_wait(t, 0)) {
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
	trace_target_forward(t);
	trace_target_wait(t, LIVE_WAIT_MS);
	posix_trace_stop(l->stream.trid);
	while ((r = print_events(l, NULL)) > 0)
		;
	return -r;
}

bool trace_live_summarise(const struct trace_live *l, const char *command)
{
	char text[TRACE_ACCOUNT_TEXT];
	struct trace_account account;

	if (trace_account_get(l->stream.trid, 0, &account) != 0)
		return false;
	if ((isatty(STDERR_FILENO) || account.kept != account.emitted))
		pitot_complain("trace %s: %s", l->stream.command,
			       trace_account_text(&account, text, sizeof(text)));
	return account.emitted == 0 ? trace_nothing_recorded(&l->stream, command)
				    : trace_nothing_selected(l->stream.command, l->stream.trid,
							     &l->select);
}

void trace_live_done(struct trace_live *l)
{
	if (l->stream.trid != 0)
		posix_trace_shutdown(l->stream.trid);
	trace_source_done(&l->source);
	trace_select_done(&l->select);
	trace_stream_done(&l->stream);
}
