/* runner - cmocka outside, a fresh process with a deadline a test inside. */
#include "runner.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef RUNNER_ALONE /* where there is no cmocka: tests are run by their names */
#include <cmocka.h>
#endif

#include "../child.h"

#define MAX_TESTS  128
#define MAX_SUBS   32
#define DEADLINE_S 120

struct one {
	char name[32];
	void (*body)(void);
	int deadline_s;
};

static struct one tests[MAX_TESTS];
static size_t test_count;
static struct {
	const char *name;
	void (*body)(int argc, char **argv);
} subs[MAX_SUBS];
static size_t sub_count;

void runner_add_test(const char *name, void (*body)(void), int deadline_s)
{
	struct one *one = &tests[test_count++];

	snprintf(one->name, sizeof(one->name), "%s", name);
	for (char *p = one->name; *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
	one->body = body;
	one->deadline_s = deadline_s;
}

void runner_add_sub(const char *name, void (*body)(int argc, char **argv))
{
	subs[sub_count].name = name;
	subs[sub_count++].body = body;
}

void runner_fail(const char *file, int line, const char *format, ...)
{
	const char *base = strrchr(file, '/');
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dprintf(STDERR_FILENO, "%s:%d: %s\n", base != NULL ? base + 1 : file, line, text);
	_exit(1);
}

void runner_equal(const char *file, int line, const char *what, long long is, long long should)
{
	if (is != should)
		runner_fail(file, line, "not so: %s (%lld, not %lld)", what, is, should);
}

void runner_result(const char *file, int line, const char *call, int is, int should)
{
	if (is != should)
		runner_fail(file, line, "%s gave %d (%s), not %d (%s)", call, is,
			    is == 0 ? "success" : strerror(is), should,
			    should == 0 ? "success" : strerror(should));
}

void runner_skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vdprintf(STDERR_FILENO, format, args);
	va_end(args);
	dprintf(STDERR_FILENO, "\n");
	_exit(RUNNER_SKIP);
}

const char *runner_self(void)
{
	static char path[PATH_MAX];
	ssize_t n;

	if (path[0] == '\0') {
		n = readlink("/proc/self/exe", path, sizeof(path) - 1);
		if (n < 0)
			FAIL("cannot read /proc/self/exe: %s", strerror(errno));
		path[n] = '\0';
	}
	return path;
}

static void run_image(const char *name, const char *a1, const char *a2, const char *a3,
		      const char *a4)
{
	const char *argv[] = {runner_self(), "--sub", name, a1, a2, a3, a4, NULL};

	execv(runner_self(), (char **)argv);
	dprintf(STDERR_FILENO, "cannot run %s as uid %d: %s\n", runner_self(), (int)getuid(),
		strerror(errno));
	_exit(RUNNER_NO_EXEC);
}

pid_t runner_start(uid_t uid, const char *name, const char *a1, const char *a2, const char *a3,
		   const char *a4)
{
	pid_t pid;

	(void)runner_self();
	pid = fork();
	if (pid < 0)
		FAIL("fork: %s", strerror(errno));
	if (pid > 0)
		return pid;
	if (uid != 0 && (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 ||
			 setresuid(uid, uid, uid) != 0))
		FAIL("cannot become uid %d: %s", (int)uid, strerror(errno));
	run_image(name, a1, a2, a3, a4);
	_exit(RUNNER_NO_EXEC);
}

void runner_become(const char *name, const char *a1, const char *a2)
{
	run_image(name, a1, a2, NULL, NULL);
	_exit(RUNNER_NO_EXEC);
}

void runner_reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			FAIL("waitpid(%d): %s", (int)pid, strerror(errno));
	if (WIFSIGNALED(status))
		FAIL("child %d ended by signal %d (%s)", (int)pid, WTERMSIG(status),
		     strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == RUNNER_NO_EXEC)
		runner_skip("the program cannot be run as that user");
	if (WEXITSTATUS(status) == RUNNER_SKIP)
		_exit(RUNNER_SKIP);
	EQ(WEXITSTATUS(status), 0);
}

#ifndef RUNNER_ALONE

static int deadline_of(const struct one *one)
{
	const char *env = getenv("PITOT_TRACE_DEADLINE");
	int least = env != NULL ? atoi(env) : DEADLINE_S;

	return one->deadline_s > least ? one->deadline_s : least;
}

static void show_file(const char *path)
{
	char text[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	dprintf(STDERR_FILENO, " %s", text);
}

/* Where the threads of a hung process are: name, kernel function, system call and its arguments. */
static void show_threads(pid_t pid)
{
	char path[300];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		static const char *const files[] = {"comm", "wchan", "syscall"};

		if (entry->d_name[0] == '.')
			continue;
		dprintf(STDERR_FILENO, "  thread %s:", entry->d_name);
		for (size_t i = 0; i < 3; i++) {
			snprintf(path, sizeof(path), "/proc/%d/task/%.20s/%s", (int)pid,
				 entry->d_name, files[i]);
			show_file(path);
		}
		dprintf(STDERR_FILENO, "\n");
	}
	closedir(dir);
}

/* Waits for a test until its deadline; the status of one that was ended then is -1. */
static int wait_until(pid_t pid, int seconds)
{
	struct timespec nap = {0, 500000};
	struct timespec begin, now;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (;;) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - begin.tv_sec >= seconds)
			break;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 8000000)
			nap.tv_nsec += nap.tv_nsec / 8;
	}
	show_threads(pid);
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

static void run_one(void **state)
{
	const struct one *one = *state;
	pid_t pid;
	int status;

	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const char *argv[] = {runner_self(), one->name, NULL};

		setpgid(0, 0);
		execv(runner_self(), (char **)argv);
		_exit(RUNNER_NO_EXEC);
	}
	setpgid(pid, pid);
	status = wait_until(pid, deadline_of(one));
	if (status != 0)
		kill(-pid, SIGKILL); /* children of a failed test */
	if (status == -1)
		fail_msg("%s: still running after %d s", one->name, deadline_of(one));
	if (WIFSIGNALED(status))
		fail_msg("%s: ended by signal %d (%s)", one->name, WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == RUNNER_SKIP)
		skip();
	if (WEXITSTATUS(status) != 0)
		fail_msg("%s: exit status %d", one->name, WEXITSTATUS(status));
}

static int run_all(const char *program)
{
	static struct CMUnitTest units[MAX_TESTS];

	for (size_t i = 0; i < test_count; i++) {
		units[i].name = tests[i].name;
		units[i].test_func = run_one;
		units[i].initial_state = &tests[i];
	}
	return _cmocka_run_group_tests(program, units, test_count, NULL, NULL);
}

#else

static int run_all(const char *program)
{
	fprintf(stderr, "usage: %s --list | TEST\n", program);
	return 2;
}

#endif

static int run_sub(int argc, char **argv)
{
	for (size_t i = 0; i < sub_count; i++)
		if (strcmp(subs[i].name, argv[0]) == 0) {
			subs[i].body(argc - 1, argv + 1);
			return 0;
		}
	fprintf(stderr, "no sub program %s\n", argv[0]);
	return 2;
}

static int run_named(const char *name)
{
	for (size_t i = 0; i < test_count; i++)
		if (strcmp(tests[i].name, name) == 0) {
			tests[i].body();
			return 0;
		}
	fprintf(stderr, "no test %s\n", name);
	return 2;
}

int runner_main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "--sub") == 0)
		return run_sub(argc - 2, argv + 2);
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < test_count; i++)
			puts(tests[i].name);
		return 0;
	}
	if (argc == 2)
		return run_named(argv[1]);
	return run_all(argv[0]);
}

int main(int argc, char **argv)
{
	child_own_shm(argv); /* killed controllers leave remains there */
	return runner_main(argc, argv);
}
