/*
 * fuzz_disk_index - any bytes as a temporal index after its label.
 *
 * The first byte selects the version. Every complete entry can be read, and is written unchanged;
 * entries of version 3 that version 2 cannot hold are refused.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "libbase/buffer.h"
#include "libdisk/index_entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer out = BUFFER_INIT;
	int version;
	size_t len;

	if (size < 1)
		return 0;
	version = data[0] & 1 ? DISK_V3 : DISK_V2;
	len = index_entry_len(version);
	for (data++, size--; size >= len; data += len, size -= len) {
		struct index_entry entry;
		uint8_t copy[INDEX_ENTRY_LEN_V3];
		int r;

		memcpy(copy, data, len);
		index_entry_load(copy, version, &entry);
		FUZZ_REQUIRE(index_entry_encode(&out, version, &entry) == 0);
		FUZZ_REQUIRE(out.len == len && memcmp(out.data, copy, len) == 0);
		buffer_reset(&out);
		r = index_entry_encode(&out, DISK_V2, &entry);
		FUZZ_REQUIRE(r == 0 || (version == DISK_V3 && (r == -E2BIG || r == -ERANGE)));
		FUZZ_REQUIRE(out.len == (r == 0 ? INDEX_ENTRY_LEN_V2 : 0u));
		buffer_reset(&out);
	}
	buffer_done(&out);
	return 0;
}
