/*
 * test_routine - the fields that the tracing agent adds to each event, and which of them are
 * notable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/pmevent/pmevent.h"

static void test_routine(void **state)
{
	static const struct {
		const char *metric;
		uint32_t value;
		bool routine, notable;
	} rows[] = {
	    {"tracing.param.pid", 7, true, false},
	    {"tracing.param.tid", 7, true, false},
	    {"tracing.param.tid", 8, true, true},
	    {"tracing.param.address", 9, true, false},
	    {"tracing.param.truncation", 0, true, false},
	    {"tracing.param.truncation", 1, true, true},
	    {"tracing.param.type", 0, true, false},
	    {"tracing.param.type", 1, true, true},
	    {"tracing.param.data", 0, false, true},
	    {"tracing.field.tick.type", 0, false, true},
	    {"tracing.field.tick.pid", 7, false, true},
	    {"other.param.pid", 7, false, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct field fields[] = {
		    {.metric = rows[i].metric, .type = PM_TYPE_U32, .value.ul = rows[i].value},
		    {.metric = "tracing.param.pid", .type = PM_TYPE_U32, .value.ul = 7},
		};
		struct record r = {.fields = fields, .n_fields = 2};

		if (routine_is(&fields[0]) != rows[i].routine ||
		    routine_is_notable(&fields[0], &r) != rows[i].notable)
			fail_msg("%s=%u", rows[i].metric, rows[i].value);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_routine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
