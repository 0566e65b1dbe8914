/* test_parse_error - three lines with a caret: docs/spec/pmapi.md 15.1. */
#include "libpcp/format.h"
#include "pcp_test.h"

static void carets(void **state)
{
	const char *text = "10foo";
	char *msg = parse_error(text, text + 2, "unexpected value");
	const char *nothing = "";

	assert_string_equal(msg, "10foo\n  ^ -- unexpected value\n");
	free(msg);
	msg = parse_error(nothing, nothing, "empty");
	assert_string_equal(msg, "\n^ -- empty\n");
	free(msg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(carets)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
