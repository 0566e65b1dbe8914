/* test_event_unpack - event arrays as lists of results: docs/spec/pmapi.md 21.1. */
#include "pcp_test.h"

struct high_event {
	int nrecords;
	pmTimespec stamp;
	unsigned int flags;
	int nparams;
	pmEventParameter number;
	int value;
	pmEventParameter real;
	double d;
	pmTimespec missed_stamp;
	unsigned int missed_flags;
	int missed;
} __attribute__((packed));

static const struct high_event good = {
    .nrecords = 2,
    .stamp = {1000, 123456789},
    .flags = PM_EVENT_FLAG_START,
    .nparams = 2,
    .number = {.ep_pmid = 7, .ep_type = PM_TYPE_U32, .ep_len = 8},
    .value = 42,
    .real = {.ep_pmid = 8, .ep_type = PM_TYPE_DOUBLE, .ep_len = 12},
    .d = 2.5,
    .missed_stamp = {1001, 0},
    .missed_flags = PM_EVENT_FLAG_MISSED,
    .missed = 9,
};

static void high_resolution(void **state)
{
	union test_block u;
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_SPTR};
	pmHighResResult **records;
	pmValueSet *const *v;

	set.vlist[0].value.pval = test_block(&u, &good, sizeof(good), PM_TYPE_HIGHRES_EVENT);
	assert_int_equal(pmUnpackHighResEventRecords(&set, 0, &records), 2);
	assert_int_equal(records[0]->timestamp.tv_nsec, 123456789);
	assert_int_equal(records[0]->numpmid, 3);
	v = &records[0]->vset[0];
	assert_int_equal(v[0]->pmid, pmID_build(511, 0, 1));
	assert_int_equal(v[0]->vlist[0].value.lval, PM_EVENT_FLAG_START);
	assert_int_equal(v[0]->vlist[0].inst, (int)PM_IN_NULL);
	assert_int_equal(v[1]->pmid, 7);
	assert_int_equal(v[1]->valfmt, PM_VAL_INSITU);
	assert_int_equal(v[1]->vlist[0].value.lval, 42);
	assert_int_equal(v[2]->valfmt, PM_VAL_DPTR);
	assert_int_equal(v[2]->vlist[0].value.pval->vlen, 12);
	assert_int_equal(records[1]->numpmid, 2);
	v = &records[1]->vset[0];
	assert_int_equal(v[1]->pmid, pmID_build(511, 0, 2));
	assert_int_equal(v[1]->vlist[0].value.lval, 9);
	assert_null(records[2]);
	pmFreeHighResEventResult(records);
}

static void results(void **state)
{
	static const int none = 0;
	union test_block u;
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_INSITU};
	pmResult **records = NULL;

	set.vlist[0].value.pval = test_block(&u, &none, sizeof(none), PM_TYPE_EVENT);
	assert_int_equal(pmUnpackEventRecords(&set, 0, &records), PM_ERR_CONV);
	set.valfmt = PM_VAL_DPTR;
	assert_int_equal(pmUnpackEventRecords(&set, 0, &records), 0);
	assert_null(records);
	u.b.vtype = PM_TYPE_STRING;
	assert_int_equal(pmUnpackEventRecords(&set, 0, &records), PM_ERR_TYPE);
	set.numval = PM_ERR_APPVERSION;
	assert_int_equal(pmUnpackEventRecords(&set, 0, &records), PM_ERR_APPVERSION);
	pmFreeEventResult(NULL);
}

/* A text ends with a NUL after its value, even if its sender added none. */
static void open_text(void **state)
{
	static const struct {
		int nrecords;
		struct {
			int sec, usec;
		} stamp;
		unsigned int flags;
		int nparams;
		pmEventParameter text;
		char value[12];
	} events = {
	    .nrecords = 1,
	    .flags = PM_EVENT_FLAG_POINT,
	    .nparams = 1,
	    .text = {.ep_pmid = 9, .ep_type = PM_TYPE_STRING, .ep_len = 16},
	    .value = {"no end there"},
	};
	union test_block u;
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_SPTR};
	const pmValueBlock *block;
	pmResult **records;

	set.vlist[0].value.pval = test_block(&u, &events, sizeof(events), PM_TYPE_EVENT);
	assert_int_equal(pmUnpackEventRecords(&set, 0, &records), 1);
	block = records[0]->vset[1]->vlist[0].value.pval;
	assert_int_equal(block->vlen, 16);
	assert_string_equal(block->vbuf, "no end there");
	pmFreeEventResult(records);
}

/* Data with a type that values cannot have is not a parameter, for any length. */
static void types(void **state)
{
	struct {
		int nrecords;
		struct {
			int sec, usec;
		} stamp;
		unsigned int flags;
		int nparams;
		pmEventParameter param;
	} events = {
	    .nrecords = 1,
	    .nparams = 1,
	    .param = {.ep_pmid = 9, .ep_len = PM_VAL_HDR_SIZE},
	};
	union test_block u;
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_SPTR};
	pmResult **records;

	for (int type = 0; type < 256; type++) {
		events.param.ep_type = (unsigned int)type;
		set.vlist[0].value.pval = test_block(&u, &events, sizeof(events), PM_TYPE_EVENT);
		if (type > PM_TYPE_AGGREGATE_STATIC) {
			assert_int_equal(pmUnpackEventRecords(&set, 0, &records), PM_ERR_TYPE);
			continue;
		}
		assert_int_equal(pmUnpackEventRecords(&set, 0, &records), 1);
		pmFreeEventResult(records);
	}
}

/* A claim of two thousand million records costs no memory. */
static void too_many(void **state)
{
	static const int many = 0x7fffffff;
	union test_block u;
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_SPTR};
	pmResult **records = NULL;

	set.vlist[0].value.pval = test_block(&u, &many, sizeof(many), PM_TYPE_EVENT);
	assert_int_equal(pmUnpackEventRecords(&set, 0, &records), PM_ERR_TOOBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(high_resolution),
	    cmocka_unit_test(results),
	    cmocka_unit_test(open_text),
	    cmocka_unit_test(types),
	    cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
