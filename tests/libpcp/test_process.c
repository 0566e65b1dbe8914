/* test_process - who we are and what the system tells of us: docs/spec/pmapi.md 1.1, 23, 24. */
#include <signal.h>

#include "apart.h"

static void machine_id(void **state)
{
	char id[MAXMACHINEIDLEN], small[5];
	int n = getmachineid(id, sizeof(id));

	if (n == -ENOTSUP)
		skip(); /* there is no such file here */
	assert_int_equal(n, strlen(id));
	assert_int_equal(getmachineid(small, sizeof(small)), 4);
}

static void user_name(void **state)
{
	char *name;

	setenv("PCP_CONF", "/dev/null", 1);
	unsetenv("PCP_USER");
	assert_int_equal(pmGetUsername(&name), 0);
	assert_string_equal(name, "pcp");
	setenv("PCP_USER", "somebody", 1);
	assert_int_equal(pmGetUsername(&name), 1);
	assert_string_equal(name, "somebody");
}

static void become_nobody(void)
{
	pmSetProcessIdentity("no-such-user-here");
	_exit(4);
}

static void become_nobody_twice(void)
{
	pmSetProcessIdentity("nobody");
	_exit(pmSetProcessIdentity("nobody") == 0 && getuid() != 0 ? 0 : 4);
}

/* An agent that is told whom to become by "-U" may be that user since its start. */
static void same_identity(void **state)
{
	char text[512];

	if (getuid() != 0)
		skip(); /* nobody else can become another */
	assert_int_equal(run_apart(become_nobody_twice, text, sizeof(text)), 0);
}

static void identity(void **state)
{
	char text[512];

	assert_int_equal(run_apart(become_nobody, text, sizeof(text)), 1);
	assert_non_null(strstr(text, "no-such-user-here"));
}

static volatile sig_atomic_t caught;

static void catch (int signal)
{
	caught += signal;
}

static void signals(void **state)
{
	assert_int_equal(__pmSetSignalHandler(SIGUSR1, catch), 0);
	raise(SIGUSR1);
	raise(SIGUSR1); /* the handler stays */
	assert_int_equal(caught, 2 * SIGUSR1);
	assert_int_equal(__pmSetSignalHandler(-1, catch), -EINVAL);
}

static void figures(void **state)
{
	unsigned long kbytes = 0;
	double user = -1, system = -1;

	assert_int_equal(__pmProcessDataSize(NULL), 0);
	assert_int_equal(__pmProcessDataSize(&kbytes), 0);
	assert_true(kbytes > 0);
	assert_int_equal(__pmProcessRunTimes(&user, &system), 0);
	assert_true(user >= 0 && system >= 0);
	assert_int_equal(__pmProcessExists(getpid()), 1);
	assert_int_equal(__pmProcessExists(0x7ffffff0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(machine_id), cmocka_unit_test(user_name),
	    cmocka_unit_test(identity),   cmocka_unit_test(same_identity),
	    cmocka_unit_test(signals),    cmocka_unit_test(figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
