/* test_process - this process, files that it maps, programs that it runs. */
#include <signal.h>

#include "apart.h"
#include "pcp_test.h"

/* ---- process -------------------------------------------------------------------------------- */

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

/* An agent started with "-U USER" may be that user from its start. */
static void same_identity(void **state)
{
	char text[512];

	if (getuid() != 0)
		skip(); /* only root can become another user */
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

/* ---- mapping -------------------------------------------------------------------------------- */

static void maps(void **state)
{
	char path[] = "/tmp/test_mapping_XXXXXX";
	char text[5] = "";
	AUTO_FD int fd = mkstemp(path);
	char *reader, *writer;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, "abcd", 4), 4);
	reader = __pmMemoryMap(fd, 4, 0);
	writer = __pmMemoryMap(fd, 4, 1);
	assert_memory_equal(reader, "abcd", 4);
	memcpy(writer, "ABCD", 4);
	assert_memory_equal(reader, "ABCD", 4); /* what others write is seen */
	assert_int_equal(pread(fd, text, 4, 0), 4);
	assert_string_equal(text, "ABCD");
	__pmMemoryUnmap(reader, 4);
	__pmMemoryUnmap(writer, 4);
	assert_null(__pmMemoryMap(-1, 4, 0));
}

/* ---- exec ----------------------------------------------------------------------------------- */

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
	    cmocka_unit_test(machine_id), cmocka_unit_test(user_name),
	    cmocka_unit_test(identity),   cmocka_unit_test(same_identity),
	    cmocka_unit_test(signals),    cmocka_unit_test(figures),
	    cmocka_unit_test(maps),       cmocka_unit_test(words),
	    cmocka_unit_test(ends),       cmocka_unit_test(tosses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
