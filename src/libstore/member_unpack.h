/*
 * member_unpack - a file without a name that takes what a compressed member decompresses to.
 *
 * It lies in $PCP_TMPFILE_DIR (which pmGetConfig sets; /var/tmp without it), in memory where no
 * file can be made there. Bytes go in at the end; the finished file is a plain source.
 */
#ifndef LIBSTORE_MEMBER_UNPACK_H
#define LIBSTORE_MEMBER_UNPACK_H

#include <stddef.h>
#include <stdint.h>

struct member_source;

enum { MEMBER_UNPACK_CHUNK = 128 << 10 }; /* what decompressors read and write at a time */

struct member_unpack {
	int fd; /* owned */
	uint64_t size;
};

/* 0 or -errno. */
int member_unpack_begin(struct member_unpack *unpack);

/* 0; -EFBIG for more than MEMBER_UNPACKED_MAX in all; -errno. */
int member_unpack_add(struct member_unpack *unpack, const void *bytes, size_t len);

/* Ends it: r is how the decompressing went, and is given back if it failed. */
int member_unpack_end(struct member_unpack *unpack, int r, struct member_source **ret_source);

#endif
