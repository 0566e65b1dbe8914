/*
 * member_program - a member that a program decompresses: its standard input is the file, its
 * standard output a pipe, which it waits at until more is read. No shell, no path.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libstore/member_source.h"
#include "libstore/member_stream.h"

extern char **environ;

/* Descriptors 0, 1 and 2 of the program; its exit status reports failures. */
static int actions_init(posix_spawn_file_actions_t *actions, int in, int out)
{
	int r = posix_spawn_file_actions_init(actions);

	if (r != 0)
		return -r;
	r = posix_spawn_file_actions_adddup2(actions, in, STDIN_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY,
						     0);
	if (r != 0)
		posix_spawn_file_actions_destroy(actions);
	return -r;
}

/* Signals as a new program expects them, whatever the caller blocks or ignores. */
static int attr_init(posix_spawnattr_t *attr)
{
	sigset_t none, pipe;
	int r = posix_spawnattr_init(attr);

	if (r != 0)
		return -r;
	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	posix_spawnattr_setsigmask(attr, &none);
	posix_spawnattr_setsigdefault(attr, &pipe);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	return 0;
}

/* 0; PM_ERR_LOGFILE if there is no such program; -errno. */
static int program_start(const char *program, int in, int out, pid_t *ret_pid)
{
	char *argv[] = {(char *)(uintptr_t)program, (char[]){"-dc"}, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int r = actions_init(&actions, in, out);

	if (r < 0)
		return r;
	r = attr_init(&attr);
	if (r == 0) {
		r = -posix_spawnp(ret_pid, program, &actions, &attr, argv, environ);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&actions);
	return r == -ENOENT ? PM_ERR_LOGFILE : r;
}

struct program {
	struct member_decoder base;
	pid_t pid; /* 0 once its status was looked at */
	int fd;    /* owned: what it writes */
};

/* In a process that ignores SIGCHLD the status is not available: damaged records then show the
 * failure. */
static int program_wait(struct program *p)
{
	pid_t pid = p->pid;
	int status;

	p->pid = 0;
	while (pid > 0 && waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno == ECHILD ? 0 : -errno;
	}
	return pid == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0) ? 0 : PM_ERR_LOGREC;
}

static int64_t program_read(struct member_decoder *decoder, void *buf, size_t len)
{
	struct program *p = (struct program *)decoder;
	ssize_t n;

	do
		n = read(p->fd, buf, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n > 0 ? n : program_wait(p);
}

/* A program that has more to say ends by SIGPIPE. */
static void program_close(struct member_decoder *decoder)
{
	struct program *p = (struct program *)decoder;

	close(p->fd);
	program_wait(p);
	free(p);
}

static const struct member_decoder_ops program_ops = {program_read, program_close};

int member_source_program(int in, const char *program, uint64_t limit,
			  struct member_source **ret_source)
{
	AUTO_FD int fd = in;
	struct program *p;
	int ends[2], r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	p = malloc(sizeof(*p));
	r = p != NULL ? program_start(program, fd, ends[1], &pid) : -ENOMEM;
	close(ends[1]);
	if (r < 0) {
		close(ends[0]);
		free(p);
		return r;
	}
	*p = (struct program){{&program_ops}, pid, ends[0]};
	return member_stream_open(&p->base, MEMBER_SIZE_UNKNOWN, limit, ret_source);
}
