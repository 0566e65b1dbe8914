/*
 * member_xz - a member in .xz form, read block by block in place.
 *
 * The index at the file's end has the offset of each block, in the file and in the unpacked bytes.
 * Two unpacked blocks are kept: reading in either direction crosses a boundary between two. A file
 * with a block larger than is kept in memory is unpacked from its beginning (member_stream).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libstore/member.h"
#include "libstore/member_inner.h"

enum { CACHE = 2, INDEX_MEMORY_MAX = 64 << 20, PACKED_MAX = MEMBER_XZ_BLOCK_MAX / 2 * 3 };

struct xz_block {
	uint64_t offset; /* of its first byte, unpacked */
	size_t len;      /* 0: nothing is kept here */
	uint8_t *bytes;  /* owned */
};

struct xz {
	struct member_source source;
	const struct lzma_library *lzma;
	int fd;            /* owned */
	lzma_index *index; /* owned */
	uint64_t limit;
	struct xz_block cache[CACHE];
	size_t last; /* used */
};

static uint64_t xz_size(struct member_source *source, uint64_t upto)
{
	const struct xz *xz = (struct xz *)source;

	(void)upto;
	return xz->lzma->lzma_index_uncompressed_size(xz->index);
}

static int xz_fault(const struct member_source *source)
{
	const struct xz *xz = (const struct xz *)source;

	return xz->lzma->lzma_index_uncompressed_size(xz->index) > xz->limit ? -EFBIG : 0;
}

static int read_at(int fd, uint64_t offset, uint8_t *buf, size_t len)
{
	while (len > 0) {
		ssize_t n = pread(fd, buf, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return PM_ERR_LOGREC; /* it was cut since the index was read */
		buf += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Unpacks a block whose header and filters were read. */
static int filters_run(const struct xz *xz, lzma_block *block, const lzma_index_iter *at,
		       const uint8_t *packed, uint8_t *out)
{
	const struct lzma_library *lzma = xz->lzma;
	size_t in_pos = block->header_size, out_pos = 0;
	lzma_ret status = lzma->lzma_block_compressed_size(block, at->block.unpadded_size);

	if (status != LZMA_OK ||
	    lzma->lzma_raw_decoder_memusage(block->filters) > (uint64_t)MEMBER_MEMORY_MAX)
		return PM_ERR_LOGREC;
	status = lzma->lzma_block_buffer_decode(block, NULL, packed, &in_pos, at->block.total_size,
						out, &out_pos, at->block.uncompressed_size);
	if (status == LZMA_OK && out_pos == at->block.uncompressed_size)
		return 0;
	return status == LZMA_MEM_ERROR ? -ENOMEM : PM_ERR_LOGREC;
}

static int block_decode(const struct xz *xz, const lzma_index_iter *at, const uint8_t *packed,
			uint8_t *out)
{
	lzma_filter filters[LZMA_FILTERS_MAX + 1];
	lzma_block block = {.version = 1, .check = at->stream.flags->check, .filters = filters};
	lzma_ret status;
	int r;

	block.header_size = lzma_block_header_size_decode(packed[0]);
	if (packed[0] == 0 || block.header_size > at->block.total_size)
		return PM_ERR_LOGREC;
	status = xz->lzma->lzma_block_header_decode(&block, NULL, packed);
	if (status != LZMA_OK)
		return status == LZMA_MEM_ERROR ? -ENOMEM : PM_ERR_LOGREC;
	r = filters_run(xz, &block, at, packed, out);
	xz->lzma->lzma_filters_free(filters, NULL);
	return r;
}

/* Reads and unpacks the block at a place of the index into one of the cache. */
static int block_load(const struct xz *xz, const lzma_index_iter *at, struct xz_block *block)
{
	AUTO_FREE uint8_t *packed = NULL;
	int r;

	block->len = 0;
	if (at->block.total_size > PACKED_MAX || at->block.uncompressed_size > MEMBER_XZ_BLOCK_MAX)
		return PM_ERR_LOGREC;
	free(block->bytes);
	block->bytes = malloc(at->block.uncompressed_size);
	packed = malloc(at->block.total_size);
	if (block->bytes == NULL || packed == NULL)
		return -ENOMEM;
	r = read_at(xz->fd, at->block.compressed_file_offset, packed, at->block.total_size);
	if (r == 0)
		r = block_decode(xz, at, packed, block->bytes);
	if (r < 0)
		return r;
	block->offset = at->block.uncompressed_file_offset;
	block->len = at->block.uncompressed_size;
	return 0;
}

/* The block that holds an offset: 1; 0 after the end; or a negative error. */
static int block_of(struct xz *xz, uint64_t offset, const struct xz_block **ret_block)
{
	lzma_index_iter at;

	for (size_t i = 0; i < CACHE; i++) {
		const struct xz_block *block = &xz->cache[i];

		if (offset >= block->offset && offset - block->offset < block->len) {
			xz->last = i;
			*ret_block = block;
			return 1;
		}
	}
	xz->lzma->lzma_index_iter_init(&at, xz->index);
	if (xz->lzma->lzma_index_iter_locate(&at, offset))
		return 0;
	xz->last = (xz->last + 1) % CACHE;
	*ret_block = &xz->cache[xz->last];
	int r = block_load(xz, &at, &xz->cache[xz->last]);

	return r < 0 ? r : 1;
}

static int64_t xz_read(struct member_source *source, uint64_t offset, void *buf, size_t len)
{
	const struct xz_block *block;
	struct xz *xz = (struct xz *)source;
	size_t n;
	int r;

	if (offset >= xz->limit)
		return xz_fault(source);
	r = block_of(xz, offset, &block);
	if (r <= 0)
		return r;
	n = block->len - (size_t)(offset - block->offset);
	if (n > len)
		n = len;
	memcpy(buf, block->bytes + (offset - block->offset), n);
	return (int64_t)n;
}

static void xz_close(struct member_source *source)
{
	struct xz *xz = (struct xz *)source;

	for (size_t i = 0; i < CACHE; i++)
		free(xz->cache[i].bytes);
	xz->lzma->lzma_index_end(xz->index, NULL);
	close(xz->fd);
	free(xz);
}

static const struct member_source_ops xz_ops = {xz_size, xz_fault, xz_read, xz_close};

/* Gives the decoder the bytes it asks for until it has the index. */
static int index_run(const struct lzma_library *lzma, lzma_stream *stream, int fd)
{
	AUTO_FREE uint8_t *chunk = malloc(MEMBER_CHUNK);
	uint64_t offset = 0;
	lzma_ret status = LZMA_OK;

	if (chunk == NULL)
		return -ENOMEM;
	while (status == LZMA_OK || status == LZMA_SEEK_NEEDED) {
		if (status == LZMA_SEEK_NEEDED) {
			offset = stream->seek_pos;
			stream->avail_in = 0;
		}
		if (stream->avail_in == 0) {
			ssize_t n = pread(fd, chunk, MEMBER_CHUNK, (off_t)offset);

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return n < 0 ? -errno : PM_ERR_LOGREC;
			stream->next_in = chunk;
			stream->avail_in = (size_t)n;
			offset += (uint64_t)n;
		}
		status = lzma->lzma_code(stream, LZMA_RUN);
	}
	return status == LZMA_STREAM_END ? 0 : PM_ERR_LOGREC;
}

/* The index of a file; a failure means that it can't be read by blocks. */
static int index_load(const struct lzma_library *lzma, int fd, lzma_index **ret_index)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	*ret_index = NULL;
	if (lzma->lzma_file_info_decoder(&stream, ret_index, INDEX_MEMORY_MAX,
					 (uint64_t)st.st_size) != LZMA_OK)
		return -ENOMEM;
	r = index_run(lzma, &stream, fd);
	lzma->lzma_end(&stream);
	return r;
}

static bool index_is_fine(const struct lzma_library *lzma, const lzma_index *index)
{
	lzma_index_iter at;

	lzma->lzma_index_iter_init(&at, index);
	while (!lzma->lzma_index_iter_next(&at, LZMA_INDEX_ITER_NONEMPTY_BLOCK)) {
		if (at.block.uncompressed_size > MEMBER_XZ_BLOCK_MAX ||
		    at.block.total_size > PACKED_MAX)
			return false;
	}
	return true;
}

/* A file that cannot be read by blocks; its index, if it has one, has its unpacked size. */
static int open_whole(const struct lzma_library *lzma, lzma_index *index, int fd, uint64_t limit,
		      struct member_source **ret_source)
{
	uint64_t size = MEMBER_SIZE_UNKNOWN;

	if (index != NULL) {
		size = lzma->lzma_index_uncompressed_size(index);
		lzma->lzma_index_end(index, NULL);
	}
	return member_lzma_whole(fd, size, limit, ret_source);
}

int member_source_xz(int fd, const char *option, uint64_t limit, struct member_source **ret_source)
{
	const struct lzma_library *lzma = lzma_library();
	lzma_index *index = NULL;
	struct xz *xz;

	(void)option;
	if (lzma == NULL || !lzma->blocks || index_load(lzma, fd, &index) < 0)
		return open_whole(lzma, NULL, fd, limit, ret_source);
	if (!index_is_fine(lzma, index))
		return open_whole(lzma, index, fd, limit, ret_source);
	xz = calloc(1, sizeof(*xz));
	if (xz == NULL) {
		lzma->lzma_index_end(index, NULL);
		close(fd);
		return -ENOMEM;
	}
	xz->source.ops = &xz_ops;
	xz->lzma = lzma;
	xz->fd = fd;
	xz->index = index;
	xz->limit = limit;
	*ret_source = &xz->source;
	return 0;
}
