/* process - environments, vectors, and this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "process.h"

#define ENVIRON(text) text, sizeof(text)

static void test_variables(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *want;
	} cases[] = {
	    {ENVIRON("A=1\0PITOT_TRACE=x,y\0B=2"), "x,y"},
	    {ENVIRON("PITOT_TRACE="), ""},
	    {ENVIRON("PITOT_TRACER=1\0PITOT_TRACE=2"), "2"},
	    {ENVIRON("XPITOT_TRACE=1"), ""},
	    {ENVIRON("PITOT_TRACE"), ""},
	    {ENVIRON("PITOT_TRACE=0123456789012345"), ""}, /* does not fit */
	    {ENVIRON("PITOT_TRACE=012345678901234"), "012345678901234"},
	    {"PITOT_TRACE=cut off", 15, ""},
	    {"", 0, ""},
	    {ENVIRON("\0\0\0PITOT_TRACE=1"), "1"},
	};
	char value[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		process_variable_of(cases[i].text, cases[i].len, "PITOT_TRACE", value,
				    sizeof(value));
		assert_string_equal(value, cases[i].want);
	}
}

static void test_vectors(void **state)
{
	uint64_t wide[] = {AT_PAGESZ, 4096, AT_SECURE, 0, AT_NULL, 0};
	uint32_t narrow[] = {AT_PAGESZ, 4096, AT_SECURE, 0, AT_NULL, 0};

	assert_false(process_is_privileged_of(wide, sizeof(wide)));
	assert_false(process_is_privileged_of(narrow, sizeof(narrow)));
	wide[3] = narrow[3] = 1;
	assert_true(process_is_privileged_of(wide, sizeof(wide)));
	assert_true(process_is_privileged_of(narrow, sizeof(narrow)));
	for (size_t len = 0; len < 32; len++) /* what is missing counts as yes */
		assert_true(process_is_privileged_of(wide, len));
}

static void test_self(void **state)
{
	struct process p;
	uint64_t start = 0;
	uid_t uid = 1;
	char text[300];
	pid_t pid;

	assert_int_equal(process_start(getpid(), &start), 0);
	assert_true(start > 0);
	assert_int_equal(process_owner(getpid(), &uid), 0);
	assert_int_equal(uid, geteuid());
	assert_false(process_is_privileged(getpid()));
	process_variable(getpid(), "PATH", text, sizeof(text));
	process_cgroup(getpid(), text, sizeof(text));
	process_boot(text);
	assert_true(strlen(text) > 4);
	process_user((uid_t)-2, text, sizeof(text));
	assert_string_equal(text, "4294967294");
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT);
	assert_int_equal(process_start(pid, &start), -3); /* a zombie has ended */
	waitpid(pid, NULL, 0);
	assert_int_equal(process_start(pid, &start), -3);
	assert_int_equal(process_owner(-1, &uid), -3);
	assert_true(process_is_privileged(pid));
	process_take_command(&p, "a\nb\x7f c\001 0123456");
	assert_string_equal(p.command, "a_b_ c_ 0123456");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_variables),
	    cmocka_unit_test(test_vectors),
	    cmocka_unit_test(test_self),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
