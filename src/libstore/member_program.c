/*
 * member_program - a member that a program decompresses: its standard input is the file, its
 * standard output a pipe, from which the bytes go to a file without a name. No shell, no path.
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
#include "libstore/member_unpack.h"

extern char **environ;

/* What the program gets as descriptors 0, 1 and 2; what it complains of is told by its status. */
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

/* Everything from the pipe. */
static int program_drain(int fd, struct member_unpack *unpack)
{
	AUTO_FREE char *chunk = malloc(MEMBER_UNPACK_CHUNK);
	int r = 0;

	if (chunk == NULL)
		return -ENOMEM;
	while (r == 0) {
		ssize_t n = read(fd, chunk, MEMBER_UNPACK_CHUNK);

		if (n == 0)
			return 0;
		if (n > 0)
			r = member_unpack_add(unpack, chunk, (size_t)n);
		else if (errno != EINTR)
			r = -errno;
	}
	return r;
}

/* In a process that ignores SIGCHLD nobody learns the status: records tell what is wrong then. */
static int program_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno == ECHILD ? 0 : -errno;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : PM_ERR_LOGREC;
}

static int program_run(const char *program, int fd, struct member_unpack *unpack)
{
	int ends[2], r, waited;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	r = program_start(program, fd, ends[1], &pid);
	close(ends[1]);
	if (r < 0) {
		close(ends[0]);
		return r;
	}
	r = program_drain(ends[0], unpack);
	close(ends[0]); /* a program that has more to say ends by SIGPIPE */
	waited = program_wait(pid);
	return r < 0 ? r : waited;
}

int member_source_program(int in, const char *program, struct member_source **ret_source)
{
	AUTO_FD int fd = in;
	struct member_unpack unpack;
	int r = member_unpack_begin(&unpack);

	if (r < 0)
		return r;
	return member_unpack_end(&unpack, program_run(program, fd, &unpack), ret_source);
}
