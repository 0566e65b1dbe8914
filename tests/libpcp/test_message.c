/* test_message - messages to the user and to a log, and the name of the program. */
#include <pcp/deprecated.h>

#include "apart.h"
#include "pcp_test.h"

/* ---- message -------------------------------------------------------------------------------- */

static char log_path[] = "/tmp/test_message.XXXXXX";

static void file_is(const char *expected)
{
	char text[4096] = "";
	FILE *f = fopen(log_path, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, expected);
}

static void into_a_file(void **state)
{
	int fd = mkstemp(log_path);

	assert_true(fd >= 0);
	close(fd);
	setenv("PCP_STDERR", log_path, 1);
	assert_int_equal(pmflush(), 0);
	assert_int_equal(pmprintf("%s %d\n", "hello", 1), 8);
	assert_int_equal(pmprintf("%s", ""), 0);
	file_is("");
	assert_int_equal(pmflush(), 0);
	file_is("hello 1\n");
	pmprintf("more\n");
	assert_int_equal(pmflush(), 0);
	file_is("hello 1\nmore\n");
	unlink(log_path);
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

/* ---- notify --------------------------------------------------------------------------------- */

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

/* ---- progname ------------------------------------------------------------------------------- */

static void names(void **state)
{
	static const char path[] = "/a/b/prog";

	assert_string_equal(pmGetProgname(), "pcp");
	pmSetProgname(path);
	assert_ptr_equal(pmGetProgname(), path + 5); /* kept, not copied */
	assert_ptr_equal(pmProgname, path + 5);
	assert_int_equal(__pmSetProgname("other"), 0);
	assert_string_equal(pmGetProgname(), "other");
	pmSetProgname(NULL);
	assert_string_equal(pmGetProgname(), "pcp");
	__pmSetInternalState(PM_STATE_PMCS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(into_a_file), cmocka_unit_test(no_file), cmocka_unit_test(window),
	    cmocka_unit_test(lines),       cmocka_unit_test(memory),  cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
