/* test_options - the command line and the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmcd/options.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

enum { WORDS = 12 };

static int parse(struct options *o, const char *const *words)
{
	char *argv[WORDS + 2] = {(char *)"pmcd"};
	int argc = 1;

	while (words[argc - 1] != NULL) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	return options_parse(o, argc, argv);
}

/* A configuration of our own; what is refused is said on standard error. */
static int set_up(void **state)
{
	static const char text[] = "PCP_RUN_DIR=/r\nPCP_PMCDCONF_PATH=/c\nPCP_USER=somebody\n";
	static const char *const others[] = {"PMCD_PORT",        "PMCD_LOCAL",  "PMCD_MAXPENDING",
					     "PMCD_SOCKET",      "PCP_RUN_DIR", "PCP_USER",
					     "PCP_PMCDCONF_PATH"};
	static char path[] = "/tmp/test_options.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || file_write_full(fd, text, sizeof(text) - 1) < 0)
		return -1;
	close(fd);
	*state = path;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		unsetenv(others[i]);
	setenv("PCP_CONF", path, 1);
	return freopen("/dev/null", "w", stderr) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	return unlink(*state);
}

static void test_defaults(void **state)
{
	static const char *const none[] = {NULL};
	static struct options o;

	assert_int_equal(parse(&o, none), 0);
	assert_int_equal(o.nport, 1);
	assert_int_equal(o.ports[0], 44321);
	assert_int_equal(o.timeout_s, 5);
	assert_int_equal(o.creds_timeout_s, 3);
	assert_int_equal(o.pdu_ceiling, 65536);
	assert_string_equal(o.socket_path, "/r/pmcd.socket");
	assert_string_equal(o.config_path, "/c");
	assert_string_equal(o.access_path, "/c.access");
	assert_string_equal(o.user, "somebody");
	assert_string_equal(o.log_path, "pmcd.log");
	assert_false(o.any_address);
	assert_false(o.foreground);
	options_done(&o);
}

static void test_everything(void **state)
{
	static const char *const words[] = {"-f", "-p", "1,2", "--port=3", "-s",          "/s",
					    "-t", "0",  "-L",  "0x100",    "-i127.0.0.1", NULL};
	static struct options o;

	assert_int_equal(parse(&o, words), 0);
	assert_true(o.foreground);
	assert_int_equal(o.nport, 3);
	assert_int_equal(o.ports[2], 3);
	assert_string_equal(o.socket_path, "/s");
	assert_int_equal(o.timeout_s, 0);
	assert_int_equal(o.pdu_ceiling, 256);
	assert_int_equal(o.ninterface, 1);
	options_done(&o);
}

static void test_refused(void **state)
{
	static const char *const cases[][3] = {
	    {"-p", "65536"}, {"-p", "1,x"}, {"-p", "-1"},   {"-L", "0"}, {"-L", "1x"},
	    {"-q", "0"},     {"-t", "-1"},  {"-t", "a"},    {"-i", "x"}, {"-D", "nope"},
	    {"-z"},          {"more"},      {"-f", "more"}, {"-p"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static struct options o;

		assert_true(parse(&o, cases[i]) < 0);
		options_done(&o);
	}
}

static void test_environment(void **state)
{
	static const char *const none[] = {NULL};
	static struct options o;

	setenv("PMCD_PORT", "77,78", 1);
	setenv("PMCD_LOCAL", "0", 1);
	setenv("PMCD_MAXPENDING", "9", 1);
	setenv("PMCD_SOCKET", "/x", 1);
	setenv("PMCD_RESTART_AGENTS", "0", 1);
	assert_int_equal(parse(&o, none), 0);
	assert_int_equal(o.nport, 2);
	assert_int_equal(o.ports[1], 78);
	assert_true(o.any_address);
	assert_int_equal(o.backlog, 9);
	assert_string_equal(o.socket_path, "/x");
	assert_false(o.restart_agents);
	assert_int_equal(o.nnote, 3);
	options_done(&o);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_everything),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
