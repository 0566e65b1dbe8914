/*
 * members - makes the files of an archive from any bytes, for the targets that read whole archives.
 *
 *     flags | length of index | of metadata | of volume 0 (2 bytes each) | their bytes | volume 1
 *
 * The labels are generated, so that the bytes after them are read. With a flag the last word of
 * each existing record is set to the length in its first word.
 */
#ifndef FUZZ_MEMBERS_H
#define FUZZ_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

enum {
	MEMBERS_V2 = 1,
	MEMBERS_SKIP = 2, /* for the target: skip damage */
	MEMBERS_INDEX = 4,
	MEMBERS_TWO = 8, /* volumes */
	MEMBERS_MEND = 16,
	MEMBERS_HEAD = 7, /* least length of an input */
};

/* Writes the files into a folder that is removed with the process; returns the archive's base, and
 * the flags. */
const char *members_write(const uint8_t *data, size_t size, unsigned int *ret_flags);

#endif
