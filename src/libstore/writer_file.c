/*
 * writer_file - a file that is written, with room ahead; and the index of an archive that is
 * written.
 */
#include "libstore/writer_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libstore/archive_files.h"

/* ---- the file ---- */

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

/* ---- the index ---- */

enum { INDEX_EVERY = 100000 }; /* bytes of data */

int writer_index_begin(struct writer_index *ix, const struct log_label *label)
{
	struct log_label own = *label;

	*ix = (struct writer_index){
	    .file = WRITER_FILE_NONE, .version = label->version, .threshold = INDEX_EVERY};
	own.volume = LOG_LABEL_VOL_INDEX;
	return log_label_encode(&ix->pending, &own);
}

void writer_index_done(struct writer_index *ix)
{
	writer_file_close(&ix->file);
	buffer_done(&ix->pending);
}

static int create(struct writer_index *ix, const char *base)
{
	char path[PATH_MAX], tmp[PATH_MAX];
	int r;

	if (store_name(path, base, ".index") != 0 || store_name(tmp, base, ".index.new") != 0)
		return -ENAMETOOLONG;
	if (unlink(tmp) < 0 && errno != ENOENT) /* of a writer that was killed */
		return -errno;
	r = writer_file_create(&ix->file, tmp);
	if (r != 0)
		return r;
	r = writer_file_append(&ix->file, buffer_head(&ix->pending), buffer_pending(&ix->pending),
			       true);
	if (r == 0)
		r = store_rename_new(tmp, path);
	if (r == 0)
		return 0;
	writer_file_close(&ix->file);
	ix->file = WRITER_FILE_NONE;
	unlink(tmp);
	return r;
}

int writer_index_flush(struct writer_index *ix, const char *base)
{
	int r;

	if (buffer_pending(&ix->pending) == 0)
		return 0;
	if (ix->file.fd < 0)
		r = create(ix, base);
	else
		r = writer_file_append(&ix->file, buffer_head(&ix->pending),
				       buffer_pending(&ix->pending), true);
	if (r == 0)
		buffer_reset(&ix->pending);
	return r;
}

void writer_index_add(struct writer_index *ix, const char *base, const struct index_entry *entry,
		      uint64_t position)
{
	ix->threshold = position + INDEX_EVERY;
	if (!ix->lost && index_entry_encode(&ix->pending, ix->version, entry) == 0)
		writer_index_flush(ix, base);
}

void writer_index_lose(struct writer_index *ix)
{
	ix->lost = true;
	writer_file_close(&ix->file);
	buffer_reset(&ix->pending);
}
