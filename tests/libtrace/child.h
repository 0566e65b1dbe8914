/*
 * child - creates, controls, kills and waits for processes of a test.
 */
#ifndef TESTS_LIBTRACE_CHILD_H
#define TESTS_LIBTRACE_CHILD_H

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Exit code; 128 + signal. */
static inline int child_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int child_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	return child_wait(pid);
}

/* For a child: does nothing until it is killed. It does not outlive its parent, or, if the parent's
 * death is not reported (it died before, or the child changed its user), a long test: a program
 * that waits for the end of a test's output would wait for the child too. */
static inline _Noreturn void child_rest(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(300);
	for (;;)
		pause();
}

/* A child that does nothing until it is killed. */
static inline pid_t child_idle(void)
{
	pid_t pid = fork();

	if (pid == 0)
		child_rest();
	return pid;
}

static inline bool child_mount_shm(void)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777,size=256m") == 0;
}

/* Tried in another process: in a chroot the mounts fail, and what has a new mount name space there
 * finds neither its program by /proc/self/exe nor the libraries beside it. */
static inline bool child_may_mount_shm(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(child_mount_shm() ? 0 : 1);
	return pid > 0 && child_wait(pid) == 0;
}

/* Creates a private /dev/shm, if possible, so that streams of other processes are not counted, and
 * restarts the program in it. Returns whether this was done. */
static inline bool child_own_shm(char **argv)
{
	static const char mark[] = "TEST_OWN_SHM";

	if (getenv(mark) != NULL)
		return true;
	if (!child_may_mount_shm() || !child_mount_shm())
		return false;
	setenv(mark, "1", 1);
	execv("/proc/self/exe", argv);
	return false;
}

/* Memory that children share with their parent. */
static inline void *child_shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static inline void child_nap_us(unsigned us)
{
	struct timespec ts = {us / 1000000, (long)(us % 1000000) * 1000};

	nanosleep(&ts, NULL);
}

/* Calls something until it is true, for thirty seconds at most: nothing here is about speed. */
#define CHILD_UNTIL(condition)                                                                     \
	__extension__({                                                                            \
		bool child_done = false;                                                           \
		for (int child_i = 0; child_i < 30000 && !(child_done = (condition)); child_i++)   \
			child_nap_us(1000);                                                        \
		child_done;                                                                        \
	})

#endif
