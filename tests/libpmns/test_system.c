/* test_system - a root file, fragments, both, and neither. */
#include "pmns_test.h"

#include <errno.h>

static void check(const char *dir, int want, const char *leaves, const char *says)
{
	struct buffer said = BUFFER_INIT, out = BUFFER_INIT;
	struct pmns_options opt = {.message = test_message, .message_arg = &said};
	struct pmns *ns = NULL, *fragments = NULL;

	assert_int_equal(pmns_load_system(dir, &opt, &ns, &fragments), want);
	test_leaves(ns, &out);
	assert_string_equal(buffer_str(&out), leaves);
	assert_non_null(strstr(buffer_str(&said), says));
	pmns_free(ns);
	pmns_free(fragments);
	buffer_done(&said);
	buffer_done(&out);
}

static void both(void **state)
{
	const char *dir = test_folder();

	check(dir, 0, "", "");
	test_file(dir, "root_x", "root { x }\nx { y 2:0:0 }\n");
	check(dir, 0, "x.y 2.0.0\n", "");
	test_file(dir, "root", "root { a\n");
	/* The undamaged part is still returned. */
	check(dir, PM_ERR_PMNS, "x.y 2.0.0\n", "");
	test_file(dir, "root", "root { a 1:0:0 x }\nx { y 3:0:0 }\n");
	check(dir, 0, "a 1.0.0\nx.y 3.0.0\n", "\"x.y\" is there with another PMID");
	test_folder_remove(dir);
}

static void neither(void **state)
{
	struct pmns *ns = NULL, *fragments = NULL;

	assert_int_equal(pmns_load_system("/no/such", NULL, &ns, &fragments), -ENOENT);
	assert_null(ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(both),
	    cmocka_unit_test(neither),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
