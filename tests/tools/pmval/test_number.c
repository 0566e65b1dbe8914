/* test_number - the form of real numbers by their size (docs/spec/tools.md 4), and narrow columns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../capture.h"
#include "tools/pmval/pmval.h"

/* clang-format off */
static const struct {
	double v;
	int width;
	int precision;
	const char *text;
} cases[] = {
	/* v       width precision text */
	{ 0,        13, -1, "       0.0   " },
	{ 0.05,     13, -1, "    5.000E-02" },
	{ 0.0999,   13, -1, "    9.990E-02" },
	{ 0.1,      13, -1, "       0.1000" },
	{ 0.9999,   13, -1, "       0.9999" },
	{ 1,        13, -1, "       1.000 " },
	{ 9.999,    13, -1, "       9.999 " },
	{ 10,       13, -1, "      10.00  " },
	{ 99.99,    13, -1, "      99.99  " },
	{ 100,      13, -1, "     100.0   " },
	{ 999.9,    13, -1, "     999.9   " },
	{ 1000,     13, -1, "    1000.    " },
	{ 9999,     13, -1, "    9999.    " },
	{ 10000,    13, -1, "    1.000E+04" },
	{ -1,       13, -1, "   -1.000E+00" },
	{ 12.345,   10,  2, "     12.35" },
	{ -12.3,    10,  0, "       -12" },
	{ 0,        10,  3, "     0.000" },
	{ 0,         1, -1, "0.0   " },
	{ 1000,      1, -1, "1000.    " },
	{ 5,         1, -1, "5.000 " },
};
/* clang-format on */

static void forms(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = CAPTURE(number_print(cases[i].v, cases[i].width, cases[i].precision));

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
