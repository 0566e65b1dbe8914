/* test_crc - CRC-32C by published values, and the processor's against the table's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libtrace/crc.h"

/* The examples of RFC 3720, B.4, and the usual check value. */
static void has_published_values(void **state)
{
	uint8_t zeros[32] = {0}, ones[32], up[32], down[32];
	const struct {
		const void *data;
		size_t len;
		uint32_t crc;
	} rows[] = {
	    {"", 0, 0},
	    {"123456789", 9, 0xe3069283},
	    {zeros, 32, 0x8a9136aa},
	    {ones, 32, 0x62a8ab43},
	    {up, 32, 0x46dd794e},
	    {down, 32, 0x113fdb5c},
	};

	memset(ones, 255, sizeof(ones));
	for (int i = 0; i < 32; i++) {
		up[i] = (uint8_t)i;
		down[i] = (uint8_t)(31 - i);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(crc32c(0, rows[i].data, rows[i].len), rows[i].crc);
		assert_int_equal(crc32c_table(0, rows[i].data, rows[i].len), rows[i].crc);
	}
}

static void agrees_at_every_length_and_offset(void **state)
{
	uint8_t data[300];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * i + 7);
	for (size_t at = 0; at < 9; at++)
		for (size_t len = 0; at + len <= sizeof(data); len++)
			assert_int_equal(crc32c(0, data + at, len),
					 crc32c_table(0, data + at, len));
}

static void goes_on_from_a_part(void **state)
{
	uint8_t data[100];

	memset(data, 0x5a, sizeof(data));
	for (size_t cut = 0; cut <= sizeof(data); cut++) {
		uint32_t crc = crc32c(0, data, cut);

		assert_int_equal(crc32c(crc, data + cut, sizeof(data) - cut),
				 crc32c(0, data, sizeof(data)));
	}
}

/* Lengths at which several lanes are computed in parallel. */
static void agrees_on_blocks(void **state)
{
	static const size_t lengths[] = {12287, 12288, 12289, 16384, 24576, 65536, 65543};
	static uint8_t data[65536 + 16];

	srand(3);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)rand();
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (size_t at = 0; at < 9; at += 4)
			assert_int_equal(crc32c(0x1234567, data + at, lengths[i]),
					 crc32c_table(0x1234567, data + at, lengths[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(has_published_values),
	    cmocka_unit_test(agrees_at_every_length_and_offset),
	    cmocka_unit_test(goes_on_from_a_part),
	    cmocka_unit_test(agrees_on_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
