/* test_units - units as text, and scaling: docs/spec/pmapi.md 10, 11. */
#include "pcp_test.h"

static pmUnits units(int ds, int dt, int dc, unsigned int ss, unsigned int st, int sc)
{
	return (pmUnits){.dimSpace = ds,
			 .dimTime = dt,
			 .dimCount = dc,
			 .scaleSpace = ss,
			 .scaleTime = st,
			 .scaleCount = sc};
}

static void texts(void **state)
{
	const struct {
		pmUnits u;
		const char *text;
	} cases[] = {
	    {units(1, -1, 0, PM_SPACE_MBYTE, PM_TIME_SEC, 0), "Mbyte / sec"},
	    {units(0, -1, 0, 0, PM_TIME_SEC, 0), "/ sec"},
	    {units(3, 2, 1, 0, PM_TIME_HOUR, 0), "byte^3 hour^2 count"},
	    {units(0, 0, -2, 0, 0, -3), "/ count x 10^-3^2"},
	    {units(0, -1, 1, 0, PM_TIME_HOUR, 6), "count x 10^6 / hour"},
	    {units(0, 0, 0, 0, 0, 0), ""},
	    {units(0, 0, 0, 0, 0, 1), "x 10"},
	    {units(0, 0, 0, 0, 0, -2), "x 10^-2"},
	    {units(1, 1, 0, 9, 6, 0), "space-9 time-6"},
	};
	char buf[60];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(pmUnitsStr_r(&cases[i].u, buf, sizeof(buf)), cases[i].text);
		assert_string_equal(pmUnitsStr(&cases[i].u), cases[i].text);
	}
	assert_null(pmUnitsStr_r(&cases[0].u, buf, 59));
}

static int64_t scaled(int type, int64_t in, pmUnits from, pmUnits to)
{
	pmAtomValue a = {.ll = in};

	assert_int_equal(pmConvScale(type, &a, &from, &a, &to), 0);
	return type == PM_TYPE_32 ? a.l : a.ll;
}

static void integers(void **state)
{
	pmUnits kbyte = units(1, 0, 0, PM_SPACE_KBYTE, 0, 0);
	pmUnits mbyte = units(1, 0, 0, PM_SPACE_MBYTE, 0, 0);
	pmUnits ns = units(0, 1, 0, 0, PM_TIME_NSEC, 0), us = units(0, 1, 0, 0, PM_TIME_USEC, 0);

	assert_int_equal(scaled(PM_TYPE_64, 1536, kbyte, mbyte), 2);
	assert_int_equal(scaled(PM_TYPE_64, -1536, kbyte, mbyte), -1);
	assert_int_equal(scaled(PM_TYPE_32, 3, mbyte, kbyte), 3072);
	/* three hours: the product does not fit into 64 bits */
	assert_int_equal(scaled(PM_TYPE_64, 10800000000000ll, ns, us), 10800000000ll);
}

static void reals(void **state)
{
	pmUnits per_sec = units(1, -1, 0, PM_SPACE_BYTE, PM_TIME_SEC, 0);
	pmUnits per_min = units(1, -1, 0, PM_SPACE_KBYTE, PM_TIME_MIN, 0);
	pmUnits none = units(0, 0, 0, 0, 0, 0), thousand = units(0, 0, 1, 0, 0, 3);
	pmAtomValue a = {.d = 1024};

	assert_int_equal(pmConvScale(PM_TYPE_DOUBLE, &a, &per_sec, &a, &per_min), 0);
	assert_true(a.d == 60);
	a.f = 5000;
	assert_int_equal(pmConvScale(PM_TYPE_FLOAT, &a, &none, &a, &thousand), 0);
	assert_true(a.f == 5);
}

static void errors(void **state)
{
	pmUnits byte = units(1, 0, 0, 0, 0, 0), sec = units(0, 1, 0, 0, PM_TIME_SEC, 0);
	pmUnits zbyte = units(1, 0, 0, PM_SPACE_ZBYTE, 0, 0), odd = units(0, 1, 0, 0, 6, 0);
	pmUnits big = units(7, 0, 0, PM_SPACE_EBYTE, 0, 0), small = units(7, 0, 0, 0, 0, 0);
	pmAtomValue a = {.ll = 1};

	assert_int_equal(pmConvScale(PM_TYPE_64, &a, &byte, &a, &sec), PM_ERR_CONV);
	assert_int_equal(pmConvScale(PM_TYPE_64, &a, &byte, &a, &zbyte), PM_ERR_UNIT);
	assert_int_equal(pmConvScale(PM_TYPE_64, &a, &odd, &a, &sec), PM_ERR_UNIT);
	assert_int_equal(pmConvScale(PM_TYPE_STRING, &a, &byte, &a, &byte), PM_ERR_CONV);
	assert_int_equal(pmConvScale(PM_TYPE_64, &a, &big, &a, &small), PM_ERR_CONV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(texts),
	    cmocka_unit_test(integers),
	    cmocka_unit_test(reals),
	    cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
