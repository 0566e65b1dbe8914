/* test_options_context - zone and time window of a live source: docs/spec/pmapi.md 19.4. */
#define PMAPI_VERSION 3
#include "apart.h"

static void live_window(void **state)
{
	char finish[] = "10min";
	pmOptions o = {.version = 3, .context = PM_CONTEXT_HOST, .finish_optarg = finish};
	struct timespec now;

	pmtimespecNow(&now);
	assert_int_equal(pmGetContextOptions(0, &o), 0);
	assert_true(o.start.tv_sec >= now.tv_sec && o.start.tv_sec <= now.tv_sec + 5);
	assert_int_equal(o.finish.tv_sec - o.start.tv_sec, 600);
	assert_int_equal(o.origin.tv_sec, o.start.tv_sec);
}

static void no_window(void **state)
{
	pmOptions o = {.version = 3, .context = PM_CONTEXT_HOST};

	assert_int_equal(pmGetContextOptions(0, &o), 0);
	assert_int_equal(o.finish.tv_sec, 0);
	o.flags = PM_OPTFLAG_BOUNDARIES;
	assert_int_equal(pmGetContextOptions(0, &o), 0);
	assert_int_equal(o.finish.tv_sec, PM_MAX_TIME_T);
}

static void zone(void **state)
{
	char tz[] = "XYZ-3";
	pmOptions o = {.version = 3, .context = PM_CONTEXT_HOST, .timezone = tz};
	char *current;

	assert_int_equal(pmGetContextOptions(0, &o), 0);
	assert_true(pmWhichZone(&current) >= 0);
	assert_string_equal(current, "XYZ-3");
}

static void run_wrong(void)
{
	char finish[] = "foo";
	pmOptions o = {.version = 3, .context = PM_CONTEXT_HOST, .finish_optarg = finish};
	int r;

	pmSetProgname("prog");
	r = pmGetContextOptions(0, &o);
	pmflush();
	_exit(r == PM_ERR_GENERIC ? 0 : 3);
}

static void mistakes(void **state)
{
	char text[256];

	assert_int_equal(run_apart(run_wrong, text, sizeof(text)), 0);
	assert_string_equal(text, "prog: invalid time window.\nfoo\n^ -- unexpected value\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(live_window),
	    cmocka_unit_test(no_window),
	    cmocka_unit_test(zone),
	    cmocka_unit_test(mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
