/* test_zone - reporting time zones: docs/spec/pmapi.md 17. */
#include <pthread.h>

#include "pcp_test.h"

static const time_t summer = 1690000000;

static void handles(void **state)
{
	char buf[32], *tz;
	int utc, cet;

	setenv("TZ", "EST5", 1);
	assert_int_equal(pmWhichZone(&tz), -1);
	assert_int_equal(pmUseZone(0), -1);
	assert_string_equal(pmCtime(&summer, buf), "Fri Jul 21 23:26:40 2023\n");
	utc = pmNewZone("UTC");
	assert_int_equal(pmWhichZone(&tz), utc);
	assert_string_equal(tz, "UTC+0"); /* not a file's name */
	assert_string_equal(pmCtime(&summer, buf), "Sat Jul 22 04:26:40 2023\n");
	cet = pmNewZone("CET-1CEST,M3.5.0,M10.5.0/3");
	assert_int_equal(cet, utc + 1);
	assert_string_equal(pmCtime(&summer, buf), "Sat Jul 22 06:26:40 2023\n");
	assert_int_equal(pmUseZone(utc), 0);
	assert_string_equal(pmCtime(&summer, buf), "Sat Jul 22 04:26:40 2023\n");
	assert_int_equal(pmUseZone(99), -1);
	assert_string_equal(getenv("TZ"), "EST5");
}

/* A client that sets its zone for ever. */
static void many(void **state)
{
	char name[16];
	int last = 0;

	for (int i = 0; i < 5000; i++)
		last = pmNewZone("UTC");
	assert_true(last >= 0 && last < 4096);
	pmsprintf(name, sizeof(name), "XYZ-7");
	assert_int_equal(pmNewZone(name), -E2BIG);
}

static void conversions(void **state)
{
	struct tm tm;

	pmNewZone("CET-1CEST,M3.5.0,M10.5.0/3");
	pmLocaltime(&summer, &tm);
	assert_int_equal(tm.tm_hour, 6);
	assert_int_equal(tm.tm_isdst, 1);
	assert_int_equal(__pmMktime(&tm), summer);
	unsetenv("TZ");
	pmLocaltime(&summer, &tm);
	assert_null(getenv("TZ"));
}

static void of_this_host(void **state)
{
	static const char *const cases[][2] = {
	    {"UTC", "UTC"},
	    {"CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3"},
	    {"Europe/Vienna", "Europe/Vienna"},
	    {":XYZ-5:30", "XYZ-5:30"},
	    {":XYZ+3", "XYZ+3"},
	    {":<+11>-11", "<+11>-11"},
	};
	char buf[64], *name;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setenv("TZ", cases[i][0], 1);
		assert_string_equal(__pmTimezone_r(buf, sizeof(buf)), cases[i][1]);
		assert_string_equal(__pmTimezone(), cases[i][1]);
	}
	name = __pmZoneinfo();
	assert_non_null(name);
	free(name);
}

static void *convert(void *zone)
{
	struct tm tm;

	for (int i = 0; i < 2000; i++)
		pmLocaltime(&summer, &tm);
	return NULL;
}

static void threads(void **state)
{
	pthread_t t[4];

	setenv("TZ", "EST5", 1);
	pmNewZone("UTC");
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, convert, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert_string_equal(getenv("TZ"), "EST5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(handles),      cmocka_unit_test(conversions),
	    cmocka_unit_test(of_this_host), cmocka_unit_test(threads),
	    cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
