/* child - see child.h. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the child: becomes argv, or writes errno to the pipe, which exec closes. */
static void child_exec(char *const argv[], const char *user, uid_t uid, gid_t gid, pid_t parent,
		       int report)
{
	sigset_t none;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (uid != (uid_t)-1 && (setgid(gid) < 0 || initgroups(user, gid) < 0 || setuid(uid) < 0))
		goto fail;
	/* A change of user clears it, so only now; and the parent may be gone already. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(0);
	setpgid(0, 0); /* an interrupt from the terminal is the parent's to handle */
	execv(argv[0], argv);
fail:
	err = errno;
	if (write(report, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

int child_start(struct child *c, char *const argv[], const char *user, uid_t uid, gid_t gid)
{
	pid_t parent = getpid();
	int report[2];
	int err = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		child_exec(argv, user, uid, gid, parent, report[1]);
	close(report[1]);
	if (pid < 0) {
		err = errno;
		close(report[0]);
		return -err;
	}
	do {
		n = read(report[0], &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n == (ssize_t)sizeof(err)) {
		waitpid(pid, NULL, 0);
		return -err;
	}
	c->pid = pid;
	c->status = 0;
	return 0;
}

sigset_t child_parent_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	return set;
}

bool child_ended(struct child *c)
{
	if (c->pid == 0)
		return true;
	if (waitpid(c->pid, &c->status, WNOHANG) != c->pid)
		return false;
	c->pid = 0;
	return true;
}

void child_stop(struct child *c, int patience_ms)
{
	const struct timespec step = {.tv_nsec = 5 * 1000 * 1000};

	if (child_ended(c))
		return;
	kill(c->pid, SIGTERM);
	for (int waited = 0; waited < patience_ms; waited += 5) {
		if (child_ended(c))
			return;
		nanosleep(&step, NULL);
	}
	kill(c->pid, SIGKILL);
	waitpid(c->pid, &c->status, 0);
	c->pid = 0;
}

const char *child_status_text(const struct child *c, char *text, size_t size)
{
	if (WIFSIGNALED(c->status))
		snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(c->status),
			 strsignal(WTERMSIG(c->status)));
	else
		snprintf(text, size, "exited with status %d", WEXITSTATUS(c->status));
	return text;
}
