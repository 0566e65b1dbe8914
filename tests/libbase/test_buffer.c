/* test_buffer - growth, consumption, numbers, text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libbase/buffer.h"

static void numbers(void **state)
{
	static const uint8_t expect[] = {1, 2, 3, 4, 5};
	struct buffer b = BUFFER_INIT;

	buffer_put_u8(&b, 0x01);
	buffer_put_u32(&b, 0x02030405);
	assert_int_equal(buffer_pending(&b), sizeof(expect));
	assert_memory_equal(buffer_head(&b), expect, sizeof(expect));
	buffer_patch_u32(&b, 0, 0xdeadbeef);
	assert_memory_equal(b.data, "\xde\xad\xbe\xef\x05", 5);
	buffer_done(&b);
}

/* A queue: much goes in, less comes out, what is pending is never lost. */
static void queue(void **state)
{
	enum { TOTAL = 100000 };
	struct buffer b = BUFFER_INIT;
	uint32_t in = 0, out = 0;

	while (out < TOTAL) {
		for (int i = 0; i < 17 && in < TOTAL; i++)
			buffer_put_u32(&b, in++);
		for (int i = 0; i < 13 && buffer_pending(&b) > 0; i++) {
			const uint8_t *p = buffer_head(&b);

			assert_int_equal((uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3], out);
			buffer_consume(&b, 4);
			out++;
		}
	}
	assert_int_equal(buffer_pending(&b), 0);
	assert_int_equal(b.err, 0);
	buffer_done(&b);
}

/* A steady trickle is served from the same memory. */
static void consumed_is_room_again(void **state)
{
	struct buffer b = BUFFER_INIT;
	size_t cap;

	buffer_fill(&b, 'a', 200);
	cap = b.cap;
	for (int i = 0; i < 1000; i++) {
		buffer_consume(&b, 190);
		buffer_fill(&b, (uint8_t)i, 190);
		assert_int_equal(buffer_pending(&b), 200);
	}
	assert_int_equal(b.cap, cap);
	buffer_done(&b);
}

static void reserve_and_commit(void **state)
{
	struct buffer b = BUFFER_INIT;
	uint8_t *p = buffer_reserve(&b, 1000);

	assert_non_null(p);
	assert_int_equal(buffer_pending(&b), 0);
	memset(p, 7, 1000);
	buffer_commit(&b, 1000);
	assert_int_equal(buffer_pending(&b), 1000);
	assert_non_null(buffer_reserve(&b, 0));
	buffer_put(&b, NULL, 0);
	buffer_fill(&b, 0, 0);
	assert_int_equal(buffer_pending(&b), 1000);
	buffer_done(&b);
}

/* The first failure stays, and later puts change nothing. */
static void out_of_memory(void **state)
{
	struct buffer b = BUFFER_INIT;

	buffer_put_u32(&b, 1);
	assert_null(buffer_reserve(&b, SIZE_MAX / 2 + 2));
	assert_int_equal(b.err, -ENOMEM);
	buffer_put_u32(&b, 2);
	buffer_fill(&b, 0, 1);
	buffer_printf(&b, "x");
	assert_int_equal(b.len, 4);
	buffer_patch_u32(&b, 0, 3);
	assert_int_equal(b.data[3], 1);
	buffer_reset(&b);
	assert_int_equal(b.err, 0);
	buffer_put_u32(&b, 2);
	assert_int_equal(b.len, 4);
	buffer_done(&b);
}

static void trim(void **state)
{
	struct buffer b = BUFFER_INIT;

	buffer_fill(&b, 'x', 5000);
	buffer_trim(&b, 100000);
	assert_int_equal(b.len, 0);
	assert_non_null(b.data);
	buffer_trim(&b, 100);
	assert_null(b.data);
	assert_int_equal(b.cap, 0);
	buffer_put_u8(&b, 1);
	assert_int_equal(b.len, 1);
	buffer_done(&b);
}

static void text(void **state)
{
	struct buffer b = BUFFER_INIT;

	assert_string_equal(buffer_str(&b), "");
	buffer_printf(&b, "%s=%d", "a", 1);
	buffer_printf(&b, ", %0500d", 7);
	assert_int_equal(b.len, 505);
	assert_memory_equal(buffer_str(&b), "a=1, 000", 8);
	assert_int_equal(strlen(buffer_str(&b)), 505);
	buffer_consume(&b, 2);
	assert_memory_equal(buffer_str(&b), "1, ", 3);
	buffer_done(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers),
	    cmocka_unit_test(queue),
	    cmocka_unit_test(consumed_is_room_again),
	    cmocka_unit_test(reserve_and_commit),
	    cmocka_unit_test(out_of_memory),
	    cmocka_unit_test(trim),
	    cmocka_unit_test(text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
