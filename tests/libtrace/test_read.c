/*
 * test_read - readers that sleep: signals, cancellation, several of them, an end under them. The
 * tests look at how many sleep instead of waiting for a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <trace_np.h>

#include "libtrace/stream.h"

static trace_id_t trid;
static trace_event_id_t id;
static _Atomic int handled;

static void count_signal(int sig)
{
	handled++;
}

static int open_stream(void **state)
{
	trace_attr_t attr;

	assert_int_equal(posix_trace_attr_init(&attr), 0);
	assert_int_equal(posix_trace_attr_setstreamsize(&attr, 1 << 20), 0);
	assert_int_equal(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL), 0);
	assert_int_equal(posix_trace_create(0, &attr, &trid), 0);
	assert_int_equal(posix_trace_eventid_open("read", &id), 0);
	return 0;
}

static int shut_stream(void **state)
{
	(void)posix_trace_shutdown(trid);
	return 0;
}

static unsigned sleepers(void)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);
	unsigned n;

	assert_non_null(stream);
	pthread_mutex_lock(&stream->lock);
	n = stream->wake.sleepers;
	pthread_mutex_unlock(&stream->lock);
	stream_put(stream);
	return n;
}

static void wait_for_sleepers(unsigned n)
{
	while (sleepers() != n)
		usleep(100);
}

struct reading {
	pthread_t thread;
	const struct timespec *until;
	int result, unavailable;
	uint64_t number;
};

static void *read_one(void *arg)
{
	struct reading *r = arg;
	struct posix_trace_event_info info;
	uint64_t data[200];
	size_t len;

	r->result = posix_trace_timedgetnext_event(trid, &info, data, sizeof(data), &len,
						   &r->unavailable, r->until);
	r->number = r->result == 0 && info.posix_event_id == id ? data[0] : UINT64_MAX;
	return NULL;
}

static void *read_for_ever(void *arg)
{
	struct reading *r = arg;
	struct posix_trace_event_info info;
	uint64_t data[200];
	size_t len;

	r->result =
	    posix_trace_getnext_event(trid, &info, data, sizeof(data), &len, &r->unavailable);
	r->number = r->result == 0 && info.posix_event_id == id ? data[0] : UINT64_MAX;
	return NULL;
}

static void begin(struct reading *r, void *(*how)(void *))
{
	assert_int_equal(pthread_create(&r->thread, NULL, how, r), 0);
}

/* A handler that runs while a reader sleeps, or looks at the stream between two naps, always ends
 * the sleep: if one were missed here, the reader would sleep for ever. */
static void misses_no_signal(void **state)
{
	struct sigaction action = {.sa_handler = count_signal};
	sigset_t before, after;

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	srand(1);
	for (int i = 0; i < 300; i++) {
		struct reading r = {0};
		int seen = handled;

		begin(&r, read_for_ever);
		wait_for_sleepers(1);
		usleep((useconds_t)(rand() % 4000));
		pthread_kill(r.thread, SIGUSR1);
		pthread_join(r.thread, NULL);
		assert_int_equal(r.result, EINTR);
		assert_int_not_equal(r.unavailable, 0);
		assert_int_equal(handled, seen + 1);
		assert_int_equal(sleepers(), 0);
	}
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_memory_equal(&before, &after, 8); /* what the kernel knows of */
}

static void can_be_cancelled_while_it_sleeps(void **state)
{
	struct reading r = {0}, next = {0};
	void *result;
	uint64_t number = 5;

	begin(&r, read_for_ever);
	wait_for_sleepers(1);
	assert_int_equal(pthread_cancel(r.thread), 0);
	pthread_join(r.thread, &result);
	assert_true(result == PTHREAD_CANCELED);
	assert_int_equal(sleepers(), 0);
	assert_int_equal(posix_trace_start(trid), 0);
	posix_trace_event(id, &number, sizeof(number));
	read_for_ever(&next); /* START */
	read_for_ever(&next);
	assert_int_equal(next.number, 5);
}

/* A reader that may not be cancelled is not. */
static void *read_uncancelled(void *arg)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	read_for_ever(arg);
	return arg;
}

static void keeps_the_state_of_cancelling(void **state)
{
	struct reading r = {0};
	void *result;

	begin(&r, read_uncancelled);
	wait_for_sleepers(1);
	assert_int_equal(pthread_cancel(r.thread), 0);
	usleep(30000);
	assert_int_equal(sleepers(), 1);
	assert_int_equal(posix_trace_start(trid), 0);
	pthread_join(r.thread, &result);
	assert_true(result == &r);
	assert_int_equal(r.result, 0);
}

static void all_wake_at_the_end(void **state)
{
	struct reading r[4] = {{0}};

	for (int i = 0; i < 4; i++)
		begin(&r[i], read_for_ever);
	wait_for_sleepers(4);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(r[i].thread, NULL);
		assert_int_equal(r[i].result, EINVAL);
		assert_int_not_equal(r[i].unavailable, 0);
	}
}

enum { READERS = 4, EVENTS = 20000 };
static _Atomic uint8_t got[EVENTS];

static void *read_many(void *arg)
{
	struct reading r = {0};

	do {
		read_for_ever(&r);
		if (r.result == 0 && r.number < EVENTS)
			got[r.number]++;
	} while (r.result == 0);
	return NULL;
}

static void gives_each_event_to_one_of_them(void **state)
{
	pthread_t readers[READERS];

	for (int i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_many, NULL), 0);
	assert_int_equal(posix_trace_start(trid), 0);
	for (uint64_t n = 0; n < EVENTS; n++)
		posix_trace_event(id, &n, sizeof(n));
	for (;;) {
		struct posix_trace_counts_np counts;

		assert_int_equal(posix_trace_get_counts_np(trid, &counts), 0);
		assert_int_equal(counts.lost_full, 0);
		if (counts.reported == EVENTS)
			break;
		usleep(1000);
	}
	assert_int_equal(posix_trace_shutdown(trid), 0);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	for (int n = 0; n < EVENTS; n++)
		assert_int_equal(got[n], 1);
}

static void sleeps_until_its_time(void **state)
{
	struct reading r = {0};
	struct timespec until, now;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 50000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	r.until = &until;
	read_one(&r);
	clock_gettime(CLOCK_REALTIME, &now);
	assert_int_equal(r.result, ETIMEDOUT);
	assert_true(now.tv_sec > until.tv_sec ||
		    (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
	until.tv_nsec = 1000000000;
	read_one(&r);
	assert_int_equal(r.result, EINVAL);
	until = (struct timespec){-5, 0};
	read_one(&r);
	assert_int_equal(r.result, ETIMEDOUT);
}

#define STREAM(test) cmocka_unit_test_setup_teardown(test, open_stream, shut_stream)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    STREAM(misses_no_signal),
	    STREAM(can_be_cancelled_while_it_sleeps),
	    STREAM(keeps_the_state_of_cancelling),
	    STREAM(all_wake_at_the_end),
	    STREAM(gives_each_event_to_one_of_them),
	    STREAM(sleeps_until_its_time),
	};

	alarm(100);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
