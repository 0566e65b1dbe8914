/* capture - see capture.h. */
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void child(char *const argv[], int (*function)(const void *arg), const void *arg, int out)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (argv == NULL) {
		int status = function(arg);

		fflush(stderr);
		_exit(status);
	}
	execv(argv[0], argv);
	_exit(127);
}

/* Reads to the end; what does not fit is read and forgotten. False: it took too long. */
static bool collect(int fd, char *text, size_t size)
{
	const int64_t end = now_ms() + CAPTURE_MS;
	size_t len = 0;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		char more[1024];
		ssize_t n;

		if (now_ms() >= end || poll(&p, 1, (int)(end - now_ms())) == 0)
			return false;
		n = read(fd, more, sizeof(more));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		for (ssize_t i = 0; i < n && len + 1 < size; i++)
			text[len++] = more[i];
		text[len] = '\0';
	}
}

int capture(char *const argv[], int (*function)(const void *arg), const void *arg, char *text,
	    size_t size)
{
	int pipes[2], status = 0;
	pid_t pid;

	text[0] = '\0';
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		child(argv, function, arg, pipes[1]);
	close(pipes[1]);
	if (pid < 0) {
		close(pipes[0]);
		return -EAGAIN;
	}
	if (!collect(pipes[0], text, size))
		kill(pid, SIGKILL);
	close(pipes[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
