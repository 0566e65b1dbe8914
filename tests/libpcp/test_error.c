/* test_error - texts of codes: docs/spec/pmapi.md 2.5. */
#include "pcp_test.h"

static const struct {
	int code;
	const char *text;
} cases[] = {
    {0, "No error"},
    {PM_ERR_GENERIC, "Generic error, already reported above"},
    {PM_ERR_IPC, "IPC protocol failure"},
    {PM_ERR_TLS, "TLS protocol failure"},
    {PM_ERR_NYI, "Functionality not yet implemented"},
    {-ENOENT, "No such file or directory"},
    {-5000, "Unknown error 5000"},
    {-12352, "No such PMAPI error code (-12352)"},
    {7, "No such PMAPI error code (7)"},
    {-21345, "Authentication - generic failure"},
    {-22344, "Authentication - undefined error!"},
    {-22345, "Unknown secure sockets error -22345 (-1001)"},
};

static void texts(void **state)
{
	char buf[PM_MAXERRMSGLEN];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_ptr_equal(pmErrStr_r(cases[i].code, buf, sizeof(buf)), buf);
		assert_string_equal(buf, cases[i].text);
		assert_string_equal(pmErrStr(cases[i].code), cases[i].text);
	}
}

static void small_buffer(void **state)
{
	char buf[8] = "xxxxxxx";

	assert_string_equal(pmErrStr_r(PM_ERR_NAME, buf, sizeof(buf)), "Unknown");
}

static void table(void **state)
{
	struct printed p;
	int lines = 0;

	__pmDumpErrTab(printed_open(&p)->f);
	fclose(p.f);
	assert_memory_equal(p.text, "  Code  Symbolic Name          Message\n", 39);
	assert_non_null(strstr(p.text, "\n-12366  PM_ERR_IPC             IPC protocol failure\n"));
	for (const char *s = p.text; (s = strchr(s, '\n')) != NULL; s++)
		lines++;
	assert_int_equal(lines, 67);
	free(p.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(texts),
	    cmocka_unit_test(small_buffer),
	    cmocka_unit_test(table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
