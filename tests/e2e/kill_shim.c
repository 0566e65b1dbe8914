/*
 * kill_shim - preloaded into a program that writes archives: it dies (SIGKILL) before its
 * KILL_AT-th call that changes files (none if that is 0). Each such call that was done is a line in
 * KILL_LOG: what it was, the file, where and how much.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

/* Held from here to done: calls of several threads are counted one by one. */
static void before(void)
{
	const char *at = getenv("KILL_AT");

	pthread_mutex_lock(&lock);
	count++;
	if (at != NULL && atol(at) == count)
		kill(getpid(), SIGKILL);
}

static void done(const char *what, const char *path, long long at, long long n)
{
	const char *log = getenv("KILL_LOG");
	char line[512];
	int fd = log == NULL
		     ? -1
		     : (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (fd >= 0) {
		int len = snprintf(line, sizeof(line), "%s %s %lld %lld\n", what, path, at, n);

		syscall(SYS_write, fd, line, (size_t)len);
		syscall(SYS_close, fd);
	}
	pthread_mutex_unlock(&lock);
}

static const char *path_of(int fd, char *path, size_t size)
{
	char name[64];
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, path, size - 1);
	path[n > 0 ? n : 0] = '\0';
	return path;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define BY_FD(name, what, at, n, params, ...)                                                      \
	int name params                                                                            \
	{                                                                                          \
		char path[256];                                                                    \
		int r;                                                                             \
		before();                                                                          \
		r = REAL(name)(__VA_ARGS__);                                                       \
		done(what, path_of(fd, path, sizeof(path)), at, n);                                \
		return r;                                                                          \
	}

#define BY_PATH(name, path, params, ...)                                                           \
	int name params                                                                            \
	{                                                                                          \
		int r;                                                                             \
		before();                                                                          \
		r = REAL(name)(__VA_ARGS__);                                                       \
		done(#name, path, 0, 0);                                                           \
		return r;                                                                          \
	}

BY_FD(ftruncate64, "truncate", len, 0, (int fd, off64_t len), fd, len)
BY_FD(fallocate64, "allocate", at, len, (int fd, int mode, off64_t at, off64_t len), fd, mode, at,
      len)
BY_FD(fsync, "sync", 0, 0, (int fd), fd)
BY_FD(fdatasync, "sync", 0, 0, (int fd), fd)
BY_PATH(rename, to, (const char *from, const char *to), from, to)
BY_PATH(renameat2, to, (int at, const char *from, int to_at, const char *to, unsigned int flags),
	at, from, to_at, to, flags)
BY_PATH(unlink, path, (const char *path), path)

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
	char path[256];
	ssize_t r;

	before();
	r = REAL(pwrite64)(fd, buf, n, at);
	done("write", path_of(fd, path, sizeof(path)), at, r);
	return r;
}
