/* test_number - seven characters: docs/spec/pmapi.md 11. */
#include <math.h>

#include "pcp_test.h"

static const struct {
	double value;
	const char *text;
} cases[] = {
    {12345, " 12.35K"},     {999.994, "999.99 "},  {-99.995, " -0.10K"}, {-1, " -1.00 "},
    {0, "  0.00 "},         {0.004, "  0.00 "},    {0.005, "  0.01 "},   {-0.004, "  0.00 "},
    {999.995, "  1.00K"},   {999995, "  1.00M"},   {1e9, "  1.00G"},     {1e12, "  1.00T"},
    {999995e9, " inf?  "},  {-99995e9, "-inf?  "}, {NAN, "  0.00 "},     {INFINITY, " inf?  "},
    {-INFINITY, "-inf?  "},
};

static void texts(void **state)
{
	char buf[8];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(pmNumberStr_r(cases[i].value, buf, sizeof(buf)), cases[i].text);
		assert_string_equal(pmNumberStr(cases[i].value), cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(texts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
