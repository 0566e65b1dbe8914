/*
 * members - the files of an archive, out of any bytes: for the targets that read whole archives.
 *
 *     flags | length of index | of metadata | of volume 0 (2 bytes each) | their bytes | volume 1
 *
 * Labels are made, so that what follows them is read. With a flag the last word of records is made
 * what their first says, as far as they are there.
 */
#ifndef FUZZ_MEMBERS_H
#define FUZZ_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

enum {
	MEMBERS_V2 = 1,
	MEMBERS_SKIP = 2, /* the target's: damage is to be skipped */
	MEMBERS_INDEX = 4,
	MEMBERS_TWO = 8, /* volumes */
	MEMBERS_MEND = 16,
	MEMBERS_HEAD = 7, /* least length of an input */
};

/* Writes them into a folder that goes with the process: the archive's base, and the flags. */
const char *members_write(const uint8_t *data, size_t size, unsigned int *ret_flags);

#endif
