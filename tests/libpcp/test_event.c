/* test_event - event arrays walked and unpacked. */
#include "libpcp/event.h"
#include "pcp_test.h"

/* ---- event ---------------------------------------------------------------------------------- */

/* Two parameters of one record; a count of the missed. */
struct two_events {
	int nrecords;
	pmTimeval stamp;
	unsigned int flags;
	int nparams;
	pmEventParameter number;
	int value;
	pmEventParameter text;
	char bytes[8];
	pmTimeval missed_stamp;
	unsigned int missed_flags;
	int missed;
};

static const struct two_events event_good = {
    .nrecords = 2,
    .stamp = {1000, 2},
    .flags = PM_EVENT_FLAG_POINT,
    .nparams = 2,
    .number = {.ep_pmid = 7, .ep_type = PM_TYPE_32, .ep_len = 8},
    .value = 42,
    .text = {.ep_pmid = 8, .ep_type = PM_TYPE_STRING, .ep_len = 10},
    .bytes = "hello",
    .missed_stamp = {1001, 3},
    .missed_flags = PM_EVENT_FLAG_MISSED,
    .missed = 9,
};

/* All records of a block: how many, or the error. */
static int walk(const pmValueBlock *block)
{
	struct event_record record;
	struct event_walk w;
	int n = event_walk_begin(&w, block, false), r;

	if (n < 0)
		return n;
	do
		r = event_walk_next(&w, &record);
	while (r > 0);
	return r < 0 ? r : n;
}

static void whole(void **state)
{
	union test_block u;
	struct event_record record;
	struct event_walk w;
	const uint8_t *value, *pos;
	pmEventParameter param;

	test_block(&u, &event_good, sizeof(event_good), PM_TYPE_EVENT);
	assert_int_equal(event_walk_begin(&w, &u.b, false), 2);
	assert_int_equal(event_walk_next(&w, &record), 1);
	assert_int_equal(record.stamp.tv_sec, 1000);
	assert_int_equal(record.stamp.tv_nsec, 2000);
	assert_int_equal(record.nparams, 2);
	pos = record.params;
	param = event_param(&pos, &value);
	assert_int_equal(param.ep_pmid, 7);
	assert_memory_equal(value, &event_good.value, 4);
	param = event_param(&pos, &value);
	assert_int_equal(param.ep_len, 10);
	assert_memory_equal(value, "hello", 6);
	assert_int_equal(event_walk_next(&w, &record), 1);
	assert_int_equal(record.nparams, 9);
	assert_int_equal(event_walk_next(&w, &record), 0);
}

static void cut(void **state)
{
	union test_block u;

	for (size_t len = 0; len < sizeof(event_good); len++) {
		test_block(&u, &event_good, len, PM_TYPE_EVENT);
		assert_true(walk(&u.b) < 0);
	}
	test_block(&u, &event_good, sizeof(event_good), PM_TYPE_EVENT);
	assert_int_equal(walk(&u.b), 2);
}

static void broken(void **state)
{
	struct two_events bad = event_good;
	union test_block u;

	bad.nrecords = -1;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_TOOSMALL);
	bad = event_good;
	bad.number.ep_len = 3;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_TOOSMALL);
	bad = event_good;
	bad.text.ep_len = 0xffffff;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_TOOBIG);
	bad = event_good;
	bad.text.ep_type = PM_TYPE_EVENT;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_TYPE);
	bad = event_good;
	bad.missed_flags |= PM_EVENT_FLAG_END;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_CONV);
}

/* ---- event_unpack --------------------------------------------------------------------------- */

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

static const struct high_event event_unpack_good = {
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

	set.vlist[0].value.pval =
	    test_block(&u, &event_unpack_good, sizeof(event_unpack_good), PM_TYPE_HIGHRES_EVENT);
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

/* A text ends with a NUL after its value, also when its sender gave it none. */
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

/* A block whose type is not that of a value is not a parameter, whatever its length. */
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
	    cmocka_unit_test(whole),   cmocka_unit_test(cut),
	    cmocka_unit_test(broken),  cmocka_unit_test(high_resolution),
	    cmocka_unit_test(results), cmocka_unit_test(open_text),
	    cmocka_unit_test(types),   cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
