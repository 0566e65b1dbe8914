/* bounds - see bounds.h. */
#include "daemons/pmlogger/bounds.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmlogger/compress.h"
#include "daemons/pmlogger/keep.h"
#include "daemons/pmlogger/options.h"
#include "daemons/pmlogger/port_map.h"
#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/timing.h"
#include "libbase/cleanup.h"
#include "libbase/service.h"

enum {
	LOOK_MS = 250,
	TRACE_DEPTH = 64,
};

void bounds_end(struct bounds *b, const char *reason)
{
	if (b->ending)
		return;
	b->ending = true;
	snprintf(b->reason, sizeof(b->reason), "%s", reason);
	uv_stop(b->loop);
}

int bounds_new_volume(struct bounds *b, const char *cause)
{
	int n = recorder_volume(b->recorder, cause);

	keep_look(b->keep);
	return n;
}

static void volume_over(struct bounds *b, const char *cause)
{
	b->volume_samples = 0;
	b->volume_ms = timing_boot_ms();
	bounds_new_volume(b, cause);
}

void bounds_count_sample(struct bounds *b)
{
	const struct options *o = b->options;
	struct archive_writer_state state = recorder_state(b->recorder);

	b->samples++;
	b->volume_samples++;
	compress_wrote(b->compress, state.volume);
	if (o->end.kind == SIZE_SAMPLES && b->samples >= o->end.value)
		bounds_end(b, "Sample limit reached");
	else if (o->end.kind == SIZE_BYTES && state.data_size >= o->end.value)
		bounds_end(b, "Byte limit reached");
	else if (o->volume.kind == SIZE_SAMPLES && b->volume_samples >= o->volume.value)
		volume_over(b, "sample counter");
	else if (o->volume.kind == SIZE_BYTES && state.volume_size >= o->volume.value)
		volume_over(b, "sample byte size");
}

static bool has_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

/* Is it time? Also for what must be reported often: that the recorder is alive. */
static void bounds_look(struct bounds *b)
{
	const struct options *o = b->options;
	struct timespec now = timing_now();
	uint64_t now_ms = timing_boot_ms();

	if (service_watchdog_ms() > 0)
		service_alive();
	if (o->watched > 0 && has_gone(o->watched))
		bounds_end(b, "process from -p has vanished");
	else if (b->stop_at.tv_sec != 0 &&
		 (now.tv_sec > b->stop_at.tv_sec ||
		  (now.tv_sec == b->stop_at.tv_sec && now.tv_nsec >= b->stop_at.tv_nsec)))
		bounds_end(b, "End of run time");
	else if (o->end.kind == SIZE_TIME && now_ms - b->started_ms >= o->end.value)
		bounds_end(b, "End of run time");
	else if (o->volume.kind == SIZE_TIME && now_ms - b->volume_ms >= o->volume.value)
		volume_over(b, "sample time");
}

static void on_look(uv_timer_t *timer)
{
	struct bounds *b = timer->data;

	if (!b->ending)
		bounds_look(b);
}

/* -T: "30sec" from now, "@12:00". */
static int parse_stop(struct bounds *b, const char *zone)
{
	struct timeval now, far = {INT32_MAX, 0}, begin, end, origin;
	struct timespec t = timing_now();
	char *message = NULL;
	char text[] = "0";

	now = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
	if (!b->options->local_time && zone[0] != '\0')
		pmNewZone(zone);
	if (pmParseTimeWindow(NULL, (char *)b->options->stop_time, NULL, NULL, &now, &far, &begin,
			      &end, &origin, &message) < 0) {
		fprintf(stderr, "%s: illegal -T argument\n%s", pmGetProgname(),
			message != NULL ? message : text);
		free(message);
		return -EINVAL;
	}
	b->stop_at = (struct timespec){end.tv_sec, end.tv_usec * 1000};
	return 0;
}

int bounds_start(struct bounds *b, const char *zone)
{
	const struct options *o = b->options;
	bool times = o->end.kind == SIZE_TIME || o->volume.kind == SIZE_TIME;
	int r = o->stop_time != NULL ? parse_stop(b, zone) : 0;

	if (r < 0)
		return r;
	b->started_ms = b->volume_ms = timing_boot_ms();
	uv_timer_init(b->loop, &b->watch);
	b->watch.data = b;
	if (times || o->stop_time != NULL || o->watched > 0 || service_watchdog_ms() > 0)
		timing_arm(&b->watch, on_look, LOOK_MS, LOOK_MS);
	return 0;
}

void bounds_stop(struct bounds *b)
{
	timing_close(&b->watch, NULL);
}

/*
 * Signals
 */

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
