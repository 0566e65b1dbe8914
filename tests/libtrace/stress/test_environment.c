/*
 * test_environment - tracing where something is missing: memory file systems, descriptors, system
 * calls, the usual ways of waiting for children.
 */
#include "load.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static trace_event_id_t id;

/* A process traces itself, with and without a log. */
static void traces_itself(void)
{
	trace_id_t trid = RUNNING();
	struct events events;
	int fd;

	id = tool_id("environment");
	tool_emit_run(id, 1, 100, 64);
	events = tool_drain(trid);
	tool_run_is(&events, id, 1, 100);
	OK(posix_trace_shutdown(trid));
	fd = tool_log();
	trid = STREAM(.log = fd, .running = true);
	tool_emit_run(id, 1, 100, 64);
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(fd);
	tool_run_is(&events, id, 1, 100);
}

SUB(traces_itself)
{
	(void)argc;
	(void)argv;
	traces_itself();
}

/* /dev/shm in a mount name space of its own; "missing" hides all of /dev. */
struct shm {
	const char *name, *where, *options;
	unsigned long flags;
	bool full;
};

static const struct shm shms[] = {
    {"missing", "/dev", "size=1m", 0, false},
    {"readonly", "/dev/shm", "size=1m", MS_RDONLY, false},
    {"tiny", "/dev/shm", "size=16k", 0, false},
    {"full", "/dev/shm", "size=1m", 0, true},
};

static void fill_up(const char *where)
{
	static const char zeros[4096];
	char path[100];
	int fd;

	snprintf(path, sizeof(path), "%s/filler", where);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		continue;
	EQ(errno, ENOSPC);
	close(fd);
}

SUB(in_shm)
{
	const struct shm *shm = &shms[atoi(argv[0])];

	(void)argc;
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		runner_skip("no mount name space of its own: %s", strerror(errno));
	if (mount("tmpfs", shm->where, "tmpfs", shm->flags, shm->options) != 0)
		runner_skip("tmpfs on %s: %s", shm->where, strerror(errno));
	if (shm->full)
		fill_up(shm->where);
	/* Anew, so that the library starts in this environment. */
	runner_become("traces_itself", NULL, NULL);
}

static void with_shm(const char *index)
{
	if (geteuid() != 0)
		runner_skip("only root can mount");
	runner_reap(runner_start(0, "in_shm", index, NULL, NULL, NULL));
}

TEST(S_SHM_MISSING)
{
	with_shm("0");
}

TEST(S_SHM_READ_ONLY)
{
	with_shm("1");
}

TEST(S_SHM_TINY)
{
	with_shm("2");
}

TEST(S_SHM_FULL)
{
	with_shm("3");
}

/* Opens descriptors until there is none left. */
static int use_up_descriptors(int most)
{
	struct rlimit limit;
	int last = -1;
	int fd;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = (rlim_t)most;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	while ((fd = open("/", O_PATH | O_CLOEXEC)) >= 0)
		last = fd;
	EQ(errno, EMFILE);
	return last;
}

TEST(S_NO_DESCRIPTORS)
{
	trace_id_t trid = RUNNING();
	trace_id_t other = 0x5a5a5a5a;
	struct events events;
	int last;

	id = tool_id("environment");
	tool_emit(id, 0); /* maps it */
	last = use_up_descriptors(100);
	/* Existing streams continue; new ones have no memory. */
	tool_emit_run(id, 1, 100, 64);
	events = tool_drain(trid);
	tool_run_is(&events, id, 0, 100);
	ERR(posix_trace_create(0, NULL, &other), ENOMEM);
	EQ(other, 0x5a5a5a5a);
	for (int fd = last; fd > last - 10; fd--)
		close(fd);
	traces_itself();
	OK(posix_trace_shutdown(trid));
}

/* Files may not grow: there is no memory for a stream, but the program lives and gets no
 * SIGXFSZ. */
SUB(without_file_size)
{
	trace_id_t trid = 0x5a5a5a5a;
	struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	int r;

	(void)argc;
	(void)argv;
	id = tool_id("environment");
	CHECK(tool_id("another") != id);
	tool_emit(id, 1);
	r = posix_trace_create(0, NULL, &trid);
	if (r == 0) {
		OK(posix_trace_shutdown(trid));
	} else {
		EQ(r, ENOMEM);
		EQ(trid, 0x5a5a5a5a);
	}
	CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
	traces_itself();
}

TEST(S_NO_FILE_SIZE)
{
	struct rlimit limit = {0, RLIM_INFINITY};
	struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	trace_id_t trid = 0x5a5a5a5a;
	int r;

	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	r = posix_trace_create(0, NULL, &trid);
	CHECK(r == 0 || r == ENOMEM);
	for (int n = 0; n < 500; n++) {
		char name[20];

		snprintf(name, sizeof(name), "limited %d", n);
		tool_id(name);
	}
	/* A program that starts under the limit. */
	pid_t pid = runner_start(0, "without_file_size", NULL, NULL, NULL, NULL);
	runner_reap(pid);
	CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
	traces_itself();
}

struct target {
	struct gate go, done;
};

static void emit_without_descriptors(void *arg)
{
	struct target *target = arg;

	id = tool_id("environment");
	use_up_descriptors(60);
	tool_gate_open(target->done);
	tool_gate_wait(target->go);
	tool_emit_run(id, 1, 500, 64);
	tool_gate_open(target->done);
	tool_gate_wait(target->go);
}

/* A target that cannot open the stream: what it emits is recorded or counted. */
TEST(S_TARGET_WITHOUT_DESCRIPTORS)
{
	struct target target = {tool_gate(), tool_gate()};
	pid_t pid = tool_fork(emit_without_descriptors, &target);
	struct posix_trace_counts_np counts;
	trace_id_t trid;

	tool_gate_wait(target.done);
	trid = RUNNING(.pid = pid);
	tool_gate_open(target.go);
	tool_gate_wait(target.done);
	counts = load_counts(trid);
	EQ(counts.recorded + counts.lost_attach + counts.lost_full, 500);
	EQ(tool_drain(trid).count, counts.recorded);
	tool_gate_open(target.go);
	runner_reap(pid);
	OK(posix_trace_shutdown(trid));
}

TEST(S_CLOSEFROM)
{
	trace_id_t trid = RUNNING();
	struct events events;
	struct stat before, after;

	id = tool_id("environment");
	tool_emit_run(id, 1, 10, 64);
	CHECK(close_range(3, ~0u, 0) == 0);
	/* A thread that has recorded goes on, and so does the reader. */
	tool_emit_run(id, 11, 20, 64);
	events = tool_drain(trid);
	tool_run_is(&events, id, 1, 20);
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	/* The number now means a file of the application, which stays open. */
	int fd = open("/", O_RDONLY);
	CHECK(fstat(fd, &before) == 0);
	OK(posix_trace_shutdown(trid));
	CHECK(fstat(fd, &after) == 0);
	EQ(before.st_ino, after.st_ino);
	traces_itself();
}

static void controller_to_be_killed(void *arg)
{
	int fd = *(int *)arg;

	STREAM(.log = fd, .running = true);
	id = tool_id("environment");
	tool_emit_run(id, 1, 100, 64);
	kill(getpid(), SIGKILL);
}

/* A log of a killed controller is complete within two seconds, where the machine has time. */
static void killed_leaves_log(bool reap)
{
	int fd = tool_log();
	pid_t pid = tool_fork(controller_to_be_killed, &fd);
	int64_t end = tool_ns(tool_now(CLOCK_MONOTONIC)) + 30000000000;
	trace_id_t log;

	if (reap)
		CHECK(waitpid(pid, NULL, 0) == pid);
	while (posix_trace_open(fd, &log) != 0) {
		CHECK(tool_ns(tool_now(CLOCK_MONOTONIC)) < end);
		tool_sleep_ms(10);
	}
	EQ(tool_read_log(log).count, 102);
}

TEST(S_SIGCHLD_IGNORED)
{
	signal(SIGCHLD, SIG_IGN);
	traces_itself();
	killed_leaves_log(false);
}

TEST(S_SUBREAPER)
{
	CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
	traces_itself();
	EQ(waitpid(-1, NULL, WNOHANG), -1);
	EQ(errno, ECHILD);
	killed_leaves_log(true);
	tool_sleep_ms(200);
	/* Orphans are a subreaper's to wait for; none of them stays. */
	while (waitpid(-1, NULL, 0) > 0)
		continue;
	EQ(errno, ECHILD);
}

TEST(S_SIGNALS_BLOCKED)
{
	sigset_t all, before, after;

	sigfillset(&all);
	CHECK(sigprocmask(SIG_BLOCK, &all, &before) == 0);
	traces_itself();
	CHECK(sigprocmask(SIG_BLOCK, NULL, &after) == 0);
	for (int s = 1; s < 32; s++)
		if (s != SIGKILL && s != SIGSTOP)
			EQ(sigismember(&after, s), 1);
	CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
	traces_itself();
	CHECK(sigprocmask(SIG_BLOCK, NULL, &after) == 0);
	for (int s = 1; s < 32; s++)
		EQ(sigismember(&after, s), sigismember(&before, s));
}

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* From here on every system call of this process but exit_group kills it. */
static void forbid_system_calls(void)
{
#ifdef ARCHITECTURE
	struct sock_filter rules[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {ARRAY_LEN(rules), rules};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		runner_skip("no seccomp filters here: %s", strerror(errno));
#else
	runner_skip("seccomp is tried on x86-64 and aarch64");
#endif
}

struct without_calls {
	struct gate ready;
	int policy;
	bool filtered;
	uint64_t count;
};

static void record_without_calls(void *arg)
{
	const struct without_calls *how = arg;
	trace_event_set_t set;
	trace_id_t trid = RUNNING(.policy = how->policy);

	id = tool_id("environment");
	tool_emit(id, 0); /* the first one maps the stream */
	if (how->filtered) {
		set = tool_set(1, id);
		OK(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET));
		tool_emit(id, 0);
	}
	forbid_system_calls();
	/* Chunks change and are overwritten, the stream becomes full, data are cut. */
	for (uint64_t n = 0; n < how->count; n++) {
		static const char data[4096];

		posix_trace_event(id, data, n % 64 == 0 ? sizeof(data) : n % 100);
		posix_trace_event(POSIX_TRACE_START, data, 8);
		posix_trace_event(12345678, data, 8);
	}
	syscall(SYS_exit_group, 0);
}

static void no_system_call(int policy, bool filtered)
{
	struct without_calls how = {tool_gate(), policy, filtered, load_times(300000)};
	pid_t pid = tool_fork(record_without_calls, &how);

	runner_reap(pid); /* a forbidden call is SIGSYS, which is reported */
}

TEST(S_NO_SYSTEM_CALL)
{
	no_system_call(POSIX_TRACE_LOOP, false);
	no_system_call(POSIX_TRACE_UNTIL_FULL, false);
	no_system_call(POSIX_TRACE_LOOP, true);
}

static void target_without_calls(void *arg)
{
	struct target *target = arg;

	id = tool_id("environment");
	tool_gate_open(target->done);
	tool_gate_wait(target->go);
	tool_emit(id, 0);
	forbid_system_calls();
	for (uint64_t n = 1; n <= 50000; n++)
		tool_emit_run(id, n, n, 64);
	syscall(SYS_exit_group, 0);
}

/* The same while another process reads the stream, stopped and waiting for more. */
TEST(S_NO_SYSTEM_CALL_WITH_READER)
{
	struct target target = {tool_gate(), tool_gate()};
	pid_t pid = tool_fork(target_without_calls, &target);
	bool running = true, over = false;
	uint64_t count = 0;
	trace_id_t trid;
	int status;

	tool_gate_wait(target.done);
	trid = RUNNING(.pid = pid, .size = 8 * MIB);
	tool_gate_open(target.go);
	while (!over) {
		struct posix_trace_event_info info;
		struct timespec until = tool_later(100);
		int unavailable;
		size_t len;

		over = !running; /* it was over before this look */
		while (posix_trace_timedgetnext_event(trid, &info, NULL, 0, &len, &unavailable,
						      &until) == 0)
			over = false, count++;
		if (running)
			running = waitpid(pid, &status, WNOHANG) == 0;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == RUNNER_SKIP)
		_exit(RUNNER_SKIP);
	EQ(status, 0);
	EQ(count, 50001);
	OK(posix_trace_shutdown(trid));
}

/* A daemon that gives up its privileges without an exec. */
static void drop_rights(void *arg)
{
	uid_t user = *(uid_t *)arg;

	CHECK(setresgid(user, user, user) == 0);
	CHECK(setresuid(user, user, user) == 0);
	traces_itself();
}

TEST(S_RIGHTS_DROPPED)
{
	uid_t user = tool_other_user();
	pid_t pid = tool_fork(drop_rights, &user);

	runner_reap(pid);
}
