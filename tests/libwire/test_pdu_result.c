/* test_pdu_result - RESULT and HIGHRES_RESULT as bodies, and the rules of docs/spec/pdu.md 5.2. */
#include "golden.h"
#include "libvalue/value_block.h"
#include "wire_test.h"

/* The worked example: a string, an integer in place, three floats, two errors. */
static void check_five(const struct pdu_result *result)
{
	static const struct {
		uint32_t pmid;
		int32_t numval;
	} expect[] = {{0x00800007, 1},
		      {0x00800003, 1},
		      {0x0f000800, 3},
		      {0x32000000, PM_ERR_NOAGENT},
		      {0x008003e7, PM_ERR_PMID}};
	static const int32_t minutes[] = {1, 5, 15};

	assert_int_equal(result->sec, 0x6b0066b8);
	assert_int_equal(result->numpmid, ARRAY_SIZE(expect));
	for (size_t i = 0; i < ARRAY_SIZE(expect); i++) {
		assert_int_equal(result->vsets[i].pmid, expect[i].pmid);
		assert_int_equal(result->vsets[i].numval, expect[i].numval);
		if (expect[i].numval < 0)
			assert_null(result->vsets[i].values);
	}
	assert_int_equal(result->vsets[0].valfmt, PM_VAL_DPTR);
	assert_int_equal(result->vsets[0].values[0].inst, -1);
	assert_int_equal(result->vsets[0].values[0].block_len, 10);
	assert_memory_equal(result->vsets[0].values[0].block + 4, "6.0.3", 6);
	assert_int_equal(result->vsets[1].valfmt, PM_VAL_INSITU);
	assert_int_equal(result->vsets[1].values[0].block_len, 0);
	assert_int_equal(result->vsets[1].values[0].insitu, 1);
	for (size_t i = 0; i < ARRAY_SIZE(minutes); i++) {
		assert_int_equal(result->vsets[2].values[i].inst, minutes[i]);
		assert_int_equal(load_be32(result->vsets[2].values[i].block), 0x04000008);
	}
}

static void worked_examples(void **state)
{
	struct wire_test *t = *state;
	const struct golden *g;
	struct golden_set set;

	golden_load(&set);
	g = golden_get(&set, "RESULT-five");
	assert_int_equal(wire_test_decode_bytes(t, g->pdu, g->len), 0);
	check_five(&t->body.result);
	assert_int_equal(t->body.result.frac, 0x0002fadb);
	g = golden_get(&set, "HIGHRES_RESULT-five");
	assert_int_equal(wire_test_decode_bytes(t, g->pdu, g->len), 0);
	check_five(&t->body.result);
	assert_int_equal(t->body.result.frac, 0x0ba7b99f);
	golden_free(&set);
}

static void times(void **state)
{
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_RESULT, "ffffffff fffffffe 00000000"), 0);
	assert_int_equal(t->body.result.sec, -1);
	assert_int_equal(t->body.result.frac, -2);
	wire_test_encode(t, PDU_RESULT, &t->body, "ffffffff fffffffe 00000000");
	assert_int_equal(
	    wire_test_decode(t, PDU_HIGHRES_RESULT, "00000000 00000001 00000002 00000000 3b9ac9ff"),
	    0);
	assert_int_equal(t->body.result.sec, (1LL << 32) + 2);
	assert_int_equal(t->body.result.frac, 999999999);
	wire_test_encode(t, PDU_HIGHRES_RESULT, &t->body,
			 "00000000 00000001 00000002 00000000 3b9ac9ff");
}

/* Blocks in another order than their values', which the rules allow: we write them in order. */
static void blocks_in_any_order(void **state)
{
	struct wire_test *t = *state;
	const struct wire_value *values;

	assert_int_equal(wire_test_decode(t, PDU_RESULT,
					  "00000000 00000000 00000001 00000001 00000002 00000001"
					  "00000001 0000000f 00000002 0000000d"
					  "04000008 11111111 04000008 22222222"),
			 0);
	values = t->body.result.vsets[0].values;
	assert_int_equal(load_be32(values[0].block + 4), 0x22222222);
	assert_int_equal(load_be32(values[1].block + 4), 0x11111111);
	wire_test_encode(t, PDU_RESULT, &t->body,
			 "00000000 00000000 00000001 00000001 00000002 00000001"
			 "00000001 0000000d 00000002 0000000f"
			 "04000008 22222222 04000008 11111111");
}

#define TIME      "00000000 00000000 "
#define ONE_BLOCK TIME "00000001 00000001 00000001 00000001 ffffffff "

static void malformed(void **state)
{
	static const struct wire_test_case cases[] = {
	    {"sets below 0", PDU_RESULT, TIME "ffffffff", PM_ERR_IPC},
	    {"more sets than bytes", PDU_RESULT, TIME "00000002 00000001 00000000", PM_ERR_IPC},
	    {"set missing", PDU_RESULT, TIME "00000001", PM_ERR_IPC},
	    {"set without values", PDU_RESULT, TIME "00000001 00000001 00000000", 0},
	    {"set and a word", PDU_RESULT, TIME "00000001 00000001 00000000 00000000", PM_ERR_IPC},
	    {"valfmt missing", PDU_RESULT, TIME "00000001 00000001 00000001", PM_ERR_IPC},
	    {"value missing", PDU_RESULT, TIME "00000001 00000001 00000001 00000000", PM_ERR_IPC},
	    {"2^31-1 values", PDU_RESULT,
	     TIME "00000001 00000001 7fffffff 00000000 ffffffff 00000001", PM_ERR_IPC},
	    {"valfmt 3", PDU_RESULT, TIME "00000001 00000001 00000001 00000003 ffffffff 00000001",
	     PM_ERR_IPC},
	    {"valfmt -1", PDU_RESULT, TIME "00000001 00000001 00000001 ffffffff ffffffff 00000001",
	     PM_ERR_IPC},
	    {"a block", PDU_RESULT, ONE_BLOCK "0000000b 04000008 11111111", 0},
	    {"valfmt 2 is 1", PDU_RESULT,
	     TIME "00000001 00000001 00000001 00000002 ffffffff 0000000b 04000008 11111111", 0},
	    {"block missing", PDU_RESULT, ONE_BLOCK "0000000b", PM_ERR_IPC},
	    {"block position below 0", PDU_RESULT, ONE_BLOCK "ffffffff 04000008 11111111",
	     PM_ERR_IPC},
	    {"block position beyond the end", PDU_RESULT, ONE_BLOCK "0000000d 04000008 11111111",
	     PM_ERR_IPC},
	    {"block among the sets", PDU_RESULT, ONE_BLOCK "0000000a 04000008 11111111",
	     PM_ERR_IPC},
	    {"block in the header", PDU_RESULT, ONE_BLOCK "00000000 04000008 11111111", PM_ERR_IPC},
	    {"block of 3", PDU_RESULT, ONE_BLOCK "0000000b 04000003", PM_ERR_IPC},
	    {"block of 0", PDU_RESULT, ONE_BLOCK "0000000b 04000000", PM_ERR_IPC},
	    {"block of 4", PDU_RESULT, ONE_BLOCK "0000000b 07000004", 0},
	    {"block reaches beyond the end", PDU_RESULT, ONE_BLOCK "0000000b 0400000c 11111111",
	     PM_ERR_IPC},
	    {"a word behind the block", PDU_RESULT, ONE_BLOCK "0000000b 04000008 11111111 00000000",
	     PM_ERR_IPC},
	    {"a gap before the block", PDU_RESULT, ONE_BLOCK "0000000c 00000000 04000008 11111111",
	     PM_ERR_IPC},
	    {"padding missing", PDU_RESULT, ONE_BLOCK "0000000b 06000006 6100", PM_ERR_IPC},
	    {"one block for two values", PDU_RESULT,
	     TIME "00000001 00000001 00000002 00000001 00000001 0000000d 00000002 0000000d"
		  "04000008 11111111",
	     PM_ERR_IPC},
	    {"blocks that overlap", PDU_RESULT,
	     TIME "00000001 00000001 00000002 00000001 00000001 0000000d 00000002 0000000e"
		  "04000008 04000008 11111111",
	     PM_ERR_IPC},
	    {"sets below 0, high resolution", PDU_HIGHRES_RESULT,
	     "ffffffff 00000000 00000001 00000000 00000000", PM_ERR_IPC},
	    {"set missing, high resolution", PDU_HIGHRES_RESULT,
	     "00000001 00000000 00000001 00000000 00000000", PM_ERR_IPC},
	};

	wire_test_cases(*state, cases, ARRAY_SIZE(cases));
}

/* Bodies that no PDU can carry. */
static void refused(void **state)
{
	static const uint8_t block[4];
	struct wire_value value = {.inst = 1, .block_len = 4, .block = block};
	struct wire_vset set = {1, 1, PM_VAL_DPTR, &value};
	union pdu_body body = {.result = {.numpmid = 1, .vsets = &set}};

	assert_int_equal(pdu_encode(&((struct wire_test *)*state)->out, PDU_RESULT, 0, &body), 0);
	value.block_len = 3;
	wire_test_refuse(*state, PDU_RESULT, &body, -EINVAL);
	value.block_len = VALUE_BLOCK_MAX + 1;
	wire_test_refuse(*state, PDU_RESULT, &body, -EINVAL);
	set.valfmt = 3;
	wire_test_refuse(*state, PDU_HIGHRES_RESULT, &body, -EINVAL);
}

/* The longest block there can be goes both ways. */
static void longest_block(void **state)
{
	struct wire_test *t = *state;
	AUTO_FREE uint8_t *block = calloc(1, VALUE_BLOCK_MAX);
	struct wire_value value = {.inst = 1, .block_len = VALUE_BLOCK_MAX, .block = block};
	struct wire_vset set = {1, 1, PM_VAL_DPTR, &value};
	union pdu_body body = {.result = {.numpmid = 1, .vsets = &set}};

	store_be32(block, (uint32_t)PM_TYPE_AGGREGATE << 24 | VALUE_BLOCK_MAX);
	assert_int_equal(pdu_encode(&t->out, PDU_RESULT, 0, &body), 0);
	assert_int_equal(t->out.len, 44 + VALUE_BLOCK_MAX + 1);
	assert_int_equal(t->out.data[t->out.len - 1], '~');
	assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), 0);
	assert_int_equal(t->body.result.vsets[0].values[0].block_len, VALUE_BLOCK_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(worked_examples), WIRE_TEST(times),   WIRE_TEST(blocks_in_any_order),
	    WIRE_TEST(malformed),       WIRE_TEST(refused), WIRE_TEST(longest_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
