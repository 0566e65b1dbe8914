/*
 * test_keeper - for any end of a controller its logs are completed soon, and hold every recorded
 * event; wait() never returns the keeper, and it keeps no resources of the application.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <cmocka.h>

#include "child.h"
#include "controller.h"

#define DELAY_MS 30000 /* of any one log, on a machine that has other things to do */
#define SOON_MS  2000  /* the best of three is faster than that on any machine */

static double slowest_ms;
static const char *slowest = "";

static void ends_by_return(void)
{
	exit(0);
}

static void ends_at_once(void)
{
	_exit(0);
}

static void ends_by_abort(void)
{
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void ends_by_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void ends_by_exec(void)
{
	execl("/bin/sleep", "sleep", "60", (char *)NULL); /* longer than DELAY_MS; it is killed */
}

static void ends_without_descriptors(void)
{
	syscall(SYS_close_range, 3, ~0u, 0);
	usleep(700000); /* longer than a keeper's tick */
	_exit(0);
}

static void ends_as_subreaper(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_IGN);
	_exit(0);
}

/* The controller calls exec, while a child that the library did not see still holds the socket. */
static void ends_by_exec_beside_a_raw_child(void)
{
	if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sleep(60);
		_exit(0);
	}
	ends_by_exec();
}

static const struct {
	const char *name;
	void (*end)(void);
} ends[] = {
    {"return", ends_by_return},       {"_exit", ends_at_once},
    {"abort", ends_by_abort},         {"kill", ends_by_kill},
    {"exec", ends_by_exec},           {"closefrom", ends_without_descriptors},
    {"subreaper", ends_as_subreaper}, {"exec beside a raw child", ends_by_exec_beside_a_raw_child},
};

static const struct {
	int stream, log;
} policies[] = {
    {POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND},
    {POSIX_TRACE_LOOP, POSIX_TRACE_LOOP},
    {POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_UNTIL_FULL},
};

static pid_t begin(struct controller_state *state, int fd, int stream, int log, uint64_t events,
		   void (*end)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		trace_id_t trid = controller_stream(fd, stream, log);

		atomic_store(&state->created, 1);
		controller_record(state, events / 2);
		posix_trace_flush(trid);
		controller_record(state, events - events / 2);
		end();
		_exit(99);
	}
	return pid;
}

static void check_log(int fd, uint64_t events, double *ret_ms)
{
	struct controller_log log;
	trace_id_t trid;

	assert_int_equal(controller_open(fd, DELAY_MS, &trid, ret_ms), 0);
	log = controller_read(trid);
	assert_int_equal(posix_trace_close(trid), 0);
	assert_true(log.whole);
	assert_true(log.started);
	assert_int_equal(log.first, 0);
	assert_true(log.count >= events);
	assert_int_equal(log.stop, 0);
}

static void every_end_completes_the_log(void **state)
{
	for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]); e++) {
		double best = DELAY_MS;

		for (size_t p = 0; p < sizeof(policies) / sizeof(policies[0]); p++) {
			struct controller_state *shared = child_shared(sizeof(*shared));
			int fd = memfd_create("log", MFD_CLOEXEC);
			double ms = 0;
			pid_t pid = begin(shared, fd, policies[p].stream, policies[p].log, 300,
					  ends[e].end);

			assert_true(CHILD_UNTIL(atomic_load(&shared->recorded) == 300));
			if (ends[e].end != ends_by_exec &&
			    ends[e].end != ends_by_exec_beside_a_raw_child)
				child_wait(pid);
			check_log(fd, 300, &ms);
			if (ms < best)
				best = ms;
			if (ms > slowest_ms && ends[e].end != ends_by_exec_beside_a_raw_child)
				slowest_ms = ms,
				slowest = ends[e].name; /* it is found out by looking */
			child_kill(pid);
			close(fd);
			munmap(shared, sizeof(*shared));
		}
		if (best > SOON_MS)
			fail_msg("%s: %.0f ms", ends[e].name, best);
	}
	print_message("slowest: %.1f ms after the end by %s\n", slowest_ms, slowest);
}

/* --- what the application sees of it --- */

static void waits_see_nobody(void)
{
	errno = 0;
	if (waitpid(-1, NULL, 0) != -1 || errno != ECHILD)
		_exit(1);
	if (wait(NULL) != -1 || errno != ECHILD)
		_exit(2);
	_exit(0);
}

static void no_wait_sees_the_keeper(void **state)
{
	struct controller_state *shared = child_shared(sizeof(*shared));
	int fd = memfd_create("log", MFD_CLOEXEC);
	pid_t pid = begin(shared, fd, POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, 10, waits_see_nobody);

	assert_int_equal(child_wait(pid), 0);
	close(fd);
}

/* Its descriptors, and its signals: the keeper has nothing but what it was handed. */
static void it_holds_nothing_of_the_application(void **state)
{
	struct controller_state *shared = child_shared(sizeof(*shared));
	int fd = memfd_create("log", MFD_CLOEXEC), held[2];
	struct pollfd pfd;
	pid_t pid, keeper = 0;

	assert_int_equal(pipe(held), 0); /* inherited by the controller, which closes it at once */
	pid = fork();
	if (pid == 0) {
		controller_stream(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND);
		close(held[1]);
		atomic_store(&shared->created, 1);
		child_rest();
	}
	close(held[1]);
	pfd = (struct pollfd){.fd = held[0], .events = POLLIN};
	assert_true(CHILD_UNTIL(atomic_load(&shared->created) == 1));
	assert_int_equal(poll(&pfd, 1, DELAY_MS), 1);
	assert_true((pfd.revents & POLLHUP) != 0);
	assert_int_equal(controller_keepers(pid, &keeper), 1);
	assert_int_equal(kill(keeper, SIGTERM), 0);
	assert_int_equal(kill(keeper, SIGHUP), 0);
	usleep(20000);
	assert_int_equal(controller_keepers(pid, &keeper), 1);
	child_kill(pid);
	check_log(fd, 0, NULL);
	close(held[0]);
	close(fd);
}

static void the_last_shutdown_ends_it(void **state)
{
	trace_id_t one = controller_stream(-1, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP);
	trace_id_t two = controller_stream(-1, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP);
	pid_t keeper = 0;

	assert_int_equal(controller_keepers(getpid(), &keeper), 1);
	assert_int_equal(posix_trace_shutdown(one), 0);
	assert_int_equal(controller_keepers(getpid(), &keeper), 1);
	assert_int_equal(posix_trace_shutdown(two), 0);
	assert_int_equal(kill(keeper, 0), -1); /* no zombie either */
	assert_int_equal(errno, ESRCH);
}

/* --- the keeper itself dies --- */

static void makes_a_stream_more(void)
{
	char byte;

	if (read(0, &byte, 1) == 1) {
		controller_stream(-1, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP);
		if (read(0, &byte, 1) >= 0)
			kill(getpid(), SIGKILL);
	}
}

static void a_killed_keeper_is_replaced(void **state)
{
	struct controller_state *shared = child_shared(sizeof(*shared));
	int fd = memfd_create("log", MFD_CLOEXEC), pipes[2];
	pid_t pid, keeper = 0, next = 0;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pipes[0], 0);
		controller_stream(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND);
		controller_record(shared, 50);
		atomic_store(&shared->created, 1);
		makes_a_stream_more();
		_exit(98);
	}
	assert_true(CHILD_UNTIL(atomic_load(&shared->created) == 1));
	assert_int_equal(controller_keepers(pid, &keeper), 1);
	assert_int_equal(kill(keeper, SIGKILL), 0);
	assert_true(CHILD_UNTIL(controller_keepers(pid, &next) == 0));
	assert_int_equal(write(pipes[1], "x", 1), 1);
	assert_true(CHILD_UNTIL(controller_keepers(pid, &next) == 1 && controller_kept(next) == 2));
	assert_int_not_equal(next, keeper);
	assert_int_equal(write(pipes[1], "x", 1), 1);
	assert_int_equal(child_wait(pid), 128 + SIGKILL);
	check_log(fd, 50, NULL);
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

/* A stream with a flusher notices by itself. */
static void a_flusher_notices(void **state)
{
	struct controller_state *shared = child_shared(sizeof(*shared));
	int fd = memfd_create("log", MFD_CLOEXEC);
	pid_t pid = fork(), keeper = 0, next = 0;

	if (pid == 0) {
		controller_stream(fd, POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND);
		controller_record(shared, 50);
		atomic_store(&shared->created, 1);
		child_rest();
	}
	assert_true(CHILD_UNTIL(atomic_load(&shared->created) == 1));
	assert_int_equal(controller_keepers(pid, &keeper), 1);
	assert_int_equal(kill(keeper, SIGKILL), 0);
	assert_true(CHILD_UNTIL(controller_keepers(pid, &next) == 1 && next != keeper &&
				controller_kept(next) == 1));
	child_kill(pid);
	check_log(fd, 50, NULL);
	close(fd);
}

/* Without a keeper, or with both killed: no log, but recovery has what was flushed. */
static void without_a_keeper_recovery_helps(void **state)
{
	struct controller_state *shared = child_shared(sizeof(*shared));
	int fd = memfd_create("log", MFD_CLOEXEC), to = memfd_create("to", MFD_CLOEXEC);
	struct controller_log log;
	uint64_t kept, dropped;
	trace_id_t trid;
	pid_t pid, keeper;

	setenv("PITOT_TRACE_KEEPER", "0", 1);
	pid = begin(shared, fd, POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 100, ends_by_kill);
	assert_int_equal(child_wait(pid), 128 + SIGKILL);
	unsetenv("PITOT_TRACE_KEEPER");
	assert_int_equal(controller_keepers(pid, &keeper), 0);
	usleep(50000);
	assert_int_equal(posix_trace_open(fd, &trid), EINVAL);
	assert_int_equal(posix_trace_log_recover_np(fd, to, &kept, &dropped), 0);
	assert_int_equal(posix_trace_open(to, &trid), 0);
	log = controller_read(trid);
	assert_int_equal(log.count, 50);
	assert_int_equal(posix_trace_close(trid), 0);
	close(fd);
	close(to);
}

/* --- killed at each of its system calls --- */

static void scenario(struct controller_state *shared, int fd, int stream, int log)
{
	trace_id_t trid = controller_stream(fd, stream, log);

	atomic_store(&shared->created, 1);
	controller_record(shared, 40);
	posix_trace_flush(trid);
	controller_record(shared, 1500);
	posix_trace_flush(trid);
	posix_trace_stop(trid);
	posix_trace_start(trid);
	controller_record(shared, 40);
	posix_trace_shutdown(trid);
	atomic_store(&shared->done, 1);
	_exit(0);
}

/* Lets it run for so many stops at system calls, then kills it: false, it ended before. */
static bool run_to(pid_t pid, int stops)
{
	int status;

	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (stops-- == 0) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return true;
		}
		ptrace(PTRACE_SYSCALL, pid, 0, 0);
	}
	return false;
}

static bool killed_after(int stops, int stream, int log)
{
	struct controller_state *shared = child_shared(sizeof(*shared));
	int fd = memfd_create("log", MFD_CLOEXEC);
	uint64_t recorded;
	trace_id_t trid;
	bool killed;
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		scenario(shared, fd, stream, log);
	}
	killed = run_to(pid, stops);
	recorded = atomic_load(&shared->recorded);
	if (atomic_load(&shared->created)) {
		struct controller_log found;

		if (controller_open(fd, DELAY_MS, &trid, NULL) != 0)
			fail_msg("after %d stops: no log", stops);
		found = controller_read(trid);
		posix_trace_close(trid);
		if (!found.whole || found.first != 0 || found.count < recorded ||
		    found.count > recorded + 1)
			fail_msg("after %d stops: %d %d events from %d, not %d", stops, found.whole,
				 (int)found.count, (int)found.first, (int)recorded);
	}
	close(fd);
	munmap(shared, sizeof(*shared));
	return killed;
}

static void killed_at_any_system_call(void **state)
{
	static const struct {
		int stream, log;
	} rows[] = {
	    {POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND},
	    {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL},
	};
	int step = getenv("PITOT_SOAK") != NULL ? 1 : 11;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int stops = (int)i;

		while (killed_after(stops, rows[i].stream, rows[i].log))
			stops += step;
		assert_true(stops > 50);
		print_message("%d stops\n", stops);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_end_completes_the_log),
	    cmocka_unit_test(no_wait_sees_the_keeper),
	    cmocka_unit_test(it_holds_nothing_of_the_application),
	    cmocka_unit_test(the_last_shutdown_ends_it),
	    cmocka_unit_test(a_killed_keeper_is_replaced),
	    cmocka_unit_test(a_flusher_notices),
	    cmocka_unit_test(without_a_keeper_recovery_helps),
	    cmocka_unit_test(killed_at_any_system_call),
	};

	child_own_shm(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
