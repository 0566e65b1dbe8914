/*
 * member_inner - where the bytes of a member come from: sources, over which member.c puts its
 * window.
 *
 * A source knows its size and copies bytes out; it keeps no position.
 */
#ifndef LIBSTORE_MEMBER_INNER_H
#define LIBSTORE_MEMBER_INNER_H

#include <lzma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

struct member_source;

struct member_source_ops {
	/* The number of bytes. A source that must unpack to know it may stop at upto or after
	 * it. */
	uint64_t (*size)(struct member_source *source, uint64_t upto);
	/* Why there are no more than size gave last, if that is not all: a negative error. */
	int (*fault)(const struct member_source *source);
	/* Copies up to len bytes at offset. The number of bytes, 0 after the end; or a negative
	 * error. */
	int64_t (*read)(struct member_source *source, uint64_t offset, void *buf, size_t len);
	void (*close)(struct member_source *source);
};

/* First in each kind's own struct. */
struct member_source {
	const struct member_source_ops *ops;
};

/*
 * Each opens a source over a file that was opened for reading and that it takes, also when it
 * fails. Errors are those of member_open; option is the program's name where one is run, limit is
 * the last byte that may be read of what unpacks.
 */
typedef int (*member_source_open)(int fd, const char *option, uint64_t limit,
				  struct member_source **ret_source);

int member_source_xz(int fd, const char *option, uint64_t limit, struct member_source **ret_source);
int member_source_lzma(int fd, const char *option, uint64_t limit,
		       struct member_source **ret_source);
int member_source_zst(int fd, const char *option, uint64_t limit,
		      struct member_source **ret_source);
int member_source_program(int fd, const char *option, uint64_t limit,
			  struct member_source **ret_source);

/*
 * ---- streams ----
 *
 * A compressed member that can only be unpacked from its beginning.
 *
 * It is unpacked as far as it is read, into a file without a name in $PCP_TMPFILE_DIR (which
 * pmGetConfig sets; /var/tmp without it), or in memory if no file can be made there. Bytes that
 * were unpacked once are read from that file.
 */

struct member_source;

enum { MEMBER_CHUNK = 128 << 10 }; /* what decoders read and write at a time */

/* No size is known before the end is reached. */
#define MEMBER_SIZE_UNKNOWN UINT64_MAX

struct member_decoder;

struct member_decoder_ops {
	/* The next bytes, up to len. How many, 0 at the end; or a negative error. */
	int64_t (*read)(struct member_decoder *decoder, void *buf, size_t len);
	void (*close)(struct member_decoder *decoder);
};

/* First in each kind's own struct. */
struct member_decoder {
	const struct member_decoder_ops *ops;
};

/*
 * Makes a source over a decoder, which it takes, also when it fails. Nothing is unpacked yet. size
 * is the unpacked size, if the file has it. Reading fails with -EFBIG beyond limit, at once if size
 * is beyond it, and with -ENOSPC before it takes more than half of the free space.
 */
int member_stream_open(struct member_decoder *decoder, uint64_t size, uint64_t limit,
		       struct member_source **ret_source);

/*
 * ---- liblzma and libzstd, loaded at their first use ----
 *
 * No program links them: readers of plain archives do not need the libraries.
 */

/* clang-format off */
/* Functions of all versions, and those that came with 5.4: reading by blocks needs them. */
#define LZMA_CALLS(X)                                                                              \
	X(lzma_code) X(lzma_end) X(lzma_stream_decoder) X(lzma_alone_decoder)
#define LZMA_BLOCK_CALLS(X)                                                                        \
	X(lzma_file_info_decoder) X(lzma_filters_free) X(lzma_index_end)                           \
	X(lzma_index_uncompressed_size) X(lzma_index_iter_init) X(lzma_index_iter_next)            \
	X(lzma_index_iter_locate) X(lzma_block_header_decode) X(lzma_block_compressed_size)        \
	X(lzma_block_buffer_decode) X(lzma_raw_decoder_memusage)
#define LZMA_ENCODER_CALLS(X) X(lzma_easy_encoder)
/* clang-format on */

struct lzma_library {
	bool blocks;  /* the second group is there */
	bool encoder; /* and the third */
#define X(call) __typeof__(&call) call;
	LZMA_CALLS(X)
	LZMA_BLOCK_CALLS(X)
	LZMA_ENCODER_CALLS(X)
#undef X
};

/* NULL if there is none. */
const struct lzma_library *lzma_library(void);

/* A source of an .xz file, which is taken, unpacked from its beginning. size and limit are those of
 * member_stream_open. */
int member_lzma_whole(int fd, uint64_t size, uint64_t limit, struct member_source **ret_source);

#define ZSTD_CALLS(X)                                                                              \
	X(ZSTD_createDStream) X(ZSTD_freeDStream) X(ZSTD_decompressStream) X(ZSTD_isError)
#define ZSTD_ENCODER_CALLS(X)                                                                      \
	X(ZSTD_createCCtx) X(ZSTD_freeCCtx) X(ZSTD_CCtx_setParameter) X(ZSTD_compressStream2)

struct zstd_library {
	bool encoder; /* the second group is there */
#define X(call) __typeof__(&call) call;
	ZSTD_CALLS(X)
	ZSTD_ENCODER_CALLS(X)
#undef X
};

/* NULL if there is none. */
const struct zstd_library *zstd_library(void);

#endif
