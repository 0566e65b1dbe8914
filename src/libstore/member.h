/*
 * member - the bytes of one file of an archive: a plain file that may grow, or the contents of a
 * compressed one (.xz .lzma .zst by their libraries, loaded at their first use; .gz .bz2 .Z by
 * their programs, started without a shell).
 *
 * An .xz whose blocks are small enough is read block by block in place; every other compressed file
 * is unpacked from its beginning into a file without a name in $PCP_TMPFILE_DIR. The limit of
 * unpacking is at the end of this header.
 *
 * A file that is truncated while it is read returns fewer bytes, never a signal: nothing is mapped
 * that another process can shorten.
 */
#ifndef LIBSTORE_MEMBER_H
#define LIBSTORE_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct member;

enum {
	MEMBER_XZ_BLOCK_MAX = 32 << 20, /* the largest block of an .xz that is kept in memory */
	MEMBER_MEMORY_MAX = 256 << 20,  /* what a decoder may take for its dictionary */
};

/* A member all of which is there. 0; -errno; -EINVAL for what is not a regular file; -EFBIG for one
 * that unpacks to more than its limit, -ENOSPC where there is no space for that (both reported);
 * PM_ERR_LOGREC if it does not decompress, PM_ERR_LOGFILE where its library or program is missing;
 * -ENOMEM. */
int member_open(const char *path, struct member **ret_member);
/* The same, unpacked as far as it is read: what does not decompress, or is too large, shows then.
 */
int member_open_lazy(const char *path, struct member **ret_member);
/* As member_open, for a caller that knows how many bytes it may unpack to. */
int member_open_to(const char *path, uint64_t limit, struct member **ret_member);
void member_close(struct member *m);

/* Bytes that are there, decompressed. Looks again: a plain file may have grown (or been cut). Where
 * it can't be unpacked to its end, so many as could be: member_fault. */
uint64_t member_size(struct member *m);

/* The same, but it may stop to unpack where there are upto bytes, or a few more. */
uint64_t member_size_to(struct member *m, uint64_t upto);

/* Why member_size gave less than all: 0, or an error of member_open. */
int member_fault(struct member *m);

/*
 * Pointer to at least want bytes at offset, and how many there are from there on in the window;
 * valid until the next call on this member. NULL with *ret_left < want if the file ends before. The
 * window is large (sequential reading in either direction costs one system call in hundreds of KB).
 */
const uint8_t *member_at(struct member *m, uint64_t offset, size_t want, size_t *ret_left);

/* The word at offset, which the window holds or is left alone for. 1; 0 if the file ends before its
 * end; or a negative error. */
int member_u32(struct member *m, uint64_t offset, uint32_t *ret_word);

/* True if member_at gives these bytes without reading. */
bool member_holds(const struct member *m, uint64_t offset, size_t want);

/* Copies up to len bytes at offset, without moving the window. The number of bytes, 0 after the
 * end; or a negative error. */
int64_t member_read(struct member *m, uint64_t offset, void *buf, size_t len);

/* Why the last member_at that gave NULL did: 0: the file ends there; -ENOMEM; -errno; -EFBIG,
 * -ENOSPC and PM_ERR_LOGREC as of member_open. */
int member_error(const struct member *m);

/*
 * ---- the limit of unpacking ----
 *
 * The limit of unpacking a compressed member, and the report when it is reached.
 *
 * A few hundred KB can unpack to gigabytes. A member may take MEMBER_FREE_BYTES, or
 * MEMBER_RATIO_MAX times its own size if that is more, and never more than MEMBER_UNPACKED_MAX. The
 * environment variable PITOT_UNPACK_MAX sets another limit: bytes, optionally followed by K, M, G
 * or T, or "none".
 */

#define MEMBER_UNPACKED_MAX ((uint64_t)16 << 30)
#define MEMBER_FREE_BYTES   ((uint64_t)256 << 20)

enum { MEMBER_RATIO_MAX = 500 };

/* The limit of a file of so many bytes. */
uint64_t member_limit(uint64_t packed);

/* Gets one line, without a newline: which file was refused, why, and what lifts the limit. */
typedef void member_refusal(const char *line);

/* The function that gets it from now on; NULL, as at the start, for none. */
void member_on_refusal(member_refusal *report);

#endif
