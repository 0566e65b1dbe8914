/* signals - see signals.h. */
#include "daemons/pmlogger/signals.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmlogger/control_server.h"
#include "daemons/pmlogger/logger_own.h"
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
	control_server_unlink();
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
	struct logger *l = handle->data;

	(void)sig;
	if (!l->ending)
		logger_new_volume(l, "SIGHUP");
}

static void on_end(uv_signal_t *handle, int sig)
{
	char reason[32];

	snprintf(reason, sizeof(reason), "Caught signal %d", sig);
	logger_end(handle->data, reason);
}

static void on_again(uv_signal_t *handle, int sig)
{
	struct logger *l = handle->data;

	char reason[32];

	l->again = true;
	snprintf(reason, sizeof(reason), "Caught signal %d, reexec", sig);
	logger_end(l, reason);
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
	{ SIGUSR2,   on_again },
};
/* clang-format on */

int signals_watch(struct logger *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(watched); i++) {
		int r = uv_signal_init(&l->loop, &l->signals[i]);

		if (r < 0)
			return r;
		l->nsignal++;
		l->signals[i].data = l;
		r = uv_signal_start(&l->signals[i], watched[i].handler, watched[i].sig);
		if (r < 0)
			return r;
		uv_unref((uv_handle_t *)&l->signals[i]);
	}
	return 0;
}

void signals_close(struct logger *l)
{
	for (unsigned int i = 0; i < l->nsignal; i++)
		uv_close((uv_handle_t *)&l->signals[i], NULL);
	l->nsignal = 0;
}
