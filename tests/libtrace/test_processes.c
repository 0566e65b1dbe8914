/* test_processes - who is listed as traceable, for a user and for root; root and another user's
 * registry, family and files. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <trace_np.h>

#include "libtrace/attach.h"
#include "libtrace/clock.h"
#include "libtrace/family.h"
#include "libtrace/inherit.h"
#include "libtrace/proc.h"
#include "libtrace/registry_files.h"

#include "child.h"

enum { MAX = 256, USER = 5201, OTHER = 5202 };

static const struct posix_trace_process_np *find(pid_t pid)
{
	static struct posix_trace_process_np list[MAX];
	size_t n = 0;

	if (posix_trace_processes_np(list, MAX, &n) != 0)
		return NULL;
	for (size_t i = 0; i < n && i < MAX; i++)
		if (list[i].pid == pid)
			return &list[i];
	return NULL;
}

static void oneself_and_children(void **state)
{
	const struct posix_trace_process_np *p = find(getpid());
	struct proc_id me = proc_self();
	trace_id_t trid;
	trace_event_id_t id;
	char command[16];
	size_t n;

	assert_non_null(p);
	assert_int_equal(p->uid, geteuid());
	assert_int_equal(p->start_time, me.start);
	assert_int_equal(p->streams, 0);
	prctl(PR_GET_NAME, command);
	assert_string_equal(p->command, command);
	unsigned types = p->event_types;
	assert_int_equal(posix_trace_eventid_open("one more type", &id), 0);
	assert_int_equal(posix_trace_create(0, NULL, &trid), 0);
	p = find(getpid());
	assert_int_equal(p->streams, 1);
	assert_int_equal(p->event_types, types + 1);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	assert_int_equal(find(getpid())->streams, 0);
	pid_t pid = child_idle();
	assert_true(CHILD_UNTIL(find(pid) != NULL));
	assert_int_equal(posix_trace_processes_np(NULL, 0, &n), 0);
	assert_true(n >= 2);
	child_kill(pid);
	assert_null(find(pid));
}

static void in_order_of_pid(void **state)
{
	struct posix_trace_process_np list[MAX];
	pid_t pids[4];
	size_t n;

	for (int i = 0; i < 4; i++)
		pids[i] = child_idle();
	for (int i = 0; i < 4; i++)
		assert_true(CHILD_UNTIL(find(pids[i]) != NULL));
	assert_int_equal(posix_trace_processes_np(list, MAX, &n), 0);
	for (size_t i = 1; i < n && i < MAX; i++)
		assert_true(list[i - 1].pid < list[i].pid);
	for (int i = 0; i < 4; i++)
		child_kill(pids[i]);
}

/* Becomes that user, and the program from its beginning. */
static void become(uid_t uid, char **args)
{
	int self = open("/proc/self/exe", O_RDONLY);

	if (setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 &&
	    setresuid(uid, uid, uid) == 0)
		fexecve(self, args, environ);
	_exit(99);
}

/* The program as a target: opens a name, and another one on each request, and prints their ids. */
static int target(int to, int from)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (bool first = true;; first = false) {
		trace_event_id_t id = 0;
		char c;

		if (!first && read(to, &c, 1) != 1)
			return 0;
		posix_trace_eventid_open(first ? "first" : "asked for", &id);
		if (write(from, &id, sizeof(id)) != sizeof(id))
			return 1;
	}
}

struct target {
	pid_t pid;
	int to, from;
};

static struct target target_of(uid_t uid)
{
	int to[2], from[2];
	struct target t;
	trace_event_id_t id = 0;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	t.pid = fork();
	if (t.pid == 0) {
		char in[12], out[12];
		char *args[] = {"test_processes", "--target", in, out, NULL};

		snprintf(in, sizeof(in), "%d", to[0]);
		snprintf(out, sizeof(out), "%d", from[1]);
		become(uid, args);
	}
	close(to[0]);
	close(from[1]);
	t.to = to[1];
	t.from = from[0];
	assert_int_equal(read(t.from, &id, sizeof(id)), sizeof(id));
	assert_int_equal(id, LAYOUT_USER_FIRST);
	return t;
}

static void end(struct target *t)
{
	child_kill(t->pid);
	close(t->to);
	close(t->from);
}

static void users_see_their_own(void **state)
{
	if (geteuid() != 0)
		skip();
	struct target mine = target_of(USER), theirs = target_of(OTHER);
	char a[12], b[12];
	char *args[] = {"test_processes", "--sees", a, b, NULL};
	snprintf(a, sizeof(a), "%d", mine.pid);
	snprintf(b, sizeof(b), "%d", theirs.pid);
	pid_t pid = fork();
	if (pid == 0)
		become(USER, args);
	assert_int_equal(child_wait(pid), 0);
	const struct posix_trace_process_np *p = find(mine.pid);
	assert_non_null(p);
	assert_int_equal(p->uid, USER);
	assert_int_equal(p->event_types, 1);
	assert_non_null(find(theirs.pid));
	end(&mine);
	end(&theirs);
}

/* Root uses another user's registry and family: a picture of it, changed by a child. */
static void root_and_a_users_registry(void **state)
{
	if (geteuid() != 0)
		skip();
	struct target t = target_of(USER);
	struct registry_file *file;
	struct registry_slot slot = {.fd = 3, .inode = 4}, got;
	struct family *family;
	struct proc_id id;
	trace_event_id_t asked, theirs;
	char name[TRACE_EVENT_NAME_MAX + 1];
	uid_t uid;

	assert_int_equal(proc_identify(t.pid, &id), 0);
	assert_int_equal(proc_may_trace(t.pid, &uid), 0);
	assert_int_equal(uid, USER);
	assert_int_equal(registry_open(&id, uid, true, &file), 0);
	atomic_init(&slot.stream_id, 4711);
	slot.holder = slot.controller = proc_self();
	assert_int_equal(registry_publish(file, &slot), 0);
	registry_set_running(4711, uid, true);
	assert_int_equal(registry_streams(uid), 1);
	assert_int_equal(find(t.pid)->streams, 1);
	assert_int_equal(family_open(file->family, uid, true, &family), 0);
	assert_int_equal(family_name_of(family, LAYOUT_USER_FIRST, name), 0);
	assert_string_equal(name, "first");
	assert_int_equal(family_id_of(family, "asked for", &asked), 0);
	assert_int_equal(asked, LAYOUT_USER_FIRST + 1);
	assert_int_equal(write(t.to, "x", 1), 1);
	assert_int_equal(read(t.from, &theirs, sizeof(theirs)), sizeof(theirs));
	assert_int_equal(theirs, asked);
	registry_close(file);
	assert_int_equal(registry_open(&id, uid, false, &file), 0);
	assert_true(registry_slot_read(&file->slots[0], &got));
	assert_int_equal(got.stream_id, 4711);
	assert_int_equal(got.flags & SLOT_RUNNING, SLOT_RUNNING);
	assert_int_equal(file->gate, 64);
	registry_close(file);
	registry_withdraw(4711, uid);
	assert_int_equal(registry_streams(uid), 0);
	family_close(family);
	end(&t);
	/* No child is left for the application's wait. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* The user cuts his files off, exchanges them, fills them with anything: root does not fall. */
static void root_and_a_hostile_user(void **state)
{
	if (geteuid() != 0)
		skip();
	for (int how = 0; how < 5; how++) {
		struct target t = target_of(USER);
		struct registry_file *file;
		struct registry_slot slot = {.fd = 3};
		struct family *family = NULL;
		struct proc_id id;
		char path[2][96], name[TRACE_EVENT_NAME_MAX + 1];
		trace_event_id_t event;

		assert_int_equal(proc_identify(t.pid, &id), 0);
		assert_int_equal(registry_open(&id, USER, true, &file), 0);
		assert_int_equal(family_open(file->family, USER, true, &family), 0);
		snprintf(path[0], sizeof(path[0]), "/dev/shm/pitot-%d/%d.%llu", USER, t.pid,
			 (unsigned long long)id.start);
		snprintf(path[1], sizeof(path[1]), "/dev/shm/pitot-%d/family.%llu", USER,
			 (unsigned long long)file->family);
		for (int i = 0; i < 2; i++) {
			char junk[20480];
			int fd;

			memset(junk, 0xa5 + how, sizeof(junk));
			assert_int_equal(access(path[i], F_OK), 0);
			if (how == 0)
				assert_int_equal(truncate(path[i], 0), 0);
			if (how == 1)
				assert_int_equal(truncate(path[i], 4096), 0);
			if (how >= 3)
				unlink(path[i]);
			if (how == 3)
				assert_int_equal(symlink("/etc/passwd", path[i]), 0);
			if (how == 4)
				assert_int_equal(mkfifo(path[i], 0666), 0);
			if (how == 2) {
				fd = open(path[i], O_WRONLY);
				assert_int_equal(write(fd, junk, sizeof(junk)), sizeof(junk));
				close(fd);
			}
		}
		atomic_init(&slot.stream_id, 5000 + (uint64_t)how);
		slot.holder = slot.controller = proc_self();
		registry_publish(file, &slot);
		registry_set_running(slot.stream_id, USER, true);
		registry_streams(USER);
		find(t.pid);
		family_id_of(family, "another name", &event);
		family_name_of(family, LAYOUT_USER_FIRST, name);
		registry_withdraw(slot.stream_id, USER);
		registry_close(file);
		family_close(family);
		end(&t);
	}
}

/* A helper that runs with a user's rights for root: that user can neither stop nor trace it, and
 * root does not wait for it without limit. */
static int sleeps(void *arg)
{
	pid_t *pid = arg;

	*pid = getpid();
	for (;;)
		pause();
	return 0;
}

static int tells_rights(void *arg)
{
	uid_t r, e, s;
	gid_t groups[4];

	if (getresuid(&r, &e, &s) != 0 || r != 0 || e != USER || s != 0)
		return -1;
	return getegid() == 0 || getgroups(4, groups) != 0 || prctl(PR_GET_DUMPABLE) != 0 ? -2
											  : 4711;
}

static int stop_as(uid_t uid, pid_t pid)
{
	pid_t child = fork();

	if (child == 0) {
		char path[32];

		snprintf(path, sizeof(path), "/proc/%d/fd", pid);
		if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 ||
		    setresuid(uid, uid, uid) != 0)
			_exit(99);
		_exit(kill(pid, SIGSTOP) == 0 || ptrace(PTRACE_SEIZE, pid, 0, 0) == 0 ||
		      open(path, O_RDONLY) >= 0);
	}
	return child_wait(child);
}

static void what_runs_for_root(void **state)
{
	if (geteuid() != 0)
		skip();
	_Atomic pid_t *pid = child_shared(sizeof(*pid));
	uint64_t start = clock_mono();
	assert_int_equal(registry_foreign_run(USER, tells_rights, NULL), 4711);
	pid_t caller = fork();
	if (caller == 0)
		_exit(-registry_foreign_run(USER, sleeps, (void *)pid));
	assert_true(CHILD_UNTIL(atomic_load(pid) != 0));
	assert_int_equal(stop_as(USER, atomic_load(pid)), 0);
	assert_int_equal(child_wait(caller), ETIMEDOUT);
	assert_true(clock_mono() - start < 20000000000u);
	assert_int_equal(kill(atomic_load(pid), 0), -1);
}

static int count(int dir, const struct dir_entry *entry, void *arg)
{
	++*(int *)arg;
	return 0;
}

/* A user fills his directory: root looks at some of it, and says so. */
static void more_than_root_looks_at(void **state)
{
	enum { MANY = 25000 };
	char path[64];
	struct posix_trace_process_np list[4];
	size_t n = 0;
	int seen = 0;

	if (geteuid() != 0)
		skip();
	struct target t = target_of(USER);
	int dir = registry_dir_open(USER, false);
	assert_true(dir >= 0);
	assert_int_equal(registry_dir_list_bounded(dir, count, &seen, 1, 10000), -EOVERFLOW);
	assert_int_equal(registry_dir_list_bounded(dir, count, &seen, 100, 0), -EOVERFLOW);
	seen = 0;
	assert_int_equal(registry_dir_list_bounded(dir, count, &seen, 100, 10000), 0);
	assert_in_range(seen, 1, 90);
	assert_int_equal(posix_trace_processes_np(list, 4, &n), 0);
	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "%d", i);
		int fd = openat(dir, path, O_CREAT | O_WRONLY, 0600);
		assert_true(fd >= 0);
		close(fd);
	}
	assert_int_equal(posix_trace_processes_np(list, 4, &n), EOVERFLOW);
	assert_true(n >= 1);
	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "%d", i);
		unlinkat(dir, path, 0);
	}
	assert_int_equal(posix_trace_processes_np(list, 4, &n), 0);
	close(dir);
	end(&t);
}

/* Root's own daemon that has become the user: its registry is where it started. */
static void a_daemon_that_dropped_its_rights(void **state)
{
	int ready[2];
	char c;

	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (setresgid(USER, USER, USER) != 0 || setresuid(USER, USER, USER) != 0)
			_exit(99);
		if (write(ready[1], "x", 1) == 1)
			child_rest();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	struct registry_file *file;
	struct registry_slot slot = {.fd = 3}, got;
	struct proc_id id;
	uid_t uid;
	assert_int_equal(proc_identify(pid, &id), 0);
	assert_int_equal(proc_may_trace(pid, &uid), 0);
	assert_int_equal(registry_open(&id, uid, true, &file), 0);
	assert_int_equal(file->adopted, 1);
	atomic_init(&slot.stream_id, 4800);
	slot.holder = slot.controller = proc_self();
	assert_int_equal(registry_publish(file, &slot), 0);
	registry_set_running(4800, uid, true);
	assert_int_equal(file->gate, 64);
	assert_int_equal(registry_streams(uid), 1);
	registry_withdraw(4800, uid);
	assert_false(registry_slot_read(&file->slots[0], &got));
	registry_close(file);
	child_kill(pid);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(oneself_and_children),
	    cmocka_unit_test(in_order_of_pid),
	    cmocka_unit_test(users_see_their_own),
	    cmocka_unit_test(root_and_a_users_registry),
	    cmocka_unit_test(root_and_a_hostile_user),
	    cmocka_unit_test(what_runs_for_root),
	    cmocka_unit_test(more_than_root_looks_at),
	    cmocka_unit_test(a_daemon_that_dropped_its_rights),
	};

	if (argc > 3 && strcmp(argv[1], "--target") == 0)
		return target(atoi(argv[2]), atoi(argv[3]));
	if (argc > 3 && strcmp(argv[1], "--sees") == 0)
		return find(atoi(argv[2])) == NULL || find(atoi(argv[3])) != NULL ||
		       find(getppid()) != NULL || find(getpid()) == NULL;
	child_own_shm(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
