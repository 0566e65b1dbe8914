/* test_event_array - event records between wire and host (docs/spec/pdu.md 6). */
#include "libvalue/value_block.h"
#include "libwire/result.h"
#include "wire_test.h"

/* The worked example, and the same in high resolution: a POINT of three parameters, a MISSED 9. */
static const char event[] = "09000054 00000002"
			    "000003e8 000007d0 00000001 00000003"
			    "3e800001 01000008 00000007"
			    "3e800008 0600000a 68656c6c 6f000000"
			    "3e800004 0300000c 00000100 00000000"
			    "000003e9 00000005 80000000 00000009";
static const char highres[] = "0a000064 00000002"
			      "00000000 000003e8 00000000 000007d0 00000001 00000003"
			      "3e800001 01000008 00000007"
			      "3e800008 0600000a 68656c6c 6f000000"
			      "3e800004 0300000c 00000100 00000000"
			      "00000000 000003e9 00000000 00000005 80000000 00000009";

/* A block of host order from hex of the wire's. */
static pmValueBlock *to_host(const char *hex, size_t *ret_len)
{
	AUTO_FREE uint8_t *wire = wire_test_hex(hex, ret_len);
	pmValueBlock *block = calloc(1, *ret_len);

	assert_non_null(block);
	assert_int_equal(value_block_to_host(wire, (uint32_t)*ret_len, block), 0);
	return block;
}

static void check_params(const pmEventParameter *param)
{
	uint64_t u64;
	uint32_t u32;

	assert_int_equal(param->ep_pmid, 0x3e800001);
	assert_int_equal(param->ep_type, PM_TYPE_U32);
	assert_int_equal(param->ep_len, 8);
	memcpy(&u32, param + 1, sizeof(u32));
	assert_int_equal(u32, 7);
	param = (const void *)((const char *)param + 12);
	assert_int_equal(param->ep_type, PM_TYPE_STRING);
	assert_int_equal(param->ep_len, 10);
	assert_string_equal((const char *)(param + 1), "hello");
	param = (const void *)((const char *)param + 16);
	assert_int_equal(param->ep_pmid, 0x3e800004);
	memcpy(&u64, param + 1, sizeof(u64));
	assert_int_equal(u64, 1ull << 40);
}

static void fields(void **state)
{
	size_t len;
	AUTO_FREE pmValueBlock *block = to_host(event, &len);
	const pmEventArray *array = (const void *)block;
	const pmEventRecord *missed;

	assert_int_equal(array->ea_type, PM_TYPE_EVENT);
	assert_int_equal(array->ea_len, len);
	assert_int_equal(array->ea_nrecords, 2);
	assert_int_equal(array->ea_record[0].er_timestamp.tv_sec, 1000);
	assert_int_equal(array->ea_record[0].er_timestamp.tv_usec, 2000);
	assert_int_equal(array->ea_record[0].er_flags, PM_EVENT_FLAG_POINT);
	assert_int_equal(array->ea_record[0].er_nparams, 3);
	check_params(array->ea_record[0].er_param);
	missed = (const void *)((const char *)block + len - 16);
	assert_int_equal(missed->er_timestamp.tv_sec, 1001);
	assert_int_equal(missed->er_flags, PM_EVENT_FLAG_MISSED);
	assert_int_equal(missed->er_nparams, 9);
}

static void highres_fields(void **state)
{
	size_t len;
	AUTO_FREE pmValueBlock *block = to_host(highres, &len);
	const pmHighResEventArray *array = (const void *)block;
	const pmEventParameter *params = (const void *)((const char *)block + 32);
	pmHighResEventRecord record;

	assert_int_equal(array->ea_type, PM_TYPE_HIGHRES_EVENT);
	assert_int_equal(array->ea_nrecords, 2);
	memcpy(&record, (const char *)block + 8, 24);
	assert_int_equal(record.er_timestamp.tv_sec, 1000);
	assert_int_equal(record.er_timestamp.tv_nsec, 2000);
	assert_int_equal(record.er_nparams, 3);
	check_params(params);
	memcpy(&record, (const char *)block + len - 24, 24);
	assert_int_equal(record.er_flags, PM_EVENT_FLAG_MISSED);
	assert_int_equal(record.er_nparams, 9); /* the stock collector makes this 0 */
}

static void there_and_back(void **state)
{
	static const char *const cases[] = {event, highres, "09000008 00000000", /* no record */
					    "0900000c 00000000 61626364", /* bytes left over */
					    "09000018 00000001 00000001 00000002 00000001 00000000",
					    /* a number, and bytes after it */
					    "0900002c 00000001 00000001 00000002 00000001 00000001"
					    "3e800001 01000010 00000007 61626364 65666768"};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len;
		AUTO_FREE uint8_t *wire = wire_test_hex(cases[i], &len);
		AUTO_FREE pmValueBlock *block = to_host(cases[i], &len);
		AUTO_FREE uint8_t *again = malloc(len);

		assert_int_equal(value_block_to_wire(block, again), 0);
		assert_memory_equal(again, wire, len);
		/* In its own place, too. */
		assert_int_equal(value_block_to_host(again, (uint32_t)len, (void *)again), 0);
		assert_memory_equal(again, block, len);
		assert_int_equal(value_block_to_wire((void *)again, again), 0);
		assert_memory_equal(again, wire, len);
	}
}

#define RECORD "00000001 00000002 00000001 "

static const struct {
	const char *what;
	const char *hex; /* the header word is made from the length */
	bool valid;
} arrays[] = {
    {"nothing", "", false},
    {"no record", "00000000", true},
    {"records below 0", "ffffffff", false},
    {"a record missing", "00000001", false},
    {"a record cut", "00000001 " RECORD, false},
    {"a record without parameters", "00000001 " RECORD "00000000", true},
    {"2^31-1 records", "7fffffff " RECORD "00000000", false},
    {"a parameter missing", "00000001 " RECORD "00000001", false},
    {"a parameter cut", "00000001 " RECORD "00000001 3e800001", false},
    {"a parameter without a value", "00000001 " RECORD "00000001 3e800001 07000004", true},
    {"a parameter's length 3", "00000001 " RECORD "00000001 3e800001 07000003", false},
    {"a parameter's length 0", "00000001 " RECORD "00000001 3e800001 07000000", false},
    {"a parameter beyond the end", "00000001 " RECORD "00000001 3e800001 07000008", false},
    {"a parameter's padding missing", "00000001 " RECORD "00000001 3e800001 06000005 61", false},
    {"a parameter of 16 MiB", "00000001 " RECORD "00000001 3e800001 07ffffff 00000000", false},
    {"32 without a value", "00000001 " RECORD "00000001 3e800001 00000004", false},
    {"U32 of 3 bytes", "00000001 " RECORD "00000001 3e800001 01000007 00000000", false},
    {"64 of 4 bytes", "00000001 " RECORD "00000001 3e800001 02000008 00000000", false},
    {"U64", "00000001 " RECORD "00000001 3e800001 0300000c 00000000 00000001", true},
    {"FLOAT of no byte", "00000001 " RECORD "00000001 3e800001 04000004", false},
    {"DOUBLE of 4 bytes", "00000001 " RECORD "00000001 3e800001 05000008 00000000", false},
    {"an array in an array", "00000001 " RECORD "00000001 3e800001 09000008 00000000", false},
    {"2^32-1 parameters", "00000001 " RECORD "ffffffff 3e800001 07000004", false},
    {"2^32-1 missed", "00000001 00000001 00000002 80000000 ffffffff", true},
    {"missed and a point", "00000001 00000001 00000002 80000001 00000003", true},
};

/* Both directions reject a malformed array, and change no byte of it. */
static void validity(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		size_t len;
		AUTO_FREE uint8_t *body = wire_test_hex(arrays[i].hex, &len);
		AUTO_FREE uint8_t *wire = malloc(4 + len);
		AUTO_FREE uint8_t *other = malloc(4 + len);
		int r;

		store_be32(wire, (uint32_t)PM_TYPE_EVENT << 24 | (uint32_t)(4 + len));
		memcpy(wire + 4, body, len);
		memset(other, 0xa5, 4 + len);
		r = value_block_to_host(wire, (uint32_t)(4 + len), (void *)other);
		if (r != (arrays[i].valid ? 0 : PM_ERR_CONV))
			fail_msg("%s: %d", arrays[i].what, r);
		if (!arrays[i].valid) {
			for (size_t j = 0; j < 4 + len; j++)
				assert_int_equal(other[j], 0xa5);
		}
	}
}

/* The same arrays in host order: word by word swapped, but for what is bytes. */
static void validity_host(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		size_t len;
		AUTO_FREE uint8_t *body = wire_test_hex(arrays[i].hex, &len);
		size_t words = len / 4;
		AUTO_FREE uint32_t *host = calloc(2 + words, 4);
		AUTO_FREE uint8_t *out = malloc(8 + len);
		bool whole = len % 4 == 0; /* a cut word means nothing here */

		host[0] = (uint32_t)PM_TYPE_EVENT << 24 | (uint32_t)(4 + len);
		for (size_t j = 0; j < words; j++)
			host[1 + j] = load_be32(body + 4 * j);
		if (whole)
			assert_int_equal(event_array_valid((uint8_t *)host, (uint32_t)(4 + len),
							   false, EVENT_FROM_HOST),
					 arrays[i].valid);
		if (whole && !arrays[i].valid)
			assert_int_equal(value_block_to_wire((void *)host, out), PM_ERR_CONV);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fields),         cmocka_unit_test(highres_fields),
	    cmocka_unit_test(there_and_back), cmocka_unit_test(validity),
	    cmocka_unit_test(validity_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
