/*
 * member_stream - a compressed member that can only be unpacked from its beginning.
 *
 * It is unpacked as far as it is read, into a file without a name in $PCP_TMPFILE_DIR (which
 * pmGetConfig sets; /var/tmp without it), or in memory if no file can be made there. Bytes that
 * were unpacked once are read from that file.
 */
#ifndef LIBSTORE_MEMBER_STREAM_H
#define LIBSTORE_MEMBER_STREAM_H

#include <stddef.h>
#include <stdint.h>

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

#endif
