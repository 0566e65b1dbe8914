/* test_stamp - the three forms of a time, and their widths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/pmapi.h>

#include "../capture.h"
#include "tools/pmval/pmval.h"

/* clang-format off */
static const struct {
	int detail;
	const char *text;
} cases[] = {
	{ 0, "01:01:01.999" },
	{ 1, "Thu Jan  1 01:01:01.999999 1970" },
	{ 2, "Thu Jan  1 01:01:01.999999999 1970" },
	{ 3, "Thu Jan  1 01:01:01.999999999 1970" },
};
/* clang-format on */

static void forms(void **state)
{
	const struct timespec when = {.tv_sec = 3661, .tv_nsec = 999999999};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = CAPTURE(stamp_print(&when, cases[i].detail));

		assert_string_equal(text, cases[i].text);
		assert_int_equal(strlen(text), stamp_width(cases[i].detail));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(forms),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
