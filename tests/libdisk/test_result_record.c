/* test_result_record - data records from and to the host's form, looked at, and copied. */
#include "libdisk/result_record.h"

#include <errno.h>

#include "libdisk/result_view.h"
#include "wire_test.h"

enum { SETS_MAX = 12, VALUES_MAX = 9, BLOCK_MAX = 64 };

/* A value set with its blocks. */
struct sample {
	pmID pmid;
	int numval;
	int valfmt;
	pmValue vlist[VALUES_MAX];
	uint64_t blocks[VALUES_MAX][BLOCK_MAX / 8];
};

static unsigned int seed = 3;

static void fill_block(pmValueBlock *block)
{
	static const uint8_t types[] = {PM_TYPE_64,     PM_TYPE_U64,    PM_TYPE_FLOAT,
					PM_TYPE_DOUBLE, PM_TYPE_STRING, PM_TYPE_AGGREGATE};
	uint8_t type = types[rand_r(&seed) % ARRAY_SIZE(types)];
	uint32_t len = value_need[type];

	if (len == 0)
		len = (uint32_t)rand_r(&seed) % (BLOCK_MAX - VALUE_BLOCK_HEADER - 4);
	for (uint32_t i = 0; i < len; i++)
		block->vbuf[i] = (char)(1 + rand_r(&seed) % 100);
	block->vtype = type;
	block->vlen = VALUE_BLOCK_HEADER + len;
}

static void fill_sample(struct sample *s, pmID pmid)
{
	s->pmid = pmid;
	s->numval = rand_r(&seed) % (VALUES_MAX + 2) - 1;
	if (s->numval < 0)
		s->numval = PM_ERR_AGAIN;
	s->valfmt = rand_r(&seed) % 2;
	for (int i = 0; i < s->numval; i++) {
		s->vlist[i].inst = rand_r(&seed);
		s->vlist[i].value.lval = rand_r(&seed);
		if (s->valfmt != PM_VAL_INSITU) {
			s->vlist[i].value.pval = (pmValueBlock *)(void *)s->blocks[i];
			fill_block(s->vlist[i].value.pval);
		}
	}
}

static void check_value(const struct wire_value *got, const struct sample *s, int i)
{
	const pmValueBlock *block = s->vlist[i].value.pval;
	pmAtomValue atom = {.ull = 0};

	assert_int_equal(got->inst, s->vlist[i].inst);
	if (s->valfmt == PM_VAL_INSITU) {
		assert_int_equal(got->block_len, 0);
		assert_int_equal(got->insitu, (uint32_t)s->vlist[i].value.lval);
		return;
	}
	assert_int_equal(got->block_len, block->vlen);
	if (wire_value_number(got, block->vtype, &atom) == 0)
		assert_memory_equal(&atom, block->vbuf, value_need[block->vtype]);
	else
		assert_memory_equal(got->block + 4, block->vbuf, block->vlen - 4);
}

static void check_view(const struct result_view *view, const struct sample *samples, uint32_t n)
{
	assert_int_equal(view->numpmid, n);
	assert_int_equal(result_view_check(view), 0);
	for (uint32_t i = 0; i < n; i++) {
		struct vset_view set;

		assert_int_equal(result_view_find(view, samples[i].pmid, &set), 1);
		assert_int_equal(set.numval, samples[i].numval);
		for (int j = 0; j < set.numval; j++) {
			struct wire_value value;

			assert_int_equal(vset_view_value(view, &set, j, &value), 0);
			check_value(&value, &samples[i], j);
		}
	}
	assert_int_equal(result_view_find(view, 1000, &(struct vset_view){0}), 0);
}

/* Random results, encoded in each version and decoded again. */
static void random_round_trips(void **state)
{
	struct sample samples[SETS_MAX];
	pmValueSet *sets[SETS_MAX];
	struct timespec stamp = {1795188452, 409914000};

	for (int round = 0; round < 3000; round++) {
		uint32_t n = (uint32_t)rand_r(&seed) % SETS_MAX;
		int version = 2 + round % 2;
		struct buffer first = BUFFER_INIT, second = BUFFER_INIT, other = BUFFER_INIT;
		struct result_view view;
		pmHighResResult *result;

		for (uint32_t i = 0; i < n; i++) {
			fill_sample(&samples[i], i);
			sets[i] = (pmValueSet *)(void *)&samples[i];
		}
		assert_int_equal(result_record_put(&first, version, &stamp, sets, n), 0);
		assert_int_equal(result_view_init(&view, version, first.data, first.len), 0);
		check_view(&view, samples, n);
		assert_int_equal(result_record_to_host(version, first.data, first.len, &result), 0);
		assert_true(result->timestamp.tv_nsec == stamp.tv_nsec);
		assert_int_equal(
		    result_record_put(&second, version, &result->timestamp, result->vset, n), 0);
		assert_int_equal(first.len, second.len);
		assert_memory_equal(first.data, second.data, first.len);
		assert_int_equal(result_record_copy(&other, 5 - version, &stamp, &view), 0);
		assert_int_equal(result_view_init(&view, 5 - version, other.data, other.len), 0);
		check_view(&view, samples, n);
		free(result);
		buffer_done(&first);
		buffer_done(&second);
		buffer_done(&other);
	}
}

static void marks(void **state)
{
	struct wire_test *t = *state;
	struct timespec stamp = {9, 1000};
	struct result_view view;
	struct result_walk walk;

	for (int version = 2; version <= 3; version++) {
		buffer_reset(&t->out);
		assert_int_equal(result_record_put_mark(&t->out, version, &stamp), 0);
		assert_int_equal(t->out.len, version == 2 ? 20 : 24);
		assert_int_equal(result_view_init(&view, version, t->out.data, t->out.len), 0);
		assert_true(result_view_is_mark(&view));
		walk = result_walk_begin(&view);
		assert_int_equal(result_walk_next(&view, &walk, &(struct vset_view){0}), 0);
		assert_int_equal(result_view_check(&view), 0);
		assert_int_equal(view.stamp.tv_nsec, 1000);
	}
	stamp.tv_sec = (int64_t)1 << 31;
	assert_int_equal(result_record_put_mark(&t->out, 2, &stamp), -ERANGE);
	assert_int_equal(t->out.len, 24);
}

/* A value that cannot be converted is an error only of its metric. */
static void bad_values(void **state)
{
	struct wire_test *t = *state;
	uint64_t block[2] = {0};
	pmValueBlock *u64 = (pmValueBlock *)(void *)block;
	struct sample bad = {1, 1, PM_VAL_DPTR, {{.inst = -1}}};
	struct sample good = {2, 1, PM_VAL_INSITU, {{.inst = -1}}};
	pmValueSet *sets[] = {(pmValueSet *)(void *)&bad, (pmValueSet *)(void *)&good};
	struct result_view view;
	struct vset_view set;

	u64->vtype = PM_TYPE_U64;
	u64->vlen = VALUE_BLOCK_HEADER + 4;
	bad.vlist[0].value.pval = u64;
	assert_int_equal(result_record_put(&t->out, 3, &(struct timespec){1, 1}, sets, 2), 0);
	assert_int_equal(result_view_init(&view, 3, t->out.data, t->out.len), 0);
	assert_int_equal(result_view_check(&view), 0);
	assert_int_equal(result_view_find(&view, 1, &set), 1);
	assert_int_equal(set.numval, PM_ERR_CONV);
	assert_int_equal(result_view_find(&view, 2, &set), 1);
	assert_int_equal(set.numval, 1);
}

static void malformed(void **state)
{
	static const struct {
		const char *what;
		const char *hex; /* of version 2, between the length words */
	} cases[] = {
	    {"no head", "00000001 00000000"},
	    {"more sets than bytes", "00000001 00000000 7fffffff 00000001 00000000"},
	    {"a set that is not whole", "00000001 00000000 00000001 00000001"},
	    {"more values than bytes",
	     "00000001 00000000 00000001 00000001 20000000 00000000 ffffffff 00000001"},
	    {"a valfmt of 3",
	     "00000001 00000000 00000001 00000001 00000001 00000003 ffffffff 00000001"},
	    {"a block in the sets",
	     "00000001 00000000 00000001 00000001 00000001 00000001 ffffffff 00000006"},
	    {"a block before them",
	     "00000001 00000000 00000001 00000001 00000001 00000001 ffffffff 00000005"},
	    {"a block beyond the record",
	     "00000001 00000000 00000001 00000001 00000001 00000001 ffffffff ffffffff"},
	    {"a block longer than the record",
	     "00000001 00000000 00000001 00000001 00000001 00000001 ffffffff 0000000b 06000009"
	     "00000000"},
	    {"a block shorter than its type",
	     "00000001 00000000 00000001 00000001 00000001 00000001 ffffffff 0000000b 03000008"
	     "00000000"},
	    {"a block that two values share",
	     "00000001 00000000 00000001 00000001 00000002 00000001 00000000 0000000d 00000001"
	     "0000000d 04000008 00000000"},
	    {"a block that is nobody's", "00000001 00000000 00000001 00000001 00000000 04000008"
					 "00000000"},
	    {"a mark with something behind it", "00000001 00000000 00000000 00000000"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len;
		AUTO_FREE uint8_t *bytes = wire_test_hex(cases[i].hex, &len);
		AUTO_FREE uint8_t *record = malloc(len + 8);
		pmHighResResult *result;

		store_be32(record, (uint32_t)len + 8);
		memcpy(record + 4, bytes, len);
		store_be32(record + 4 + len, (uint32_t)len + 8);
		if (result_record_to_host(2, record, len + 8, &result) != PM_ERR_LOGREC)
			fail_msg("%s", cases[i].what);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(random_round_trips),
	    WIRE_TEST(marks),
	    WIRE_TEST(bad_values),
	    WIRE_TEST(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
