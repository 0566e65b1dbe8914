/* test_thread - a thread's block through its life: handlers that leave a record, ends, forks. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "kit.h"
#include "libtrace/record.h"
#include "libtrace/thread.h"

enum { ID = 77 };

/* ---- siglongjmp ---- */

static sigjmp_buf back;
static volatile sig_atomic_t armed;
static _Atomic uint64_t in_handler; /* of whichever thread */

static void leave_by_jump(int sig)
{
	posix_trace_event(ID + 1, "handler", 7);
	in_handler++;
	if (armed)
		siglongjmp(back, 1);
}

static void tick_every_us(int us)
{
	struct itimerval timer = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Records until a handler leaves it by a jump; every call that returned is counted. */
static void record_until_jump(volatile uint64_t *sent)
{
	if (sigsetjmp(back, 1) != 0)
		return;
	armed = 1;
	for (;;) {
		posix_trace_event(ID, "payload!", 8);
		(*sent)++;
	}
}

/* Timers interrupt at random: an interrupted event counts once or not at all, all others exactly
 * once, and no chunk is lost. */
static void a_jump_out_of_a_handler_leaves_nothing_behind(void **state)
{
	static const uint32_t policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};
	struct sigaction sa = {.sa_handler = leave_by_jump};
	volatile uint64_t sent;
	struct kit k;

	sigaction(SIGALRM, &sa, NULL);
	for (int p = 0; p < 2; p++) {
		uint64_t jumps = 0, got = 0;

		kit_open(&k, 65536, 256, policies[p]);
		kit_start(&k);
		in_handler = 0;
		sent = 0;
		tick_every_us(100);
		for (; jumps < 3000; jumps++) {
			record_until_jump(&sent);
			armed = 0;
			if (policies[p] != POSIX_TRACE_LOOP && jumps % 5 == 0) {
				sigset_t all, old;

				sigfillset(&all);
				sigprocmask(SIG_BLOCK, &all, &old);
				got += kit_drain(&k, NULL, NULL);
				kit_start(&k);
				sigprocmask(SIG_SETMASK, &old, NULL);
			}
		}
		tick_every_us(0);
		posix_trace_event(ID, "payload!", 8);
		sent++;
		got += kit_drain(&k, NULL, NULL) + kit_lost(&k);
		assert_true(got >= sent + in_handler);
		assert_true(got <= sent + in_handler + jumps);
		assert_int_equal(thread_self->in, 0);
		assert_int_equal(thread_self->nested, 0);
		assert_int_equal(thread_self->users, 0);
		/* This thread's own; borrowed ones are PART. */
		assert_true(kit_states(&k, CHUNK_ACTIVE) <= 1);
		assert_int_equal(kit_states(&k, CHUNK_TAKEN) + kit_states(&k, CHUNK_OVER), 0);
		kit_close(&k);
	}
	signal(SIGALRM, SIG_DFL);
}

/* ---- handlers on a stack of their own, above and below ---- */

static void on_other_stack(int sig)
{
	posix_trace_event(ID + 1, "handler", 7);
	in_handler++;
}

static void *record_for_a_while(void *arg)
{
	stack_t ss = {.ss_sp = arg, .ss_size = 65536};
	uint64_t *sent = malloc(sizeof(*sent));

	sigaltstack(&ss, NULL);
	for (*sent = 0; in_handler < 2000; (*sent)++)
		posix_trace_event(ID, "payload!", 8);
	if (KIT_WATCHED) { /* no handler in the last moments of a thread: see below */
		sigset_t all;

		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, NULL);
	}
	ss.ss_flags = SS_DISABLE;
	sigaltstack(&ss, NULL);
	return sent;
}

static void handlers_on_any_stack_are_nested(void **state)
{
	struct sigaction sa = {.sa_handler = on_other_stack, .sa_flags = SA_ONSTACK};
	char *memory =
	    mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t alarm;
	struct kit k;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &sa, NULL);
	for (int above = 0; above < 2; above++) {
		pthread_attr_t attr;
		uint64_t *sent;
		pthread_t t;

		kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
		kit_start(&k);
		in_handler = 0;
		pthread_attr_init(&attr);
		pthread_attr_setstack(&attr, memory + (above ? 0 : 2 << 20), 1 << 20);
		tick_every_us(50);
		assert_int_equal(
		    pthread_create(&t, &attr, record_for_a_while, memory + (above ? 2 << 20 : 0)),
		    0);
		pthread_sigmask(SIG_BLOCK, &alarm, NULL);
		pthread_join(t, (void **)&sent);
		tick_every_us(0);
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
		assert_int_equal(kit_drain(&k, NULL, NULL) + kit_lost(&k), *sent + in_handler);
		pthread_attr_destroy(&attr);
		free(sent);
		kit_close(&k);
	}
	munmap(memory, 4 << 20);
	signal(SIGALRM, SIG_DFL);
}

/* ---- the end of a thread ---- */

static pthread_key_t late_key;

static void late(void *arg)
{
	intptr_t left = (intptr_t)arg;

	posix_trace_event(ID, "late", 4);
	if (left > 1)
		pthread_setspecific(late_key, (void *)(left - 1));
}

static void *end_late(void *arg)
{
	posix_trace_event(ID, "early", 5);
	pthread_setspecific(late_key, arg);
	return NULL;
}

/* The thread sanitizer shuts down in the last round of destructors, and crashes after that; this
 * test is skipped under it. */
static void destructors_may_record(void **state)
{
	struct kit k;
	pthread_t t;

	kit_open(&k, 65536, 256, POSIX_TRACE_UNTIL_FULL);
	kit_start(&k);
	for (intptr_t n = 1; n <= (KIT_WATCHED ? 2 : 3); n++) {
		for (int i = 0; i < 100; i++) {
			assert_int_equal(pthread_create(&t, NULL, end_late, (void *)n), 0);
			pthread_join(t, NULL);
		}
		assert_int_equal(kit_drain(&k, NULL, NULL), 100 * (n + 1));
	}
	assert_int_equal(kit_lost(&k), 0);
	kit_close(&k);
}

static void *asleep(void *arg)
{
	pthread_barrier_t *barrier = arg;

	posix_trace_event(ID, "one", 3);
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	posix_trace_event(ID, "two", 3);
	return NULL;
}

/* Far more threads at once than the quota and than a slab has blocks: nothing is lost, and the
 * memory of ended threads is reused. */
static void many_threads_at_once(void **state)
{
	enum { MANY = 200 };
	pthread_t t[MANY];
	pthread_barrier_t barrier;
	pthread_attr_t attr;
	struct kit k;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	pthread_barrier_init(&barrier, NULL, MANY + 1);
	kit_open(&k, 65536, 256, POSIX_TRACE_UNTIL_FULL);
	kit_start(&k);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MANY; i++)
			assert_int_equal(pthread_create(&t[i], &attr, asleep, &barrier), 0);
		pthread_barrier_wait(&barrier);
		/* Or as many more as were in the middle of an event at once: those that had to give
		 * way there too, which on a busy machine are some; not one each. */
		assert_true(KIT_WATCHED ||
			    atomic_load(&k.seg.state->part_filled) <= k.seg.g.quota + MANY / 4);
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < MANY; i++)
			pthread_join(t[i], NULL);
		assert_int_equal(kit_lost(&k), 0);
		assert_int_equal(kit_drain(&k, NULL, NULL), 2 * MANY);
		assert_int_equal(kit_states(&k, CHUNK_ACTIVE), 0);
	}
	kit_close(&k);
	pthread_barrier_destroy(&barrier);
	pthread_attr_destroy(&attr);
}

/* A thread that vanishes: its block is found by its tid when the pool would grow. */
static void *vanish(void *arg)
{
	posix_trace_event(ID, "x", 1);
	pthread_setspecific(0, NULL); /* whatever key: the hook is lost */
	for (unsigned key = 1; key < 32; key++)
		pthread_setspecific(key, NULL);
	return thread_self;
}

static void lost_hooks_lose_no_memory(void **state)
{
	uint32_t most = 0;
	struct kit k;
	pthread_t t;

	if (KIT_WATCHED)
		skip(); /* the sanitizer's own hook would be lost too */
	kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
	kit_start(&k);
	for (int i = 0; i < 3000; i++) {
		void *b;

		assert_int_equal(pthread_create(&t, NULL, vanish, NULL), 0);
		pthread_join(t, &b);
		if (((struct tblk *)b)->index > most)
			most = ((struct tblk *)b)->index;
	}
	assert_true(most < 1024);
	kit_close(&k);
}

/* ---- cancellation ---- */

static void *record_for_ever(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		posix_trace_event(ID, "payload!", 8);
	return NULL;
}

static void *no_cancellation_point(void *arg)
{
	volatile int *done = arg;

	pthread_cancel(pthread_self());
	posix_trace_event(ID, "payload!", 8);
	*done = 1;
	pthread_testcancel();
	*done = 2;
	return NULL;
}

static void cancellation_does_no_harm(void **state)
{
	volatile int done = 0;
	struct kit k;
	pthread_t t;

	kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
	kit_start(&k);
	assert_int_equal(pthread_create(&t, NULL, no_cancellation_point, (void *)&done), 0);
	pthread_join(t, NULL);
	assert_int_equal(done, 1);
	/* Not with a sanitizer: asynchronous cancellation inside it leaves its locks locked. */
	for (int i = 0; i < (KIT_WATCHED ? 0 : 300); i++) {
		assert_int_equal(pthread_create(&t, NULL, record_for_ever, NULL), 0);
		usleep((unsigned)(i * 7 % 500));
		pthread_cancel(t);
		pthread_join(t, NULL);
		assert_int_equal(kit_states(&k, CHUNK_ACTIVE), 0);
		assert_int_equal(kit_states(&k, CHUNK_TAKEN) + kit_states(&k, CHUNK_OVER), 0);
	}
	kit_drain(&k, NULL, NULL);
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_jump_out_of_a_handler_leaves_nothing_behind),
	    cmocka_unit_test(handlers_on_any_stack_are_nested),
	    cmocka_unit_test(destructors_may_record),
	    cmocka_unit_test(many_threads_at_once),
	    cmocka_unit_test(lost_hooks_lose_no_memory),
	    cmocka_unit_test(cancellation_does_no_harm),
	};

	pthread_key_create(&late_key, late);
	return cmocka_run_group_tests(tests, kit_ids, NULL);
}
