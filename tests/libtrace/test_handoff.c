/*
 * test_handoff - root traces another user's process, and a program that is not dumpable traces its
 * children: only the target and its inherited children get the segment; a client that connects and
 * sends nothing, or occupies the name, delays no other.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cmocka.h>

#include <trace_np.h>

#include "libtrace/clock.h"
#include "libtrace/handoff.h"
#include "libtrace/keeper_run.h"
#include "libtrace/proc.h"
#include "libtrace/registry_files.h"

#include "child.h"
#include "controller.h"

enum { USER = 5301, OTHER = 5302, EVENTS = 500, PATIENCE_MS = 30000 };

/* --- programs of other users: this program again, with a letter for what to do --- */

static void become(uid_t uid)
{
	if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 ||
	    setresuid(uid, uid, uid) != 0)
		_exit(99);
}

static void again(char *const args[])
{
	execv("/proc/self/exe", args);
	_exit(98);
}

static void record(uint64_t first, int count)
{
	for (int i = 0; i < count; i++, first++)
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, &first, sizeof(first));
}

static void exec_as(const char *what, int to, int from)
{
	char in[12], out[12];
	char *args[] = {"test_handoff", (char *)(uintptr_t)what, in, out, NULL};

	snprintf(in, sizeof(in), "%d", to);
	snprintf(out, sizeof(out), "%d", from);
	again(args);
}

static int in_child(void (*run)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		run();
		_exit(0);
	}
	return child_wait(pid);
}

static void child_records(void)
{
	record(1000, EVENTS);
}

static void child_executes(void)
{
	char *args[] = {"test_handoff", "--record", NULL};

	again(args);
}

/* Its parent ends first. */
static void orphan_executes(void)
{
	if (fork() == 0)
		child_executes();
}

static int target(int to, int from)
{
	char c = 'r';

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(from, &c, 1) != 1)
		return 1;
	while (read(to, &c, 1) == 1) {
		switch (c) {
		case 'e':
			record(0, EVENTS);
			break;
		case 'f':
			in_child(child_records);
			break;
		case 'x':
			in_child(child_executes);
			break;
		case 'o':
			in_child(orphan_executes);
			break;
		case 'X':
			exec_as("--target", to, from);
			break;
		case 'd':
			prctl(PR_SET_DUMPABLE, 0);
			break;
		}
		if (write(from, &c, 1) != 1)
			return 1;
	}
	return 0;
}

struct target {
	pid_t pid;
	int to, from;
};

static struct target target_of(uid_t uid)
{
	int to[2], from[2];
	struct target t;
	char c;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	t.pid = fork();
	if (t.pid == 0) {
		become(uid);
		exec_as("--target", to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	t.to = to[1];
	t.from = from[0];
	assert_int_equal(read(t.from, &c, 1), 1);
	return t;
}

static void tell(const struct target *t, char what)
{
	char c;

	assert_int_equal(write(t->to, &what, 1), 1);
	assert_int_equal(read(t->from, &c, 1), 1);
}

static void end(const struct target *t)
{
	child_kill(t->pid);
	close(t->to);
	close(t->from);
}

/* --- streams --- */

static trace_id_t stream_of(pid_t pid, bool inherited, int log)
{
	trace_attr_t attr;
	trace_id_t trid;

	assert_int_equal(posix_trace_attr_init(&attr), 0);
	assert_int_equal(posix_trace_attr_setinherited(&attr, inherited
								  ? POSIX_TRACE_INHERITED
								  : POSIX_TRACE_CLOSE_FOR_CHILD),
			 0);
	assert_int_equal(posix_trace_attr_setstreamfullpolicy(
			     &attr, log >= 0 ? POSIX_TRACE_FLUSH : POSIX_TRACE_UNTIL_FULL),
			 0);
	assert_int_equal(log >= 0 ? posix_trace_create_withlog(pid, &attr, log, &trid)
				  : posix_trace_create(pid, &attr, &trid),
			 0);
	assert_int_equal(posix_trace_start(trid), 0);
	return trid;
}

/* User events that can be had now. */
static uint64_t take(trace_id_t trid, pid_t *ret_last)
{
	struct posix_trace_event_info info;
	uint64_t number, n = 0;
	int none = 0;
	size_t len;

	while (posix_trace_trygetnext_event(trid, &info, &number, sizeof(number), &len, &none) ==
		   0 &&
	       none == 0)
		if (info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT) {
			*ret_last = info.posix_pid;
			n++;
		}
	return n;
}

static uint64_t take_until(trace_id_t trid, uint64_t count)
{
	pid_t last;
	uint64_t n = 0;

	for (int i = 0; i < PATIENCE_MS && (n += take(trid, &last)) < count; i++)
		child_nap_us(1000);
	return n;
}

static uint64_t lost(trace_id_t trid)
{
	struct posix_trace_counts_np counts;

	assert_int_equal(posix_trace_get_counts_np(trid, &counts), 0);
	return counts.lost_full + counts.lost_overwritten + counts.lost_attach + counts.lost_log;
}

static void events_arrive(void **state)
{
	struct target t = target_of(USER);
	trace_id_t trid = stream_of(t.pid, false, -1);
	pid_t last = 0;

	tell(&t, 'e');
	assert_int_equal(take(trid, &last), EVENTS);
	assert_int_equal(last, t.pid);
	tell(&t, 'f'); /* not inherited */
	assert_int_equal(take(trid, &last), 0);
	tell(&t, 'X'); /* goes on in another program */
	tell(&t, 'e');
	assert_int_equal(take(trid, &last), EVENTS);
	assert_int_equal(posix_trace_stop(trid), 0);
	tell(&t, 'e');
	assert_int_equal(take(trid, &last), 0);
	assert_int_equal(lost(trid), 0);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	assert_int_equal(registry_streams(USER), 0);
	tell(&t, 'e');
	end(&t);
}

static void into_a_log(void **state)
{
	struct target t = target_of(USER);
	int fd = memfd_create("log", 0);
	trace_id_t trid = stream_of(t.pid, true, fd);
	struct controller_log log;

	tell(&t, 'e');
	tell(&t, 'x');
	assert_int_equal(posix_trace_shutdown(trid), 0);
	assert_int_equal(posix_trace_open(fd, &trid), 0);
	log = controller_read(trid);
	assert_int_equal(log.count, 2 * EVENTS);
	assert_true(log.started);
	assert_int_equal(log.stop, 0);
	assert_int_equal(posix_trace_close(trid), 0);
	close(fd);
	end(&t);
}

static void children_too(void **state)
{
	static const char ways[] = "fxo";
	struct target t = target_of(USER);
	trace_id_t trid = stream_of(t.pid, true, -1);

	/* None of them got it from a parent that had it already. */
	for (size_t i = 0; ways[i] != '\0'; i++) {
		tell(&t, ways[i]);
		assert_int_equal(take_until(trid, EVENTS), EVENTS);
	}
	tell(&t, 'e');
	assert_int_equal(take_until(trid, EVENTS), EVENTS);
	assert_int_equal(lost(trid), 0);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	end(&t);
}

/* A process that its own user cannot look into. */
static void a_guarded_target(void **state)
{
	struct target t = target_of(USER);
	trace_id_t trid;

	tell(&t, 'd');
	trid = stream_of(t.pid, true, -1);
	tell(&t, 'f');
	assert_int_equal(take_until(trid, EVENTS), EVENTS);
	tell(&t, 'x');
	assert_int_equal(take_until(trid, EVENTS), EVENTS);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	end(&t);
}

/* A daemon of root that became the user while no process traced it. */
static void a_daemon_that_dropped_its_rights(void **state)
{
	int to[2], from[2];
	struct target t;
	trace_id_t trid;
	pid_t last;
	char c;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	t.pid = fork();
	if (t.pid == 0) {
		become(USER);
		_exit(target(to[0], from[1]));
	}
	t.to = to[1];
	t.from = from[0];
	assert_int_equal(read(t.from, &c, 1), 1);
	trid = stream_of(t.pid, true, -1);
	tell(&t, 'e');
	assert_int_equal(take(trid, &last), EVENTS);
	tell(&t, 'f');
	assert_int_equal(take(trid, &last), EVENTS);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	end(&t);
}

/* One that became the user and traces itself and its children, who may not look into it. */
static void by_a_daemon_that_dropped_its_rights(void **state)
{
	pid_t pid = fork();

	if (pid == 0) {
		trace_id_t trid;
		pid_t last;

		become(USER);
		trid = stream_of(getpid(), true, -1);
		in_child(child_records);
		in_child(child_executes);
		_exit(take(trid, &last) == 2 * EVENTS && lost(trid) == 0 &&
			      posix_trace_shutdown(trid) == 0
			  ? 0
			  : 1);
	}
	assert_int_equal(child_wait(pid), 0);
}

/* --- guests that are not welcome --- */

static uint64_t handoff_of(pid_t pid)
{
	struct registry_slot slot;
	struct registry_file *file;
	struct proc_id id;
	uint64_t number = 0;

	assert_int_equal(proc_identify(pid, &id), 0);
	assert_int_equal(registry_open(&id, USER, false, &file), 0);
	for (int i = 0; i < REGISTRY_SLOTS; i++)
		if (registry_slot_read(&file->slots[i], &slot))
			number = slot.handoff;
	registry_close(file);
	assert_true(number != 0);
	return number;
}

/* The result for a process of a user and group, after it has waited for this time. */
static int request_as(uid_t uid, gid_t gid, uint64_t number)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 ||
		    setresuid(uid, uid, uid) != 0)
			_exit(99);
		int r = handoff_request(number);
		_exit(r < 0 ? -r : 0);
	}
	return child_wait(pid);
}

static void strangers_get_nothing(void **state)
{
	struct target t = target_of(USER);
	trace_id_t alone = stream_of(t.pid, false, -1);
	uint64_t number = handoff_of(t.pid);

	assert_int_equal(request_as(OTHER, OTHER, number), EPIPE);
	assert_int_equal(request_as(USER, USER, number), EPIPE); /* not the target */
	assert_int_equal(request_as(0, 0, number), EPIPE);
	assert_int_equal(posix_trace_shutdown(alone), 0);
	assert_int_equal(request_as(USER, USER, number), ECONNREFUSED);
	alone = stream_of(t.pid, true, -1);
	number = handoff_of(t.pid);
	assert_int_equal(request_as(OTHER, OTHER, number), EPIPE);
	assert_int_equal(request_as(OTHER, USER, number), EPIPE);
	assert_int_equal(request_as(USER, OTHER, number), EPIPE);
	assert_int_equal(request_as(USER, USER, number), 0); /* may look into the target anyway */
	tell(&t, 'd');
	assert_int_equal(request_as(USER, USER, number), EPIPE); /* no more */
	assert_int_equal(posix_trace_shutdown(alone), 0);
	end(&t);
}

static int connect_to(uint64_t number)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	int n = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "pitot-trace-%llu",
			 (unsigned long long)number);

	if (connect(sock, (struct sockaddr *)&name,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0)
		return sock;
	close(sock);
	return -1;
}

/* Many who connect, say nothing and stay; many who come without end. */
static void silent_guests_delay_nobody(void **state)
{
	struct target t = target_of(USER);
	trace_id_t trid = stream_of(t.pid, false, -1);
	uint64_t number = handoff_of(t.pid), start;
	pid_t storm = fork(), last;

	if (storm == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		become(OTHER);
		for (int i = 0; i < 300; i++)
			(void)connect_to(number);
		for (;;)
			close(connect_to(number));
	}
	child_nap_us(100000);
	start = clock_mono();
	tell(&t, 'e');
	assert_int_equal(take(trid, &last) + lost(trid), EVENTS);
	/* The controller is served meanwhile. */
	assert_int_equal(posix_trace_shutdown(trid), 0);
	trid = stream_of(t.pid, false, -1);
	assert_true(clock_mono() - start < 10000000000u);
	child_kill(storm);
	tell(&t, 'e');
	assert_int_equal(take_until(trid, EVENTS), EVENTS);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	end(&t);
}

/* Somebody else listens under the name: whatever he gives is not taken. */
static void not_everybody_is_believed(void **state)
{
	int ready[2], before;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct proc_id me = proc_self();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		become(OTHER);
		int sock = handoff_listen(77, &me), fd = memfd_create("trap", 0), peer;
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;) {
			struct pollfd pfd = {.fd = sock, .events = POLLIN};

			poll(&pfd, 1, -1);
			peer = handoff_accept(sock);
			if (peer >= 0)
				handoff_pass(peer, fd);
			close(peer);
		}
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	before = open("/dev/null", O_RDONLY);
	close(before);
	assert_int_equal(handoff_request(77), -EPERM);
	assert_int_equal(request_as(USER, USER, 77), EPERM);
	assert_int_equal(open("/dev/null", O_RDONLY), before); /* no descriptor is left */
	close(before);
	child_kill(pid);
	assert_int_equal(handoff_request(77), -ECONNREFUSED);
}

/* Root itself listens, and never answers. */
static void waiting_ends(void **state)
{
	struct proc_id me = proc_self();
	int sock = handoff_listen(78, &me), used[200], n = 0;
	uint64_t start = clock_mono();

	assert_true(sock >= 0);
	assert_int_equal(handoff_listen(78, &me), -EADDRINUSE);
	errno = 4711;
	assert_int_equal(handoff_request(78), -ETIMEDOUT);
	assert_int_equal(errno, 4711);
	assert_true(clock_mono() - start >= 50000000);
	while (n < 200 && (used[n] = connect_to(78)) >= 0)
		n++;
	assert_in_range(n, 1, 199);
	start = clock_mono();
	assert_int_equal(handoff_request(78), -ETIMEDOUT); /* not even let in */
	assert_true(clock_mono() - start < 10000000000u);
	while (n-- > 0)
		close(used[n]);
	close(sock);
}

/* --- who is killed --- */

static pid_t keeper_of(pid_t pid)
{
	pid_t keeper = 0;

	return controller_keepers(pid, &keeper) > 0 ? keeper : 0;
}

/* Its events cost little while no keeper answers, and are counted. */
static void a_keeper_that_hangs(void **state)
{
	struct target t = target_of(USER);
	trace_id_t trid = stream_of(t.pid, false, -1);
	pid_t keeper = keeper_of(getpid());
	uint64_t start = clock_mono();
	pid_t last;

	assert_true(keeper > 0);
	assert_int_equal(kill(keeper, SIGSTOP), 0);
	for (int i = 0; i < 20; i++)
		tell(&t, 'e');
	assert_true(clock_mono() - start < 10000000000u);
	kill(keeper, SIGCONT);
	/* Sooner or later it asks again; from then on all is well. */
	uint64_t told = 20;
	uint64_t got = 0;
	for (int i = 0; i < 3000 && got == 0; i++, told++) {
		tell(&t, 'e');
		got = take(trid, &last);
		child_nap_us(10000);
	}
	assert_true(got > 0);
	assert_int_equal(got + lost(trid), told * EVENTS);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	end(&t);
}

static void a_killed_keeper(void **state)
{
	struct target t = target_of(USER), u = target_of(USER);
	trace_id_t trid = stream_of(t.pid, true, -1), other;
	pid_t keeper = keeper_of(getpid()), last;

	tell(&t, 'e');
	assert_int_equal(take(trid, &last), EVENTS);
	assert_int_equal(kill(keeper, SIGKILL), 0);
	assert_true(CHILD_UNTIL(keeper_of(getpid()) != keeper));
	tell(&t, 'e'); /* has it mapped */
	assert_int_equal(take(trid, &last), EVENTS);
	other = stream_of(u.pid, false, -1); /* makes another keeper, which has all */
	tell(&t, 'x');
	tell(&u, 'e');
	assert_int_equal(take_until(trid, EVENTS), EVENTS);
	assert_int_equal(take_until(other, EVENTS), EVENTS);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	assert_int_equal(posix_trace_shutdown(other), 0);
	end(&t);
	end(&u);
}

/* Of a controller that is killed: a log that is completed, remains in root's directory. */
static void a_killed_controller(void **state)
{
	struct target t = target_of(USER);
	int log = memfd_create("log", 0), copy = memfd_create("copy", 0), ready[2];
	struct posix_trace_remains_np list[64];
	struct controller_log found;
	uint64_t remains = 0;
	trace_id_t trid;
	struct stat st;
	size_t n;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		stream_of(t.pid, true, log);
		stream_of(t.pid, true, -1);
		if (write(ready[1], "x", 1) == 1)
			child_rest();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	tell(&t, 'e');
	tell(&t, 'x');
	child_kill(pid);
	assert_int_equal(controller_open(log, PATIENCE_MS, &trid, NULL), 0);
	found = controller_read(trid);
	assert_int_equal(found.count, 2 * EVENTS);
	assert_int_equal(posix_trace_close(trid), 0);
	for (int i = 0; i < PATIENCE_MS && remains == 0; i++, child_nap_us(1000)) {
		assert_int_equal(posix_trace_remains_np(list, 64, &n), 0);
		for (size_t k = 0; k < n && k < 64; k++)
			if (list[k].target == t.pid && list[k].controller == pid)
				remains = list[k].id;
	}
	assert_true(remains != 0);
	assert_int_equal(posix_trace_remains_save_np(remains, copy, 0), 0);
	assert_int_equal(posix_trace_open(copy, &trid), 0);
	found = controller_read(trid);
	assert_int_equal(found.count, 2 * EVENTS);
	assert_int_equal(posix_trace_close(trid), 0);
	assert_int_equal(fstat(copy, &st), 0);
	assert_int_equal(registry_streams(USER), 0);
	tell(&t, 'e');
	close(log);
	close(copy);
	end(&t);
}

/* --- who may not --- */

static int create_as(uid_t uid, pid_t target)
{
	pid_t pid = fork();

	if (pid == 0) {
		trace_id_t trid;

		become(uid);
		_exit(posix_trace_create(target, NULL, &trid));
	}
	return child_wait(pid);
}

static int create_without_keeper(pid_t target)
{
	pid_t pid = fork();

	if (pid == 0) {
		trace_id_t trid;

		setenv("PITOT_TRACE_KEEPER", "0", 1);
		_exit(posix_trace_create(target, NULL, &trid));
	}
	return child_wait(pid);
}

static void others_may_not(void **state)
{
	struct target t = target_of(USER);

	assert_int_equal(create_as(OTHER, t.pid), EPERM);
	assert_int_equal(create_without_keeper(t.pid), EPERM);
	assert_int_equal(registry_streams(USER), 0);
	end(&t);
}

/* A service with a network of its own still finds the socket. */
static void another_network(void **state)
{
	int to[2], from[2];
	struct target t;
	trace_id_t trid;
	pid_t last;
	char c;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	t.pid = fork();
	if (t.pid == 0) {
		c = unshare(CLONE_NEWNET) == 0 ? 'y' : 'n';
		if (write(from[1], &c, 1) != 1 || c == 'n')
			_exit(1);
		become(USER);
		exec_as("--target", to[0], from[1]);
	}
	t.to = to[1];
	t.from = from[0];
	assert_int_equal(read(t.from, &c, 1), 1);
	if (c == 'n') {
		child_wait(t.pid);
		skip();
	}
	assert_int_equal(read(t.from, &c, 1), 1);
	trid = stream_of(t.pid, true, -1);
	tell(&t, 'x');
	tell(&t, 'e');
	assert_int_equal(take(trid, &last), 2 * EVENTS);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	end(&t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(events_arrive),
	    cmocka_unit_test(into_a_log),
	    cmocka_unit_test(children_too),
	    cmocka_unit_test(a_guarded_target),
	    cmocka_unit_test(a_daemon_that_dropped_its_rights),
	    cmocka_unit_test(by_a_daemon_that_dropped_its_rights),
	    cmocka_unit_test(strangers_get_nothing),
	    cmocka_unit_test(silent_guests_delay_nobody),
	    cmocka_unit_test(not_everybody_is_believed),
	    cmocka_unit_test(waiting_ends),
	    cmocka_unit_test(a_keeper_that_hangs),
	    cmocka_unit_test(a_killed_keeper),
	    cmocka_unit_test(a_killed_controller),
	    cmocka_unit_test(others_may_not),
	    cmocka_unit_test(another_network),
	};

	if (argc > 3 && strcmp(argv[1], "--target") == 0)
		return target(atoi(argv[2]), atoi(argv[3]));
	if (argc > 1 && strcmp(argv[1], "--record") == 0) {
		record(EVENTS, EVENTS);
		return 0;
	}
	if (geteuid() != 0)
		return 77; /* no other user has a handoff socket */
	child_own_shm(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
