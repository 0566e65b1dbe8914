/* writer_file - see writer_file.h. */
#include "libstore/writer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
	BLOCK = 4096,
	AHEAD_MIN = 16 << 10,
	AHEAD_MAX = 1 << 20,
	AHEAD_PART = 8, /* allocated ahead is at most this part of the file, between the two */
	FILE_MODE = 0664,
};

int writer_file_create(struct writer_file *f, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);

	if (fd < 0)
		return -errno;
	*f = (struct writer_file){.fd = fd, .ahead = true};
	return 0;
}

static uint64_t round_up(uint64_t n)
{
	return (n + BLOCK - 1) & ~(uint64_t)(BLOCK - 1);
}

static uint64_t step(uint64_t size)
{
	uint64_t n = size / AHEAD_PART;

	return n < AHEAD_MIN ? AHEAD_MIN : n > AHEAD_MAX ? AHEAD_MAX : n;
}

static int allocate(struct writer_file *f, uint64_t end)
{
	int r;

	if (end <= f->room)
		return 0;
	do {
		r = fallocate(f->fd, FALLOC_FL_KEEP_SIZE, (off_t)f->room, (off_t)(end - f->room));
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	f->room = end;
	return 0;
}

/*
 * Room up to end, and some ahead of it if there is. 0 too where allocating is impossible, or failed
 * for a reason that a write may not have: the write is tried then.
 */
static int make_room(struct writer_file *f, uint64_t end)
{
	int r;

	if (!f->ahead || end <= f->room)
		return 0;
	r = allocate(f, round_up(end + step(f->size)));
	if (r == -ENOSPC || r == -EDQUOT)
		r = allocate(f, round_up(end));
	if (r == -ENOSPC || r == -EDQUOT)
		return r;
	if (r != 0 && r != -EFBIG)
		f->ahead = false;
	return 0;
}

/* Cutting gives back what was allocated ahead too: it is asked for again at once. */
static int cut(struct writer_file *f)
{
	if (ftruncate(f->fd, (off_t)f->size) < 0)
		return -errno;
	f->torn = false;
	f->room = f->size;
	if (f->ahead)
		allocate(f, round_up(f->size + WRITER_RESERVE));
	return 0;
}

static int write_at_end(struct writer_file *f, const uint8_t *bytes, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(f->fd, bytes + done, len - done, (off_t)(f->size + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		f->torn = true;
		done += (size_t)n;
	}
	f->torn = false;
	return 0;
}

int writer_file_append(struct writer_file *f, const void *bytes, size_t len, bool use_reserve)
{
	int r = f->torn ? cut(f) : 0;

	if (r == 0) {
		r = make_room(f, f->size + len + WRITER_RESERVE);
		if (use_reserve)
			r = 0;
	}
	if (r != 0)
		return r;
	r = write_at_end(f, bytes, len);
	if (r != 0) {
		if (f->torn)
			cut(f); /* if this fails too, the next record begins with it */
		return r;
	}
	f->size += len;
	f->dirty = true;
	return 0;
}

void writer_file_trim(struct writer_file *f)
{
	if (f->fd < 0 || (!f->torn && f->room <= f->size))
		return;
	if (ftruncate(f->fd, (off_t)f->size) == 0) {
		f->torn = false;
		f->room = f->size;
	}
}

void writer_file_close(struct writer_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}
