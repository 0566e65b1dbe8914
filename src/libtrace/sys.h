/*
 * sys - system calls for constructors, fork handlers, signal handlers and the keeper: none is a
 * cancellation point, errno is kept, and the result holds the error.
 */
#ifndef LIBTRACE_SYS_H
#define LIBTRACE_SYS_H

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The older calls have 16-bit user ids. */
#ifdef SYS_setresuid32
#define SYS_SETRESUID SYS_setresuid32
#define SYS_SETRESGID SYS_setresgid32
#define SYS_SETGROUPS SYS_setgroups32
#else
#define SYS_SETRESUID SYS_setresuid
#define SYS_SETRESGID SYS_setresgid
#define SYS_SETGROUPS SYS_setgroups
#endif

/* Zero or more, or -errno. */
#define SYS(...)                                                                                   \
	__extension__({                                                                            \
		int sys_errno = errno;                                                             \
		long sys_result = syscall(__VA_ARGS__);                                            \
		if (sys_result == -1) {                                                            \
			sys_result = -errno;                                                       \
			errno = sys_errno;                                                         \
		}                                                                                  \
		sys_result;                                                                        \
	})

static inline int sys_openat(int dir, const char *path, int flags, mode_t mode)
{
	return (int)SYS(SYS_openat, dir, path, flags | O_CLOEXEC, mode);
}

static inline void sys_close(int fd)
{
	if (fd >= 0)
		(void)SYS(SYS_close, fd);
}

/* Reads until the buffer is full or the file ends: bytes, or -errno. */
static inline long sys_read(int fd, void *buf, size_t len)
{
	size_t got = 0;

	while (got < len) {
		long r = SYS(SYS_read, fd, (char *)buf + got, len - got);

		if (r == -EINTR)
			continue;
		if (r < 0)
			return r;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (long)got;
}

/* 0, or -errno; a short write is -ENOSPC. */
static inline int sys_write(int fd, const void *buf, size_t len)
{
	size_t put = 0;

	while (put < len) {
		long r = SYS(SYS_write, fd, (const char *)buf + put, len - put);

		if (r == -EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? (int)r : -ENOSPC;
		put += (size_t)r;
	}
	return 0;
}

static inline int sys_fstat(int fd, struct stat *ret_stat)
{
	int saved = errno;

	if (fstat(fd, ret_stat) == 0)
		return 0;
	int r = -errno;
	errno = saved;
	return r;
}

/* Does not follow a symbolic link. */
static inline int sys_lstat(const char *path, struct stat *ret_stat)
{
	int saved = errno;

	if (lstat(path, ret_stat) == 0)
		return 0;
	int r = -errno;
	errno = saved;
	return r;
}

/* Allocates the first `total` bytes of a file: 0, -ENOSPC, -EINTR, .... */
static inline int sys_fallocate(int fd, uint64_t total)
{
#if __SIZEOF_LONG__ == 8
	return (int)SYS(SYS_fallocate, fd, 0, 0L, (long)total);
#else
	return (int)SYS(SYS_fallocate, fd, 0, 0L, 0L,
			__LONG_LONG_PAIR((long)(total >> 32), (long)total));
#endif
}

/* poll(); newer machines have only ppoll(). */
static inline long sys_poll(struct pollfd *fds, unsigned count, int timeout_ms)
{
#ifdef SYS_poll
	return SYS(SYS_poll, fds, count, timeout_ms);
#else
	struct timespec ts = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};

	return SYS(SYS_ppoll, fds, count, timeout_ms < 0 ? NULL : &ts, NULL, 0);
#endif
}

/* A mapping, or NULL, which callers treat as -ENOMEM. */
static inline void *sys_map(void *at, size_t len, int prot, int flags, int fd)
{
	int saved = errno;
	void *p = mmap(at, len, prot, flags, fd, 0);

	errno = saved;
	return p == MAP_FAILED ? NULL : p;
}

static inline void *sys_map_anon(size_t len)
{
	return sys_map(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static inline void sys_unmap(void *at, size_t len)
{
	int saved = errno;

	if (at != NULL)
		munmap(at, len);
	errno = saved;
}

#endif
