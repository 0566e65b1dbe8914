/* archive_compress - see archive_compress.h. */
#include "libstore/archive_compress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libstore/member.h"
#include "libstore/member_lzma.h"
#include "libstore/store_name.h"

enum {
	CHUNK = 256 << 10,
	PRESET = 1, /* docs/disk.md: more takes the time many times and saves little */
};

struct packer {
	const struct lzma_library *lzma;
	lzma_stream stream;
	int in, out;
	uint8_t *from, *to; /* CHUNK bytes each, owned */
	uint64_t in_block;  /* bytes of the block that is being packed */
};

/* Runs the coder until it wants input, or an action is done. */
static int pack(struct packer *p, lzma_action action)
{
	lzma_ret status;
	int r = 0;

	do {
		p->stream.next_out = p->to;
		p->stream.avail_out = CHUNK;
		status = p->lzma->lzma_code(&p->stream, action);
		if (status != LZMA_OK && status != LZMA_STREAM_END)
			return status == LZMA_MEM_ERROR ? -ENOMEM : -EIO;
		r = file_write_full(p->out, p->to, CHUNK - p->stream.avail_out);
	} while (r == 0 &&
		 (action == LZMA_RUN ? p->stream.avail_in > 0 : status != LZMA_STREAM_END));
	return r;
}

static int pack_all(struct packer *p)
{
	for (;;) {
		ssize_t n = read(p->in, p->from, CHUNK);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return pack(p, LZMA_FINISH);
		p->stream.next_in = p->from;
		p->stream.avail_in = (size_t)n;
		r = pack(p, LZMA_RUN);
		p->in_block += (uint64_t)n;
		if (r == 0 && p->in_block >= ARCHIVE_COMPRESS_BLOCK) {
			r = pack(p, LZMA_FULL_FLUSH);
			p->in_block = 0;
		}
		if (r != 0)
			return r;
	}
}

static int pack_file(int in, int out)
{
	AUTO_FREE uint8_t *from = malloc(CHUNK);
	AUTO_FREE uint8_t *to = malloc(CHUNK);
	struct packer p = {lzma_library(), LZMA_STREAM_INIT, in, out, from, to, 0};
	int r;

	if (p.lzma == NULL || !p.lzma->encoder)
		return -ENOSYS;
	if (from == NULL || to == NULL ||
	    p.lzma->lzma_easy_encoder(&p.stream, PRESET, LZMA_CHECK_CRC64) != LZMA_OK)
		return -ENOMEM;
	r = pack_all(&p);
	p.lzma->lzma_end(&p.stream);
	return r;
}

/* 0 if both members hold the same bytes; -EIO if not. */
static int compare_members(struct member *a, struct member *b)
{
	uint64_t size = member_size(a);
	size_t left;

	if (member_size(b) != size)
		return -EIO;
	for (uint64_t at = 0; at < size;) {
		size_t n = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		const uint8_t *p = member_at(a, at, n, &left), *q = member_at(b, at, n, &left);

		if (p == NULL || q == NULL || memcmp(p, q, n) != 0)
			return -EIO;
		at += n;
	}
	return 0;
}

static int compare_files(const char *plain, const char *packed)
{
	struct member *a, *b;
	int r = member_open(plain, &a);

	if (r != 0)
		return r;
	r = member_open(packed, &b);
	if (r == 0) {
		r = compare_members(a, b);
		member_close(b);
	}
	member_close(a);
	return r;
}

/* Who may read it, and when it was written: ages count from there. */
static int take_over(int in, int out)
{
	struct timespec times[2];
	struct stat st;

	if (fstat(in, &st) < 0 || fchmod(out, st.st_mode & 07777) < 0)
		return -errno;
	if (fchown(out, st.st_uid, st.st_gid) < 0 && errno != EPERM)
		return -errno;
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	if (futimens(out, times) < 0 || fsync(out) < 0)
		return -errno;
	return 0;
}

static int write_packed(const char *path, const char *tmp)
{
	AUTO_FD int in = open(path, O_RDONLY | O_CLOEXEC);
	AUTO_FD int out = -1;
	int r;

	if (in < 0)
		return -errno;
	if (unlink(tmp) < 0 && errno != ENOENT) /* of one that was killed */
		return -errno;
	out = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	r = pack_file(in, out);
	return r == 0 ? take_over(in, out) : r;
}

static int sync_folder(const char *path)
{
	AUTO_FD int fd = store_open_dir(path);

	if (fd < 0)
		return fd;
	return fsync(fd) == 0 || errno == EINVAL ? 0 : -errno;
}

/* Until it is whole and compared its name is no member's: PATH.new.xz. */
static int make_packed(const char *path, const char *packed)
{
	char tmp[PATH_MAX];
	int r = store_name(tmp, path, ".new.xz");

	if (r != 0)
		return r;
	r = write_packed(path, tmp);
	if (r == 0)
		r = compare_files(path, tmp);
	if (r == 0)
		r = store_rename_new(tmp, packed);
	if (r != 0)
		unlink(tmp);
	return r;
}

/* Of a call that was killed before its last step. */
static int compare_packed(const char *path, const char *packed)
{
	int r = compare_files(path, packed);

	return r == -EIO ? -EEXIST : r;
}

int archive_compress(const char *path)
{
	char packed[PATH_MAX];
	int r = store_name(packed, path, ".xz");

	if (r == 0)
		r = access(packed, F_OK) == 0 ? compare_packed(path, packed)
					      : make_packed(path, packed);
	if (r == 0)
		r = sync_folder(path);
	if (r == 0 && unlink(path) < 0)
		r = -errno;
	return r;
}
