/* index_entry - see index_entry.h. */
#include "libdisk/index_entry.h"

#include <errno.h>

#include "libbase/buffer.h"
#include "libdisk/stamp.h"

void index_entry_load(const void *bytes, int version, struct index_entry *ret_entry)
{
	const uint8_t *p = bytes;

	ret_entry->stamp = stamp_load(p, version);
	p += stamp_len(version);
	ret_entry->volume = (int32_t)load_be32(p);
	p += 4;
	if (version == DISK_V2) {
		ret_entry->meta_offset = (int32_t)load_be32(p);
		ret_entry->data_offset = (int32_t)load_be32(p + 4);
		return;
	}
	ret_entry->meta_offset = (int64_t)load_be64(p);
	ret_entry->data_offset = (int64_t)load_be64(p + 8);
}

static bool offset_fits(int64_t offset, int version)
{
	return version != DISK_V2 ||
	       (offset >= -DISK_V2_OFFSET_MAX - 1 && offset <= DISK_V2_OFFSET_MAX);
}

int index_entry_encode(struct buffer *out, int version, const struct index_entry *entry)
{
	int before = out->err;
	uint8_t *p;

	if (!offset_fits(entry->meta_offset, version) || !offset_fits(entry->data_offset, version))
		return -E2BIG;
	if (!stamp_fits(&entry->stamp, version))
		return -ERANGE;
	p = buffer_reserve(out, index_entry_len(version));
	if (p == NULL) {
		out->err = before;
		return -ENOMEM;
	}
	buffer_commit(out, index_entry_len(version));
	stamp_store(p, &entry->stamp, version);
	p += stamp_len(version);
	store_be32(p, (uint32_t)entry->volume);
	p += 4;
	if (version == DISK_V2) {
		store_be32(p, (uint32_t)entry->meta_offset);
		store_be32(p + 4, (uint32_t)entry->data_offset);
	} else {
		store_be64(p, (uint64_t)entry->meta_offset);
		store_be64(p + 8, (uint64_t)entry->data_offset);
	}
	return 0;
}
