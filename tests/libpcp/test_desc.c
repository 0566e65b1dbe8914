/* test_desc - identifiers, descriptors and values as text. */
#include "pcp_test.h"

/* ---- ident ---------------------------------------------------------------------------------- */

static void build(void **state)
{
	assert_int_equal(pmID_build(1, 2, 3), 0x00400803);
	assert_int_equal(pmID_build(0xffffffff, 0xffffffff, 0xffffffff), 0x7fffffff);
	assert_int_equal(pmID_domain(0x00400803), 1);
	assert_int_equal(pmID_cluster(0x00400803), 2);
	assert_int_equal(pmID_item(0x00400803), 3);
	assert_int_equal(pmInDom_build(1, 2), 0x00400002);
	assert_int_equal(pmInDom_build(511, 0xffffffff), 0x7fffffff);
	assert_int_equal(pmInDom_domain(0x00400002), 1);
	assert_int_equal(pmInDom_serial(0x00400002), 2);
}

static void text(void **state)
{
	static const struct {
		pmID pmid;
		const char *text;
	} cases[] = {
	    {PM_ID_NULL, "PM_ID_NULL"},
	    {0x0f000800, "60.2.0"},
	    {0x7fc0f000, "60.*.*"}, /* root of a dynamic subtree */
	    {0x7fc00001, "511.0.1"},
	};
	char buf[20];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(pmIDStr_r(cases[i].pmid, buf, sizeof(buf)), cases[i].text);
		assert_string_equal(pmIDStr(cases[i].pmid), cases[i].text);
	}
	assert_string_equal(pmInDomStr(PM_INDOM_NULL), "PM_INDOM_NULL");
	assert_string_equal(pmInDomStr_r(0x00400002, buf, sizeof(buf)), "1.2");
	assert_string_equal(pmInDomStr_r(0x00400002, buf, 2), "1");
}

static void kinds(void **state)
{
	assert_true(IS_DYNAMIC_ROOT(pmID_build(DYNAMIC_PMID, 60, 0)));
	assert_false(IS_DYNAMIC_ROOT(pmID_build(60, 60, 0)));
	assert_true(IS_DERIVED(pmID_build(DYNAMIC_PMID, 0, 1)));
	assert_false(IS_DERIVED(pmID_build(DYNAMIC_PMID, 2048, 1)));
}

/* ---- desc ----------------------------------------------------------------------------------- */

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

/* ---- atom ----------------------------------------------------------------------------------- */

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
	    cmocka_unit_test(build),       cmocka_unit_test(text),
	    cmocka_unit_test(kinds),       cmocka_unit_test(names),
	    cmocka_unit_test(event_flags), cmocka_unit_test(printed_desc),
	    cmocka_unit_test(numbers),     cmocka_unit_test(strings),
	    cmocka_unit_test(blocks),      cmocka_unit_test(other_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
