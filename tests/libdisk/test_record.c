/* test_record - frames, stamps, labels and index entries: their edges. */
#include "libdisk/record.h"

#include <errno.h>

#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libdisk/stamp.h"
#include "wire_test.h"

static void frames(void **state)
{
	static const struct {
		const char *what;
		const char *hex;
		int r;
		size_t len; /* unless r < 0 */
	} cases[] = {
	    {"nothing", "", 0, 4},
	    {"3 bytes", "000000", 0, 4},
	    {"a length alone", "0000000c", 0, 12},
	    {"one byte short", "0000000c 01020304 000000", 0, 12},
	    {"whole", "0000000c 01020304 0000000c", 1, 12},
	    {"more behind it", "0000000c 01020304 0000000c ff", 1, 12},
	    {"the shortest", "00000008 00000008", 1, 8},
	    {"the last word differs", "0000000c 01020304 0000000d", PM_ERR_LOGREC, 0},
	    {"too short", "00000007 00000007", PM_ERR_LOGREC, 0},
	    {"negative", "ffffffff 00000007", PM_ERR_LOGREC, 0},
	    {"too long", "10000001", PM_ERR_LOGREC, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len, got = 0;
		AUTO_FREE uint8_t *bytes = wire_test_hex(cases[i].hex, &len);
		int r = record_frame(bytes, len, &got);

		if (r != cases[i].r || (r >= 0 && got != cases[i].len))
			fail_msg("%s: %d, %zu", cases[i].what, r, got);
	}
}

/* The example of docs/spec/archive.md 3, and the ends of each form. */
static void stamps(void **state)
{
	static const struct {
		int version;
		const char *hex;
		int64_t sec, nsec;
	} cases[] = {
	    {3, "6b0066e4 00000000 186ecbd2", 1795188452, 409914322},
	    {3, "00000000 00000001 00000000", (int64_t)1 << 32, 0},
	    {3, "ffffffff ffffffff 3b9ac9ff", -1, 999999999},
	    {2, "6b0066e4 00064172", 1795188452, 409970000},
	    {2, "7fffffff 000f423f", 0x7fffffff, 999999000},
	    {2, "ffffffff ffffffff", -1, -1000},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len;
		AUTO_FREE uint8_t *bytes = wire_test_hex(cases[i].hex, &len);
		struct timespec stamp = stamp_load(bytes, cases[i].version);
		uint8_t out[STAMP_LEN_V3];

		assert_int_equal(len, stamp_len(cases[i].version));
		assert_true(stamp.tv_sec == cases[i].sec && stamp.tv_nsec == cases[i].nsec);
		assert_true(stamp_fits(&stamp, cases[i].version));
		stamp_store(out, &stamp, cases[i].version);
		assert_memory_equal(out, bytes, len);
	}
	assert_false(stamp_fits(&(struct timespec){(int64_t)1 << 31, 0}, 2));
	assert_true(stamp_fits(&(struct timespec){(int64_t)1 << 31, 0}, 3));
	assert_true(stamp_fits(&(struct timespec){0, 1999}, 2)); /* cut to 1 microsecond */
}

static void labels(void **state)
{
	struct wire_test *t = *state;
	struct log_label label = {
	    .version = 2, .pid = 7, .start = {9, 1000}, .volume = 3, .features = 0x10};
	struct log_label got;

	memset(label.host, 'h', LOG_LABEL_TEXT - 1);
	strcpy(label.timezone, "UTC");
	strcpy(label.zoneinfo, ":Etc/UTC");
	for (label.version = 2; label.version <= 3; label.version++) {
		buffer_reset(&t->out);
		assert_int_equal(log_label_encode(&t->out, &label), 0);
		assert_int_equal(t->out.len, log_label_len(label.version));
		assert_int_equal(log_label_decode(t->out.data, t->out.len, &got), 0);
		assert_int_equal(got.pid, 7);
		assert_int_equal(got.volume, 3);
		assert_true(got.start.tv_sec == 9 && got.start.tv_nsec == 1000);
		assert_int_equal(got.features, label.version == 2 ? 0 : 0x10);
		assert_int_equal(strlen(got.host), label.version == 2 ? 63 : 255);
		assert_string_equal(got.timezone, "UTC");
		assert_string_equal(got.zoneinfo, label.version == 2 ? "" : ":Etc/UTC");
	}
	assert_int_equal(log_label_encode(&t->out, &label), -EINVAL);
	label.version = 2;
	label.start.tv_sec = (int64_t)1 << 31;
	assert_int_equal(log_label_encode(&t->out, &label), -ERANGE);
	assert_int_equal(t->out.len, LOG_LABEL_LEN_V3);
}

static void labels_that_are_none(void **state)
{
	static const struct {
		const char *what;
		size_t at;
		uint8_t byte;
		size_t len;
		int err;
	} cases[] = {
	    {"version 1", 7, 1, LOG_LABEL_LEN_V2, PM_ERR_LABEL},
	    {"version 3 of the length of version 2", 7, 3, LOG_LABEL_LEN_V2, PM_ERR_LABEL},
	    {"another magic", 4, 0x51, LOG_LABEL_LEN_V2, PM_ERR_LABEL},
	    {"another length", 3, 131, LOG_LABEL_LEN_V2, PM_ERR_LABEL},
	    {"another last word", 131, 131, LOG_LABEL_LEN_V2, PM_ERR_LABEL},
	    {"a byte short", 3, 132, LOG_LABEL_LEN_V2 - 1, PM_ERR_LABEL},
	    {"two words", 3, 132, 8, PM_ERR_LABEL},
	    {"less", 3, 132, 7, PM_ERR_NODATA},
	    {"nothing", 3, 132, 0, PM_ERR_NODATA},
	};
	struct wire_test *t = *state;
	struct log_label label = {.version = 2}, got;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		buffer_reset(&t->out);
		assert_int_equal(log_label_encode(&t->out, &label), 0);
		t->out.data[cases[i].at] = cases[i].byte;
		if (log_label_decode(t->out.data, cases[i].len, &got) != cases[i].err)
			fail_msg("%s", cases[i].what);
	}
}

static void index_entries(void **state)
{
	struct wire_test *t = *state;
	struct index_entry entry = {{1, 2000}, 4, (int64_t)1 << 40, 5}, got;

	assert_int_equal(index_entry_encode(&t->out, 2, &entry), -E2BIG);
	assert_int_equal(index_entry_encode(&t->out, 3, &entry), 0);
	index_entry_load(t->out.data, 3, &got);
	assert_true(got.meta_offset == (int64_t)1 << 40 && got.data_offset == 5);
	assert_int_equal(got.volume, 4);
	entry.meta_offset = DISK_V2_OFFSET_MAX;
	assert_int_equal(index_entry_encode(&t->out, 2, &entry), 0);
	index_entry_load(t->out.data + INDEX_ENTRY_LEN_V3, 2, &got);
	assert_int_equal(got.meta_offset, DISK_V2_OFFSET_MAX);
	entry.stamp.tv_sec = (int64_t)1 << 31;
	assert_int_equal(index_entry_encode(&t->out, 2, &entry), -ERANGE);
	assert_int_equal(t->out.len, INDEX_ENTRY_LEN_V3 + INDEX_ENTRY_LEN_V2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(frames),        WIRE_TEST(stamps),
	    WIRE_TEST(labels),        WIRE_TEST(labels_that_are_none),
	    WIRE_TEST(index_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
