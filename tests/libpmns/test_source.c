/* test_source - from a place in a text to file, line and caret. */
#include "libpmns/lex.h"
#include "pmns_test.h"

static void markers(void **state)
{
	// clang-format off
	static const struct {
		const char *line;
		bool ok;
		unsigned int number;
		const char *file;
	} rows[] = {
		{ "# 12 \"foo\"", true, 12, "foo" },
		{ "#12 \"foo\"", true, 12, "foo" },
		{ " \t#\t12\t\"a b\" 3 4", true, 12, "a b" },
		{ "# 0 \"\"", true, 0, "" },
		{ "#", false, 0, "" },
		{ "# 12", false, 0, "" },
		{ "# 12 foo", false, 0, "" },
		{ "# 12 \"foo", false, 0, "" },
		{ "# 12x \"foo\"", false, 0, "" },
		{ "# \"foo\"", false, 0, "" },
		{ "# 99999999999999 \"foo\"", false, 0, "" },
		{ "x # 12 \"foo\"", false, 0, "" },
		{ "", false, 0, "" },
	};
	// clang-format on
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned int number = 77;
		const char *file = NULL;
		size_t len = 0;

		assert_int_equal(
		    source_marker(rows[i].line, strlen(rows[i].line), &number, &file, &len),
		    rows[i].ok);
		if (!rows[i].ok) {
			assert_int_equal(number, 77);
			continue;
		}
		assert_int_equal(number, rows[i].number);
		assert_int_equal(len, strlen(rows[i].file));
		assert_memory_equal(file, rows[i].file, len);
	}
}

static void places(void **state)
{
	static const char text[] = "ab\n# 7 \"inc\"\ncd\n\nef";
	static const struct {
		size_t offset;
		const char *file;
		unsigned int line;
		const char *line_text;
	} rows[] = {
	    {0, "main", 1, "ab"}, {2, "main", 1, "ab"}, {3, "main", 2, "# 7 \"inc\""},
	    {13, "inc", 7, "cd"}, {16, "inc", 8, ""},   {17, "inc", 9, "ef"},
	    {19, "inc", 9, "ef"},
	};
	const struct source src = {.text = text, .len = strlen(text), .file = "main"};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct source_place p;

		source_place(&src, rows[i].offset, &p);
		assert_int_equal(p.line, rows[i].line);
		assert_int_equal(p.file_len, strlen(rows[i].file));
		assert_memory_equal(p.file, rows[i].file, p.file_len);
		assert_int_equal(p.line_len, strlen(rows[i].line_text));
		assert_memory_equal(p.line_text, rows[i].line_text, p.line_len);
	}
}

static void carets(void **state)
{
	static const char text[] = " \t  word other\n";
	const struct source src = {.text = text, .len = strlen(text), .file = "f"};
	struct buffer out = BUFFER_INIT;

	source_error(&src, 9, "What", &out);
	assert_string_equal(buffer_str(&out), "[f:1] Error Parsing ASCII PMNS: What\n"
					      "    word other\n"
					      "         ^");
	buffer_reset(&out);
	source_error(&src, 0, "What", &out);
	assert_string_equal(buffer_str(&out), "[f:1] Error Parsing ASCII PMNS: What\n"
					      "    word other\n"
					      "    ^");
	buffer_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(markers),
	    cmocka_unit_test(places),
	    cmocka_unit_test(carets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
