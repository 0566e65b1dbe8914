/* test_names_print - lists and trees of names: docs/spec/pmapi.md 24. */
#include "pcp_test.h"

static void lines(void **state)
{
	char a[] = "a.b", b[] = "c", sep[] = " or ";
	char *names[] = {a, b};
	struct printed p;

	__pmPrintMetricNames(printed_open(&p)->f, 2, names, sep);
	printed_is(&p, "a.b or c");
	__pmPrintMetricNames(printed_open(&p)->f, 0, NULL, sep);
	printed_is(&p, "<nonames>");
}

static void trees(void **state)
{
	char a[] = "leaf", b[] = "a_name_longer_than_that", c[] = "root";
	__pmnsNode leaf = {.name = a, .pmid = 0x3e800001};
	__pmnsNode branch = {.name = b, .pmid = PM_ID_NULL, .first = &leaf};
	__pmnsNode root = {.name = c, .pmid = PM_ID_NULL, .first = &branch};
	struct printed p;

	__pmDumpNameNode(printed_open(&p)->f, &root, 0);
	printed_is(&p, " root            \n     a_name_longer_th\n         leaf            \n");
	__pmDumpNameNode(printed_open(&p)->f, &leaf, 1);
	printed_is(&p, " leaf             1048576001 250.0.1 0x3e800001\n");
	__pmDumpNameNode(printed_open(&p)->f, &leaf, 2);
	fclose(p.f);
	assert_non_null(
	    strstr(p.text, "\t[first: <null> next: <null> parent: <null> hash: <null>\n"));
	free(p.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(trees)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
