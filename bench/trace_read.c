/*
 * trace_read - the cost of taking an event out of a stream, by a reader or for the log.
 *
 *     bench-trace-read THREADS BYTES EVENTS [MODE]
 *
 * THREADS threads each record EVENTS events in turns of 1,000, so that their chunks must be merged;
 * then all events are taken out, and the processor time for this is divided by their number. The
 * fastest of ROUNDS rounds counts, because the first one touches the memory.
 *
 *     next      posix_trace_trygetnext_event() until there is none
 *     drain     posix_trace_flush() into a log in memory, which comes round: its pages are there
 *     log       posix_trace_getnext_event() of that log
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/mman.h>

#include <trace_np.h>

#include "trace_loop.h"

enum {
	ROUNDS = 5,
	TURN = 1000,
};

static trace_event_id_t id;
static size_t length;

static void must(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "trace_read: %s: %s\n", what, strerror(error));
	exit(1);
}

/* --- recording ------------------------------------------------------------------------------ */

struct writer {
	pthread_barrier_t *turn;
	unsigned me, threads;
	long events;
};

static void *record(void *arg)
{
	const struct writer *w = arg;
	unsigned char data[LOOP_BYTES_MAX] = {0};

	for (long done = 0; done < w->events; done += TURN)
		for (unsigned turn = 0; turn < w->threads; turn++) {
			for (int i = 0; turn == w->me && i < TURN; i++)
				posix_trace_event(id, data, length);
			pthread_barrier_wait(w->turn);
		}
	return NULL;
}

static void record_all(unsigned threads, long events)
{
	pthread_t ids[LOOP_THREADS_MAX];
	struct writer writers[LOOP_THREADS_MAX];
	pthread_barrier_t turn;

	pthread_barrier_init(&turn, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		writers[i] = (struct writer){&turn, i, threads, events};
		must(pthread_create(&ids[i], NULL, record, &writers[i]), "pthread_create");
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	pthread_barrier_destroy(&turn);
}

/* --- taking out ----------------------------------------------------------------------------- */

static long read_all(trace_id_t trid,
		     int (*next)(trace_id_t, struct posix_trace_event_info *restrict,
				 void *restrict, size_t, size_t *restrict, int *restrict))
{
	struct posix_trace_event_info info;
	unsigned char data[LOOP_BYTES_MAX];
	int unavailable = 0;
	long events = 0;
	size_t len;

	for (;;) {
		must(next(trid, &info, data, sizeof(data), &len, &unavailable), "getnext");
		if (unavailable)
			return events;
		events += info.posix_event_id == id;
	}
}

static trace_id_t create(const trace_attr_t *attr, int fd)
{
	trace_id_t trid;

	if (fd < 0)
		must(posix_trace_create(0, attr, &trid), "posix_trace_create");
	else
		must(posix_trace_create_withlog(0, attr, fd, &trid), "posix_trace_create_withlog");
	must(posix_trace_start(trid), "posix_trace_start");
	return trid;
}

static long take_next(trace_id_t trid, double *ret_ns)
{
	double before = loop_thread_ns();
	long events = read_all(trid, posix_trace_trygetnext_event);

	*ret_ns = loop_thread_ns() - before;
	return events;
}

static long take_drain(trace_id_t trid, double *ret_ns)
{
	struct posix_trace_counts_np before, after;
	double start;

	must(posix_trace_get_counts_np(trid, &before), "counts");
	start = loop_thread_ns();
	must(posix_trace_flush(trid), "posix_trace_flush");
	*ret_ns = loop_thread_ns() - start;
	must(posix_trace_get_counts_np(trid, &after), "counts");
	return (long)(after.reported + after.lost_log - before.reported - before.lost_log);
}

/* Rounds of recording and taking out; returns the minimum in ns per event. */
static double measure(trace_id_t trid, unsigned threads, long events,
		      long (*take)(trace_id_t trid, double *ret_ns))
{
	double best = 1e12;

	for (int i = 0; i < ROUNDS; i++) {
		double ns;
		long taken;

		record_all(threads, events);
		taken = take(trid, &ns);
		if (taken < (long)threads * events)
			fprintf(stderr, "trace_read: %ld of %ld events\n", taken, threads * events);
		if (taken > 0 && ns / (double)taken < best)
			best = ns / (double)taken;
	}
	return best;
}

static double measure_log(int fd)
{
	double best = 1e12;

	for (int i = 0; i < ROUNDS; i++) {
		double before;
		trace_id_t trid;
		long events;

		must(posix_trace_open(fd, &trid), "posix_trace_open");
		before = loop_thread_ns();
		events = read_all(trid, posix_trace_getnext_event);
		if ((loop_thread_ns() - before) / (double)events < best)
			best = (loop_thread_ns() - before) / (double)events;
		posix_trace_close(trid);
	}
	return best;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	long events = argc > 3 ? atol(argv[3]) / TURN * TURN : 100000;
	const char *mode = argc > 4 ? argv[4] : "next";
	bool logged = strcmp(mode, "next") != 0;
	int fd = logged ? memfd_create("bench log", MFD_CLOEXEC) : -1;
	trace_attr_t attr;
	trace_id_t trid;
	double ns;

	length = argc > 2 ? (size_t)atoi(argv[2]) : 16;
	if (threads < 1 || threads > LOOP_THREADS_MAX || length > LOOP_BYTES_MAX || events < TURN)
		return 2;
	must(posix_trace_eventid_open("bench", &id), "posix_trace_eventid_open");
	must(posix_trace_attr_init(&attr), "posix_trace_attr_init");
	must(posix_trace_attr_setstreamsize(&attr, threads * (size_t)events * (length + 64)),
	     "size");
	must(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL), "policy");
	must(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_LOOP), "log policy");
	must(posix_trace_attr_setlogsize(&attr, 8 << 20), "log size");
	trid = create(&attr, fd);
	ns = measure(trid, threads, events, logged ? take_drain : take_next);
	must(posix_trace_shutdown(trid), "posix_trace_shutdown");
	if (strcmp(mode, "log") == 0)
		ns = measure_log(fd);
	printf("event %.2f\n", ns);
	loop_print_floors(events);
	return 0;
}
