/*
 * Numbers in text have a point, also in a program whose locale has a comma: that locale is made
 * here where the system has what it takes, else only that of C is tried.
 */
#include <locale.h>
#include <spawn.h>
#include <sys/wait.h>

#include "libbase/file.h"
#include "libpcp/format.h"
#include "pcp_test.h"

extern char **environ;

/* A German locale in a folder of its own. */
static bool make_locale(const char *folder)
{
	char path[64];
	char *argv[] = {(char *)"localedef",
			(char *)"-i",
			(char *)"de_DE",
			(char *)"-f",
			(char *)"UTF-8",
			path,
			NULL};
	posix_spawn_file_actions_t quiet;
	int status;
	pid_t pid;
	int r;

	pmsprintf(path, sizeof(path), "%s/de_DE.UTF-8", folder);
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	r = posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&quiet);
	if (r != 0 || waitpid(pid, &status, 0) != pid)
		return false;
	setenv("LOCPATH", folder, 1);
	return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void check(void)
{
	pmLabelSet *set = NULL;
	struct timespec ts;
	pmAtomValue atom;
	char text[32];
	pmUnits units;
	double mult;
	char *end, *why;

	assert_true(cnumber_parse("1.5x", &end) == 1.5);
	assert_string_equal(end, "x");
	cnumber_print(text, sizeof(text), "%.2f", 1.5);
	assert_string_equal(text, "1.50");
	assert_int_equal(__pmStringValue("2.25", &atom, PM_TYPE_DOUBLE), 0);
	assert_true(atom.d == 2.25);
	assert_int_equal(pmParseHighResInterval("0.5 min", &ts, &why), 0);
	assert_int_equal(ts.tv_sec, 30);
	assert_int_equal(pmParseUnitsStr("0.5 sec", &units, &mult, &why), 0);
	assert_true(mult == 2);
	assert_int_equal(__pmAddLabels(&set, "{\"a\":1.5e1}", 0), 1);
	assert_string_equal(set->json, "{\"a\":1.5e1}");
	pmFreeLabelSets(set, 1);
}

static void test_points(void **state)
{
	char folder[] = "/tmp/locale.XXXXXX";
	bool comma;

	assert_non_null(mkdtemp(folder));
	check();
	comma = make_locale(folder);
	print_message("decimal point: %s\n", localeconv()->decimal_point);
	if (comma)
		assert_string_equal(localeconv()->decimal_point, ",");
	check();
	file_remove_tree(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_points)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
