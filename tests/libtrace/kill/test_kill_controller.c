/*
 * test_kill_controller - kills the controller of a stream before and after its system calls in the
 * control operations (every third such moment): the traced process never notices, and within two
 * seconds the stream is gone and the next controller finds everything in order. With
 * PITOT_TRACE_SOAK it is killed between instructions, every 97th: there are hundreds of thousands.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <trace_np.h>

#include "../child.h"

enum {
	GONE_MS = 60000, /* 2 s where the machine has time: docs/spec/posix-trace.md 11 */
	PROCESSES = 256, /* traceable ones looked at */
	DEADLINE = 150,
	DEADLINE_SOAK = 3600,
};

static struct told {
	_Atomic uint64_t emitted;
	_Atomic bool stop;
} * told;

static trace_event_id_t id;
static bool soak;

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Records for ever, with a pause now and then. */
static void target(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!atomic_load(&told->stop)) {
		uint64_t number = atomic_fetch_add(&told->emitted, 1);

		posix_trace_event(id, &number, sizeof(number));
		if (number % 32 == 0)
			usleep(200);
	}
	_exit(0);
}

/* One of everything. The first stop is where counting begins. */
static void controller(pid_t pid, bool created_before)
{
	struct posix_trace_event_info info;
	struct posix_trace_status_info status;
	trace_event_set_t set;
	trace_event_id_t other;
	trace_id_t trid;
	uint8_t data[64];
	size_t length;
	int unavailable;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	if (!created_before)
		raise(SIGSTOP);
	if (posix_trace_create(pid, NULL, &trid) != 0 || posix_trace_start(trid) != 0)
		_exit(1);
	if (created_before)
		raise(SIGSTOP);
	posix_trace_stop(trid);
	posix_trace_start(trid);
	for (int i = 0; i < 3; i++)
		posix_trace_trygetnext_event(trid, &info, data, sizeof(data), &length,
					     &unavailable);
	posix_trace_eventset_empty(&set);
	posix_trace_trid_eventid_open(trid, "another", &other);
	posix_trace_eventset_add(other, &set);
	posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
	posix_trace_get_status(trid, &status);
	posix_trace_clear(trid);
	posix_trace_shutdown(trid);
	_exit(0);
}

static bool step(pid_t pid, unsigned k)
{
	int status;
	long signo = 0;

	for (unsigned i = 0; i < k; i++) {
		assert_int_equal(
		    ptrace(soak ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, pid, NULL, (void *)signo), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status)) {
			assert_true(WIFEXITED(status));
			assert_int_equal(WEXITSTATUS(status), 0);
			return false;
		}
		signo = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	}
	return true;
}

/* Active streams of a process, as others see it. */
static unsigned streams_of(pid_t pid)
{
	static struct posix_trace_process_np list[PROCESSES];
	size_t count;

	assert_int_equal(posix_trace_processes_np(list, PROCESSES, &count), 0);
	for (size_t i = 0; i < count && i < PROCESSES; i++)
		if (list[i].pid == pid)
			return list[i].streams;
	fail_msg("process %d is not traceable any more", (int)pid);
	return 0;
}

static void wait_gone(pid_t pid, unsigned k)
{
	uint64_t end = now_ms() + GONE_MS;

	while (streams_of(pid) != 0) {
		if (now_ms() > end)
			fail_msg("k %u: the stream outlives its controller", k);
		usleep(2000);
	}
}

static void wait_progress(unsigned k)
{
	uint64_t before = atomic_load(&told->emitted), end = now_ms() + GONE_MS;

	while (atomic_load(&told->emitted) < before + 64) {
		if (now_ms() > end)
			fail_msg("k %u: the traced process stands still", k);
		usleep(500);
	}
}

/* A new stream of the same process gets its events. */
static void trace_again(pid_t pid, unsigned k)
{
	struct posix_trace_event_info info;
	struct timespec until;
	trace_id_t trid;
	uint64_t number;
	size_t length;
	int unavailable;

	assert_int_equal(posix_trace_create(pid, NULL, &trid), 0);
	assert_int_equal(posix_trace_start(trid), 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	do {
		if (posix_trace_timedgetnext_event(trid, &info, &number, sizeof(number), &length,
						   &unavailable, &until) != 0)
			fail_msg("k %u: no event in a new stream", k);
	} while (info.posix_event_id != id);
	assert_int_equal(info.posix_pid, pid);
	assert_int_equal(posix_trace_shutdown(trid), 0);
}

/* Checks and removes the files of the dead controller, so that later ones do not have more work. */
static void drop_remains(pid_t controller)
{
	static struct posix_trace_remains_np list[PROCESSES];
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	size_t count;

	assert_true(null >= 0);
	assert_int_equal(posix_trace_remains_np(list, PROCESSES, &count), 0);
	for (size_t i = 0; i < count && i < PROCESSES; i++)
		if (list[i].controller == controller)
			posix_trace_remains_save_np(list[i].id, null, 0);
	close(null);
}

static bool kill_after(pid_t traced, bool created_before, unsigned k)
{
	bool alive;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		controller(traced, created_before);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	alive = step(pid, k);
	if (alive) {
		assert_int_equal(kill(pid, SIGKILL), 0);
		while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status))
			;
	}
	wait_gone(traced, k);
	wait_progress(k);
	trace_again(traced, k);
	drop_remains(pid);
	return alive;
}

static void killed_at_each_step(bool created_before)
{
	unsigned killed = 0;
	int status;
	pid_t pid;

	memset(told, 0, sizeof(*told));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		target();
	wait_progress(0);
	for (unsigned k = 0; kill_after(pid, created_before, k); k += soak ? 97 : 3)
		killed++;
	print_message("           %u kills\n", killed);
	atomic_store(&told->stop, true);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_true(killed > 10);
}

static void while_creating(void **state)
{
	(void)state;
	killed_at_each_step(false);
}

static void while_controlling(void **state)
{
	(void)state;
	killed_at_each_step(true);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(while_creating),
	    cmocka_unit_test(while_controlling),
	};

	child_own_shm(argv); /* each one that is killed leaves remains */
	setvbuf(stdout, NULL, _IOLBF, 0);
	soak = getenv("PITOT_TRACE_SOAK") != NULL;
	alarm(soak ? DEADLINE_SOAK : DEADLINE);
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED || posix_trace_eventid_open("numbered", &id) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
