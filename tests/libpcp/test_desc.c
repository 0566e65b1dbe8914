/* test_desc - names of types and semantics, a printed descriptor: docs/spec/pmapi.md 11, 13.7. */
#include "pcp_test.h"

static void names(void **state)
{
	char buf[20];

	assert_string_equal(pmTypeStr(PM_TYPE_32), "32");
	assert_string_equal(pmTypeStr(PM_TYPE_HIGHRES_EVENT), "HIGHRES_EVENT");
	assert_string_equal(pmTypeStr(PM_TYPE_NOSUPPORT), "NO_SUPPORT");
	assert_string_equal(pmTypeStr(PM_TYPE_UNKNOWN), "UNKNOWN");
	assert_string_equal(pmTypeStr(11), "???");
	assert_string_equal(pmTypeStr_r(PM_TYPE_DOUBLE, buf, sizeof(buf)), "DOUBLE");
	assert_string_equal(pmSemStr(PM_SEM_DISCRETE), "discrete");
	assert_string_equal(pmSemStr(2), "???");
	assert_string_equal(pmSemStr(-1), "???");
	assert_string_equal(pmSemStr_r(PM_SEM_COUNTER, buf, 4), "cou");
}

static void event_flags(void **state)
{
	char buf[26];

	assert_string_equal(pmEventFlagsStr(0), "");
	assert_string_equal(pmEventFlagsStr(31), "point,start,end,id,parent");
	assert_string_equal(pmEventFlagsStr_r(PM_EVENT_FLAG_START | PM_EVENT_FLAG_ID, buf, 26),
			    "start,id");
	assert_string_equal(pmEventFlagsStr((int)(PM_EVENT_FLAG_MISSED | PM_EVENT_FLAG_END)),
			    "missed");
	assert_null(pmEventFlagsStr_r(0, buf, 25));
}

static void printed_desc(void **state)
{
	pmDesc desc = {.type = PM_TYPE_U64,
		       .indom = 0x00400002,
		       .sem = PM_SEM_COUNTER,
		       .units = {.dimSpace = 1, .scaleSpace = PM_SPACE_KBYTE}};
	struct printed p;

	pmPrintDesc(printed_open(&p)->f, &desc);
	printed_is(&p, "    Data Type: 64-bit unsigned int  InDom: 1.2 0x400002\n"
		       "    Semantics: counter  Units: Kbyte\n");
	desc = (pmDesc){.type = 77, .indom = PM_INDOM_NULL, .sem = 9};
	pmPrintDesc(printed_open(&p)->f, &desc);
	printed_is(&p, "    Data Type: ??? (77)  InDom: PM_INDOM_NULL 0xffffffff\n"
		       "    Semantics: ??? (9)  Units: none\n");
	desc.type = PM_TYPE_NOSUPPORT;
	pmPrintDesc(printed_open(&p)->f, &desc);
	printed_is(&p, "    Data Type: Not Supported\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names),
	    cmocka_unit_test(event_flags),
	    cmocka_unit_test(printed_desc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
