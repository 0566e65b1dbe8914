/*
 * test_alone - a process ends with its last thread, whatever streams with logs it has: with status
 * 0, after its exit handlers, with complete logs; and not before its last thread.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "child.h"
#include "controller.h"

#if defined(__SANITIZE_THREAD__)
#define KEPT_BY_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KEPT_BY_SANITIZER 1
#endif
#endif

enum {
	DELAY_MS = 60000,
	LOGS = 3,
	POOL = 4,
	LONG_US = 1200000, /* more than two ticks of a keeper */
};

/* Memory that the test and its process share. */
static struct shared {
	struct controller_state state;
	_Atomic int first_ended; /* the first thread called pthread_exit() */
	_Atomic int handled;     /* by the exit handler */
	_Atomic int mask;        /* SIGUSR1 was not blocked in it, SIGUSR2 was */
	_Atomic int go;
	_Atomic int tid;
} * shared;

/* A child's memory of the test is reached from the stack of its first thread, which is gone. */
static int is_child;

int __lsan_is_turned_off(void); /* asked by the leak sanitizer at exit */
int __lsan_is_turned_off(void)
{
	return is_child;
}

static int logs[LOGS];
static trace_id_t streams[LOGS];

static void make_streams(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		streams[i] = controller_stream(logs[i], POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND);
}

static _Noreturn void first_ends(void)
{
	atomic_store(&shared->first_ended, 1);
	pthread_exit(NULL);
}

static void start(void *(*work)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, arg) != 0)
		_exit(80);
	pthread_detach(thread);
}

/* --- how it ends --- */

static void main_alone(void)
{
	make_streams(1);
	controller_record(&shared->state, 300);
	first_ends();
}

static void several_streams(void)
{
	make_streams(LOGS);
	controller_record(&shared->state, 300);
	first_ends();
}

static void handler(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	atomic_store(&shared->mask, !sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGUSR2));
	controller_record(&shared->state, 100);
	atomic_fetch_add(&shared->handled, 1);
}

static void with_a_handler(void)
{
	sigset_t usr2;

	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigprocmask(SIG_BLOCK, &usr2, NULL);
	make_streams(1);
	atexit(handler);
	controller_record(&shared->state, 200);
	first_ends();
}

static void shutting_down(void)
{
	handler();
	for (int i = 0; i < LOGS; i++)
		if (posix_trace_shutdown(streams[i]) != 0)
			_exit(81);
}

static void with_a_handler_that_shuts_down(void)
{
	make_streams(LOGS);
	atexit(shutting_down);
	controller_record(&shared->state, 200);
	first_ends();
}

static void *records_later(void *arg)
{
	(void)arg;
	while (atomic_load(&shared->first_ended) == 0)
		child_nap_us(1000);
	child_nap_us(LONG_US);
	controller_record(&shared->state, 200);
	return NULL;
}

/* The keeper must not take a process for another one, or for dead, because its first thread ended.
 */
static void another_thread_goes_on(void)
{
	make_streams(1);
	controller_record(&shared->state, 100);
	start(records_later, NULL);
	first_ends();
}

static void *makes_and_records(void *arg)
{
	make_streams(1);
	return records_later(arg);
}

static void another_thread_makes_it(void)
{
	start(makes_and_records, NULL);
	first_ends();
}

static void *pool_worker(void *arg)
{
	child_nap_us(50000 * (unsigned)(uintptr_t)arg);
	return NULL;
}

static void a_pool_ends_later(void)
{
	make_streams(1);
	controller_record(&shared->state, 300);
	for (uintptr_t i = 0; i < POOL; i++)
		start(pool_worker, (void *)i); /* NOLINT */
	first_ends();
}

/* The child has neither streams nor threads of its parent; the parent waits for it. */
static void in_a_forked_child(void)
{
	pid_t pid;

	streams[2] = controller_stream(logs[2], POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND);
	pid = fork();
	if (pid == 0) {
		make_streams(2);
		controller_record(&shared->state, 300);
		first_ends();
	}
	_exit(child_wait(pid));
}

/* The child of a process that is ending is not. */
static void forks_in_a_handler(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		streams[1] = controller_stream(logs[1], POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND);
		pthread_exit(NULL);
	}
	atomic_store(&shared->handled, child_wait(pid) == 0);
}

static void a_child_of_a_handler(void)
{
	make_streams(1);
	controller_record(&shared->state, 300);
	atexit(forks_in_a_handler);
	first_ends();
}

/* Streams come and go while a thread lives: it is never mistaken for the last thread of this
 * process. */
static void *churns(void *arg)
{
	(void)arg;
	for (int i = 0; i < 150; i++) {
		int fd = memfd_create("churn", MFD_CLOEXEC);
		trace_id_t trid = controller_stream(fd, POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND);

		child_nap_us(1000 * (unsigned)(i % 7));
		if (posix_trace_shutdown(trid) != 0)
			_exit(82);
		close(fd);
	}
	controller_record(&shared->state, 300);
	return NULL;
}

static void streams_come_and_go(void)
{
	make_streams(1);
	start(churns, NULL);
	first_ends();
}

static const struct {
	const char *name;
	void (*run)(void);
	unsigned logs; /* that hold all events */
	bool handled;
} ends[] = {
    {"main alone", main_alone, 1, false},
    {"several streams", several_streams, LOGS, false},
    {"a handler", with_a_handler, 1, true},
    {"a handler that shuts down", with_a_handler_that_shuts_down, LOGS, true},
    {"another thread goes on", another_thread_goes_on, 1, false},
    {"another thread makes it", another_thread_makes_it, 1, false},
    {"a pool ends later", a_pool_ends_later, 1, false},
    {"a forked child", in_a_forked_child, 2, false},
    {"a child of a handler", a_child_of_a_handler, 1, true},
    {"streams come and go", streams_come_and_go, 1, false},
};

/* --- the test's side --- */

static int setup(void **state)
{
	(void)state;
	shared = child_shared(sizeof(*shared));
	for (int i = 0; i < LOGS; i++)
		logs[i] = memfd_create("log", MFD_CLOEXEC);
	return shared == NULL || logs[LOGS - 1] < 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < LOGS; i++)
		close(logs[i]);
	return munmap(shared, sizeof(*shared));
}

static pid_t begin(void (*run)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		is_child = 1;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
		_exit(89);
	}
	return pid;
}

/* Exit code, 128 + signal; -1: it has not ended. */
static int ended(pid_t pid, unsigned ms)
{
	int status = 0;

	for (unsigned i = 0; i <= ms; i++, child_nap_us(1000))
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return -1;
}

static int ends_by_itself(pid_t pid)
{
	int code = ended(pid, DELAY_MS);

	if (code < 0)
		child_kill(pid);
	return code;
}

static void check_log(const char *name, int fd, uint64_t events)
{
	struct controller_log log;
	trace_id_t trid;

	if (controller_open(fd, DELAY_MS, &trid, NULL) != 0)
		fail_msg("%s: no log", name);
	log = controller_read(trid);
	assert_int_equal(posix_trace_close(trid), 0);
	if (!log.whole || !log.started || log.first != 0 || log.count != events)
		fail_msg("%s: %d events from %d, not %d", name, (int)log.count, (int)log.first,
			 (int)events);
}

static void it_ends_with_its_last_thread(void **state)
{
	(void)state;
	for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]); e++) {
		int code;

		setup(NULL);
		code = ends_by_itself(begin(ends[e].run));
		if (code != 0)
			fail_msg("%s: %d", ends[e].name, code);
		assert_int_equal(atomic_load(&shared->handled), ends[e].handled);
		if (ends[e].run == with_a_handler)
			assert_int_equal(atomic_load(&shared->mask), 1);
		for (unsigned i = 0; i < ends[e].logs; i++)
			check_log(ends[e].name, logs[i], atomic_load(&shared->state.recorded));
		teardown(NULL);
	}
}

/* --- not before --- */

static void *waits(void *arg)
{
	(void)arg;
	atomic_store(&shared->tid, (int)syscall(SYS_gettid));
	while (atomic_load(&shared->go) == 0)
		child_nap_us(1000);
	return NULL;
}

static void one_waits(void)
{
	make_streams(2);
	controller_record(&shared->state, 300);
	start(waits, NULL);
	first_ends();
}

static void a_thread_that_waits_is_waited_for(void **state)
{
	pid_t pid = begin(one_waits);

	(void)state;
	assert_int_equal(ended(pid, 1000), -1);
	assert_int_equal(atomic_load(&shared->first_ended), 1);
	atomic_store(&shared->go, 1);
	assert_int_equal(ends_by_itself(pid), 0);
	check_log("waits", logs[0], 300);
}

static void stopped_and_continued(void **state)
{
	pid_t pid = begin(one_waits);

	(void)state;
	assert_true(
	    CHILD_UNTIL(atomic_load(&shared->first_ended) == 1 && atomic_load(&shared->tid) != 0));
	kill(pid, SIGSTOP);
	atomic_store(&shared->go, 1);
	assert_int_equal(ended(pid, 300), -1);
	kill(pid, SIGCONT);
	assert_int_equal(ends_by_itself(pid), 0);
	check_log("stopped", logs[0], 300);
}

/* A debugger holds the last thread, then lets it end, and is slow to take notice of that. */
static void debugged(void **state)
{
	pid_t pid = begin(one_waits), tid;
	int status;

	(void)state;
	assert_true(
	    CHILD_UNTIL(atomic_load(&shared->first_ended) == 1 && atomic_load(&shared->tid) != 0));
	tid = atomic_load(&shared->tid);
	assert_int_equal(ptrace(PTRACE_SEIZE, tid, 0, 0), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, tid, 0, 0), 0);
	assert_int_equal(waitpid(tid, &status, __WALL), tid);
	atomic_store(&shared->go, 1);
	assert_int_equal(ended(pid, 300), -1);
	assert_int_equal(ptrace(PTRACE_CONT, tid, 0, 0), 0);
	assert_int_equal(waitpid(tid, &status, __WALL), tid);
	assert_true(WIFEXITED(status));
	assert_int_equal(ends_by_itself(pid), 0);
	check_log("debugged", logs[0], 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_ends_with_its_last_thread),
	    cmocka_unit_test_setup_teardown(a_thread_that_waits_is_waited_for, setup, teardown),
	    cmocka_unit_test_setup_teardown(stopped_and_continued, setup, teardown),
	    cmocka_unit_test_setup_teardown(debugged, setup, teardown),
	};

#ifdef KEPT_BY_SANITIZER
	puts("the thread sanitizer has a thread of its own in every process: none ends with its "
	     "last");
	return 77;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
