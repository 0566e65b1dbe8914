/* archive_compress - see archive_compress.h. */
#include "libstore/archive_compress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libstore/archive_files.h"
#include "libstore/member.h"
#include "libstore/member_inner.h"

/* ---- the bytes of a file in a compressed form ---- */

enum {
	PACK_CHUNK = 256 << 10,
	PRESET = 1, /* docs/disk.md: more takes the time many times and saves little */
	LEVEL = 3,  /* of zstd */
};

/*
 * .xz
 */

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
		p->stream.avail_out = PACK_CHUNK;
		status = p->lzma->lzma_code(&p->stream, action);
		if (status != LZMA_OK && status != LZMA_STREAM_END)
			return status == LZMA_MEM_ERROR ? -ENOMEM : -EIO;
		r = file_write_full(p->out, p->to, PACK_CHUNK - p->stream.avail_out);
	} while (r == 0 &&
		 (action == LZMA_RUN ? p->stream.avail_in > 0 : status != LZMA_STREAM_END));
	return r;
}

static int pack_all(struct packer *p)
{
	for (;;) {
		ssize_t n = read(p->in, p->from, PACK_CHUNK);
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

static int pack_xz(int in, int out)
{
	AUTO_FREE uint8_t *from = malloc(PACK_CHUNK);
	AUTO_FREE uint8_t *to = malloc(PACK_CHUNK);
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

/*
 * .zst
 */

/* Gives a chunk to the coder; op ZSTD_e_end closes the frame. */
static int code_zst(const struct zstd_library *zstd, ZSTD_CCtx *coder, ZSTD_inBuffer from,
		    uint8_t *to, int out, ZSTD_EndDirective op)
{
	size_t left;
	int r;

	do {
		ZSTD_outBuffer packed = {to, PACK_CHUNK, 0};

		left = zstd->ZSTD_compressStream2(coder, &packed, &from, op);
		if (zstd->ZSTD_isError(left))
			return -EIO;
		r = file_write_full(out, to, packed.pos);
	} while (r == 0 && (op == ZSTD_e_end ? left > 0 : from.pos < from.size));
	return r;
}

static int code_all_zst(const struct zstd_library *zstd, ZSTD_CCtx *coder, int in, int out)
{
	AUTO_FREE uint8_t *from = malloc(PACK_CHUNK);
	AUTO_FREE uint8_t *to = malloc(PACK_CHUNK);
	int r = from != NULL && to != NULL ? 0 : -ENOMEM;

	while (r == 0) {
		ssize_t n = read(in, from, PACK_CHUNK);
		ZSTD_inBuffer chunk = {from, n > 0 ? (size_t)n : 0, 0};

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		r = code_zst(zstd, coder, chunk, to, out, n == 0 ? ZSTD_e_end : ZSTD_e_continue);
		if (n == 0)
			break;
	}
	return r;
}

static int pack_zst(int in, int out)
{
	const struct zstd_library *zstd = zstd_library();
	ZSTD_CCtx *coder;
	int r;

	if (zstd == NULL || !zstd->encoder)
		return -ENOSYS;
	coder = zstd->ZSTD_createCCtx();
	if (coder == NULL)
		return -ENOMEM;
	zstd->ZSTD_CCtx_setParameter(coder, ZSTD_c_compressionLevel, LEVEL);
	zstd->ZSTD_CCtx_setParameter(coder, ZSTD_c_checksumFlag, 1);
	r = code_all_zst(zstd, coder, in, out);
	zstd->ZSTD_freeCCtx(coder);
	return r;
}

static int (*const packs[])(int in, int out) = {
    [ARCHIVE_XZ] = pack_xz,
    [ARCHIVE_ZST] = pack_zst,
};

/* From where in is to its end. 0; -ENOSYS without the library; -EIO, -errno, -ENOMEM. */
static int pack_file(enum archive_form form, int in, int out)
{
	return packs[form](in, out);
}

/* ---- the file ---- */

enum { COMPRESS_CHUNK = 256 << 10 };

/* 0 if both members hold the same bytes; -EIO if not. */
static int compare_members(struct member *a, struct member *b)
{
	uint64_t size = member_size(a);
	size_t left;

	if (member_size(b) != size)
		return -EIO;
	for (uint64_t at = 0; at < size;) {
		size_t n = size - at < COMPRESS_CHUNK ? (size_t)(size - at) : COMPRESS_CHUNK;
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
	/* It was made of ours: however well it was compressed, there is a bound. */
	r = member_open_to(packed, member_size(a) + 1, &b);
	if (r == -EFBIG)
		r = -EIO;
	if (r == 0) {
		r = compare_members(a, b);
		member_close(b);
	}
	member_close(a);
	return r;
}

/* Copies the mode and the time of the last write: ages count from that time. */
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

static int write_packed(const char *path, const char *tmp, enum archive_form form)
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
	r = pack_file(form, in, out);
	return r == 0 ? take_over(in, out) : r;
}

static int sync_folder(const char *path)
{
	AUTO_FD int fd = store_open_dir(path);

	if (fd < 0)
		return fd;
	return fsync(fd) == 0 || errno == EINVAL ? 0 : -errno;
}

/* Until it is whole and compared, its name is PATH.new.xz, which is not the name of a member. */
static const struct names {
	const char *packed, *tmp;
} names[] = {
    [ARCHIVE_XZ] = {".xz", ".new.xz"},
    [ARCHIVE_ZST] = {".zst", ".new.zst"},
};

static int make_packed(const char *path, enum archive_form form)
{
	char tmp[PATH_MAX], packed[PATH_MAX];
	int r = store_name(tmp, path, names[form].tmp);

	if (r == 0)
		r = store_name(packed, path, names[form].packed);
	if (r != 0)
		return r;
	r = write_packed(path, tmp, form);
	if (r == 0)
		r = compare_files(path, tmp);
	if (r == 0)
		r = store_rename_new(tmp, packed);
	if (r != 0)
		unlink(tmp);
	return r;
}

/* Of a call that was killed before its last step, in whatever form. 1: there is none. */
static int compare_packed(const char *path)
{
	char packed[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int r = store_name(packed, path, names[i].packed);

		if (r != 0)
			return r;
		if (access(packed, F_OK) != 0)
			continue;
		r = compare_files(path, packed);
		return r == -EIO ? -EEXIST : r;
	}
	return 1;
}

/* Two compressors must not take each other's files for their own. Where a folder cannot be locked,
 * there is no such protection. */
static int lock(const char *path, int *ret_fd)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return -EBUSY;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int archive_compress(const char *path, enum archive_form form)
{
	AUTO_FD int held = -1;
	int r = lock(path, &held);

	if (r == 0)
		r = compare_packed(path);
	if (r == 1)
		r = make_packed(path, form);
	if (r == 0)
		r = sync_folder(path);
	if (r == 0 && unlink(path) < 0)
		r = -errno;
	return r;
}

void archive_compress_clean(const char *path)
{
	AUTO_FD int held = -1;
	char tmp[PATH_MAX];

	if (lock(path, &held) == -EBUSY)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (store_name(tmp, path, names[i].tmp) == 0)
			unlink(tmp);
	}
}
