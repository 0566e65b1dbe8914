/*
 * move_shim - preloaded into a program that moves files: it dies (SIGKILL) before its KILL_AT-th
 * call that makes a file durable, renames it or removes it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long count;

static void before(void)
{
	const char *at = getenv("KILL_AT");

	count++;
	if (at != NULL && atol(at) == count)
		kill(getpid(), SIGKILL);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int fd)
{
	before();
	return REAL(fsync)(fd);
}

int rename(const char *from, const char *to)
{
	before();
	return REAL(rename)(from, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	before();
	return REAL(renameat2)(from_dir, from, to_dir, to, flags);
}

int link(const char *from, const char *to)
{
	before();
	return REAL(link)(from, to);
}

int unlink(const char *path)
{
	before();
	return REAL(unlink)(path);
}

int unlinkat(int dir, const char *path, int flags)
{
	before();
	return REAL(unlinkat)(dir, path, flags);
}
