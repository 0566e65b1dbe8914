/*
 * member_limit - the limit of unpacking a compressed member, and the report when it is reached.
 *
 * A few hundred KB can unpack to gigabytes. A member may take MEMBER_FREE_BYTES, or
 * MEMBER_RATIO_MAX times its own size if that is more, and never more than MEMBER_UNPACKED_MAX. The
 * environment variable PITOT_UNPACK_MAX sets another limit: bytes, optionally followed by K, M, G
 * or T, or "none".
 */
#ifndef LIBSTORE_MEMBER_LIMIT_H
#define LIBSTORE_MEMBER_LIMIT_H

#include <stdint.h>

#define MEMBER_UNPACKED_MAX ((uint64_t)16 << 30)
#define MEMBER_FREE_BYTES   ((uint64_t)256 << 20)

enum { MEMBER_RATIO_MAX = 500 };

/* The limit of a file of so many bytes. */
uint64_t member_limit(uint64_t packed);

/* Gets one line, without a newline: which file was refused, why, and what lifts the limit. */
typedef void member_refusal(const char *line);

/* The function that gets it from now on; NULL, as at the start, for none. */
void member_on_refusal(member_refusal *report);

/* Reports that a file was refused for -EFBIG or -ENOSPC: once, as long as it is the same file. */
void member_limit_report(const char *path, uint64_t limit, int error);

#endif
