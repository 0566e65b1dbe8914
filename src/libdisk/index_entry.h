/*
 * index_entry - an entry of the temporal index, which follow its label without frames
 * (docs/spec/archive.md 8). A last one that is not whole is not there.
 */
#ifndef LIBDISK_INDEX_ENTRY_H
#define LIBDISK_INDEX_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libdisk/limits.h"

struct buffer;

enum {
	INDEX_ENTRY_LEN_V2 = 20,
	INDEX_ENTRY_LEN_V3 = 32,
};

struct index_entry {
	struct timespec stamp;
	int32_t volume;
	int64_t meta_offset; /* in .meta, in bytes */
	int64_t data_offset; /* in the volume: where a record begins */
};

/* Bytes of an entry in an archive of this version. */
static inline size_t index_entry_len(int version)
{
	return version == DISK_V2 ? INDEX_ENTRY_LEN_V2 : INDEX_ENTRY_LEN_V3;
}

/* Reads index_entry_len bytes: any bytes are an entry. The caller checks the values. */
void index_entry_load(const void *p, int version, struct index_entry *ret_entry);

/*
 * Appends an entry. 0; -E2BIG for an offset that version 2 can't hold, -ERANGE for such a time,
 * -ENOMEM; after a failure the buffer is as it was.
 */
int index_entry_encode(struct buffer *out, int version, const struct index_entry *entry);

#endif
