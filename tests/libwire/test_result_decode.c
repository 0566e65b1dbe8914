/*
 * test_result_decode - result_decode gives what pdu_decode and result_to_host give: the same result
 * or the same error, for real PDUs, every truncation of them, and every byte of them changed.
 */
#include "golden.h"
#include "libwire/result.h"
#include "wire_test.h"

static unsigned int ngood;
static unsigned int nbad;

static void assert_same_set(const pmValueSet *a, const pmValueSet *b)
{
	assert_int_equal(a->pmid, b->pmid);
	assert_int_equal(a->numval, b->numval);
	assert_int_equal(a->valfmt, b->valfmt);
	for (int i = 0; i < a->numval; i++) {
		const pmValueBlock *x = a->vlist[i].value.pval;
		const pmValueBlock *y = b->vlist[i].value.pval;

		assert_int_equal(a->vlist[i].inst, b->vlist[i].inst);
		if (a->valfmt == PM_VAL_INSITU) {
			assert_int_equal(a->vlist[i].value.lval, b->vlist[i].value.lval);
			continue;
		}
		assert_int_equal(x->vlen, y->vlen);
		assert_memory_equal(x, y, x->vlen);
		if (x->vtype == PM_TYPE_STRING)
			assert_int_equal(((const char *)x)[x->vlen], '\0');
	}
}

static void compare(struct wire_test *t, const uint8_t *pdu, size_t len)
{
	pmHighResResult *want = NULL;
	pmHighResResult *got = NULL;
	int r = wire_test_decode_bytes(t, pdu, len);
	bool highres = load_be32(pdu + 4) == PDU_HIGHRES_RESULT;

	if (r == 0)
		r = result_to_host(&t->body.result, highres, &want);
	assert_int_equal(result_decode(t->pdu, len, &got), r);
	if (r < 0) {
		nbad++;
		return;
	}
	ngood++;
	assert_int_equal(got->timestamp.tv_sec, want->timestamp.tv_sec);
	assert_int_equal(got->timestamp.tv_nsec, want->timestamp.tv_nsec);
	assert_int_equal(got->numpmid, want->numpmid);
	for (int i = 0; i < got->numpmid; i++)
		assert_same_set(got->vset[i], want->vset[i]);
	free(got);
	free(want);
}

static void spoilt_everywhere(struct wire_test *t, const struct golden *g)
{
	static const uint8_t masks[] = {0x01, 0x02, 0x04, 0x80, 0xff};
	uint8_t *copy = malloc(g->len);

	assert_non_null(copy);
	for (size_t i = PDU_HEADER_LEN; i < g->len; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(masks); j++) {
			memcpy(copy, g->pdu, g->len);
			copy[i] ^= masks[j];
			compare(t, copy, g->len);
		}
	}
	for (size_t len = PDU_HEADER_LEN; len < g->len; len++) {
		memcpy(copy, g->pdu, len);
		store_be32(copy, (uint32_t)len);
		compare(t, copy, len);
	}
	free(copy);
}

static void same_as_in_two_steps(void **state)
{
	struct wire_test *t = *state;
	struct golden_set set;
	size_t n = 0;

	golden_load(&set);
	for (size_t i = 0; i < set.n; i++) {
		const struct golden *g = &set.pdus[i];

		if (strstr(g->name, "RESULT") == NULL)
			continue;
		compare(t, g->pdu, g->len);
		spoilt_everywhere(t, g);
		n++;
	}
	golden_free(&set);
	assert_true(n >= 5);
	assert_true(ngood > 100 && nbad > 100);
}

static void refused(void **state)
{
	uint8_t pdu[64] = {0};
	pmHighResResult *result;

	assert_int_equal(result_decode(pdu, 11, &result), PM_ERR_IPC);
	store_be32(pdu + 4, PDU_FETCH);
	assert_int_equal(result_decode(pdu, sizeof(pdu), &result), -EINVAL);
	store_be32(pdu + 4, PDU_RESULT);
	assert_int_equal(result_decode(pdu, 12, &result), PM_ERR_IPC);
	assert_int_equal(result_decode(pdu, 23, &result), PM_ERR_IPC);
	assert_int_equal(result_decode(pdu, 24, &result), 0);
	assert_int_equal(result->numpmid, 0);
	free(result);
	store_be32(pdu + 20, 0x80000000u);
	assert_int_equal(result_decode(pdu, 24, &result), PM_ERR_IPC);
}

/* A value whose block is the word 0, which is the metric's own identifier here. */
static void no_block_is_empty(void **state)
{
	uint8_t pdu[44] = {0};
	pmHighResResult *result;

	store_be32(pdu + 4, PDU_RESULT);
	store_be32(pdu + 20, 1);
	store_be32(pdu + 28, 1);
	store_be32(pdu + 32, PM_VAL_DPTR);
	store_be32(pdu + 40, 24 / 4);
	assert_int_equal(result_decode(pdu, sizeof(pdu), &result), PM_ERR_IPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(same_as_in_two_steps, wire_test_setup,
					    wire_test_teardown),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(no_block_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
