/* test_value_block - value blocks between wire and host, by type (docs/spec/pdu.md 4.5). */
#include "libvalue/value_block.h"

#include "libwire/result.h"
#include "wire_test.h"

/* Wire bytes; how many of the value's are one number in host order on the other side. */
static const struct {
	const char *what;
	const char *hex;
	size_t number;
} blocks[] = {
    {"32 in a block is not swapped", "00000008 00000001", 0},
    {"U32 in a block is not swapped", "01000008 00000001", 0},
    {"64", "0200000c ffffffff fffffffe", 8},
    {"U64", "0300000c 00000100 00000002", 8},
    {"FLOAT", "04000008 3f28f5c3", 4},
    {"DOUBLE", "0500000c 40091eb8 51eb851f", 8},
    {"U64 and more", "03000010 00000100 00000002 61626364", 8},
    {"FLOAT and a byte", "04000009 3f28f5c3 61", 4},
    {"STRING", "0600000a 362e302e 3300", 0},
    {"empty STRING", "06000005 00", 0},
    {"AGGREGATE", "07000007 010203", 0},
    {"AGGREGATE of nothing", "07000004", 0},
    {"AGGREGATE_STATIC", "08000006 0102", 0},
    {"unknown type", "ff000008 01020304", 0},
};

static void there_and_back(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		size_t len;
		AUTO_FREE uint8_t *wire = wire_test_hex(blocks[i].hex, &len);
		AUTO_FREE pmValueBlock *host = calloc(1, len);
		AUTO_FREE uint8_t *again = malloc(len);
		const uint8_t *value = (const uint8_t *)host + 4;

		assert_int_equal(value_block_to_host(wire, (uint32_t)len, host), 0);
		assert_int_equal(host->vtype, wire[0]);
		assert_int_equal(host->vlen, len);
		if (blocks[i].number == 4)
			assert_int_equal(*(const uint32_t *)(const void *)value,
					 load_be32(wire + 4));
		for (size_t j = 0; j < blocks[i].number && blocks[i].number == 8; j++)
			assert_int_equal(value[j], wire[BYTE_ORDER == BIG_ENDIAN ? 4 + j : 11 - j]);
		assert_memory_equal(value + blocks[i].number, wire + 4 + blocks[i].number,
				    len - 4 - blocks[i].number);
		assert_int_equal(value_block_to_wire(host, again), 0);
		assert_memory_equal(again, wire, len);
		assert_int_equal(value_block_to_host(again, (uint32_t)len, (void *)again), 0);
		assert_memory_equal(again, host, len);
	}
}

static void a_double(void **state)
{
	_Alignas(pmValueBlock) uint8_t host[12];
	uint8_t wire[12];
	double d;

	store_be32(wire, (uint32_t)PM_TYPE_DOUBLE << 24 | 12);
	memcpy(wire + 4, "\x40\x09\x1e\xb8\x51\xeb\x85\x1f", 8);
	assert_int_equal(value_block_to_host(wire, 12, (void *)host), 0);
	memcpy(&d, host + 4, sizeof(d));
	assert_true(d == 3.14);
}

/* The shortest lengths that a type allows, and one byte less. */
static void too_short(void **state)
{
	static const struct {
		uint32_t type, least;
	} cases[] = {
	    {PM_TYPE_32, 4},     {PM_TYPE_U32, 4},           {PM_TYPE_64, 12},
	    {PM_TYPE_U64, 12},   {PM_TYPE_FLOAT, 8},         {PM_TYPE_DOUBLE, 12},
	    {PM_TYPE_STRING, 4}, {PM_TYPE_AGGREGATE, 4},     {PM_TYPE_AGGREGATE_STATIC, 4},
	    {PM_TYPE_EVENT, 8},  {PM_TYPE_HIGHRES_EVENT, 8}, {PM_TYPE_UNKNOWN, 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t wire[16] = {0}, out[16];

		for (uint32_t vlen = cases[i].least - 1; vlen <= cases[i].least; vlen++) {
			int expect = vlen < cases[i].least ? PM_ERR_CONV : 0;
			pmValueBlock *block = (void *)out;
			uint8_t copy[16] = {0};

			store_be32(wire, cases[i].type << 24 | vlen);
			assert_int_equal(value_block_to_host(wire, vlen, block), expect);
			memset(out, 0, sizeof(out));
			block->vtype = cases[i].type & 0xff;
			block->vlen = vlen & VALUE_BLOCK_MAX;
			assert_int_equal(value_block_to_wire(block, copy), expect);
		}
	}
	assert_int_equal(value_block_to_host((const uint8_t *)"\7\0\0\0", 0, NULL), PM_ERR_CONV);
}

/* Bit fields and header word of the installed header are the same thing. */
static void header_word(void **state)
{
	pmValueBlock block = {.vtype = 0x12, .vlen = 0x345678};

	assert_int_equal(value_block_word(&block), 0x12345678);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(there_and_back),
	    cmocka_unit_test(a_double),
	    cmocka_unit_test(too_short),
	    cmocka_unit_test(header_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
