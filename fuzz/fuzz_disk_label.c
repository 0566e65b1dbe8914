/*
 * fuzz_disk_label - any bytes as the beginning of an archive's file.
 *
 * A valid label can be written, and reading it again gives the same label.
 */
#include <string.h>

#include "fuzz.h"
#include "libbase/buffer.h"
#include "libbase/endian_be.h"
#include "libdisk/log_label.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log_label label, again;
	struct buffer out = BUFFER_INIT;
	uint8_t *file = malloc(size > 0 ? size : 1);
	int r;

	FUZZ_REQUIRE(file != NULL);
	memcpy(file, data, size);
	memset(&again, 0, sizeof(again));
	r = log_label_decode(file, size, &label);
	FUZZ_REQUIRE(r == 0 || r == PM_ERR_LABEL || (r == PM_ERR_NODATA && size < RECORD_MIN));
	if (r == 0) {
		FUZZ_REQUIRE(log_label_encode(&out, &label) == 0);
		FUZZ_REQUIRE(out.len == log_label_len(label.version));
		FUZZ_REQUIRE(log_label_decode(out.data, out.len, &again) == 0);
		FUZZ_REQUIRE(strcmp(label.host, again.host) == 0);
		FUZZ_REQUIRE(strcmp(label.timezone, again.timezone) == 0);
		FUZZ_REQUIRE(strcmp(label.zoneinfo, again.zoneinfo) == 0);
		FUZZ_REQUIRE(label.start.tv_nsec == again.start.tv_nsec);
		FUZZ_REQUIRE(label.start.tv_sec == again.start.tv_sec);
	}
	buffer_done(&out);
	free(file);
	return 0;
}
