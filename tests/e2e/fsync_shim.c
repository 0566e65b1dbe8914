/*
 * fsync_shim - fsync and fdatasync of a file of which the name ends in FSYNC_SUFFIX wait until the
 * file FSYNC_GATE is there: preloaded into a program under test.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_held(int fd)
{
	const char *suffix = getenv("FSYNC_SUFFIX");
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0 || suffix == NULL || (size_t)n < strlen(suffix))
		return 0;
	path[n] = '\0';
	return strcmp(path + n - strlen(suffix), suffix) == 0;
}

static void wait_at_gate(int fd)
{
	const char *gate = getenv("FSYNC_GATE");

	while (gate != NULL && is_held(fd) && access(gate, F_OK) != 0)
		usleep(1000);
}

int fsync(int fd)
{
	wait_at_gate(fd);
	return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	wait_at_gate(fd);
	return (int)syscall(SYS_fdatasync, fd);
}
