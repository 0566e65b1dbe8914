/*
 * test_inline - trace points as a program has them: <trace.h> looks at the gate before it calls.
 * Built in several ways (meson.build): as an executable at a fixed address and as one that is
 * relocated, without optimisation, with calls only. inline_count.c counts the calls that are made.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>
#include <trace_np.h>

#include "child.h"
#include "inline_count.h"

#if defined(__OPTIMIZE__) && !defined(_TRACE_CALLS_ONLY)
enum { LOOKS_FIRST = 1 };
#else
enum { LOOKS_FIRST = 0 };
#endif

/* A program may also do this, because the header has no macro of that name. */
extern void posix_trace_event(trace_event_id_t id, const void *__restrict data, size_t len);

static trace_event_id_t id;

static trace_id_t create(bool inherited)
{
	trace_attr_t attr;
	trace_id_t trid;

	posix_trace_attr_init(&attr);
	if (inherited)
		posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED);
	assert_int_equal(posix_trace_create(0, &attr, &trid), 0);
	return trid;
}

/* User events of a stream, and the last one. */
static int taken(trace_id_t trid, struct posix_trace_event_info *ret, uint64_t *ret_number)
{
	int count = 0, unavailable;

	for (;;) {
		struct posix_trace_event_info info;
		uint64_t number;
		size_t len;

		assert_int_equal(posix_trace_trygetnext_event(trid, &info, &number, sizeof(number),
							      &len, &unavailable),
				 0);
		if (unavailable != 0)
			return count;
		if (info.posix_event_id != id)
			continue;
		assert_int_equal(len, sizeof(number));
		*ret = info;
		*ret_number = number;
		count++;
	}
}

static void expect(trace_id_t trid, int count, uint64_t number)
{
	struct posix_trace_event_info info;
	uint64_t last = UINT64_MAX;

	assert_int_equal(taken(trid, &info, &last), count);
	if (count > 0)
		assert_int_equal(last, number);
}

static void by_name(uint64_t number)
{
	posix_trace_event(id, &number, sizeof(number));
}

static void in_parentheses(uint64_t number)
{
	(posix_trace_event)(id, &number, sizeof(number));
}

static void (*volatile pointer)(trace_event_id_t, const void *, size_t) = posix_trace_event;

static void by_pointer(uint64_t number)
{
	pointer(id, &number, sizeof(number));
}

#undef posix_trace_event
static void after_undef(uint64_t number)
{
	posix_trace_event(id, &number, sizeof(number));
}

static void (*const forms[])(uint64_t) = {by_name, in_parentheses, by_pointer, after_undef};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static void every_form_records(void **state)
{
	trace_id_t trid = create(false);

	for (uint64_t i = 0; i < FORMS; i++) {
		forms[i](i);
		expect(trid, 0, 0);
		assert_int_equal(posix_trace_start(trid), 0);
		forms[i](100 + i);
		expect(trid, 1, 100 + i);
		assert_int_equal(posix_trace_stop(trid), 0);
		forms[i](i);
		expect(trid, 0, 0);
	}
	assert_int_equal(posix_trace_shutdown(trid), 0);
	for (uint64_t i = 0; i < FORMS; i++)
		forms[i](i);
}

/* Without a running stream there is no call, and all calls go to the library's function. */
static void calls_only_while_something_runs(void **state)
{
	trace_id_t trid = create(false);
	unsigned before = inline_calls();

	for (uint64_t i = 0; i < 10; i++)
		by_name(i);
	assert_int_equal(inline_calls() - before, LOOKS_FIRST ? 0 : 10);
	assert_int_equal(posix_trace_start(trid), 0);
	before = inline_calls();
	for (uint64_t i = 0; i < 10; i++)
		by_name(i);
	assert_int_equal(inline_calls() - before, 10);
	expect(trid, 10, 9);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	before = inline_calls();
	by_name(1);
	assert_int_equal(inline_calls() - before, LOOKS_FIRST ? 0 : 1);
}

static uint64_t evaluated;

static const void *evaluate(void)
{
	evaluated++;
	return &evaluated;
}

static void arguments_are_evaluated_once(void **state)
{
	trace_id_t trid = create(false);

	evaluated = 0;
	posix_trace_event(id, evaluate(), sizeof(evaluated));
	assert_int_equal(evaluated, 1);
	assert_int_equal(posix_trace_start(trid), 0);
	posix_trace_event(id, evaluate(), sizeof(evaluated));
	expect(trid, 1, 2);
	assert_int_equal(posix_trace_shutdown(trid), 0);
}

/* A turn passes from one thread to the other by nothing but an atomic. */
static _Atomic uint64_t turn;
#define TURNS 2000

static void *record_when_started(void *arg)
{
	for (uint64_t i = 0; i < TURNS; i++) {
		while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i + 1)
			sched_yield();
		by_name(i);
		atomic_store_explicit(&turn, 2 * i + 2, memory_order_release);
	}
	return arg;
}

static void a_start_is_seen_by_what_happens_after_it(void **state)
{
	trace_id_t trid = create(false);
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, record_when_started, NULL), 0);
	for (uint64_t i = 0; i < TURNS; i++) {
		assert_int_equal(posix_trace_start(trid), 0);
		atomic_store_explicit(&turn, 2 * i + 1, memory_order_release);
		while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i + 2)
			sched_yield();
		assert_int_equal(posix_trace_stop(trid), 0);
		expect(trid, 1, i);
	}
	pthread_join(thread, NULL);
	assert_int_equal(posix_trace_shutdown(trid), 0);
}

/* Another process starts the stream between two events of one loop. */
static void a_start_of_another_process_is_seen(void **state)
{
	struct {
		_Atomic int step;
	} *shared = child_shared(sizeof(*shared));
	pid_t target = getpid(), pid = fork();
	trace_id_t trid;

	if (pid == 0) {
		if (posix_trace_create(target, NULL, &trid) != 0 || posix_trace_start(trid) != 0)
			_exit(1);
		atomic_store(&shared->step, 1);
		while (atomic_load(&shared->step) != 2)
			child_nap_us(100);
		for (int i = 0, unavailable = 0; i < 2; i++) {
			struct posix_trace_event_info info;
			size_t len;

			if (posix_trace_trygetnext_event(trid, &info, NULL, 0, &len,
							 &unavailable) != 0 ||
			    unavailable != 0)
				_exit(2);
		}
		_exit(posix_trace_shutdown(trid) == 0 ? 0 : 3);
	}
	while (atomic_load(&shared->step) != 1)
		child_nap_us(100);
	by_name(7);
	atomic_store(&shared->step, 2);
	assert_int_equal(child_wait(pid), 0);
}

static void children_have_a_gate_of_their_own(void **state)
{
	for (int inherited = 0; inherited < 2; inherited++) {
		trace_id_t trid = create(inherited);
		unsigned before;
		pid_t pid;

		assert_int_equal(posix_trace_start(trid), 0);
		pid = fork();
		if (pid == 0) {
			before = inline_calls();
			by_name(5);
			_exit((int)(inline_calls() - before));
		}
		assert_int_equal(child_wait(pid), inherited || !LOOKS_FIRST ? 1 : 0);
		expect(trid, inherited, 5);
		assert_int_equal(posix_trace_shutdown(trid), 0);
	}
}

static void record_in_handler(int signal)
{
	by_name((uint64_t)signal);
}

static void handlers_record(void **state)
{
	trace_id_t trid = create(false);

	signal(SIGUSR1, record_in_handler);
	raise(SIGUSR1);
	assert_int_equal(posix_trace_start(trid), 0);
	raise(SIGUSR1);
	expect(trid, 1, SIGUSR1);
	assert_int_equal(posix_trace_shutdown(trid), 0);
}

__attribute__((noinline)) static void at_this_place(void)
{
	by_name(3);
	__asm__ volatile("" ::: "memory"); /* the call is not the last thing */
}

/* The address is the program's, not one of the library. */
static void the_address_is_the_callers(void **state)
{
	struct posix_trace_event_info info = {0};
	trace_id_t trid = create(false);
	uint64_t number;

	assert_int_equal(posix_trace_start(trid), 0);
	at_this_place();
	assert_int_equal(taken(trid, &info, &number), 1);
	assert_true(inline_is_ours(info.posix_prog_address));
	assert_int_equal(posix_trace_shutdown(trid), 0);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_form_records),
	    cmocka_unit_test(calls_only_while_something_runs),
	    cmocka_unit_test(arguments_are_evaluated_once),
	    cmocka_unit_test(a_start_is_seen_by_what_happens_after_it),
	    cmocka_unit_test(a_start_of_another_process_is_seen),
	    cmocka_unit_test(children_have_a_gate_of_their_own),
	    cmocka_unit_test(handlers_record),
	    cmocka_unit_test(the_address_is_the_callers),
	};

	child_own_shm(argv);
	assert_int_equal(posix_trace_eventid_open("inline", &id), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
