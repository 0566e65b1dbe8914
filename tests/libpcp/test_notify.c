/* test_notify - lines of a log: docs/spec/pmapi.md 22. */
#include "apart.h"

static void notify(void)
{
	pmNotifyErr(LOG_WARNING, "hello %d", 3);
}

static void notify_newline(void)
{
	pmNotifyErr(LOG_ERR, "line\n");
	pmNotifyErr(99, "%s", "own newline\n");
}

static void no_memory(void)
{
	errno = ENOMEM;
	pmNoMem("where", 1234, PM_RECOV_ERR);
	pmNoMem("where", 5678, PM_FATAL_ERR);
}

static void lines(void **state)
{
	char text[512], expected[128];

	assert_int_equal(run_apart(notify, text, sizeof(text)), 0);
	/* "[Fri Nov 20 15:36:08] pcp(6693) Warning: hello 3" */
	assert_true(text[0] == '[' && text[20] == ']' && text[14] == ':');
	assert_non_null(strstr(text, ") Warning: hello 3\n"));
	pmsprintf(expected, sizeof(expected), "] pcp(");
	assert_memory_equal(text + 20, expected, 6);
	assert_int_equal(run_apart(notify_newline, text, sizeof(text)), 0);
	assert_non_null(strstr(text, ") Error: line\n["));
	assert_non_null(
	    strstr(text, ") ???: own newline\n\n")); /* the format does not end with it */
}

static void memory(void **state)
{
	char text[512];

	assert_int_equal(run_apart(no_memory, text, sizeof(text)), 1);
	assert_non_null(
	    strstr(text, ") Warning: where: malloc(1234) failed: Cannot allocate memory\n"));
	assert_non_null(
	    strstr(text, ") Error: where: malloc(5678) failed: Cannot allocate memory\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines),
	    cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
