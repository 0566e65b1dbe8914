/* test_stamp - time of day: docs/spec/pmapi.md 13.1. */
#include "pcp_test.h"

static void stamps(void **state)
{
	struct timeval tv = {3661, 5999};
	struct timespec ts = {3661, 5999};
	struct printed p;

	setenv("TZ", "UTC", 1);
	pmPrintStamp(printed_open(&p)->f, &tv);
	printed_is(&p, "01:01:01.005");
	pmPrintHighResStamp(printed_open(&p)->f, &ts);
	printed_is(&p, "01:01:01.000005999");
	pmNewZone("XYZ-2");
	pmPrintStamp(printed_open(&p)->f, &tv);
	printed_is(&p, "03:01:01.005");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(stamps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
