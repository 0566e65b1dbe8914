/*
 * test_specs - configurations of pmlogextract: the specifications that are read, and the places of
 * errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/pmlogextract/pmlogextract.h"

static char path[] = "/tmp/test_specs.XXXXXX";

static bool read_text(struct specs *s, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	*s = (struct specs){0};
	return specs_read(s, path);
}

static void test_metrics(void **state)
{
	struct specs s;

	assert_true(read_text(&s, "# all\nkernel.all\n  disk.dev , hinv.x # no more\n\nmem_1"));
	assert_int_equal(s.n, 4);
	assert_string_equal(s.list[0].metric, "kernel.all");
	assert_string_equal(s.list[1].metric, "disk.dev");
	assert_string_equal(s.list[2].metric, "hinv.x");
	assert_string_equal(s.list[3].metric, "mem_1");
	assert_int_equal(s.list[0].n, 0);
	/* The line where the specification was known to be complete: that of the token after it. */
	assert_int_equal(s.list[0].line, 3);
	specs_done(&s);
}

static void test_instances(void **state)
{
	struct specs s;

	assert_true(read_text(&s, "a [ 1, \"one two\" 'a \"b\"' 99999999999 ] b['x'\n]\nc"));
	assert_int_equal(s.n, 3);
	assert_int_equal(s.list[0].n, 4);
	assert_null(s.list[0].insts[0].name);
	assert_int_equal(s.list[0].insts[0].inst, 1);
	assert_string_equal(s.list[0].insts[1].name, "one two");
	assert_string_equal(s.list[0].insts[2].name, "a \"b\"");
	assert_int_equal(s.list[0].insts[3].inst, INT32_MAX);
	assert_string_equal(s.list[1].insts[0].name, "x");
	assert_int_equal(s.list[1].line, 2);
	assert_int_equal(s.list[2].n, 0);
	specs_done(&s);
}

static void test_nothing(void **state)
{
	struct specs s;

	assert_true(read_text(&s, ""));
	assert_int_equal(s.n, 0);
	specs_done(&s);
	assert_true(read_text(&s, " \n# only a comment"));
	assert_int_equal(s.n, 0);
	specs_done(&s);
}

static void test_words(void **state)
{
	struct specs s = {0};

	assert_true(read_text(&s, "a [ bin101, x.y_2 3z ]"));
	assert_int_equal(s.list[0].n, 4);
	assert_string_equal(s.list[0].insts[0].name, "bin101");
	assert_string_equal(s.list[0].insts[1].name, "x.y_2");
	assert_int_equal(s.list[0].insts[2].inst, 3);
	assert_string_equal(s.list[0].insts[3].name, "z");
	specs_done(&s);
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text;
		int line;
		char wrong; /* a character that begins no token; 0: a token in the wrong place */
	} rows[] = {
	    {"a [ ]", 1, 0},          {"a\nb [ 1", 2, 0},    {"[ 1 ]", 1, 0},
	    {"\n\n12", 3, 0},         {"a ]", 1, 0},         {"\"a\"", 1, 0},
	    {"a [ 1 ] ]", 1, 0},      {"a [[1]]", 1, 0},     {"a [ \"x ]\n", 1, '"'},
	    {"a [ 'x\n' ]", 1, '\''}, {"_a", 1, '_'},        {"a\n$", 2, '$'},
	    {"a-b", 1, '-'},          {"a [ b-c ]", 1, '-'}, {"a:b", 1, ':'},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *before = stderr;
		char *said = NULL;
		size_t len = 0;
		struct specs s;
		char wanted[64];
		bool ok;

		stderr = open_memstream(&said, &len);
		ok = read_text(&s, rows[i].text) && s.wrong_line == 0;
		specs_complain(&s, path);
		fclose(stderr);
		stderr = before;
		specs_done(&s);
		if (rows[i].wrong != 0)
			snprintf(wanted, sizeof(wanted), "[line %d] Unexpected character '%c'\n",
				 rows[i].line, rows[i].wrong);
		else
			snprintf(wanted, sizeof(wanted), "[line %d] syntax error\n", rows[i].line);
		if (ok || strstr(said, wanted) == NULL)
			fail_msg("%s: %s", rows[i].text, ok ? "taken" : said);
		free(said);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_metrics), cmocka_unit_test(test_instances),
	    cmocka_unit_test(test_nothing), cmocka_unit_test(test_words),
	    cmocka_unit_test(test_wrong),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
