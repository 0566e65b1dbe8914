/* test_exec - programs that are run without a shell: docs/spec/pmapi.md 24. */
#include <signal.h>

#include "apart.h"

/* The output of "echo" for the words of a text. */
static const struct {
	const char *text, *said;
	int result;
} rows[] = {
    {"a  b", "a b\n", 0},
    {" 'a  b' \"it's\"", "a  b it's\n", 0},
    {"x\"y z\"", "x\"y z\"\n", 0}, /* a quote begins a word */
    {"$HOME * ; | >x", "$HOME * ; | >x\n", 0},
    {"", "\n", 0},
    {"'a", NULL, PM_ERR_GENERIC},
};

static void words(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		__pmExecCtl_t *line = NULL;
		char text[100] = "";
		FILE *f;

		assert_int_equal(__pmProcessAddArg(&line, "echo"), 0);
		assert_int_equal(__pmProcessUnpickArgs(&line, rows[i].text), rows[i].result);
		if (rows[i].result < 0) {
			assert_null(line);
			continue;
		}
		assert_int_equal(__pmProcessPipe(&line, "r", PM_EXEC_TOSS_NONE, &f), 0);
		assert_null(line);
		assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
		assert_string_equal(text, rows[i].said);
		assert_int_equal(__pmProcessPipeClose(f), 0);
	}
}

static int status_of(const char *text, const char *mode)
{
	__pmExecCtl_t *line = NULL;
	FILE *f;
	int r = __pmProcessUnpickArgs(&line, text);

	if (r == 0)
		r = __pmProcessPipe(&line, mode, PM_EXEC_TOSS_NONE, &f);
	return r < 0 ? r : __pmProcessPipeClose(f);
}

static void ends(void **state)
{
	assert_int_equal(status_of("sh -c 'exit 7'", "w"), 7);
	assert_int_equal(status_of("sh -c 'kill -9 $$'", "r"), 1000 + SIGKILL);
	assert_int_equal(status_of("sh -c 'read x; exit $?'", "w"), 1); /* end of its input */
	assert_int_equal(status_of("/no/such/program", "r"), -ENOENT);
	assert_int_equal(status_of("true", "rw"), -EINVAL);
	assert_int_equal(status_of("", "r"), PM_ERR_TOOSMALL);
	assert_int_equal(__pmProcessPipeClose(stdin), -EINVAL);
}

static void say_both(void)
{
	__pmExecCtl_t *line = NULL;
	FILE *f;

	if (__pmProcessUnpickArgs(&line, "sh -c 'echo lost >&2'") == 0 &&
	    __pmProcessPipe(&line, "w", PM_EXEC_TOSS_STDOUT | PM_EXEC_TOSS_STDERR, &f) == 0)
		__pmProcessPipeClose(f);
	if (__pmProcessUnpickArgs(&line, "sh -c 'echo kept >&2'") == 0 &&
	    __pmProcessPipe(&line, "w", PM_EXEC_TOSS_STDOUT, &f) == 0)
		__pmProcessPipeClose(f);
}

static void tosses(void **state)
{
	char text[100];

	assert_int_equal(run_apart(say_both, text, sizeof(text)), 0);
	assert_string_equal(text, "kept\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words),
	    cmocka_unit_test(ends),
	    cmocka_unit_test(tosses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
