/* test_proc - processes are known by pid and start time, and the rights to trace them. */
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "libtrace/proc.h"

#include "child.h"

/* Field 22 of the kernel's line, read in another way. */
static unsigned long long start_of(pid_t pid)
{
	char path[64], line[2048];
	unsigned long long start = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_int_equal(sscanf(strrchr(line, ')') + 2,
				"%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
				"%*d %*d %*d %llu",
				&start),
			 1);
	return start;
}

static void knows_itself_and_others(void **state)
{
	struct proc_id self, other;
	pid_t pid = child_idle();

	assert_int_equal(proc_identify(0, &self), 0);
	assert_int_equal(self.pid, getpid());
	assert_int_equal(self.start, start_of(getpid()));
	assert_int_equal(proc_identify(pid, &other), 0);
	assert_int_equal(other.pid, pid);
	assert_int_equal(other.start, start_of(pid));
	assert_true(proc_alive(&self));
	assert_true(proc_alive(&other));
	assert_int_equal(child_kill(pid), 128 + SIGKILL);
	assert_false(proc_alive(&other));
	assert_int_equal(proc_identify(pid, &other), -ESRCH);
	assert_int_equal(proc_identify(-1, &other), -ESRCH);
	assert_int_equal(other.pid, pid); /* left alone on failure */
}

/* Nobody is taken for dead because no descriptor is left to look with. */
static void alive_without_descriptors(void **state)
{
	struct proc_id alive, dead;
	struct rlimit old, none;
	pid_t pid = child_idle(), other = child_idle();

	assert_int_equal(proc_identify(pid, &alive), 0);
	assert_int_equal(proc_identify(other, &dead), 0);
	child_kill(other);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	bool lives = proc_alive(&alive), gone = !proc_alive(&dead);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	child_kill(pid);
	assert_true(lives);
	assert_true(gone);
}

static void a_name_with_parentheses(void **state)
{
	struct proc_id id;
	int to[2];
	char c;

	assert_int_equal(pipe(to), 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, ") Z 1 (");
		_exit(write(to[1], "x", 1) != 1 || pause());
	}
	assert_int_equal(read(to[0], &c, 1), 1);
	assert_int_equal(proc_identify(pid, &id), 0);
	assert_int_equal(id.start, start_of(pid));
	assert_true(proc_alive(&id));
	child_kill(pid);
	close(to[0]);
	close(to[1]);
}

static void a_zombie_is_no_longer_alive(void **state)
{
	pid_t pid = fork();
	struct proc_id id;
	siginfo_t info;

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(proc_identify(pid, &id), 0);
	assert_false(proc_alive(&id));
	child_wait(pid);
	assert_false(proc_alive(&id));
}

static bool is_zombie(pid_t pid)
{
	char line[1024];
	const char *p;

	assert_true(proc_read(pid, "stat", line, sizeof(line)) > 0);
	p = strrchr(line, ')');
	return p != NULL && p[1] == ' ' && p[2] == 'Z';
}

static void *stay(void *arg)
{
	*(_Atomic pid_t *)arg = (pid_t)syscall(SYS_gettid);
	pause();
	return NULL;
}

/* The first thread has ended, another goes on: the process lives, its first thread does not. */
static void a_leader_that_ended(void **state)
{
	_Atomic pid_t *tid = child_shared(4096);
	pid_t pid = fork();
	struct proc_id id;

	if (pid == 0) {
		pthread_t t;

		pthread_create(&t, NULL, stay, (void *)tid);
		while (*tid == 0)
			;
		pthread_exit(NULL);
	}
	assert_true(CHILD_UNTIL(*tid != 0 && is_zombie(pid)));
	assert_int_equal(proc_identify(pid, &id), 0);
	assert_true(proc_alive(&id));
	child_kill(pid);
	assert_false(proc_alive(&id));
	munmap((void *)tid, 4096);
}

static void a_raw_clone_knows_itself(void **state)
{
	struct proc_id before = proc_self();
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0) {
		struct proc_id me = proc_self();
		_exit(me.pid == before.pid || me.pid != (pid_t)syscall(SYS_getpid) ||
		      me.start < before.start);
	}
	assert_int_equal(child_wait(pid), 0);
}

static void knows_parents(void **state)
{
	struct proc_id self = proc_self(), parent;
	pid_t pid = fork();

	if (pid == 0) {
		struct proc_id me = proc_self();

		_exit(proc_parent(&me, &parent) != 0 || !proc_equal(&parent, &self));
	}
	assert_int_equal(child_wait(pid), 0);
	pid = child_idle();
	struct proc_id child;
	assert_int_equal(proc_identify(pid, &child), 0);
	assert_int_equal(proc_parent(&child, &parent), 0);
	assert_true(proc_equal(&parent, &self));
	child_kill(pid);
	assert_int_equal(proc_parent(&child, &parent), -ESRCH);
}

/* Runs a function as another user: its exit code. */
static int as_user(uid_t uid, gid_t gid, int (*run)(pid_t), pid_t arg)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 ||
		    setresuid(uid, uid, uid) != 0)
			_exit(99);
		prctl(PR_SET_DUMPABLE, 1);
		_exit(run(arg));
	}
	return child_wait(pid);
}

static int may(pid_t pid)
{
	uid_t uid;

	return -proc_may_trace(pid, &uid);
}

/* A child with those real, effective and saved ids. */
static pid_t child_with(const uid_t uid[3], const gid_t gid[3], bool dumpable)
{
	int ready[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (setresgid(gid[0], gid[1], gid[2]) != 0 ||
		    setresuid(uid[0], uid[1], uid[2]) != 0)
			_exit(99);
		prctl(PR_SET_DUMPABLE, dumpable);
		if (write(ready[1], "x", 1) == 1)
			child_rest();
		_exit(98);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void rights_follow_ids(void **state)
{
	static const struct {
		const char *what;
		uid_t uid[3];
		gid_t gid[3];
		bool dumpable;
		int as_them, as_root;
	} rows[] = {
	    {"one's own", {5001, 5001, 5001}, {5001, 5001, 5001}, true, 0, 0},
	    {"another user's", {5002, 5002, 5002}, {5001, 5001, 5001}, true, EPERM, 0},
	    {"root's", {0, 0, 0}, {5001, 5001, 5001}, true, EPERM, 0},
	    {"saved id differs", {5001, 5001, 5002}, {5001, 5001, 5001}, true, EPERM, 0},
	    {"effective id differs", {5001, 5002, 5001}, {5001, 5001, 5001}, true, EPERM, 0},
	    {"group differs", {5001, 5001, 5001}, {5001, 5001, 5002}, true, EPERM, 0},
	    {"hides itself", {5001, 5001, 5001}, {5001, 5001, 5001}, false, EPERM, 0},
	};

	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid_t pid = child_with(rows[i].uid, rows[i].gid, rows[i].dumpable);
		uid_t uid = 77;

		print_message("%s\n", rows[i].what);
		assert_int_equal(as_user(5001, 5001, may, pid), rows[i].as_them);
		assert_int_equal(may(pid), rows[i].as_root);
		assert_int_equal(proc_may_trace(pid, &uid), 0);
		assert_int_equal(uid, rows[i].uid[1]);
		child_kill(pid);
		assert_int_equal(may(pid), ESRCH);
	}
	assert_int_equal(as_user(5001, 5001, may, 1), EPERM);
	assert_int_equal(as_user(5001, 5001, may, 0), 0);
	assert_int_equal(may(-5), ESRCH);
}

static void a_thread_is_no_process(void **state)
{
	_Atomic pid_t *tid = child_shared(4096);
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t t;

		pthread_create(&t, NULL, stay, (void *)tid);
		child_rest();
	}
	assert_true(CHILD_UNTIL(*tid != 0));
	assert_int_equal(may(pid), 0);
	assert_int_equal(may(*tid), ESRCH);
	child_kill(pid);
	munmap((void *)tid, 4096);
}

/* A process in another pid name space sees itself under another pid, so target and controller would
 * not find each other. */
static void other_name_spaces_are_refused(void **state)
{
	static const int flags[] = {CLONE_NEWPID};
	int ready[2];
	char c;

	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe(ready), 0);
	pid_t pid = (pid_t)syscall(SYS_clone, flags[0] | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		skip();
	if (pid == 0) {
		if (write(ready[1], "x", 1) == 1)
			child_rest();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(may(pid), EPERM);
	child_kill(pid);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(knows_itself_and_others),
	    cmocka_unit_test(alive_without_descriptors),
	    cmocka_unit_test(a_name_with_parentheses),
	    cmocka_unit_test(a_zombie_is_no_longer_alive),
	    cmocka_unit_test(a_leader_that_ended),
	    cmocka_unit_test(a_raw_clone_knows_itself),
	    cmocka_unit_test(knows_parents),
	    cmocka_unit_test(rights_follow_ids),
	    cmocka_unit_test(a_thread_is_no_process),
	    cmocka_unit_test(other_name_spaces_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
