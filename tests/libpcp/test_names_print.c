/* test_names_print - names on one line: docs/spec/pmapi.md 24. */
#include "pcp_test.h"

static void lines(void **state)
{
	char a[] = "a.b", b[] = "c", sep[] = " or ";
	char *names[] = {a, b};
	struct printed p;

	__pmPrintMetricNames(printed_open(&p)->f, 2, names, sep);
	printed_is(&p, "a.b or c");
	__pmPrintMetricNames(printed_open(&p)->f, 0, NULL, sep);
	printed_is(&p, "<nonames>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
