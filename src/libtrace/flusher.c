/* flusher - see stream_log.h. */
#include "libtrace/stream_log.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "libtrace/host.h"
#include "libtrace/drain.h"
#include "libtrace/keeper.h"
#include "libtrace/log_writer.h"
#include "libtrace/registry.h"

enum {
	NAP_BUSY_NS = 1000000,
	NAP_IDLE_NS = 10000000,
	NAP_FAILED_NS = 100000000, /* after a failed write */
	BUSY_NS = 1000000000,      /* how long a stream counts as busy after its last change */
	YIELD_NAPS = 100,          /* at most so many naps for a waiting thread */
	STACK_BYTES = 256 * 1024,
	CHECK_NS = 50000000, /* between two checks whether the application's threads have ended */
};

struct flusher {
	pthread_t thread;
	pthread_mutex_t lock; /* guards stop only */
	pthread_cond_t changed;
	bool stop;
	uint64_t last_tail, last_new_ns, last_check_ns;
	bool failed;
	sigset_t mask; /* signal mask of the thread that made the stream */
};

/* Closes the gates if the reader has decided so. */
static void settle_gates(struct stream *stream)
{
	stream->reader.restarted = false;
	if (!stream->reader.halted)
		return;
	registry_set_running(stream->ctl->id.stream_id, stream->uid, false);
	stream->reader.halted = false;
}

int flusher_flush(struct stream *stream, const struct run_caller *caller)
{
	struct segment *seg = &stream->seg;
	struct control *ctl = stream->ctl;
	int r;

	run_change(ctl, 0, RUN_FLUSHING);
	run_mark(seg, ctl, POSIX_TRACE_FLUSH_START, NULL, 0, caller);
	r = drain(&stream->reader, stream->writer,
		  segment_tick(seg, (enum clock_kind)ctl->id.clock_kind));
	if (r == 0 && caller != NULL)
		r = log_writer_flush(stream->writer);
	run_mark(seg, ctl, POSIX_TRACE_FLUSH_STOP, NULL, 0, NULL);
	settle_gates(stream);
	run_change(ctl, RUN_FLUSHING, 0);
	return r;
}

/* A flush is due if full chunks make up a quarter of stream-min-size, if used ones make up all of
 * it, or if the stream has stopped itself. */
static bool wants_flush(struct stream *stream)
{
	const struct segment *seg = &stream->seg;
	uint64_t full = 0, used = 0;

	for (uint32_t i = 0; i < seg->g.chunks; i++) {
		enum chunk_state state =
		    truth_state(atomic_load_explicit(&seg->cs[i], memory_order_relaxed));

		full += state == CHUNK_FULL ? seg->g.chunk_size : 0;
		used += state != CHUNK_FREE ? seg->g.chunk_size : 0;
	}
	return full >= seg->g.stream_size / 4 || (used >= seg->g.stream_size && full > 0) ||
	       run_full_tick(&stream->seg, stream->ctl) != 0;
}

static bool busy(struct stream *stream)
{
	struct flusher *f = stream->flusher;
	uint64_t tail = atomic_load_explicit(&stream->seg.state->tail, memory_order_relaxed);
	uint64_t now = clock_mono();

	if (tail != f->last_tail) {
		f->last_tail = tail;
		f->last_new_ns = now;
	}
	return now - f->last_new_ns < BUSY_NS;
}

/* Looks once; returns the length of the next nap. */
static uint64_t flusher_look(struct stream *stream)
{
	struct flusher *f = stream->flusher;
	bool flushed;

	stream_lock(stream);
	flushed = wants_flush(stream);
	if (flushed)
		f->failed = flusher_flush(stream, NULL) < 0;
	stream_unlock(stream);
	if (f->failed)
		return NAP_FAILED_NS;
	if (flushed) /* as many events may have come meanwhile */
		return 0;
	return busy(stream) ? NAP_BUSY_NS : NAP_IDLE_NS;
}

/* Returns false when the thread must end. */
static bool flusher_nap(struct flusher *f, uint64_t ns)
{
	uint64_t until = clock_mono() + ns;
	struct timespec ts = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
	bool stop;

	pthread_mutex_lock(&f->lock);
	if (!f->stop && ns > 0)
		pthread_cond_timedwait(&f->changed, &f->lock, &ts);
	stop = f->stop;
	pthread_mutex_unlock(&f->lock);
	return !stop;
}

/* Yields the stream's lock to waiting threads before the next look. Without this, a producer that
 * never pauses would make this thread take the lock again before a waiter is awake. */
static void yield_lock(struct stream *stream)
{
	uint32_t served = atomic_load(&stream->served);

	for (int i = 0; i < YIELD_NAPS && atomic_load(&stream->waiting) > 0 &&
			atomic_load(&stream->served) == served;
	     i++)
		if (!flusher_nap(stream->flusher, NAP_BUSY_NS))
			return;
}

static void check_threads(struct flusher *f)
{
	uint64_t now = clock_mono();

	if (now - f->last_check_ns < CHECK_NS)
		return;
	f->last_check_ns = now;
	host_thread_check(&f->mask);
}

static void *run(void *arg)
{
	struct stream *stream = arg;

	host_thread_enter();
	while (flusher_nap(stream->flusher, flusher_look(stream))) {
		yield_lock(stream);
		keeper_check();
		check_threads(stream->flusher);
	}
	host_thread_leave();
	return NULL;
}

/* A new thread inherits the signal mask of its creator. */
static int start_thread(struct stream *stream)
{
	pthread_attr_t attr;
	sigset_t all, *old = &stream->flusher->mask;
	int r;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, old);
	r = pthread_create(&stream->flusher->thread, &attr, run, stream);
	pthread_sigmask(SIG_SETMASK, old, NULL);
	pthread_attr_destroy(&attr);
	if (r == 0)
		pthread_setname_np(stream->flusher->thread, "pitot-flusher");
	return r == 0 ? 0 : -ENOMEM;
}

int flusher_start(struct stream *stream)
{
	struct flusher *f;
	pthread_condattr_t attr;
	int r;

	if (stream->seg.g.policy != POSIX_TRACE_FLUSH)
		return 0;
	f = calloc(1, sizeof(*f));
	if (f == NULL)
		return -ENOMEM;
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&f->changed, &attr);
	pthread_condattr_destroy(&attr);
	stream->flusher = f;
	r = start_thread(stream);
	if (r < 0) {
		stream->flusher = NULL;
		free(f);
	}
	return r;
}

void flusher_stop(struct stream *stream)
{
	struct flusher *f = stream->flusher;

	if (f == NULL)
		return;
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_signal(&f->changed);
	pthread_mutex_unlock(&f->lock);
	pthread_join(f->thread, NULL);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	stream->flusher = NULL;
	free(f);
}
