/* apart - runs a function in a process of its own, and keeps what it writes on stderr. */
#ifndef TESTS_LIBPCP_APART_H
#define TESTS_LIBPCP_APART_H

#include <sys/wait.h>

#include "pcp_test.h"

/* The exit status, and the first bytes of stderr in text. */
static inline int run_apart(void (*run)(void), char *text, size_t size)
{
	int pipe_fd[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(pipe_fd[1], 2);
		run();
		fflush(NULL);
		_exit(0);
	}
	close(pipe_fd[1]);
	while (len + 1 < size && (n = read(pipe_fd[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(pipe_fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
