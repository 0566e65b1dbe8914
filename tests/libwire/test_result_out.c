/*
 * test_result_out - answers written value by value: the same bytes as result_encode makes, whatever
 * was expected of the sets' size. (That of real agents: tests/libpcp_pmda/test_fetch_wire.c.)
 */
#include "libwire/result_out.h"
#include "libwire/result_pdu.h"

#include <errno.h>

#include "libwire/result.h"
#include "wire_test.h"

enum { SETS = 5, VALUES_MAX = 40 };

/* Sets without values, with values in place, with numbers, texts and small numbers in blocks. */
struct sample {
	pmValueSet *sets[SETS];
	union {
		pmValueBlock block;
		char room[24];
	} blocks[SETS][VALUES_MAX];
};

static const int sizes[SETS] = {3, PM_ERR_AGAIN, 40, 7, 11};
static const int types[SETS] = {PM_TYPE_U64, 0, PM_TYPE_STRING, PM_TYPE_U32, PM_TYPE_FLOAT};

static uint32_t value_len(int type, int j)
{
	if (type == PM_TYPE_STRING)
		return (uint32_t)j % 20;
	return type == PM_TYPE_FLOAT ? 4 : 8;
}

static void sample_init(struct sample *s)
{
	for (int i = 0; i < SETS; i++) {
		s->sets[i] = calloc(1, sizeof(pmValueSet) + VALUES_MAX * sizeof(pmValue));
		assert_non_null(s->sets[i]);
		s->sets[i]->pmid = 100 + (pmID)i;
		s->sets[i]->numval = sizes[i];
		s->sets[i]->valfmt = types[i] == PM_TYPE_U32 ? PM_VAL_INSITU : PM_VAL_DPTR;
		for (int j = 0; j < sizes[i]; j++) {
			pmValueBlock *block = &s->blocks[i][j].block;

			s->sets[i]->vlist[j].inst = j * 2;
			s->sets[i]->vlist[j].value.lval = j;
			if (types[i] == PM_TYPE_U32)
				continue;
			memset(block, 'a' + j % 26, sizeof(s->blocks[i][j]));
			block->vtype = (unsigned int)types[i] & 0xff;
			block->vlen = VALUE_BLOCK_HEADER + value_len(types[i], j);
			s->sets[i]->vlist[j].value.pval = block;
		}
	}
}

static void sample_done(struct sample *s)
{
	for (int i = 0; i < SETS; i++)
		free(s->sets[i]);
}

static void put_value(struct result_out *o, int type, const pmValue *v)
{
	uint64_t u64;
	uint32_t bits;

	if (type == PM_TYPE_U32) {
		assert_int_equal(result_out_insitu(o, v->inst, (uint32_t)v->value.lval), 0);
	} else if (type == PM_TYPE_U64) {
		memcpy(&u64, v->value.pval->vbuf, sizeof(u64));
		assert_int_equal(result_out_u64(o, v->inst, PM_TYPE_U64, u64), 0);
	} else if (type == PM_TYPE_FLOAT) {
		memcpy(&bits, v->value.pval->vbuf, sizeof(bits));
		assert_int_equal(result_out_float(o, v->inst, bits), 0);
	} else if (v->inst % 4 == 0) {
		assert_int_equal(result_out_host_block(o, v->inst, v->value.pval), 0);
	} else {
		assert_int_equal(result_out_bytes(o, v->inst, (uint32_t)type, v->value.pval->vbuf,
						  v->value.pval->vlen - VALUE_BLOCK_HEADER),
				 0);
	}
}

static void write_sample(struct result_out *o, const struct sample *s)
{
	for (int i = 0; i < SETS; i++) {
		const pmValueSet *set = s->sets[i];

		assert_int_equal(result_out_set(o, set->pmid), 0);
		for (int j = 0; j < set->numval; j++)
			put_value(o, types[i], &set->vlist[j]);
		result_out_set_end(o, set->numval, set->valfmt);
	}
}

static void any_expectation(void **state)
{
	static const size_t expectations[] = {0, 3, 8, 100, 553, 552, 560, 4000, 1 << 20, SIZE_MAX};
	static const enum pdu_type pdus[] = {PDU_RESULT, PDU_HIGHRES_RESULT};
	struct result_source sources[SETS];
	struct sample s;

	sample_init(&s);
	for (int i = 0; i < SETS; i++)
		sources[i] = (struct result_source){
		    .kind = RESULT_HOST, .pmid = s.sets[i]->pmid, .host = s.sets[i]};
	for (size_t e = 0; e < 2 * ARRAY_SIZE(expectations); e++) {
		struct buffer expect = BUFFER_INIT, got = BUFFER_INIT;
		struct result_pdu p;
		struct result_out o;

		buffer_put(&got, "xyz", 3); /* some of which is consumed */
		buffer_consume(&got, 1);
		assert_int_equal(result_encode(&expect, pdus[e % 2], 9, 77, 88, sources, SETS), 0);
		result_pdu_begin(&p, &got, pdus[e % 2], 9, SETS);
		result_out_open(&o, &p.sink);
		result_out_expect(&o, expectations[e / 2]);
		write_sample(&o, &s);
		assert_int_equal(result_out_close(&o), 0);
		assert_int_equal(result_pdu_end(&p, 77, 88), 0);
		assert_int_equal(buffer_pending(&got), 2 + expect.len);
		assert_memory_equal(buffer_head(&got), "yz", 2);
		assert_memory_equal(buffer_head(&got) + 2, expect.data, expect.len);
		buffer_done(&expect);
		buffer_done(&got);
	}
	sample_done(&s);
}

/* A set that turns out to have no values leaves no trace of those that it had. */
/* More is expected after the sets outgrew what was expected first, with no block so far. */
static void expected_again(void **state)
{
	for (uint32_t n = 1; n < 200; n++) {
		struct buffer b = BUFFER_INIT;
		struct arena mem = {0};
		union pdu_body body;
		struct result_pdu p;
		struct result_out o;

		result_pdu_begin(&p, &b, PDU_RESULT, 0, n + 1);
		result_out_open(&o, &p.sink);
		result_out_expect(&o, 16);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(result_out_set(&o, i), 0);
			assert_int_equal(result_out_insitu(&o, -1, i), 0);
			result_out_set_end(&o, 1, PM_VAL_INSITU);
		}
		result_out_expect(&o, 5000);
		assert_int_equal(result_out_set(&o, n), 0);
		assert_int_equal(result_out_u64(&o, 3, PM_TYPE_U64, 77), 0);
		assert_int_equal(result_out_u64(&o, 4, PM_TYPE_U64, 78), 0);
		result_out_set_end(&o, 2, PM_VAL_DPTR);
		assert_int_equal(result_out_close(&o), 0);
		assert_int_equal(result_pdu_end(&p, 0, 0), 0);
		assert_int_equal(pdu_decode(buffer_head(&b), buffer_pending(&b), &mem, &body), 0);
		assert_int_equal(body.result.vsets[n].values[1].block[11], 78);
		arena_done(&mem);
		buffer_done(&b);
	}
}

static void dropped_set(void **state)
{
	struct result_source source = {.kind = RESULT_ERROR, .pmid = 1, .error = PM_ERR_CONV};
	struct buffer expect = BUFFER_INIT, got = BUFFER_INIT;
	struct result_pdu p;
	struct result_out o;

	assert_int_equal(result_encode(&expect, PDU_RESULT, 0, 0, 0, &source, 1), 0);
	result_pdu_begin(&p, &got, PDU_RESULT, 0, 1);
	result_out_open(&o, &p.sink);
	assert_int_equal(result_out_set(&o, 1), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(result_out_u64(&o, i, PM_TYPE_U64, 5), 0);
	result_out_set_end(&o, PM_ERR_CONV, PM_VAL_DPTR);
	assert_int_equal(result_out_close(&o), 0);
	assert_int_equal(result_pdu_end(&p, 0, 0), 0);
	assert_int_equal(got.len, expect.len);
	assert_memory_equal(got.data, expect.data, got.len);
	buffer_done(&expect);
	buffer_done(&got);
}

static void malformed_block(void **state)
{
	pmValueBlock block = {.vtype = PM_TYPE_U64, .vlen = VALUE_BLOCK_HEADER};
	struct buffer got = BUFFER_INIT;
	struct result_pdu p;
	struct result_out o;

	result_pdu_begin(&p, &got, PDU_RESULT, 0, 1);
	result_out_open(&o, &p.sink);
	assert_int_equal(result_out_set(&o, 1), 0);
	assert_int_equal(result_out_host_block(&o, 1, &block), PM_ERR_CONV);
	assert_int_equal(o.err, 0);
	assert_int_equal(result_out_close(&o), 0);
	result_pdu_cancel(&p);
	buffer_done(&got);
}

/* Every write after the failure fails, and the buffer holds what it held. */
static void too_big(void **state)
{
	struct buffer got = BUFFER_INIT;
	struct result_run run;
	struct result_pdu p;
	struct result_out o;

	buffer_put(&got, "xyz", 3);
	result_pdu_begin(&p, &got, PDU_RESULT, 0, 1);
	result_out_open(&o, &p.sink);
	assert_int_equal(result_out_set(&o, 1), 0);
	assert_int_equal(result_out_more(&o, 0, PDU_PEER_MAX), PM_ERR_TOOBIG);
	assert_int_equal(result_out_insitu(&o, 1, 1), PM_ERR_TOOBIG);
	assert_int_equal(result_out_u64(&o, 1, PM_TYPE_U64, 1), PM_ERR_TOOBIG);
	run = result_run_begin(&o);
	assert_false(result_run_u32(&run, 1, 1));
	assert_false(result_run_u64(&run, 1, PM_TYPE_U64, 1));
	result_run_end(&o, &run);
	assert_int_equal(result_out_set(&o, 1), PM_ERR_TOOBIG);
	(void)result_out_close(&o);
	assert_int_equal(result_pdu_end(&p, 0, 0), PM_ERR_TOOBIG);
	assert_int_equal(got.len, 3);
	assert_int_equal(got.err, 0);
	assert_memory_equal(got.data, "xyz", 3);
	buffer_done(&got);
}

/* A buffer that has held something larger offers room beyond the limit. */
static void too_big_in_a_large_buffer(void **state)
{
	struct buffer b = BUFFER_INIT;
	struct result_pdu p;
	struct result_out o;

	assert_non_null(buffer_reserve(&b, (size_t)PDU_PEER_MAX + 4096));
	result_pdu_begin(&p, &b, PDU_RESULT, 0, 1);
	result_out_open(&o, &p.sink);
	assert_int_equal(result_out_set(&o, 1), 0);
	result_out_set_end(&o, 0, 0);
	o.a.block = p.pdu + PDU_PEER_MAX + 2048; /* as if blocks had been written one by one */
	(void)result_out_close(&o);
	assert_int_equal(result_pdu_end(&p, 0, 0), PM_ERR_TOOBIG);
	assert_int_equal(buffer_pending(&b), 0);
	buffer_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(any_expectation), cmocka_unit_test(expected_again),
	    cmocka_unit_test(dropped_set),     cmocka_unit_test(malformed_block),
	    cmocka_unit_test(too_big),         cmocka_unit_test(too_big_in_a_large_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
