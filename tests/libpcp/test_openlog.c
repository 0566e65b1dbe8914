/* test_openlog - a stream that goes on in a log: docs/spec/pmapi.md 22. */
#include <sys/stat.h>

#include "apart.h"

static char dir[] = "/tmp/test_openlog.XXXXXX";
static char path[64];

static void open_log(void)
{
	int status = 7;

	if (pmOpenLog("prog", path, stderr, &status) != stderr || status != 1)
		_exit(3);
	fprintf(stderr, "a line\n");
	exit(0);
}

static void open_nothing(void)
{
	int status = 7;

	if (pmOpenLog("prog", "/proc/nonexistent/log", stderr, &status) != stderr || status != 0)
		_exit(3);
}

static void keep(void)
{
	int status = 7;

	if (pmOpenLog("prog", "-", stderr, &status) != stderr || status != 1)
		_exit(3);
}

static int make_dir(void **state)
{
	if (mkdtemp(dir) == NULL)
		return -1;
	pmsprintf(path, sizeof(path), "%s/log", dir);
	return 0;
}

static int remove_dir(void **state)
{
	unlink(path);
	return rmdir(dir);
}

static void heading_and_end(void **state)
{
	char text[1024] = "", *line;
	FILE *f;

	assert_int_equal(run_apart(open_log, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_memory_equal(text, "Log for prog on ", 16);
	line = strstr(text, "\n\na line\n\nLog finished ");
	assert_non_null(line);
	assert_int_equal(text[strlen(text) - 1], '\n');
}

/* A process that still has the old one open continues to write there. */
static void old_log_is_unlinked(void **state)
{
	struct stat before, after;
	char text[16];

	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(run_apart(open_log, text, sizeof(text)), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_true(before.st_ino != after.st_ino || after.st_size == before.st_size);
}

/* A non-regular file is not replaced. */
static void no_file_is_replaced(void **state)
{
	struct stat st;
	char text[64];

	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(run_apart(open_log, text, sizeof(text)), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void failures(void **state)
{
	char text[512];

	assert_int_equal(run_apart(open_nothing, text, sizeof(text)), 0);
	assert_string_equal(text, "prog: cannot open log \"/proc/nonexistent/log\" for writing : "
				  "No such file or directory\n");
	assert_int_equal(run_apart(keep, text, sizeof(text)), 0);
	assert_memory_equal(text, "Log for prog on ", 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(heading_and_end),
	    cmocka_unit_test(old_log_is_unlinked),
	    cmocka_unit_test(no_file_is_replaced),
	    cmocka_unit_test(failures),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
