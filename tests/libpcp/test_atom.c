/* test_atom - values as short text: docs/spec/pmapi.md 11. */
#include "pcp_test.h"

static void numbers(void **state)
{
	char buf[80];

	assert_string_equal(pmAtomStr(&(pmAtomValue){.l = -5}, PM_TYPE_32), "-5");
	assert_string_equal(pmAtomStr(&(pmAtomValue){.ul = 0xffffffff}, PM_TYPE_U32), "4294967295");
	assert_string_equal(pmAtomStr(&(pmAtomValue){.ll = -5}, PM_TYPE_64), "-5");
	assert_string_equal(pmAtomStr(&(pmAtomValue){.ull = ~0ull}, PM_TYPE_U64),
			    "18446744073709551615");
	assert_string_equal(pmAtomStr(&(pmAtomValue){.f = 1.5f}, PM_TYPE_FLOAT), "1.500000e+00");
	assert_string_equal(
	    pmAtomStr_r(&(pmAtomValue){.d = -0.25}, PM_TYPE_DOUBLE, buf, sizeof(buf)),
	    "-2.500000e-01");
}

static void strings(void **state)
{
	char fits[] = "1234567890123456789012345678901234567";
	char does_not[] = "12345678901234567890123456789012345678";

	assert_string_equal(pmAtomStr(&(pmAtomValue){.cp = NULL}, PM_TYPE_STRING), "<null>");
	assert_string_equal(pmAtomStr(&(pmAtomValue){.cp = fits}, PM_TYPE_STRING),
			    "\"1234567890123456789012345678901234567\"");
	assert_string_equal(pmAtomStr(&(pmAtomValue){.cp = does_not}, PM_TYPE_STRING),
			    "\"1234567890123456789012345678901234...\"");
}

static void blocks(void **state)
{
	union test_block u;
	pmAtomValue a = {.vbp = test_block(&u, "0123456789abcdef", 12, PM_TYPE_AGGREGATE)};

	assert_string_equal(pmAtomStr(&a, PM_TYPE_AGGREGATE),
			    "[type=AGGREGATE len=12] 30313233 34353637 38396162");
	a.vbp = test_block(&u, "0123456789abcdef", 13, PM_TYPE_AGGREGATE);
	assert_string_equal(pmAtomStr(&a, PM_TYPE_AGGREGATE_STATIC),
			    "[type=AGGREGATE len=13] 30313233 34353637 38396162 ...");
	a.vbp = test_block(&u, "", 0, PM_TYPE_AGGREGATE);
	assert_string_equal(pmAtomStr(&a, PM_TYPE_AGGREGATE), "[type=AGGREGATE len=0]");
	assert_string_equal(pmAtomStr(&(pmAtomValue){.vbp = NULL}, PM_TYPE_AGGREGATE), "<null>");
	a.vbp = test_block(&u, "\2\0\0\0", 4, PM_TYPE_EVENT);
	assert_string_equal(pmAtomStr(&a, PM_TYPE_EVENT), "[2 event records]");
	a.vbp = test_block(&u, "\1\0\0\0", 4, PM_TYPE_HIGHRES_EVENT);
	assert_string_equal(pmAtomStr(&a, PM_TYPE_HIGHRES_EVENT), "[1 event record]");
}

static void other_types(void **state)
{
	pmAtomValue a = {.ull = 0};

	assert_string_equal(pmAtomStr(&a, PM_TYPE_NOSUPPORT),
			    "Error: unexpected type: Not Supported");
	assert_string_equal(pmAtomStr(&a, PM_TYPE_UNKNOWN), "Error: unexpected type: Unknown");
	assert_string_equal(pmAtomStr(&a, 77), "Error: unexpected type: Illegal type=77");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers),
	    cmocka_unit_test(strings),
	    cmocka_unit_test(blocks),
	    cmocka_unit_test(other_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
