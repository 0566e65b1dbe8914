/* signals - see signals.h. */
#include "daemons/pmlogger/signals.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmlogger/bounds.h"
#include "daemons/pmlogger/port_map.h"
#include "libbase/cleanup.h"

enum { TRACE_DEPTH = 64 };

/* SIGXFSZ: a file that may not grow is a full disk to us. */
static const int ignored[] = {SIGPIPE, SIGPWR,  SIGWINCH, SIGURG, SIGTSTP,
			      SIGCONT, SIGTTIN, SIGTTOU,  SIGXFSZ};
static const int traced[] = {SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGFPE,
			     SIGBUS,  SIGSEGV, SIGSYS,  SIGXCPU};
static const int deadly[] = {SIGPOLL, SIGALRM, SIGSTKFLT};

static void on_deadly(int sig)
{
	port_map_remove();
	_exit(sig);
}

static void on_traced(int sig)
{
	static const char text[] = "\nProcedure call traceback ...\n";
	void *frames[TRACE_DEPTH];
	int n = backtrace(frames, TRACE_DEPTH);

	if (write(STDERR_FILENO, text, sizeof(text) - 1) > 0)
		backtrace_symbols_fd(frames, n, STDERR_FILENO);
	on_deadly(sig);
}

static void set_all(const int *signals, size_t n, void (*handler)(int))
{
	struct sigaction act = {.sa_handler = handler};

	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < n; i++)
		sigaction(signals[i], &act, NULL);
}

void signals_early(void)
{
	void *frame[1];

	backtrace(frame, 1); /* the first call loads a library, which a handler must not */
	set_all(ignored, ARRAY_SIZE(ignored), SIG_IGN);
	set_all(traced, ARRAY_SIZE(traced), on_traced);
	set_all(deadly, ARRAY_SIZE(deadly), on_deadly);
}

static void on_volume(uv_signal_t *handle, int sig)
{
	struct bounds *b = handle->data;

	(void)sig;
	if (!b->ending)
		bounds_new_volume(b, "SIGHUP");
}

static void on_end(uv_signal_t *handle, int sig)
{
	char reason[32];

	snprintf(reason, sizeof(reason), "Caught signal %d", sig);
	bounds_end(handle->data, reason);
}

static void signals_on_again(uv_signal_t *handle, int sig)
{
	struct bounds *b = handle->data;

	char reason[32];

	b->again = true;
	snprintf(reason, sizeof(reason), "Caught signal %d, reexec", sig);
	bounds_end(b, reason);
}

/* clang-format off */
static const struct {
	int sig;
	void (*handler)(uv_signal_t *handle, int sig);
} watched[] = {
	{ SIGHUP,    on_volume },
	{ SIGINT,    on_end },
	{ SIGTERM,   on_end },
	{ SIGUSR1,   on_end },
	{ SIGVTALRM, on_end },
	{ SIGPROF,   on_end },
	{ SIGUSR2,   signals_on_again },
};
/* clang-format on */

int signals_watch(struct signals *s, struct bounds *bounds)
{
	for (size_t i = 0; i < ARRAY_SIZE(watched); i++) {
		int r = uv_signal_init(bounds->loop, &s->all[i]);

		if (r < 0)
			return r;
		s->n++;
		s->all[i].data = bounds;
		r = uv_signal_start(&s->all[i], watched[i].handler, watched[i].sig);
		if (r < 0)
			return r;
		uv_unref((uv_handle_t *)&s->all[i]);
	}
	return 0;
}

void signals_close(struct signals *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		uv_close((uv_handle_t *)&s->all[i], NULL);
	s->n = 0;
}
