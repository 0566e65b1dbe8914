/* calls - see calls.h. */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct call_plan calls;

enum { FDS_MAX = 256 };

static int file_of_fd[FDS_MAX]; /* number + 1 */
static int nfiles;

/* The names of the real functions, and of ours, with --wrap. */
// clang-format off
int __real_open64(const char *path, int flags, ...);
ssize_t __real_pwrite64(int fd, const void *buf, size_t n, off_t at);
int __real_ftruncate64(int fd, off_t len);
int __real_fallocate64(int fd, int mode, off_t at, off_t len);
int __real_fdatasync(int fd);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_renameat2(int dir, const char *from, int to_dir, const char *to, unsigned int flags);
int __real_unlink(const char *path);
int __real_fcntl64(int fd, int cmd, ...);
int __wrap_open64(const char *path, int flags, ...);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t n, off_t at);
int __wrap_ftruncate64(int fd, off_t len);
int __wrap_fallocate64(int fd, int mode, off_t at, off_t len);
int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_renameat2(int dir, const char *from, int to_dir, const char *to, unsigned int flags);
int __wrap_unlink(const char *path);
int __wrap_fcntl64(int fd, int cmd, ...);
// clang-format on

static int file_of(int fd)
{
	return fd >= 0 && fd < FDS_MAX ? file_of_fd[fd] - 1 : -1;
}

static void set_file(int fd, int file)
{
	if (fd >= 0 && fd < FDS_MAX)
		file_of_fd[fd] = file + 1;
}

/* True if this call is to fail: errno is set. */
static bool arrive(void)
{
	calls.count++;
	if (calls.at == 0 || calls.count < calls.at)
		return false;
	if (calls.action == CALLS_KILL && !calls.torn)
		raise(SIGKILL);
	if (calls.action != CALLS_FAIL || calls.count >= calls.at + (calls.span ? calls.span : 1))
		return false;
	errno = calls.error;
	return true;
}

static struct call *note(enum call_kind kind, int file)
{
	static struct call dummy;
	struct call *c;

	if (!calls.log)
		return &dummy;
	calls.calls = reallocarray(calls.calls, calls.ncalls + 1, sizeof(*calls.calls));
	if (calls.calls == NULL)
		abort();
	c = &calls.calls[calls.ncalls++];
	*c = (struct call){.kind = kind, .file = file};
	return c;
}

static void note_path(char *place, const char *path)
{
	snprintf(place, sizeof(((struct call *)NULL)->path), "%s", path);
}

void calls_forget(void)
{
	for (size_t i = 0; i < calls.ncalls; i++)
		free(calls.calls[i].bytes);
	free(calls.calls);
	calls.calls = NULL;
	calls.ncalls = 0;
	nfiles = 0;
}

int __wrap_open64(const char *path, int flags, ...)
{
	struct call *c;
	va_list ap;
	int fd;

	va_start(ap, flags);
	if ((flags & O_CREAT) == 0) {
		va_end(ap);
		fd = __real_open64(path, flags);
		set_file(fd, -1);
		return fd;
	}
	if (arrive())
		fd = -1;
	else
		fd = __real_open64(path, flags, va_arg(ap, int));
	va_end(ap);
	if (fd < 0)
		return fd;
	set_file(fd, nfiles);
	c = note(CALL_CREATE, nfiles++);
	note_path(c->path, path);
	return fd;
}

ssize_t __wrap_pwrite64(int fd, const void *buf, size_t n, off_t at)
{
	bool fail = arrive();
	bool now = calls.at != 0 && calls.count == calls.at && calls.torn;
	struct call *c;

	if (now && n > 1) {
		ssize_t half = __real_pwrite64(fd, buf, n / 2, at);

		if (calls.action == CALLS_KILL)
			raise(SIGKILL);
		return half; /* a short write: the next call returns the reason */
	}
	if (fail)
		return -1;
	c = note(CALL_WRITE, file_of(fd));
	c->offset = (uint64_t)at;
	if (calls.log) {
		c->len = n;
		c->bytes = malloc(n);
		if (c->bytes == NULL)
			abort();
		memcpy(c->bytes, buf, n);
	}
	return __real_pwrite64(fd, buf, n, at);
}

int __wrap_ftruncate64(int fd, off_t len)
{
	if (arrive())
		return -1;
	note(CALL_TRUNCATE, file_of(fd))->offset = (uint64_t)len;
	return __real_ftruncate64(fd, len);
}

int __wrap_fallocate64(int fd, int mode, off_t at, off_t len)
{
	return arrive() ? -1 : __real_fallocate64(fd, mode, at, len);
}

int __wrap_fdatasync(int fd)
{
	if (arrive())
		return -1;
	note(CALL_SYNC, file_of(fd));
	return calls.dry_sync ? 0 : __real_fdatasync(fd);
}

int __wrap_fsync(int fd)
{
	if (arrive())
		return -1;
	note(CALL_SYNC, file_of(fd));
	return calls.dry_sync ? 0 : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
	struct call *c;

	if (arrive())
		return -1;
	c = note(CALL_RENAME, -1);
	note_path(c->path, from);
	note_path(c->to, to);
	return __real_rename(from, to);
}

int __wrap_renameat2(int dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	struct call *c;

	if (arrive())
		return -1;
	c = note(CALL_RENAME, -1);
	note_path(c->path, from);
	note_path(c->to, to);
	return __real_renameat2(dir, from, to_dir, to, flags);
}

int __wrap_unlink(const char *path)
{
	if (arrive())
		return -1;
	note_path(note(CALL_UNLINK, -1)->path, path);
	return __real_unlink(path);
}

/* Descriptors for syncs are duplicates of those that were written to. */
int __wrap_fcntl64(int fd, int cmd, ...)
{
	va_list ap;
	int r;

	va_start(ap, cmd);
	r = __real_fcntl64(fd, cmd, va_arg(ap, long));
	va_end(ap);
	if (cmd == F_DUPFD_CLOEXEC && r >= 0)
		set_file(r, file_of(fd));
	return r;
}
