/* test_ident - metric and instance domain identifiers: docs/spec/pmapi.md 2.1, 11. */
#include "pcp_test.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(build),
	    cmocka_unit_test(text),
	    cmocka_unit_test(kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
