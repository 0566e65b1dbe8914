/* test_result_relay - what fits is passed on as decoding and encoding would; what doesn't fit
 * isn't. */
#include "libwire/result.h"
#include "libwire/result_out.h"
#include "libwire/result_pdu.h"
#include "wire_test.h"

enum { SETS = 4 };

static const pmID pmids[SETS] = {10, 11, 12, 13};

/* Two numbers in blocks, an error, a number in place, two texts. */
static void answer(struct buffer *b)
{
	struct result_pdu p;
	struct result_out o;

	result_pdu_begin(&p, b, PDU_RESULT, 0, SETS);
	result_out_open(&o, &p.sink);
	assert_int_equal(result_out_set(&o, 10), 0);
	assert_int_equal(result_out_u64(&o, 1, PM_TYPE_U64, 7), 0);
	assert_int_equal(result_out_u64(&o, 2, PM_TYPE_U64, 8), 0);
	result_out_set_end(&o, 2, PM_VAL_DPTR);
	assert_int_equal(result_out_set(&o, 11), 0);
	result_out_set_end(&o, PM_ERR_AGAIN, 0);
	assert_int_equal(result_out_set(&o, 12), 0);
	assert_int_equal(result_out_insitu(&o, -1, 5), 0);
	result_out_set_end(&o, 1, PM_VAL_INSITU);
	assert_int_equal(result_out_set(&o, 13), 0);
	assert_int_equal(result_out_bytes(&o, 1, PM_TYPE_STRING, "abcd", 5), 0);
	assert_int_equal(result_out_bytes(&o, 2, PM_TYPE_STRING, "abc", 4), 0);
	result_out_set_end(&o, 2, PM_VAL_DPTR);
	assert_int_equal(result_out_close(&o), 0);
	assert_int_equal(result_pdu_end(&p, 0, 0), 0);
}

static void encode_again(const struct buffer *b, enum pdu_type type, struct buffer *out)
{
	struct result_source sources[SETS];
	struct arena mem = ARENA_INIT;
	union pdu_body body;

	assert_int_equal(pdu_decode(b->data, b->len, &mem, &body), 0);
	for (int i = 0; i < SETS; i++)
		sources[i] = (struct result_source){
		    .kind = RESULT_WIRE, .pmid = pmids[i], .wire = &body.result.vsets[i]};
	assert_int_equal(result_encode(out, type, 0, 77, 88, sources, SETS), 0);
	arena_done(&mem);
}

static void as_encoded(void **state)
{
	static const enum pdu_type types[] = {PDU_RESULT, PDU_HIGHRES_RESULT};
	struct buffer b = BUFFER_INIT;

	answer(&b);
	assert_true(result_relay_fits(b.data, b.len, pmids, SETS));
	for (size_t i = 0; i < 2; i++) {
		struct buffer expect = BUFFER_INIT, got = BUFFER_INIT;

		encode_again(&b, types[i], &expect);
		buffer_put(&got, "xyz", 3);
		assert_int_equal(result_relay_put(&got, types[i], 77, 88, b.data, b.len), 0);
		assert_int_equal(got.len, 3 + expect.len);
		assert_memory_equal(got.data + 3, expect.data, expect.len);
		buffer_done(&expect);
		buffer_done(&got);
	}
	buffer_done(&b);
}

static void other_metrics(void **state)
{
	static const pmID others[][SETS] = {{10, 11, 13, 12}, {9, 11, 12, 13}, {10, 11, 12, 14}};
	struct buffer b = BUFFER_INIT;

	answer(&b);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(result_relay_fits(b.data, b.len, others[i], SETS));
	assert_false(result_relay_fits(b.data, b.len, pmids, SETS - 1));
	buffer_done(&b);
}

/* Every truncation, in memory of its length, and one word too many. */
static void other_lengths(void **state)
{
	struct buffer b = BUFFER_INIT;
	uint8_t *copy;

	answer(&b);
	for (size_t len = 0; len < b.len; len++) {
		copy = malloc(len > 0 ? len : 1);
		assert_non_null(copy);
		memcpy(copy, b.data, len);
		assert_false(result_relay_fits(copy, len, pmids, SETS));
		free(copy);
	}
	buffer_put_u32(&b, 0);
	assert_false(result_relay_fits(b.data, b.len, pmids, SETS));
	buffer_done(&b);
}

/* Whatever one byte is changed to, a result that is accepted is well formed. */
static void other_bytes(void **state)
{
	static const uint8_t masks[] = {0x01, 0x04, 0x80, 0xff};
	struct arena mem = ARENA_INIT;
	struct buffer b = BUFFER_INIT;
	size_t fitting = 0, others = 0;
	union pdu_body body;

	answer(&b);
	for (size_t i = PDU_HEADER_LEN; i < b.len; i++) {
		for (size_t m = 0; m < ARRAY_SIZE(masks); m++) {
			b.data[i] ^= masks[m];
			if (result_relay_fits(b.data, b.len, pmids, SETS)) {
				assert_int_equal(pdu_decode(b.data, b.len, &mem, &body), 0);
				fitting++;
			} else {
				others++;
			}
			b.data[i] ^= masks[m];
			arena_reset(&mem);
		}
	}
	assert_true(fitting > 0 && others > 0);
	arena_done(&mem);
	buffer_done(&b);
}

/* Blocks in another order are good, but have to be put in order. */
static void other_order(void **state)
{
	struct arena mem = ARENA_INIT;
	struct buffer b = BUFFER_INIT;
	union pdu_body body;
	uint32_t first, second;

	answer(&b);
	first = load_be32(b.data + 40);
	second = load_be32(b.data + 48);
	assert_int_equal(second, first + 3);
	store_be32(b.data + 40, second);
	store_be32(b.data + 48, first);
	assert_false(result_relay_fits(b.data, b.len, pmids, SETS));
	assert_int_equal(pdu_decode(b.data, b.len, &mem, &body), 0);
	arena_done(&mem);
	buffer_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_encoded),    cmocka_unit_test(other_metrics),
	    cmocka_unit_test(other_lengths), cmocka_unit_test(other_bytes),
	    cmocka_unit_test(other_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
