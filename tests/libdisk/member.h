/*
 * member - the files of real archives as bytes, for the tests of the codec.
 *
 * A compressed file is read through the program for its suffix. Every file NAME.meta in a folder,
 * compressed or not, is an archive.
 */
#ifndef TESTS_MEMBER_H
#define TESTS_MEMBER_H

#include <stddef.h>
#include <stdint.h>

#include "libbase/buffer.h"

enum member_kind {
	MEMBER_META,
	MEMBER_INDEX,
	MEMBER_DATA,
};

struct member {
	char *path;
	size_t base_len; /* of the archive's name within path */
	enum member_kind kind;
};

struct member_set {
	struct member *members; /* by path: the members of an archive are adjacent */
	size_t n;
};

/* All members of all archives under a folder; none if it can't be read. */
void member_scan(const char *folder, struct member_set *ret_set);
void member_scan_done(struct member_set *set);

/* Appends a member's bytes, decompressed. 0, or -errno; -EIO when the program fails. */
int member_read(const struct member *member, struct buffer *out);

#endif
