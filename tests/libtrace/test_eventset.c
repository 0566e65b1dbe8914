/* test_eventset - event sets: T-SET-01 to 13. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <trace.h>

#include "libtrace/layout.h"

static int has(const trace_event_set_t *set, trace_event_id_t id)
{
	int member = 77;

	assert_int_equal(posix_trace_eventset_ismember(id, set, &member), 0);
	assert_int_not_equal(member, 77);
	return member != 0;
}

static unsigned members(const trace_event_set_t *set)
{
	unsigned n = 0;

	for (trace_event_id_t id = 1; id < LAYOUT_USER_END; id++)
		n += has(set, id);
	return n;
}

static void fills_in_what_is_asked_for(void **state)
{
	static const struct {
		int what;
		unsigned members;
		int system, unnamed, user, last;
	} rows[] = {
	    {POSIX_TRACE_WOPID_EVENTS, 0, 0, 0, 0, 0},
	    {POSIX_TRACE_SYSTEM_EVENTS, 8, 1, 0, 0, 0},
	    {POSIX_TRACE_ALL_EVENTS, 8 + TRACE_USER_EVENT_MAX, 1, 1, 1, 1},
	};
	trace_event_set_t set;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&set, 0x5a, sizeof(set));
		assert_int_equal(posix_trace_eventset_fill(&set, rows[i].what), 0);
		assert_int_equal(members(&set), rows[i].members);
		for (trace_event_id_t id = POSIX_TRACE_ERROR; id <= POSIX_TRACE_FILTER; id++)
			assert_int_equal(has(&set, id), rows[i].system);
		assert_int_equal(has(&set, POSIX_TRACE_UNNAMED_USEREVENT), rows[i].unnamed);
		assert_int_equal(has(&set, LAYOUT_USER_FIRST), rows[i].user);
		assert_int_equal(has(&set, LAYOUT_USER_END - 1), rows[i].last);
	}
	memset(&set, 0x5a, sizeof(set));
	assert_int_equal(posix_trace_eventset_empty(&set), 0);
	assert_int_equal(members(&set), 0);
}

static void refuses_other_values(void **state)
{
	static const trace_event_id_t ids[] = {0, LAYOUT_USER_END, LAYOUT_IDS, UINT32_MAX};
	static const int whats[] = {0, 4, -1, 1 << 20};
	trace_event_set_t set, before;
	int member = 77;

	memset(&set, 0x5a, sizeof(set));
	before = set;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(posix_trace_eventset_add(ids[i], &set), EINVAL);
		assert_int_equal(posix_trace_eventset_del(ids[i], &set), EINVAL);
		assert_int_equal(posix_trace_eventset_ismember(ids[i], &set, &member), EINVAL);
		assert_int_equal(posix_trace_eventset_fill(&set, whats[i]), EINVAL);
	}
	assert_int_equal(member, 77);
	assert_memory_equal(&set, &before, sizeof(set));
}

/* Every id by itself: added twice, deleted twice, nothing else moves. */
static void adds_and_deletes_one_type(void **state)
{
	trace_event_set_t none, all, set;

	posix_trace_eventset_empty(&none);
	posix_trace_eventset_fill(&all, POSIX_TRACE_ALL_EVENTS);
	for (trace_event_id_t id = 1; id < LAYOUT_USER_END; id++) {
		set = none;
		assert_int_equal(posix_trace_eventset_add(id, &set), 0);
		assert_int_equal(posix_trace_eventset_add(id, &set), 0);
		assert_true(has(&set, id));
		assert_int_equal(posix_trace_eventset_del(id, &set), 0);
		assert_int_equal(posix_trace_eventset_del(id, &set), 0);
		assert_memory_equal(&set, &none, sizeof(set));
		set = all;
		posix_trace_eventset_del(id, &set);
		assert_false(has(&set, id));
		posix_trace_eventset_add(id, &set);
		assert_memory_equal(&set, &all, sizeof(set));
	}
	posix_trace_eventset_add(100, &none);
	assert_int_equal(members(&none), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fills_in_what_is_asked_for),
	    cmocka_unit_test(refuses_other_values),
	    cmocka_unit_test(adds_and_deletes_one_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
