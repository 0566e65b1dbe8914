/* test_label_print - label sets for people: docs/spec/pmapi.md 20. */
#include "pcp_test.h"

static void idents(void **state)
{
	static const struct {
		int ident, type;
		const char *text;
	} cases[] = {
	    {0, PM_LABEL_CONTEXT, "Context"},
	    {60, PM_LABEL_DOMAIN, "Domain 60"},
	    {0x00400002, PM_LABEL_INDOM, "InDom 1.2"},
	    {0x00400803, PM_LABEL_CLUSTER, "Cluster 1.2"},
	    {0x00400803, PM_LABEL_ITEM | PM_LABEL_OPTIONAL, "PMID 1.2.3"},
	};
	char buf[32];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(
		    __pmLabelIdentString(cases[i].ident, cases[i].type, buf, sizeof(buf)),
		    cases[i].text);
	assert_string_equal(__pmLabelTypeString(PM_LABEL_INDOM), "indom");
}

static void sets(void **state)
{
	pmLabelSet *set = NULL;
	struct printed p;

	__pmAddLabels(&set, "{\"a\":1,\"b\":{\"c\":2}}", PM_LABEL_INSTANCES | PM_LABEL_OPTIONAL);
	set->inst = 7;
	pmPrintLabelSets(printed_open(&p)->f, 0x00400002, PM_LABEL_INSTANCES, set, 1);
	printed_is(&p, "    InDom 1.2[7] labels (15 bytes): {\"a\":1,\"b.c\":2}\n"
		       "        [0] name(2,1) : value(5,1) [instances,optional]\n"
		       "        [1] name(8,3) : value(13,1) [instances,compound,optional]\n");
	pmFreeLabelSets(set, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(idents),
	    cmocka_unit_test(sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
