/* test_filter - the choice of events: processes of instances, names, fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/pmevent/pmevent.h"

static void test_processes(void **state)
{
	static const struct {
		const char *words, *instance;
		bool wanted;
	} rows[] = {
	    {"4711", "4711 worker", true},
	    {"4711", "4711.2 worker", true},
	    {"4711", "47111 worker", false},
	    {"471", "4711 worker", false},
	    {"2", "4711.2 worker", false},
	    {"worker", "4711 worker", true},
	    {"worker", "4711.2 worker", true},
	    {"work*", "4711 worker of many words", true},
	    {"'4711 worker'", "4711 worker", false}, /* not a command */
	    {"other,worker", "4711 worker", true},
	    {"other", "4711 worker", false},
	    {"fungus", "fungus", true},
	    {"4711", "4711", false}, /* not a process: a name of digits */
	    {"4711", NULL, false},
	    {"*", NULL, false},
	    {"*", "", true},
	    {"*", "4711 worker", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct filter f = {0};

		wordlist_add(&f.processes, rows[i].words);
		if (filter_wants_instance(&f, rows[i].instance) != rows[i].wanted)
			fail_msg("%s of %s", rows[i].words, rows[i].instance);
		filter_done(&f);
	}
	assert_true(filter_wants_instance(&(struct filter){0}, NULL));
}

static void test_events(void **state)
{
	struct record named = {.event = "request.done"}, nameless = {.event = NULL};
	struct record missed = {.missed = true, .n_missed = 3};
	struct filter f = {0};

	wordlist_add(&f.events, "start, request.*");
	assert_true(filter_wants(&f, &named));
	assert_false(filter_wants(&f, &nameless));
	assert_true(filter_wants(&f, &missed));
	filter_done(&f);
	assert_true(filter_wants(&f, &nameless));
}

static void test_conditions(void **state)
{
	struct field fields[] = {
	    {.name = "n", .metric = "a.n", .type = PM_TYPE_32, .value.l = 1},
	    {.name = "n", .metric = "a.n", .type = PM_TYPE_32, .value.l = 2},
	    {.name = "s", .metric = "a.s", .type = PM_TYPE_STRING, .value.cp = (char *)"t"},
	};
	struct record r = {.fields = fields, .n_fields = 3};
	struct filter f = {0};

	assert_int_equal(filter_add_condition(&f, "n=2"), 0);
	assert_true(filter_wants(&f, &r));
	assert_int_equal(filter_add_condition(&f, "s=t"), 0);
	assert_true(filter_wants(&f, &r));
	assert_true(filter_add_condition(&f, "?") < 0);
	assert_int_equal(filter_add_condition(&f, "other!=1"), 0);
	assert_false(filter_wants(&f, &r));
	filter_done(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_processes),
	    cmocka_unit_test(test_events),
	    cmocka_unit_test(test_conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
