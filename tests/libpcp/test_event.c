/* test_event - the walk over event records, whole, cut anywhere, and broken:
 * docs/spec/pmapi.md 21.1. */
#include "libpcp/event.h"
#include "pcp_test.h"

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

static const struct two_events good = {
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

	test_block(&u, &good, sizeof(good), PM_TYPE_EVENT);
	assert_int_equal(event_walk_begin(&w, &u.b, false), 2);
	assert_int_equal(event_walk_next(&w, &record), 1);
	assert_int_equal(record.stamp.tv_sec, 1000);
	assert_int_equal(record.stamp.tv_nsec, 2000);
	assert_int_equal(record.nparams, 2);
	pos = record.params;
	param = event_param(&pos, &value);
	assert_int_equal(param.ep_pmid, 7);
	assert_memory_equal(value, &good.value, 4);
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

	for (size_t len = 0; len < sizeof(good); len++) {
		test_block(&u, &good, len, PM_TYPE_EVENT);
		assert_true(walk(&u.b) < 0);
	}
	test_block(&u, &good, sizeof(good), PM_TYPE_EVENT);
	assert_int_equal(walk(&u.b), 2);
}

static void broken(void **state)
{
	struct two_events bad = good;
	union test_block u;

	bad.nrecords = -1;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_TOOSMALL);
	bad = good;
	bad.number.ep_len = 3;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_TOOSMALL);
	bad = good;
	bad.text.ep_len = 0xffffff;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_TOOBIG);
	bad = good;
	bad.text.ep_type = PM_TYPE_EVENT;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_TYPE);
	bad = good;
	bad.missed_flags |= PM_EVENT_FLAG_END;
	assert_int_equal(walk(test_block(&u, &bad, sizeof(bad), PM_TYPE_EVENT)), PM_ERR_CONV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole),
	    cmocka_unit_test(cut),
	    cmocka_unit_test(broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
