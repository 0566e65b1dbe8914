/*
 * test_inherit - what continues over exec, posix_spawn, vfork and fork, and what happens where the
 * directory cannot be had: with the program itself as the new program.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "libtrace/attach.h"
#include "libtrace/family.h"
#include "libtrace/inherit.h"
#include "libtrace/proc.h"
#include "libtrace/registry_files.h"

#include "child.h"

static uint64_t next_id = 9000000;

static struct registry_slot slot_of(uint64_t id, uint32_t flags)
{
	struct registry_slot slot = {.fd = 7, .inode = id * 3};

	atomic_init(&slot.stream_id, id);
	atomic_init(&slot.flags, flags);
	slot.holder = slot.controller = proc_self();
	return slot;
}

static uint64_t publish(uint32_t flags)
{
	uint64_t id = next_id++;
	struct registry_slot slot = slot_of(id, flags);

	assert_in_range(registry_publish(registry_own(), &slot), 0, REGISTRY_SLOTS - 1);
	return id;
}

static unsigned slots_in_use(void)
{
	struct registry_slot slot;
	unsigned n = 0;

	for (int i = 0; i < REGISTRY_SLOTS; i++)
		n += registry_slot_read(&trace_registry.slots[i], &slot);
	return n;
}

/* The new program: exits with the number of its slots, + 10 when its gate is open, + 20 when its
 * family is the one in argv[2], + 40 when "known" has the id in argv[3]. */
static int report(char **argv)
{
	int code = (int)slots_in_use();
	trace_event_id_t id;

	if (registry_own() != &trace_registry || trace_registry.proc.pid != getpid())
		return 99;
	if (trace_registry.gate != 0)
		code += 10;
	if (trace_registry.family == strtoull(argv[2], NULL, 10))
		code += 20;
	if (family_id_of(family_self(), "known", &id) == 0 && id == (unsigned)atoi(argv[3]))
		code += 40;
	return code;
}

static char family_text[32], id_text[16];
static char *report_args[] = {"test_inherit", "--report", family_text, id_text, NULL};

static void prepare_report(void)
{
	trace_event_id_t id;

	/* So that its id says something, "known" is not the first name. */
	assert_int_equal(family_id_of(family_self(), "some other", &id), 0);
	assert_int_equal(family_id_of(family_self(), "and another", &id), 0);
	assert_int_equal(family_id_of(family_self(), "known", &id), 0);
	snprintf(family_text, sizeof(family_text), "%llu",
		 (unsigned long long)trace_registry.family);
	snprintf(id_text, sizeof(id_text), "%u", id);
}

static int by_spawn(void)
{
	pid_t pid;

	assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, report_args, environ), 0);
	return child_wait(pid);
}

static int by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execv("/proc/self/exe", report_args);
		_exit(98);
	}
	return child_wait(pid);
}

static int by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execv("/proc/self/exe", report_args);
		_exit(98);
	}
	return child_wait(pid);
}

static int by_raw_clone(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0) {
		execv("/proc/self/exe", report_args);
		_exit(98);
	}
	return child_wait(pid);
}

static int end_all(void **state)
{
	struct registry_slot slot;

	for (int i = 0; i < REGISTRY_SLOTS; i++)
		if (registry_slot_read(&trace_registry.slots[i], &slot))
			registry_withdraw(slot.stream_id, geteuid());
	return 0;
}

static const struct {
	const char *what;
	int (*run)(void);
} ways[] = {
    {"posix_spawn", by_spawn},
    {"vfork", by_vfork},
    {"fork", by_fork},
    {"clone", by_raw_clone},
};

static void programs_get_what_is_inherited(void **state)
{
	prepare_report();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		uint64_t with = publish(SLOT_INHERITED), without = publish(0);

		print_message("%s\n", ways[i].what);
		registry_set_running(with, geteuid(), true);
		registry_set_running(without, geteuid(), true);
		assert_int_equal(ways[i].run(), 1 + 10 + 20 + 40);
		registry_set_running(with, geteuid(), false);
		assert_int_equal(ways[i].run(), 1 + 20 + 40);
		registry_withdraw(with, geteuid());
		/* No stream, another family; where fork handlers ran, with a copy of the names. */
		assert_int_equal(ways[i].run() % 40, 0);
		registry_withdraw(without, geteuid());
	}
}

/* Another process publishes in ours, and we exec: it all continues. */
static void exec_continues(void **state)
{
	prepare_report();
	pid_t pid = fork();
	if (pid == 0) {
		publish(0);
		uint64_t id = publish(SLOT_INHERITED);
		registry_set_running(id, geteuid(), true);
		snprintf(family_text, sizeof(family_text), "%llu",
			 (unsigned long long)trace_registry.family);
		execv("/proc/self/exe", report_args);
		_exit(98);
	}
	assert_int_equal(child_wait(pid), 2 + 10 + 20 + 40);
}

/* A child does not inherit streams that the parent makes after the fork, however late the child
 * runs. */
static void later_streams_are_not_inherited(void **state)
{
	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit((int)slots_in_use());
		uint64_t id = publish(SLOT_INHERITED);
		assert_int_equal(child_wait(pid), 0);
		registry_withdraw(id, geteuid());
	}
}

/* A controller that makes the child's registry before the child does. */
static void a_controller_may_be_faster(void **state)
{
	for (int i = 0; i < 50; i++) {
		uint64_t with = publish(SLOT_INHERITED), without = publish(0), direct = next_id++;
		struct registry_slot slot = slot_of(direct, 0);
		struct registry_file *file;
		struct proc_id id;
		int go[2];
		char c;

		assert_int_equal(pipe(go), 0);
		pid_t pid = fork();
		if (pid == 0) {
			struct registry_slot got;
			int seen = 0;

			if (read(go[0], &c, 1) != 1)
				_exit(50);
			for (int k = 0; k < REGISTRY_SLOTS; k++)
				if (registry_slot_read(&trace_registry.slots[k], &got))
					seen |= got.stream_id == with      ? 1
						: got.stream_id == direct  ? 2
						: got.stream_id == without ? 4
									   : 8;
			_exit(seen);
		}
		assert_int_equal(proc_identify(pid, &id), 0);
		assert_int_equal(registry_open(&id, geteuid(), true, &file), 0);
		assert_in_range(registry_publish(file, &slot), 0, REGISTRY_SLOTS - 1);
		registry_close(file);
		assert_int_equal(write(go[1], "x", 1), 1);
		assert_int_equal(child_wait(pid), 3);
		registry_withdraw(with, geteuid());
		registry_withdraw(without, geteuid());
		registry_withdraw(direct, geteuid());
		close(go[0]);
		close(go[1]);
	}
}

/* Returns not NULL when a child saw something else. */
static void *fork_often(void *arg)
{
	static char failed;

	for (int i = 0; i < 40; i++) {
		pid_t pid = fork();
		trace_event_id_t id;

		if (pid == 0)
			_exit(family_id_of(family_self(), "in the child", &id) != 0 ||
			      slots_in_use() != 1);
		if (child_wait(pid) != 0)
			return &failed;
	}
	return NULL;
}

/* Threads that fork at once while others open names. */
static void many_threads_fork(void **state)
{
	enum { N = 4 };
	pthread_t threads[N];
	uint64_t id = publish(SLOT_INHERITED);
	void *failed;

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, fork_often, NULL);
	for (int i = 0; i < N; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(trace_registry.in_flight, 0);
	registry_withdraw(id, geteuid());
}

/* From here on this process makes threads, but no children: EAGAIN. */
static bool forbid_forks(void)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct sock_filter filter[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		     offsetof(struct seccomp_data, args[0]) + (big ? 4 : 0)),
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_VM, 1, 0),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { FORKS_THAT_FAIL = 20, NO_FILTER = 77 };

/* A child that ends when this process has: true. */
static bool child_beyond(void)
{
	int ends[2];
	pid_t pid;
	char c;

	if (pipe(ends) != 0)
		return false;
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		while (read(ends[0], &c, 1) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	return pid > 0;
}

/* A process whose forks fail, and that ends, with a child or without. */
static int fail_to_fork(bool with_child)
{
	uint64_t id = next_id++;
	struct registry_slot slot = slot_of(id, SLOT_INHERITED);

	if (with_child && !child_beyond())
		return 1;
	if (registry_publish(registry_own(), &slot) < 0)
		return 2;
	if (!forbid_forks())
		return NO_FILTER;
	for (int i = 0; i < FORKS_THAT_FAIL; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid > 0 || errno != EAGAIN)
			return 3;
	}
	if (trace_registry.in_flight != FORKS_THAT_FAIL)
		return 4;
	registry_withdraw(id, geteuid());
	return 0;
}

/* Failed forks are counted as children in flight until the end: if no child is alive then, no file
 * remains. A living child may be in flight. */
static void forks_that_fail(void **state)
{
	for (int with_child = 0; with_child < 2; with_child++) {
		char name[DIR_NAME], path[128];
		struct proc_id id;
		pid_t pid;
		int code;

		pid = fork();
		if (pid == 0)
			exit(fail_to_fork(with_child != 0));
		assert_int_equal(proc_identify(pid, &id), 0);
		code = child_wait(pid);
		if (code == NO_FILTER)
			skip();
		assert_int_equal(code, 0);
		registry_dir_name(name, &id);
		snprintf(path, sizeof(path), "/dev/shm/pitot-%u/%s", geteuid(), name);
		assert_int_equal(access(path, F_OK), with_child ? 0 : -1);
		unlink(path);
	}
}

/* The replacement for /dev/shm in a separate mount name space. */
enum shm { MISSING, READ_ONLY, TINY, FULL, A_FILE };

static int set_shm(enum shm what)
{
	static const char *const options[] = {
	    [READ_ONLY] = "mode=1777,size=1m",
	    [TINY] = "mode=1777,size=16k",
	    [FULL] = "mode=1777,size=64k",
	};
	int fd;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return -1;
	if (mount("tmpfs", "/run", "tmpfs", 0, "mode=755") != 0)
		return -1;
	if (what == MISSING || what == A_FILE) {
		/* A /dev without it. */
		if (mount("tmpfs", "/dev", "tmpfs", 0, "mode=755") != 0)
			return -1;
		fd = what == A_FILE ? open("/dev/shm", O_CREAT | O_WRONLY, 0600) : 0;
		return fd < 0 ? -1 : 0;
	}
	if (mount("tmpfs", "/dev/shm", "tmpfs", 0, options[what]) != 0)
		return -1;
	if (what == READ_ONLY)
		return mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL);
	if (what == FULL) {
		char page[4096] = {1};

		fd = open("/dev/shm/full", O_CREAT | O_WRONLY, 0600);
		while (write(fd, page, sizeof(page)) > 0)
			;
	}
	return 0;
}

/* The new program, without a directory: it can trace itself, and open names. */
static int alone(void)
{
	uint64_t id = next_id++;
	struct registry_slot slot = slot_of(id, SLOT_INHERITED);
	struct registry_file *file;
	struct proc_id me = proc_self();
	trace_event_id_t a, b;

	if (registry_own() != &trace_registry || registry_open(&me, geteuid(), true, &file) != 0 ||
	    file != &trace_registry)
		return 1;
	if (registry_publish(file, &slot) < 0)
		return 2;
	registry_set_running(id, geteuid(), true);
	if (trace_registry.gate == 0 || registry_streams(geteuid()) != 1)
		return 3;
	if (family_id_of(family_self(), "a", &a) != 0 ||
	    family_id_of(family_self(), "b", &b) != 0 || a != LAYOUT_USER_FIRST || b != a + 1)
		return 4;
	pid_t pid = fork();
	if (pid == 0)
		_exit(registry_own() != &trace_registry || slots_in_use() != 1 ||
		      trace_registry.gate == 0 || trace_registry.proc.pid != getpid() ||
		      family_id_of(family_self(), "b", &b) != 0 || b != a + 1);
	if (child_wait(pid) != 0)
		return 5;
	pid = child_idle();
	if (proc_identify(pid, &me) != 0)
		return 6;
	int r = registry_open(&me, geteuid(), true, &file);
	child_kill(pid);
	if (r >= 0)
		return 7; /* another process cannot be had: an error, not an empty trace */
	registry_withdraw(id, geteuid());
	return trace_registry.gate == 0 && registry_streams(geteuid()) == 0 ? 0 : 8;
}

static void without_a_directory(void **state)
{
	static const char *const what[] = {"missing", "read-only", "16 KiB", "full", "a file"};
	static char *args[] = {"test_inherit", "--alone", NULL};

	if (geteuid() != 0)
		skip();
	for (int i = MISSING; i <= A_FILE; i++) {
		pid_t pid = fork();

		print_message("%s\n", what[i]);
		if (pid == 0) {
			int self = open("/proc/self/exe", O_RDONLY);

			if (set_shm((enum shm)i) != 0)
				_exit(77);
			fexecve(self, args, environ);
			_exit(98);
		}
		int code = child_wait(pid);
		if (code == 77)
			skip();
		assert_int_equal(code, 0);
	}
}

/* No descriptor, and no limit on them, is in the way of a child. */
static void without_descriptors(void **state)
{
	uint64_t id = publish(SLOT_INHERITED);
	pid_t pid = fork();

	if (pid == 0) {
		struct rlimit none = {0, 0};

		setrlimit(RLIMIT_NOFILE, &none);
		pid = fork();
		if (pid == 0)
			_exit(slots_in_use() != 1 || registry_own() != &trace_registry);
		_exit(child_wait(pid));
	}
	assert_int_equal(child_wait(pid), 0);
	registry_withdraw(id, geteuid());
}

static void no_descriptor_is_left_open(void **state)
{
	int before = dup(0);

	close(before);
	for (int i = 0; i < 20; i++) {
		uint64_t id = publish(SLOT_INHERITED);

		registry_set_running(id, geteuid(), true);
		registry_withdraw(id, geteuid());
		registry_sweep(geteuid());
	}
	int after = dup(0);
	close(after);
	assert_int_equal(after, before);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(programs_get_what_is_inherited, end_all),
	    cmocka_unit_test_teardown(exec_continues, end_all),
	    cmocka_unit_test_teardown(later_streams_are_not_inherited, end_all),
	    cmocka_unit_test_teardown(a_controller_may_be_faster, end_all),
	    cmocka_unit_test_teardown(many_threads_fork, end_all),
	    cmocka_unit_test_teardown(forks_that_fail, end_all),
	    cmocka_unit_test_teardown(without_a_directory, end_all),
	    cmocka_unit_test_teardown(without_descriptors, end_all),
	    cmocka_unit_test_teardown(no_descriptor_is_left_open, end_all),
	};

	if (argc > 3 && strcmp(argv[1], "--report") == 0)
		return report(argv);
	if (argc > 1 && strcmp(argv[1], "--alone") == 0)
		return alone();
	child_own_shm(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
