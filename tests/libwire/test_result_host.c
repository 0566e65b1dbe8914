/* test_result_host - result_to_host: one block of memory that is a whole pmHighResResult. */
#include "golden.h"
#include "libwire/result.h"
#include "wire_test.h"

static pmHighResResult *to_host(struct wire_test *t, bool highres)
{
	pmHighResResult *result = NULL;

	assert_int_equal(result_to_host(&t->body.result, highres, &result), 0);
	assert_non_null(result);
	return result;
}

/* A PDU of the worked example as a pmHighResResult. */
static void check_five(const pmHighResResult *result, long nsec)
{
	static const float load[] = {0.66f, 0.29f, 0.12f};
	const pmValueSet *set;

	assert_int_equal(result->timestamp.tv_sec, 0x6b0066b8);
	assert_int_equal(result->timestamp.tv_nsec, nsec);
	assert_int_equal(result->numpmid, 5);
	set = result->vset[0];
	assert_int_equal(set->pmid, 0x00800007);
	assert_int_equal(set->numval, 1);
	assert_int_equal(set->valfmt, PM_VAL_DPTR);
	assert_int_equal(set->vlist[0].inst, -1);
	assert_int_equal(set->vlist[0].value.pval->vtype, PM_TYPE_STRING);
	assert_int_equal(set->vlist[0].value.pval->vlen, 10);
	assert_string_equal(set->vlist[0].value.pval->vbuf, "6.0.3");
	set = result->vset[1];
	assert_int_equal(set->valfmt, PM_VAL_INSITU);
	assert_int_equal(set->vlist[0].value.lval, 1);
	set = result->vset[2];
	assert_int_equal(set->numval, 3);
	for (int i = 0; i < 3; i++) {
		float f;

		memcpy(&f, set->vlist[i].value.pval->vbuf, sizeof(f));
		assert_float_equal(f, load[i], 1e-6);
	}
	assert_int_equal(set->vlist[2].inst, 15);
	assert_int_equal(result->vset[3]->pmid, 0x32000000);
	assert_int_equal(result->vset[3]->numval, PM_ERR_NOAGENT);
	assert_int_equal(result->vset[4]->numval, PM_ERR_PMID);
}

static void worked_examples(void **state)
{
	struct wire_test *t = *state;
	const struct golden *g;
	struct golden_set set;
	pmHighResResult *result;

	golden_load(&set);
	g = golden_get(&set, "RESULT-five");
	assert_int_equal(wire_test_decode_bytes(t, g->pdu, g->len), 0);
	result = to_host(t, false);
	check_five(result, 0x0002fadb * 1000L);
	free(result);
	g = golden_get(&set, "HIGHRES_RESULT-five");
	assert_int_equal(wire_test_decode_bytes(t, g->pdu, g->len), 0);
	result = to_host(t, true);
	check_five(result, 0x0ba7b99f);
	free(result);
	golden_free(&set);
}

/* Every golden result goes to the host and back to the same bytes. */
static void golden_there_and_back(void **state)
{
	struct wire_test *t = *state;
	struct golden_set set;

	golden_load(&set);
	for (size_t i = 0; i < set.n; i++) {
		uint32_t type = load_be32(set.pdus[i].pdu + 4);
		struct result_source sources[16];
		struct buffer plain = BUFFER_INIT;
		pmHighResResult *result;

		if (type != PDU_RESULT && type != PDU_HIGHRES_RESULT)
			continue;
		assert_int_equal(wire_test_decode_bytes(t, set.pdus[i].pdu, set.pdus[i].len), 0);
		result = to_host(t, type == PDU_HIGHRES_RESULT);
		assert_true(result->numpmid <= (int)ARRAY_SIZE(sources));
		/* A received result belongs to the process; ownership of a returned one is
		   marked. */
		for (int j = 0; j < result->numpmid; j++) {
			if (result->vset[j]->valfmt == PM_VAL_DPTR)
				result->vset[j]->valfmt = t->body.result.vsets[j].valfmt;
		}
		for (int j = 0; j < result->numpmid; j++)
			sources[j] = (struct result_source){.kind = RESULT_HOST,
							    .pmid = result->vset[j]->pmid,
							    .host = result->vset[j]};
		buffer_reset(&t->out);
		assert_int_equal(result_encode(&t->out, type, 0, t->body.result.sec,
					       t->body.result.frac, sources,
					       (size_t)result->numpmid),
				 0);
		assert_int_equal(pdu_encode(&plain, type, 0, &t->body), 0);
		assert_int_equal(plain.len, t->out.len);
		assert_memory_equal(plain.data, t->out.data, plain.len);
		buffer_done(&plain);
		free(result);
	}
	golden_free(&set);
}

/* A string without a final NUL gets one, after its counted length. */
static void strings_end(void **state)
{
	static const char *const cases[] = {
	    "06000004",          "06000005 617e7e7e", "06000006 61627e7e",
	    "06000007 6162637e", "06000008 61626364", "06000009 61626364 657e7e7e",
	};
	struct wire_test *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pmHighResResult *result;
		const pmValueBlock *block;
		char hex[160];

		snprintf(
		    hex, sizeof(hex),
		    "00000000 00000000 00000001 00000001 00000001 00000001 ffffffff 0000000b %s",
		    cases[i]);
		assert_int_equal(wire_test_decode(t, PDU_RESULT, hex), 0);
		result = to_host(t, false);
		block = result->vset[0]->vlist[0].value.pval;
		assert_int_equal(block->vlen, 4 + i);
		assert_int_equal(strlen(block->vbuf), i);
		assert_memory_equal(block->vbuf, "abcde", i);
		free(result);
	}
}

static void empty(void **state)
{
	struct wire_test *t = *state;
	pmHighResResult *result;

	assert_int_equal(wire_test_decode(t, PDU_RESULT, "00000001 00000002 00000000"), 0);
	result = to_host(t, false);
	assert_int_equal(result->numpmid, 0);
	assert_int_equal(result->timestamp.tv_sec, 1);
	assert_int_equal(result->timestamp.tv_nsec, 2000);
	free(result);
}

/* The declared struct of a set has one value: that much is there, even if none is said to be. */
static void sets_without_values(void **state)
{
	struct wire_test *t = *state;
	pmHighResResult *result;
	pmValueSet copy;

	assert_int_equal(
	    wire_test_decode(t, PDU_RESULT, "00000000 00000000 00000001 00000007 00000000"), 0);
	result = to_host(t, false);
	copy = *result->vset[0];
	assert_int_equal(copy.pmid, 7);
	assert_int_equal(copy.numval, 0);
	assert_int_equal(copy.valfmt, PM_VAL_INSITU);
	free(result);
}

/* Blocks that the relay passes on, and that no reader could make sense of. */
static void malformed(void **state)
{
	static const char *const blocks[] = {
	    "0300000b 00000000 0000007e",
	    "02000004",
	    "05000008 00000000",
	    "04000007 0000007e",
	    "09000004",
	    "09000008 ffffffff",
	    "09000008 00000001",
	    "0a000018 00000001 00000000 00000000 00000000 00000000",
	};
	struct wire_test *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		pmHighResResult *result = NULL;
		char hex[200];

		snprintf(
		    hex, sizeof(hex),
		    "00000000 00000000 00000001 00000001 00000001 00000001 ffffffff 0000000b %s",
		    blocks[i]);
		assert_int_equal(wire_test_decode(t, PDU_RESULT, hex), 0);
		assert_int_equal(result_to_host(&t->body.result, false, &result), PM_ERR_IPC);
		assert_null(result);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(worked_examples), WIRE_TEST(golden_there_and_back), WIRE_TEST(strings_end),
	    WIRE_TEST(empty),           WIRE_TEST(sets_without_values),   WIRE_TEST(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
