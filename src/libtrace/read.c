/*
 * read - the functions that get the next event of a stream or a log.
 * A reader that finds no event sleeps in naps (stream.h), from 1 ms on, doubled up to 20. Its
 * signals are blocked while it looks, so that a signal in between ends the next nap. When a signal
 * or a cancellation ends the sleep, no event has been consumed and no lock is held.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include <trace.h>

#include "libtrace/keeper.h"
#include "libtrace/log_reader.h"
#include "libtrace/registry.h"
#include "libtrace/stream.h"
#include "libtrace/stream_log.h"

enum {
	NAP_FIRST_NS = 1000000,
	NAP_LONGEST_NS = 20000000,
};

/* The arguments of a getnext function. */
struct request {
	struct posix_trace_event_info *info;
	void *data;
	size_t num_bytes;
	size_t *data_len;
	int *unavailable;
	const struct timespec *until; /* NULL: no timeout */
};

/* A sleep in progress, for the cancellation handler. */
struct sleep {
	struct stream *stream;
	sigset_t mask; /* the signal mask before it */
};

static void report(const struct event *event, const struct request *request)
{
	event_report(event, request->info, request->data, request->num_bytes, request->data_len);
	*request->unavailable = 0;
}

/* Each reports the next event from its kind of source, with the stream's lock: 1, 0, -errno. */
static int take_active(struct stream *stream, const struct request *request)
{
	const struct event *event = reader_oldest(&stream->reader);

	if (event != NULL) {
		report(event, request);
		reader_consume(&stream->reader);
	}
	if (stream->reader.halted) {
		registry_set_running(stream->ctl->id.stream_id, stream->uid, false);
		stream->reader.halted = false;
	}
	return event != NULL;
}

static int take_logged(struct stream *stream, const struct request *request)
{
	struct event event;
	int r = stream_log_next(stream, &event);

	if (r == 1)
		report(&event, request);
	return r;
}

static int take_recorded(struct stream *stream, const struct request *request)
{
	struct event event;
	int r = log_reader_next(stream->log, &event);

	if (r == 1)
		report(&event, request);
	return r;
}

/* Reports the next event, if there is one now: 1, 0, -errno. */
static int read_take(struct stream *stream, const struct request *request)
{
	int r;

	stream_lock(stream);
	if (atomic_load(&stream->closing))
		r = -EINVAL;
	else if (stream->kind == STREAM_RECORDED)
		r = take_recorded(stream, request);
	else if (stream->kind == STREAM_LOGGED)
		r = take_logged(stream, request);
	else
		r = take_active(stream, request);
	stream_unlock(stream);
	return r;
}

/* Longest duration of the nap: 0 if the time has passed. Reads the clock each time, because it
 * may jump. */
static uint64_t nap_until(const struct timespec *until, uint64_t nap)
{
	struct timespec now;
	int64_t s, ns;

	if (until == NULL)
		return nap;
	clock_gettime(CLOCK_REALTIME, &now);
	if (until->tv_sec > now.tv_sec + 1)
		return nap;
	if (until->tv_sec < now.tv_sec - 1) /* their difference may overflow */
		return 0;
	s = (int64_t)until->tv_sec - now.tv_sec;
	ns = (int64_t)until->tv_nsec - now.tv_nsec;
	if (s * 1000000000 + ns <= 0)
		return 0;
	return (uint64_t)(s * 1000000000 + ns) < nap ? (uint64_t)(s * 1000000000 + ns) : nap;
}

static void read_enter(struct stream *stream)
{
	stream_lock(stream);
	stream_wake_enter(&stream->wake);
	stream_unlock(stream);
}

static void read_leave(struct stream *stream)
{
	stream_lock(stream);
	stream_wake_leave(&stream->wake);
	stream_unlock(stream);
}

static void cancelled(void *arg)
{
	struct sleep *sleep = arg;

	read_leave(sleep->stream);
	stream_put(sleep->stream);
	pthread_sigmask(SIG_SETMASK, &sleep->mask, NULL);
}

/* One nap. After it the thread can be cancelled if it could be before the call: 0, -EINTR. */
static int read_nap(struct sleep *sleep, uint64_t ns)
{
	int r, old, before = stream_cancel_state();

	r = stream_wake_nap(&sleep->stream->wake, ns, &sleep->mask);
	pthread_cleanup_push(cancelled, sleep);
	pthread_setcancelstate(before, &old);
	pthread_testcancel();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_cleanup_pop(0);
	return r;
}

/* Looks and naps in turn until there is an event: 1, or an error. */
static int read_wait(struct sleep *sleep, const struct request *request)
{
	uint64_t ns = NAP_FIRST_NS, left;
	int r;

	for (;;) {
		r = read_take(sleep->stream, request);
		if (r != 0)
			return r;
		left = nap_until(request->until, ns);
		if (left == 0)
			return -ETIMEDOUT;
		r = read_nap(sleep, left);
		if (r < 0)
			return r;
		keeper_check();
		if (ns < NAP_LONGEST_NS)
			ns *= 2;
	}
}

static int wait_blocked(struct stream *stream, const struct request *request)
{
	struct sleep sleep = {.stream = stream};
	sigset_t all;
	int r;

	if (request->until != NULL &&
	    (request->until->tv_nsec < 0 || request->until->tv_nsec > 999999999))
		return -EINVAL;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &sleep.mask);
	read_enter(stream);
	r = read_wait(&sleep, request);
	read_leave(stream);
	pthread_sigmask(SIG_SETMASK, &sleep.mask, NULL);
	return r;
}

static int next_event(trace_id_t trid, unsigned kinds, bool wait, const struct request *request)
{
	struct stream *stream = stream_get(trid, kinds);
	int r;

	*request->unavailable = 1;
	if (stream == NULL)
		return EINVAL;
	r = read_take(stream, request);
	if (r == 0 && wait && stream->kind != STREAM_RECORDED)
		r = wait_blocked(stream, request);
	stream_put(stream);
	return r < 0 ? -r : 0;
}

int posix_trace_getnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
			      void *restrict data, size_t num_bytes, size_t *restrict data_len,
			      int *restrict unavailable)
{
	struct request request = {event, data, num_bytes, data_len, unavailable, NULL};

	return next_event(trid, STREAM_ANY, true, &request);
}

int posix_trace_timedgetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
				   void *restrict data, size_t num_bytes, size_t *restrict data_len,
				   int *restrict unavailable,
				   const struct timespec *restrict abstime)
{
	struct request request = {event, data, num_bytes, data_len, unavailable, abstime};

	return next_event(trid, STREAM_ANY, true, &request);
}

int posix_trace_trygetnext_event(trace_id_t trid, struct posix_trace_event_info *restrict event,
				 void *restrict data, size_t num_bytes, size_t *restrict data_len,
				 int *restrict unavailable)
{
	struct request request = {event, data, num_bytes, data_len, unavailable, NULL};

	return next_event(trid, STREAM_LIVE, false, &request);
}
