/* test_rate - units and values of rates, large counters, counters that decreased. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/pmapi.h>

#include "tools/pmval/pmval.h"

static void units(void **state)
{
	pmUnits count = {.dimCount = 1}, time = {.dimTime = 1, .scaleTime = PM_TIME_MSEC};
	pmUnits bytes = {.dimSpace = 1, .scaleSpace = PM_SPACE_KBYTE};
	char buf[64];
	pmUnits rate;

	rate = rate_units(count);
	assert_string_equal(pmUnitsStr_r(&rate, buf, sizeof(buf)), "count / sec");
	rate = rate_units(bytes);
	assert_string_equal(pmUnitsStr_r(&rate, buf, sizeof(buf)), "Kbyte / sec");
	rate = rate_units(time);
	assert_string_equal(pmUnitsStr_r(&rate, buf, sizeof(buf)), "");
}

/* A value in a block, as a fetch returns it. */
static pmValueBlock *block(int type, const void *bytes, size_t len)
{
	pmValueBlock *b = calloc(1, PM_VAL_HDR_SIZE + 8);

	b->vtype = type;
	b->vlen = PM_VAL_HDR_SIZE + len;
	memcpy(b->vbuf, bytes, len);
	return b;
}

static double rate_of(int type, pmUnits units, const void *before, const void *now, size_t len,
		      double seconds)
{
	pmDesc desc = {.type = type, .sem = PM_SEM_COUNTER, .units = units};
	pmValue a = {.value.pval = block(type, before, len)};
	pmValue b = {.value.pval = block(type, now, len)};
	double rate = -99;

	assert_int_equal(rate_between(&desc, PM_VAL_DPTR, &a, PM_VAL_DPTR, &b, seconds, &rate), 0);
	free(a.value.pval);
	free(b.value.pval);
	return rate;
}

static double rate_32(int type, pmUnits units, int before, int now, double seconds)
{
	pmDesc desc = {.type = type, .sem = PM_SEM_COUNTER, .units = units};
	pmValue a = {.value.lval = before}, b = {.value.lval = now};
	double rate = -99;

	assert_int_equal(rate_between(&desc, PM_VAL_INSITU, &a, PM_VAL_INSITU, &b, seconds, &rate),
			 0);
	return rate;
}

static void values(void **state)
{
	const pmUnits none = {0}, msec = {.dimTime = 1, .scaleTime = PM_TIME_MSEC};
	const pmUnits hour = {.dimTime = 1, .scaleTime = PM_TIME_HOUR};
	const uint64_t large = UINT64_C(1) << 60, larger = large + 3;
	const int64_t below = -10, above = 10;
	const double before = 1.5, now = 4;

	assert_float_equal(rate_32(PM_TYPE_32, none, 10, 30, 2), 10, 0);
	assert_float_equal(rate_32(PM_TYPE_U32, none, -2, -1, 1), 1, 0);
	assert_float_equal(rate_32(PM_TYPE_32, none, 30, 10, 2), -10, 0);
	assert_float_equal(rate_32(PM_TYPE_U32, msec, 0, 500, 1), 0.5, 0);
	assert_float_equal(rate_32(PM_TYPE_U32, hour, 0, 1, 3600), 1, 1e-12);
	assert_float_equal(rate_of(PM_TYPE_U64, none, &large, &larger, 8, 1), 3, 0);
	assert_float_equal(rate_of(PM_TYPE_U64, none, &larger, &large, 8, 1), -3, 0);
	assert_float_equal(rate_of(PM_TYPE_64, none, &below, &above, 8, 2), 10, 0);
	assert_float_equal(rate_of(PM_TYPE_64, none, &above, &below, 8, 2), -10, 0);
	assert_float_equal(rate_of(PM_TYPE_DOUBLE, none, &before, &now, 8, 1), 2.5, 0);
}

static void not_a_number(void **state)
{
	pmDesc desc = {.type = PM_TYPE_STRING, .sem = PM_SEM_COUNTER};
	pmValue a = {.value.pval = block(PM_TYPE_STRING, "1", 2)};
	double rate = -99;

	assert_int_equal(rate_between(&desc, PM_VAL_DPTR, &a, PM_VAL_DPTR, &a, 1, &rate),
			 PM_ERR_CONV);
	assert_float_equal(rate, -99, 0);
	free(a.value.pval);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(units),
	    cmocka_unit_test(values),
	    cmocka_unit_test(not_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
