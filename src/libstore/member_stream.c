/* member_stream - see member_stream.h. */
#include "libstore/member_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "libbase/file.h"
#include "libstore/member_source.h"

enum { ROOM_STEP = 16 << 20 }; /* how many bytes are written between two looks at the free space */

struct stream {
	struct member_source source;
	struct member_decoder *decoder; /* owned; NULL when it has ended */
	int fd;                         /* owned; -1 before the first byte */
	bool in_memory;                 /* the file is */
	uint64_t size;                  /* unpacked so far */
	uint64_t known;                 /* of all; MEMBER_SIZE_UNKNOWN */
	uint64_t limit;
	int err; /* why there is no more than size; 0 before the end, and at a good one */
};

/* For file systems that have no O_TMPFILE. */
static int open_and_unlink(const char *dir)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/archive-XXXXXX", dir);
	int fd;

	if (n < 0 || (size_t)n >= sizeof(path))
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int file_open(struct stream *s)
{
	const char *dir = getenv("PCP_TMPFILE_DIR");

	if (dir == NULL || dir[0] == '\0')
		dir = "/var/tmp";
	s->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd < 0)
		s->fd = open_and_unlink(dir);
	if (s->fd < 0) {
		s->fd = memfd_create("archive", MFD_CLOEXEC);
		s->in_memory = true;
	}
	return s->fd >= 0 ? 0 : -errno;
}

/* Bytes that are free where the file is; UINT64_MAX if that is unknown. */
static uint64_t free_space(const struct stream *s)
{
	struct statvfs fs;

	if (s->in_memory) {
		long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);

		return pages >= 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
	}
	return fstatvfs(s->fd, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : UINT64_MAX;
}

/* -ENOSPC where less is left than the file has taken: half of what was free is others'. */
static int room_check(const struct stream *s, size_t more)
{
	if ((s->size + more) / ROOM_STEP == s->size / ROOM_STEP)
		return 0;
	return free_space(s) < s->size + more ? -ENOSPC : 0;
}

static int put(struct stream *s, const void *bytes, size_t len)
{
	int r = s->fd < 0 ? file_open(s) : 0;

	if (r == 0 && len > s->limit - s->size)
		r = -EFBIG;
	if (r == 0)
		r = room_check(s, len);
	if (r == 0)
		r = file_write_full(s->fd, bytes, len);
	if (r == 0)
		s->size += len;
	return r;
}

static void decoder_end(struct stream *s, int err)
{
	s->err = err;
	s->decoder->ops->close(s->decoder);
	s->decoder = NULL;
}

/* Unpacks until there are upto bytes, or there is no more. */
static void reach(struct stream *s, uint64_t upto)
{
	char chunk[MEMBER_CHUNK];

	if (upto <= s->size || s->decoder == NULL)
		return;
	if (upto > s->limit && s->known != MEMBER_SIZE_UNKNOWN && s->known > s->limit)
		decoder_end(s, -EFBIG);
	while (s->decoder != NULL && s->size < upto) {
		int64_t n = s->decoder->ops->read(s->decoder, chunk, sizeof(chunk));
		int r = n > 0 ? put(s, chunk, (size_t)n) : (int)n;

		if (n <= 0 || r < 0)
			decoder_end(s, r);
	}
}

static uint64_t stream_size(struct member_source *source, uint64_t upto)
{
	struct stream *s = (struct stream *)source;

	reach(s, upto);
	return s->size;
}

static int stream_fault(const struct member_source *source)
{
	return ((const struct stream *)source)->err;
}

static int64_t stream_read(struct member_source *source, uint64_t offset, void *buf, size_t len)
{
	struct stream *s = (struct stream *)source;
	ssize_t n;

	reach(s, offset + len);
	if (offset >= s->size)
		return s->err;
	if (len > s->size - offset)
		len = (size_t)(s->size - offset);
	do
		n = pread(s->fd, buf, len, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static void stream_close(struct member_source *source)
{
	struct stream *s = (struct stream *)source;

	if (s->decoder != NULL)
		s->decoder->ops->close(s->decoder);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

static const struct member_source_ops stream_ops = {stream_size, stream_fault, stream_read, stream_close};

int member_stream_open(struct member_decoder *decoder, uint64_t size, uint64_t limit,
		       struct member_source **ret_source)
{
	struct stream *s = malloc(sizeof(*s));

	if (s == NULL) {
		decoder->ops->close(decoder);
		return -ENOMEM;
	}
	*s = (struct stream){.source = {&stream_ops}, .decoder = decoder, .fd = -1, .known = size,
			     .limit = limit};
	*ret_source = &s->source;
	return 0;
}
