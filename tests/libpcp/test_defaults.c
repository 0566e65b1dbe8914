/* How long a client waits, as the environment says it. It is read once: each case is a process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libbase/cleanup.h"
#include "libpcp/defaults.h"

/* clang-format off */
static const struct {
	const char *connect;
	const char *request;
	const char *reconnect;
	int connect_ms;
	int handshake_ms;
	int reply_ms;
	int reconnect_sec[4]; /* after the 1st, 2nd, 3rd and 9th failure */
} cases[] = {
	{ NULL,  NULL,   NULL,     5000, 10000, 10000, { 5, 10, 20, 80 } },
	{ "",    "",     "",       5000, 10000, 10000, { 5, 10, 20, 80 } },
	{ "2",   "3",    "7",      2000, 3000,  3000,  { 7, 7, 7, 7 } },
	{ "0.5", "2.75", "1,2",    500,  2750,  2000,  { 1, 2, 2, 2 } },
	{ "0",   "0.25", "3,2,1",  0,    250,   0,     { 3, 2, 1, 1 } },
	{ "0",   "1e-9", "1",      0,    1,     0,     { 1, 1, 1, 1 } },
	{ "1x",  "-1",   "1,x",    5000, 10000, 10000, { 5, 10, 20, 80 } },
	{ "nan", "x",    "0",      5000, 10000, 10000, { 5, 10, 20, 80 } },
	{ "1e1", "1e99", "1,,2",   10000, 2147483647, 2147483000, { 5, 10, 20, 80 } },
	{ "1",   "1",    "-5",     1000, 1000,  1000,  { 5, 10, 20, 80 } },
};
/* clang-format on */

static void set(const char *name, const char *value)
{
	if (value == NULL)
		unsetenv(name);
	else
		setenv(name, value, 1);
}

static bool holds(size_t i)
{
	static const unsigned int failures[] = {1, 2, 3, 9};

	set("PMCD_CONNECT_TIMEOUT", cases[i].connect);
	set("PMCD_REQUEST_TIMEOUT", cases[i].request);
	set("PMCD_RECONNECT_TIMEOUT", cases[i].reconnect);
	for (size_t j = 0; j < ARRAY_SIZE(failures); j++) {
		if (timeouts_reconnect_sec(failures[j]) != cases[i].reconnect_sec[j])
			return false;
	}
	return timeouts_connect_ms() == cases[i].connect_ms &&
	       timeouts_handshake_ms() == cases[i].handshake_ms &&
	       timeouts_reply_ms() == cases[i].reply_ms;
}

static void test_environment(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			_exit(holds(i) ? 0 : 1);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		print_message("%zu\n", i);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
