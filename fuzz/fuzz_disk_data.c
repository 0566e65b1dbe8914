/*
 * fuzz_disk_data - any bytes as a record of a data volume.
 *
 * The first byte selects the version; the two length words are set to the actual length. A view of
 * any bytes can be walked. A record that passes the check can be converted to a result and written
 * from it, and can be copied to the other version and back.
 */
#include <string.h>

#include "fuzz.h"
#include "libbase/buffer.h"
#include "libbase/endian_be.h"
#include "libdisk/result_record.h"
#include "libdisk/result_view.h"

/* Walks over the whole record; returns the number of values, or an error. */
static int64_t walk_all(const struct result_view *view)
{
	struct result_walk walk = result_walk_begin(view);
	struct vset_view set, found;
	struct wire_value value;
	pmAtomValue atom;
	int64_t n = 0;
	int r;

	while ((r = result_walk_next(view, &walk, &set)) > 0) {
		FUZZ_REQUIRE(result_view_find(view, set.pmid, &found) == 1);
		for (int32_t i = 0; i < set.numval; i++, n++) {
			r = vset_view_value(view, &set, i, &value);
			if (r < 0)
				return r;
			FUZZ_REQUIRE(value.inst == vset_view_inst(&set, i));
			if (value.block_len > 0)
				wire_value_number(&value, value.block[0], &atom);
			else
				wire_value_number(&value, PM_TYPE_U32, &atom);
		}
		if (n > 100000)
			break;
	}
	return r < 0 ? r : n;
}

static void check_host(int version, const uint8_t *record, size_t size)
{
	struct buffer out = BUFFER_INIT;
	pmHighResResult *result = NULL;

	FUZZ_REQUIRE(result_record_to_host(version, record, size, &result) == 0);
	FUZZ_REQUIRE(result_record_put(&out, version, &result->timestamp, result->vset,
				       (uint32_t)result->numpmid) == 0);
	FUZZ_REQUIRE(out.len == size);
	buffer_done(&out);
	free(result);
}

static void check_copy(int version, const uint8_t *record, size_t size,
		       const struct result_view *view)
{
	struct buffer out = BUFFER_INIT, back = BUFFER_INIT;
	struct result_view other;
	int to = version == DISK_V2 ? DISK_V3 : DISK_V2;

	if (result_record_copy(&out, to, &view->stamp, view) == 0) {
		FUZZ_REQUIRE(result_view_init(&other, to, out.data, out.len) == 0);
		FUZZ_REQUIRE(result_view_check(&other) == 0);
		FUZZ_REQUIRE(result_record_copy(&back, version, &view->stamp, &other) == 0);
		FUZZ_REQUIRE(back.len == size && memcmp(back.data, record, size) == 0);
	}
	buffer_done(&out);
	buffer_done(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result_view view;
	uint8_t *record;
	int64_t values;
	int version;

	if (size < RECORD_MIN + 1)
		return 0;
	version = data[0] & 1 ? DISK_V3 : DISK_V2;
	size--;
	record = malloc(size);
	FUZZ_REQUIRE(record != NULL);
	memcpy(record, data + 1, size);
	store_be32(record, (uint32_t)size);
	store_be32(record + size - 4, (uint32_t)size);
	if (result_view_init(&view, version, record, size) == 0) {
		values = walk_all(&view);
		if (result_view_check(&view) == 0) {
			FUZZ_REQUIRE(values >= 0);
			check_host(version, record, size);
			check_copy(version, record, size, &view);
		} else {
			pmHighResResult *none;

			FUZZ_REQUIRE(result_record_to_host(version, record, size, &none) ==
				     PM_ERR_LOGREC);
		}
	}
	free(record);
	return 0;
}
