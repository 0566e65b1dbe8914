/* test_format - text and numbers formatted and read, in any locale; faults in a text shown. */
#include <locale.h>
#include <math.h>
#include <spawn.h>
#include <sys/wait.h>

#include "libbase/file.h"
#include "libpcp/format.h"
#include "pcp_test.h"

/* ---- string --------------------------------------------------------------------------------- */

static void formatting(void **state)
{
	char buf[4] = "xyz";

	assert_int_equal(pmsprintf(buf, sizeof(buf), "%s", "hello"), 3);
	assert_string_equal(buf, "hel");
	assert_int_equal(pmsprintf(buf, sizeof(buf), "%d", 42), 2);
	assert_int_equal(pmsprintf(buf, sizeof(buf), "%s", ""), 1);
	assert_string_equal(buf, "");
	buf[0] = 'q';
	assert_int_equal(pmsprintf(buf, 0, "x"), 0);
	assert_int_equal(buf[0], 'q');
}

static void copying(void **state)
{
	char buf[4];

	assert_int_equal(pmstrncpy(buf, sizeof(buf), "abc"), 0);
	assert_int_equal(pmstrncpy(buf, sizeof(buf), "abcd"), -1);
	assert_string_equal(buf, "abc");
	strcpy(buf, "a");
	assert_int_equal(pmstrncat(buf, sizeof(buf), "bc"), 0);
	assert_string_equal(buf, "abc");
	assert_int_equal(pmstrncat(buf, sizeof(buf), "d"), -1);
	assert_int_equal(pmstrlen(NULL), 0);
	assert_int_equal(pmstrlen("abc"), 3);
}

static void words(void **state)
{
	char text[] = "  one two\n\nthree";
	static const ssize_t lengths[] = {3, 3, 0, 5, -1};
	FILE *f = fmemopen(text, strlen(text), "r");
	char *word;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		assert_int_equal(pmfstring(f, &word), lengths[i]);
		if (lengths[i] > 0)
			free(word);
	}
	fclose(f);
}

/* ---- number --------------------------------------------------------------------------------- */

static const struct {
	double value;
	const char *text;
} cases[] = {
    {12345, " 12.35K"},     {999.994, "999.99 "},  {-99.995, " -0.10K"}, {-1, " -1.00 "},
    {0, "  0.00 "},         {0.004, "  0.00 "},    {0.005, "  0.01 "},   {-0.004, "  0.00 "},
    {999.995, "  1.00K"},   {999995, "  1.00M"},   {1e9, "  1.00G"},     {1e12, "  1.00T"},
    {999995e9, " inf?  "},  {-99995e9, "-inf?  "}, {NAN, "  0.00 "},     {INFINITY, " inf?  "},
    {-INFINITY, "-inf?  "},
};

static void texts(void **state)
{
	char buf[8];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(pmNumberStr_r(cases[i].value, buf, sizeof(buf)), cases[i].text);
		assert_string_equal(pmNumberStr(cases[i].value), cases[i].text);
	}
}

/* ---- cnumber -------------------------------------------------------------------------------- */

/*
 * * Numbers in text have a point, also in a program whose locale has a comma: that locale is made
 * here where the system has what it takes, else only that of C is tried.
 */

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

/* ---- parse_error ---------------------------------------------------------------------------- */

static void carets(void **state)
{
	const char *text = "10foo";
	char *msg = parse_error(text, text + 2, "unexpected value");
	const char *nothing = "";

	assert_string_equal(msg, "10foo\n  ^ -- unexpected value\n");
	free(msg);
	msg = parse_error(nothing, nothing, "empty");
	assert_string_equal(msg, "\n^ -- empty\n");
	free(msg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formatting), cmocka_unit_test(copying),     cmocka_unit_test(words),
	    cmocka_unit_test(texts),      cmocka_unit_test(test_points), cmocka_unit_test(carets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
