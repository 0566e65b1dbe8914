/* test_message - pmprintf and pmflush: docs/spec/pmapi.md 22. */
#include "pcp_test.h"

static char path[] = "/tmp/test_message.XXXXXX";

static void file_is(const char *expected)
{
	char text[4096] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, expected);
}

static void into_a_file(void **state)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	setenv("PCP_STDERR", path, 1);
	assert_int_equal(pmflush(), 0);
	assert_int_equal(pmprintf("%s %d\n", "hello", 1), 8);
	assert_int_equal(pmprintf("%s", ""), 0);
	file_is("");
	assert_int_equal(pmflush(), 0);
	file_is("hello 1\n");
	pmprintf("more\n");
	assert_int_equal(pmflush(), 0);
	file_is("hello 1\nmore\n");
	unlink(path);
}

static void no_file(void **state)
{
	setenv("PCP_STDERR", "/proc/nonexistent/file", 1);
	pmprintf("on stderr instead\n");
	assert_int_equal(pmflush(), -ENOENT);
}

/* The program gets the text as one argument, whatever is in it. */
static void window(void **state)
{
	setenv("PCP_STDERR", "DISPLAY", 1);
	setenv("PCP_XCONFIRM_PROG", "/bin/true", 1);
	setenv("PCP_CONF", "/dev/null", 1);
	pmprintf("`touch /tmp/never`; $(false)\n");
	assert_int_equal(pmflush(), 0);
	setenv("PCP_XCONFIRM_PROG", "/proc/nonexistent", 1);
	pmprintf("on stderr instead\n");
	assert_int_equal(pmflush(), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(into_a_file),
	    cmocka_unit_test(no_file),
	    cmocka_unit_test(window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
