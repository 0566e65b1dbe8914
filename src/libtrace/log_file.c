/* log_file - see log_file.h. */
#include "libtrace/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtrace/host.h"
#include "libtrace/text.h"

/* Opens the same file again, so that it shares neither flags nor offset with the caller's
 * descriptor. */
static int open_again(int fd)
{
	char path[32];
	struct text t = text_init(path, sizeof(path));

	text_add(&t, "/proc/self/fd/");
	text_add_number(&t, (uint32_t)fd);
	return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

int log_file_adopt(int fd, struct log_file *ret_file)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*ret_file = (struct log_file){.fd = fd, .dev = st.st_dev, .ino = st.st_ino};
	return 0;
}

int log_file_open(int fd, struct log_file *ret_file)
{
	int flags = fcntl(fd, F_GETFL), own, r;
	struct log_file file;

	if (flags < 0 || (flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	r = log_file_adopt(fd, &file);
	if (r < 0)
		return r;
	own = open_again(fd);
	if (own < 0 && (flags & O_APPEND) != 0)
		return errno == EMFILE || errno == ENFILE ? -errno : -EINVAL;
	if (own < 0)
		own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (own < 0)
		return -errno;
	file.fd = own;
	*ret_file = file;
	return 0;
}

/* Is the descriptor still the log's? */
static bool log_file_same(const struct log_file *file)
{
	struct stat st;

	return fstat(file->fd, &st) == 0 && st.st_dev == file->dev && st.st_ino == file->ino;
}

void log_file_close(struct log_file *file)
{
	if (file->fd >= 0 && log_file_same(file))
		close(file->fd);
	file->fd = -1;
}

/* A write must not be a cancellation point for the caller, nor raise SIGXFSZ. */
struct guard {
	struct host_xfsz xfsz;
	int cancel;
};

static void guard_enter(struct guard *g)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g->cancel);
	host_xfsz_hold(&g->xfsz);
}

static void guard_leave(const struct guard *g, int error)
{
	host_xfsz_release(&g->xfsz, error == -EFBIG);
	pthread_setcancelstate(g->cancel, NULL);
}

/* Skips the bytes that a short write has written. */
static void advance(struct iovec *parts, size_t written)
{
	for (; written >= parts->iov_len && parts->iov_len > 0; parts++) {
		written -= parts->iov_len;
		parts->iov_base = (uint8_t *)parts->iov_base + parts->iov_len;
		parts->iov_len = 0;
	}
	if (written > 0) {
		parts->iov_base = (uint8_t *)parts->iov_base + written;
		parts->iov_len -= written;
	}
}

static int write_parts(int fd, struct iovec *parts, int count, uint64_t at)
{
	size_t left = 0;

	for (int i = 0; i < count; i++)
		left += parts[i].iov_len;
	while (left > 0) {
		ssize_t n = pwritev(fd, parts, count, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		left -= (size_t)n;
		at += (uint64_t)n;
		while (count > 1 && parts->iov_len == 0)
			parts++, count--;
		advance(parts, (size_t)n);
	}
	return 0;
}

int log_file_write(struct log_file *file, const struct iovec *parts, int count, uint64_t at)
{
	struct iovec own[LOG_FILE_PARTS + 1] = {0};
	struct guard g;
	int r;

	if (!log_file_same(file))
		return -EBADF;
	memcpy(own, parts, (size_t)count * sizeof(*own));
	guard_enter(&g);
	r = write_parts(file->fd, own, count, at);
	guard_leave(&g, r);
	return r;
}

int log_file_reserve(struct log_file *file, uint64_t end)
{
	struct guard g;
	int r = 0;

	if (file->no_reserve || end <= file->reserved)
		return 0;
	if (!log_file_same(file))
		return -EBADF;
	guard_enter(&g);
	if (fallocate(file->fd, FALLOC_FL_KEEP_SIZE, (off_t)file->reserved,
		      (off_t)(end - file->reserved)) != 0)
		r = -errno;
	guard_leave(&g, r);
	if (r == 0)
		file->reserved = end;
	if (r == -ENOSPC || r == -EDQUOT || r == 0)
		return r;
	file->no_reserve = r != -EINTR && r != -EFBIG;
	return 0;
}

int log_file_cut(struct log_file *file, uint64_t end)
{
	struct guard g;
	int r = 0;

	if (!log_file_same(file))
		return -EBADF;
	guard_enter(&g);
	if (ftruncate(file->fd, (off_t)end) != 0)
		r = -errno;
	guard_leave(&g, r);
	if (r == 0)
		file->reserved = end;
	return r;
}
