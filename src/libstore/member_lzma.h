/*
 * member_lzma - liblzma, loaded when the first compressed member is opened.
 *
 * No program links it: readers of plain archives do not need the library.
 */
#ifndef LIBSTORE_MEMBER_LZMA_H
#define LIBSTORE_MEMBER_LZMA_H

#include <stdbool.h>
#include <stdint.h>

#include <lzma.h>

/* Functions of all versions, and those that came with 5.4: reading by blocks needs them. */
#define LZMA_CALLS(X)                                                                              \
	X(lzma_code) X(lzma_end) X(lzma_stream_decoder) X(lzma_alone_decoder)
#define LZMA_BLOCK_CALLS(X)                                                                        \
	X(lzma_file_info_decoder) X(lzma_filters_free) X(lzma_index_end)                           \
	X(lzma_index_uncompressed_size) X(lzma_index_iter_init) X(lzma_index_iter_next)            \
	X(lzma_index_iter_locate) X(lzma_block_header_decode) X(lzma_block_compressed_size)        \
	X(lzma_block_buffer_decode) X(lzma_raw_decoder_memusage)

#define LZMA_ENCODER_CALLS(X) X(lzma_easy_encoder)

struct lzma_library {
	bool blocks;  /* the second group is there */
	bool encoder; /* and the third */
#define X(call) __typeof__(&call) call;
	LZMA_CALLS(X)
	LZMA_BLOCK_CALLS(X)
	LZMA_ENCODER_CALLS(X)
#undef X
};

struct member_source;

/* NULL if there is none. */
const struct lzma_library *lzma_library(void);

/* A source of an .xz file, which is taken, unpacked from its beginning. size and limit are those of
 * member_stream_open. */
int member_lzma_whole(int fd, uint64_t size, uint64_t limit, struct member_source **ret_source);

#endif
