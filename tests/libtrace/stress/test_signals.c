/* test_signals - handlers that record inside a record, and handlers that never return to it. */
#include "load.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define THREADS 4

static trace_event_id_t id;
static __thread uint32_t handled; /* events of this thread's handlers */
static __thread uint32_t me;
static __thread sigjmp_buf *way_out;

/* Each thread is two writers: itself, and its handlers. */
static void record_in_handler(int signal)
{
	int saved = errno;

	(void)signal;
	load_emit(id, THREADS + me, handled++);
	if (way_out != NULL) {
		sigjmp_buf *out = way_out;

		way_out = NULL;
		siglongjmp(*out, 1);
	}
	errno = saved;
}

/* A timer of 10 kHz whose signals go to the calling thread. */
static timer_t signals_here(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec every = {{0, 100000}, {0, 100000}};
	timer_t timer;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &every, NULL) == 0);
	return timer;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = record_in_handler, .sa_flags = SA_RESTART};

	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

static uint32_t each;
static uint32_t recorded[2 * THREADS];

#define SIGNALS 100 /* at least, of each thread */

static void *record_through_signals(void *arg)
{
	uint32_t n = 0;
	timer_t timer;

	me = (uint32_t)(uintptr_t)arg;
	timer = signals_here();
	while (n < each || *(volatile uint32_t *)&handled < SIGNALS)
		load_emit(id, me, n++);
	CHECK(timer_delete(timer) == 0);
	recorded[me] = n;
	recorded[THREADS + me] = handled;
	return NULL;
}

/* All of the handlers' events, all of the interrupted ones, each writer in order and in time. */
TEST_WITHIN(S_SIGNALS, LOAD_S)
{
	static struct load_seen seen;
	pthread_t threads[THREADS];
	trace_id_t trid;
	uint64_t sum = 0;

	id = tool_id("signals");
	each = (uint32_t)load_times(1000000);
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL, .size = load_room(THREADS * each * 3 / 2));
	catch_signals();
	for (size_t i = 0; i < THREADS; i++)
		threads[i] = tool_thread(record_through_signals, (void *)(uintptr_t)i);
	for (size_t i = 0; i < THREADS; i++)
		tool_join(threads[i]);
	for (size_t i = 0; i < 2 * THREADS; i++)
		sum += recorded[i];
	EQ(load_drain(trid, id, &seen), sum);
	for (size_t i = 0; i < 2 * THREADS; i++)
		EQ(seen.next[i], recorded[i]);
	EQ(load_counts(trid).recorded, sum);
	OK(posix_trace_shutdown(trid));
}

/* Signals to this thread, whose handlers sometimes jump out of whatever they interrupted. */
TEST_WITHIN(S_SIGLONGJMP, LOAD_S)
{
	static struct load_seen seen = {.gaps = true};
	uint64_t rounds = load_times(1000);
	volatile uint32_t n = 0;
	volatile uint64_t jumps = 0;
	sigjmp_buf buffer;
	trace_id_t trid;
	timer_t timer;

	id = tool_id("jumps");
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL, .size = 64 * MIB);
	catch_signals();
	timer = signals_here();
	/* Nearly all of the time is spent recording, so that signals hit records. */
	while (jumps < rounds) {
		if (sigsetjmp(buffer, 1) != 0 && ++jumps % 50 == 0)
			load_drain(trid, id, &seen); /* way_out is NULL */
		way_out = &buffer;
		for (int i = 0; i < 20000 && jumps < rounds; i++) {
			uint32_t number = n;

			n = number + 1; /* an event that is jumped out of is not emitted again */
			load_emit(id, 0, number);
		}
		way_out = NULL;
	}
	way_out = NULL;
	CHECK(timer_delete(timer) == 0);
	/* Events of a handler may be delayed while the event that it interrupted is not
	   finished. */
	load_emit(id, 0, n);
	n = n + 1;
	tool_sleep_ms(50);
	load_drain(trid, id, &seen);
	EQ(load_counts(trid).lost_full, 0);
	/* Each handler's event is there, and of the others at most the one that was interrupted. */
	EQ(seen.next[THREADS], handled);
	CHECK(seen.count + jumps >= (uint64_t)n + handled);
	CHECK(seen.count <= (uint64_t)n + handled);
	/* No room was lost: the stream holds what it promises. */
	seen.count = 0;
	for (uint32_t i = 0; i < 10000; i++)
		load_emit(id, 10, i);
	load_drain(trid, id, &seen);
	EQ(seen.count, 10000);
	OK(posix_trace_shutdown(trid));
}
