/* session - see session.h. There are no questions to a user here: the dialogs of 6.0.3 are lines of
 * the log. */
#include "daemons/pmlogger/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmlogger/bounds.h"
#include "daemons/pmlogger/options.h"
#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/timing.h"
#include "libbase/cleanup.h"

/* In the environment after a restart: -x is in the arguments, but its descriptor has gone. */
static const char over_word[] = "PMLOGGER_SESSION_OVER";

static uint64_t session_seconds(const struct session *s)
{
	return (timing_boot_ms() - s->bounds->started_ms + 500) / 1000;
}

static void say_status(const struct session *s)
{
	fprintf(stderr,
		"\nPCP recording for the archive folio \"%s\" and the host \"%s\" has been in "
		"progress for %llu seconds and in that time the pmlogger process has created an "
		"archive of %llu bytes.\n",
		s->folio[0] != '\0' ? s->folio : "<unknown>", s->host,
		(unsigned long long)session_seconds(s),
		(unsigned long long)recorder_state(s->bounds->recorder).data_size);
	if (s->replay)
		fprintf(stderr,
			"\nThis archive may be replayed with the following command:\n"
			"  $ pmafm %s replay\n",
			s->folio);
}

static void say_command(void)
{
	fprintf(
	    stderr,
	    "\nAt any time this pmlogger process may be terminated with the following command:\n"
	    "  $ kill -s TERM %d\n",
	    (int)getpid());
}

static void take_folio(struct session *s, const char *text)
{
	snprintf(s->folio, sizeof(s->folio), "%s", text);
}

static void take_program(struct session *s, const char *text)
{
	(void)s;
	(void)text; /* no text of 6.0.3's has it */
}

static void take_replay(struct session *s, const char *text)
{
	(void)text;
	s->replay = true;
}

static void session_tell(struct session *s, const char *text)
{
	(void)text;
	say_status(s);
	say_command();
}

static void session_detach(struct session *s, const char *text)
{
	double rate = (double)recorder_state(s->bounds->recorder).data_size /
		      (double)(session_seconds(s) > 0 ? session_seconds(s) : 1);

	(void)text;
	say_status(s);
	fprintf(
	    stderr,
	    "\nThe application that launched pmlogger has asked pmlogger to continue "
	    "independently and the PCP archive will grow at the rate of %.1f Kbytes per hour or "
	    "%.1f Mbytes per day.\n",
	    rate * 3600 / 1024, rate * 86400 / (1024 * 1024));
	say_command();
	session_stop(s);
}

static void session_end(struct session *s, const char *why)
{
	say_status(s);
	fprintf(stderr, "\nThe application that launched pmlogger has %s.\n", why);
	session_stop(s);
	bounds_end(s->bounds, "Recording session terminated");
}

static void quit(struct session *s, const char *text)
{
	(void)text;
	session_end(s, "terminated this PCP recording session");
}

static void take_version(struct session *s, const char *text)
{
	if (strcmp(text, "0") != 0)
		session_end(s, "another version of the session protocol, and is taken for gone");
}

static const struct verb {
	char letter;
	void (*act)(struct session *s, const char *text);
} verbs[] = {
    {'V', take_version}, {'F', take_folio},     {'P', take_program}, {'R', take_replay},
    {'?', session_tell}, {'D', session_detach}, {'Q', quit},
};

static void session_serve(struct session *s)
{
	s->line[s->len] = '\0';
	s->len = 0;
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (verbs[i].letter == s->line[0]) {
			verbs[i].act(s, s->line + 1);
			return;
		}
	}
	session_end(s, "said what is no request, and is taken for gone");
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct session *s = poll->data;
	char bytes[SESSION_LINE_MAX];
	ssize_t n = read(s->fd, bytes, sizeof(bytes));

	(void)status;
	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		session_end(s, "exited");
	for (ssize_t i = 0; i < n && s->open; i++) {
		if (bytes[i] == '\n')
			session_serve(s);
		else if (s->len < sizeof(s->line) - 1)
			s->line[s->len++] = bytes[i];
	}
}

int session_start(struct session *s, struct bounds *bounds, const char *host)
{
	int r;

	s->bounds = bounds;
	s->host = host;
	s->fd = bounds->options->session_fd;
	if (s->fd < 0 || getenv(over_word) != NULL)
		return 0;
	r = fcntl(s->fd, F_SETFD, FD_CLOEXEC) < 0 ? -errno
						  : uv_poll_init(bounds->loop, &s->poll, s->fd);
	if (r < 0) {
		pmNotifyErr(LOG_ERR, "Cannot listen to the program that records: fd=%d, error=%s",
			    s->fd, pmErrStr(r));
		return r;
	}
	s->poll.data = s;
	s->open = true;
	return uv_poll_start(&s->poll, UV_READABLE, on_readable);
}

static void session_on_closed(uv_handle_t *handle)
{
	struct session *s = handle->data;

	if (!s->handed_on)
		close(s->fd);
}

void session_stop(struct session *s)
{
	if (!s->open)
		return;
	s->open = false;
	uv_close((uv_handle_t *)&s->poll, session_on_closed);
}

void session_hand_on(struct session *s)
{
	if (s->open)
		s->handed_on = fcntl(s->fd, F_SETFD, 0) == 0;
	else if (s->fd >= 0)
		setenv(over_word, "1", 1);
	session_stop(s);
}
