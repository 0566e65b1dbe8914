/* agent_names, agent_text - names of a dynamic root, the fragment, and help text, from the rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pond.h"

static pmdaInterface dispatch;

static int open_pond(void **state)
{
	pond_open(&pond, &dispatch);
	return dispatch.status;
}

static void test_pmid(void **state)
{
	static const struct {
		const char *name;
		int cluster; /* -1: no such name */
		int item;
	} cases[] = {
	    {"pond.bird.eggs", 1, 0},
	    {"lake.bird.eggs", 1, 0},
	    {"pond.refresh.time", AGENT_SELF, 3},
	    {"pond.bird", -1, 0},
	    {"pond", -1, 0},
	    {"", -1, 0},
	    {"pond.bird.eggs.x", -1, 0},
	    {"pond.bird.egg", -1, 0},
	};
	pmID pmid;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int r = dispatch.version.four.pmid(cases[i].name, &pmid, dispatch.version.four.ext);

		if (cases[i].cluster < 0) {
			assert_int_equal(r, PM_ERR_NAME);
			continue;
		}
		assert_int_equal(r, 0);
		assert_int_equal(pmid, pmID_build(400, (unsigned int)cases[i].cluster,
						  (unsigned int)cases[i].item));
	}
}

static void expect_children(const char *name, int traverse, const char *expected)
{
	char found[1024] = "";
	char **names;
	int *status;
	int n = dispatch.version.four.children(name, traverse, &names, &status,
					       dispatch.version.four.ext);

	for (int i = 0; i < n; i++)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s%s",
			 i != 0 ? " " : "", names[i], status[i] == PMNS_NONLEAF_STATUS ? "." : "");
	if (n > 0) {
		free(names);
		free(status);
	}
	assert_string_equal(n < 0 ? "error" : found, expected);
}

static void test_children(void **state)
{
	expect_children("pond", 0, "bird. deep. depth. nest. refresh.");
	expect_children("pond.bird", 0, "eggs ring");
	expect_children("pond.bird.eggs", 0, "");
	expect_children("pond.bird.egg", 0, "error");
	expect_children("lake.nest", 1, "lake.nest.eggs");
	expect_children("pond.bird", 1, "pond.bird.eggs pond.bird.ring");
	expect_children("pond.bird.ring", 1, "pond.bird.ring");
}

static void test_name(void **state)
{
	char **names;
	pmID pmid;

	dispatch.version.four.pmid("lake.bird.eggs", &pmid, dispatch.version.four.ext);
	assert_int_equal(dispatch.version.four.name(pmid, &names, dispatch.version.four.ext), 1);
	assert_string_equal(names[0], "lake.bird.eggs"); /* below the last requested root */
	free(names);
	assert_int_equal(dispatch.version.four.name(pmid + 99, &names, dispatch.version.four.ext),
			 PM_ERR_PMID);
}

static void test_fragment(void **state)
{
	static const char begin[] =
	    "/* Made from the rows of the pond agent: pmdapond --print-pmns */\n\n"
	    "root {\n\tpond\n}\n\n"
	    "pond {\n\tbird\n\tdeep\n\tdepth\n\tnest\n\trefresh\n}\n\n"
	    "pond.bird {\n\teggs\t77:1:0\n\tring\t77:1:1\n}\n\n"
	    "pond.deep {\n\tfish\t77:4:0\n}\n\n";
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(agent_print_pmns(&pond, 77, out), 0);
	fclose(out);
	assert_true(len > sizeof(begin));
	assert_memory_equal(text, begin, sizeof(begin) - 1);
	free(text);
}

static void expect_text(int ident, int type, const char *expected)
{
	char *text;
	int r = dispatch.version.four.text(ident, type, &text, dispatch.version.four.ext);

	if (expected == NULL)
		assert_int_equal(r, PM_ERR_TEXT);
	else
		assert_string_equal(text, expected);
}

static void test_text(void **state)
{
	int wide = (int)pmID_build(400, 3, 0);
	int birds = (int)pmInDom_build(400, 1), nests = (int)pmInDom_build(400, 2);

	expect_text(wide, PM_TEXT_PMID | PM_TEXT_ONELINE, "A wide number");
	expect_text(wide, PM_TEXT_PMID | PM_TEXT_HELP,
		    "A wide number.\nIt is wide.\nUnit: byte.\nSource: the pond.");
	expect_text((int)pmID_build(400, 3, 2), PM_TEXT_PMID | PM_TEXT_HELP,
		    "U.\nSource: the pond.");
	expect_text((int)pmID_build(400, 3, 99), PM_TEXT_PMID | PM_TEXT_HELP, NULL);
	expect_text(birds, PM_TEXT_INDOM | PM_TEXT_ONELINE, "Birds");
	expect_text(birds, PM_TEXT_INDOM | PM_TEXT_HELP, "Birds.\nBy name.");
	expect_text(nests, PM_TEXT_INDOM | PM_TEXT_HELP, "Nests");
	expect_text((int)pmInDom_build(400, 9), PM_TEXT_INDOM | PM_TEXT_HELP, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_pmid, open_pond),
	    cmocka_unit_test_setup(test_children, open_pond),
	    cmocka_unit_test_setup(test_name, open_pond),
	    cmocka_unit_test(test_fragment),
	    cmocka_unit_test_setup(test_text, open_pond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
