/* test_config - pcp.conf and the environment: docs/spec/pmapi.md 23. */
#include "apart.h"

static char path[] = "/tmp/test_config.XXXXXX";

static int write_conf(void **state)
{
	static const char text[] = "# comment=1\n"
				   "PLAIN=a value\n"
				   "DOUBLE=\"in quotes\"\n"
				   "SINGLE='in quotes'\n"
				   "HALF=\"half\n"
				   "INNER=\"a\"b\n"
				   "EMPTY=\n"
				   "not a setting\n"
				   "=nothing\n"
				   "SET_BEFORE=from the file\n";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return -1;
	close(fd);
	setenv("PCP_CONF", path, 1);
	setenv("SET_BEFORE", "from the environment", 1);
	return 0;
}

static int remove_conf(void **state)
{
	return unlink(path);
}

static void variables(void **state)
{
	static const char *const cases[][2] = {
	    {"PLAIN", "a value"},
	    {"DOUBLE", "in quotes"},
	    {"SINGLE", "in quotes"},
	    {"HALF", "\"half"},
	    {"INNER", "\"a\"b"},
	    {"EMPTY", ""},
	    {"SET_BEFORE", "from the environment"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(pmGetConfig(cases[i][0]), cases[i][1]);
		assert_string_equal(pmGetOptionalConfig(cases[i][0]), cases[i][1]);
		assert_ptr_equal(pmGetConfig(cases[i][0]), getenv(cases[i][0]));
	}
	assert_string_equal(pmGetConfig("NOT_SET"), "");
	assert_null(pmGetOptionalConfig("NOT_SET"));
	assert_null(pmGetOptionalConfig("# comment"));
}

static void without_file(void)
{
	if (pmGetOptionalConfig("NOT_SET") != NULL)
		_exit(3);
	pmGetConfig("NOT_SET");
	_exit(4);
}

/* First: each process reads the file once. */
static void fatal(void **state)
{
	char text[512];

	setenv("PCP_CONF", "/proc/nonexistent/pcp.conf", 1);
	assert_int_equal(run_apart(without_file, text, sizeof(text)), 1);
	assert_string_equal(text, "FATAL PCP ERROR: could not open config file "
				  "\"/proc/nonexistent/pcp.conf\" : No such file or directory\n"
				  "You may need to set PCP_CONF or PCP_DIR in your environment.\n");
	unsetenv("PCP_CONF");
	setenv("PCP_DIR", "/proc/nonexistent", 1);
	assert_int_equal(run_apart(without_file, text, sizeof(text)), 1);
	assert_non_null(strstr(text, "\"/proc/nonexistent/etc/pcp.conf\""));
	unsetenv("PCP_DIR");
	setenv("PCP_CONF", path, 1);
}

static void features(void **state)
{
	assert_string_equal(pmGetAPIConfig("pcp_version"), "6.0.3");
	assert_string_equal(pmGetAPIConfig("PMAPI_Version"), "3");
	assert_null(pmGetAPIConfig("nonsense"));
	assert_int_equal(pmGetVersion(), 0x060003);
	assert_int_equal(pmPathSeparator(), '/');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fatal),
	    cmocka_unit_test(variables),
	    cmocka_unit_test(features),
	};

	return cmocka_run_group_tests(tests, write_conf, remove_conf);
}
