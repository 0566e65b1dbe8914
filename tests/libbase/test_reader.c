/* test_reader - fields in order, and the failure that stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libbase/cleanup.h"
#include "libbase/reader.h"

static const uint8_t bytes[] = {0xff, 0x01, 0x02, 0xff, 0xff, 0xff, 0xfe, 0x11, 0x12,
				0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x21, 0x22, 0x23};

static void fields(void **state)
{
	struct reader r;

	reader_init(&r, bytes, sizeof(bytes), -5);
	assert_int_equal(get_u8(&r), 0xff);
	assert_int_equal(get_u16(&r), 0x0102);
	assert_int_equal(get_i32(&r), -2);
	assert_int_equal(get_u64(&r), 0x1112131415161718u);
	assert_int_equal(reader_left(&r), 3);
	assert_ptr_equal(get_bytes(&r, 3), bytes + 15);
	assert_non_null(get_bytes(&r, 0));
	assert_int_equal(reader_left(&r), 0);
	assert_int_equal(r.err, 0);
}

static uint64_t read_u8(struct reader *r)
{
	return get_u8(r);
}

static uint64_t read_u16(struct reader *r)
{
	return get_u16(r);
}

static uint64_t read_u32(struct reader *r)
{
	return get_u32(r);
}

static uint64_t read_i32(struct reader *r)
{
	return (uint64_t)get_i32(r);
}

static uint64_t read_u64(struct reader *r)
{
	return get_u64(r);
}

static uint64_t read_i64(struct reader *r)
{
	return (uint64_t)get_i64(r);
}

static uint64_t read_bytes(struct reader *r)
{
	return (uintptr_t)get_bytes(r, 5);
}

/* Each get with exactly its bytes, and with one less: 0, nothing consumed, the room's error. */
static void ends(void **state)
{
	static const struct {
		uint64_t (*get)(struct reader *r);
		size_t size;
	} cases[] = {
	    {read_u8, 1},  {read_u16, 2}, {read_u32, 4},   {read_i32, 4},
	    {read_u64, 8}, {read_i64, 8}, {read_bytes, 5},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct reader r;

		reader_init(&r, bytes, cases[i].size, -5);
		assert_true(cases[i].get(&r) != 0);
		assert_int_equal(r.err, 0);
		assert_int_equal(reader_left(&r), 0);
		reader_init(&r, bytes, cases[i].size - 1, -5);
		assert_true(cases[i].get(&r) == 0);
		assert_int_equal(r.err, -5);
		assert_ptr_equal(r.pos, bytes);
	}
}

static void first_failure_stays(void **state)
{
	struct reader r;

	reader_init(&r, bytes, sizeof(bytes), -5);
	get_u8(&r);
	r.err = -12;
	reader_fail(&r);
	assert_int_equal(r.err, -12);
	assert_int_equal(get_u8(&r), 0);
	assert_int_equal(get_u64(&r), 0);
	assert_null(get_bytes(&r, 0));
	assert_false(reader_need(&r, 0));
	assert_ptr_equal(r.pos, bytes + 1);
}

static void huge_length(void **state)
{
	struct reader r;

	reader_init(&r, bytes, sizeof(bytes), -5);
	assert_null(get_bytes(&r, SIZE_MAX));
	assert_int_equal(r.err, -5);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fields),
	    cmocka_unit_test(ends),
	    cmocka_unit_test(first_failure_stays),
	    cmocka_unit_test(huge_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
