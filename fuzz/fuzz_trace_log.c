/*
 * fuzz_trace_log - any bytes as a trace log: opened, read twice, recovered.
 *
 * The first byte selects the checksums that are corrected first, so that the code after them is
 * reached: 1 the head's, 2 those of blocks, 4 the trailer's. A log that opens is read to its end
 * twice with the same result; a recovered file is a valid log.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "libtrace/crc.h"
#include "libtrace/log_format.h"
#include "libtrace/log_reader.h"

enum { INPUT_MAX = 1 << 16 };

static void put_le32(uint8_t *at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(v >> 8 * i);
}

static uint32_t get_le32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void mend_blocks(uint8_t *log, size_t len)
{
	uint64_t place = LOG_BLOCK_HEAD + (uint64_t)get_le32(log + 24);

	for (uint64_t at = LOG_HEAD; at + LOG_BLOCK_HEAD <= len; at += place) {
		uint32_t used = get_le32(log + at + 16), crc;

		memcpy(log + at + 4, log + 12, 4);
		if (used > len - at - LOG_BLOCK_HEAD)
			continue;
		crc = crc32c(0, log + at + LOG_BLOCK_HEAD, used);
		put_le32(log + at + 28, crc32c(crc, log + at, LOG_BLOCK_HEAD - 4));
	}
}

static void mend_trailer(uint8_t *log, size_t len)
{
	uint32_t bytes = get_le32(log + len - 12);

	if (bytes < LOG_TRAILER_HEAD + LOG_TRAILER_TAIL || bytes > len)
		return;
	memcpy(log + len - bytes + 8, log + 12, 4);
	put_le32(log + len - 16, crc32c(0, log + len - bytes, bytes - LOG_TRAILER_TAIL));
}

static void mend(uint8_t *log, size_t len, uint8_t which)
{
	if (len < LOG_HEAD)
		return;
	if ((which & 1) != 0)
		put_le32(log + LOG_HEAD - 4, crc32c(0, log, LOG_HEAD - 4));
	if ((which & 2) != 0)
		mend_blocks(log, len);
	if ((which & 4) != 0)
		mend_trailer(log, len);
}

/* The number of events, and the sum of their bytes, so that all of them are read. */
static uint64_t read_all(struct log_reader *log, uint64_t *ret_count)
{
	struct event event;
	uint64_t sum = 0, count = 0;
	int r;

	while ((r = log_reader_next(log, &event)) == 1) {
		for (uint32_t i = 0; i < event.length; i++)
			sum += ((const uint8_t *)event.data)[i];
		count++;
	}
	FUZZ_REQUIRE(r == 0);
	*ret_count = count;
	return sum;
}

static uint64_t check_log(int fd)
{
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP];
	struct log_reader *log;
	trace_event_id_t id = 0, last = 0;
	uint64_t sum, count, again;
	const char *name;
	size_t n;

	if (log_reader_open(fd, &log) < 0)
		return UINT64_MAX;
	sum = read_all(log, &count);
	log_reader_rewind(log);
	FUZZ_REQUIRE(read_all(log, &again) == sum && again == count);
	while (log_reader_type(log, id, &id, &name)) {
		FUZZ_REQUIRE(id > last && strlen(name) <= TRACE_EVENT_NAME_MAX);
		FUZZ_REQUIRE(log_reader_fields(log, id, fields, POSIX_TRACE_FIELDS_MAX_NP, &n) ==
			     0);
		last = id;
	}
	log_reader_close(log);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t log[INPUT_MAX];
	static int from = -1, to = -1;
	uint64_t kept, dropped, count;

	if (size < 1 || size > sizeof(log))
		return 0;
	if (from < 0) {
		from = memfd_create("from", MFD_CLOEXEC);
		to = memfd_create("to", MFD_CLOEXEC);
	}
	memcpy(log, data + 1, size - 1);
	mend(log, size - 1, data[0]);
	FUZZ_REQUIRE(ftruncate(from, 0) == 0 &&
		     pwrite(from, log, size - 1, 0) == (ssize_t)(size - 1));
	count = check_log(from);
	if (log_recover(from, to, &kept, &dropped) == 0) {
		FUZZ_REQUIRE(check_log(to) == kept);
		FUZZ_REQUIRE(count == UINT64_MAX || count == kept);
	}
	return 0;
}
