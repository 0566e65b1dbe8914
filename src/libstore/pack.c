/* pack - see pack.h. */
#include "libstore/pack.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libstore/member_lzma.h"
#include "libstore/member_zst.h"

enum {
	CHUNK = 256 << 10,
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
		if (r == 0 && p->in_block >= PACK_BLOCK) {
			r = pack(p, LZMA_FULL_FLUSH);
			p->in_block = 0;
		}
		if (r != 0)
			return r;
	}
}

static int pack_xz(int in, int out)
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

/*
 * .zst
 */

/* Gives a chunk to the coder; op ZSTD_e_end closes the frame. */
static int code_zst(const struct zstd_library *zstd, ZSTD_CCtx *coder, ZSTD_inBuffer from, uint8_t *to,
		    int out, ZSTD_EndDirective op)
{
	size_t left;
	int r;

	do {
		ZSTD_outBuffer packed = {to, CHUNK, 0};

		left = zstd->ZSTD_compressStream2(coder, &packed, &from, op);
		if (zstd->ZSTD_isError(left))
			return -EIO;
		r = file_write_full(out, to, packed.pos);
	} while (r == 0 && (op == ZSTD_e_end ? left > 0 : from.pos < from.size));
	return r;
}

static int code_all_zst(const struct zstd_library *zstd, ZSTD_CCtx *coder, int in, int out)
{
	AUTO_FREE uint8_t *from = malloc(CHUNK);
	AUTO_FREE uint8_t *to = malloc(CHUNK);
	int r = from != NULL && to != NULL ? 0 : -ENOMEM;

	while (r == 0) {
		ssize_t n = read(in, from, CHUNK);
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

int pack_file(enum archive_form form, int in, int out)
{
	return packs[form](in, out);
}
