/* test_cpp - the preprocessor (docs/spec/pmcd.md 10.2). */
#include "libpmns/cpp.h"

#include <errno.h>

#include "pmns_test.h"

static int run(const char *name, const char *text, const struct cpp_options *opt,
	       struct buffer *out, struct buffer *error)
{
	struct cpp_text main_text = {.name = name, .text = text, .len = strlen(text)};

	return cpp_run(&main_text, opt, out, error);
}

// clang-format off
static const struct {
	const char *in;
	const char *out; /* without the first linemarker */
} texts[] = {
	{ "", "" },
	{ "a\nb\n", "a\nb\n" },
	{ "no newline", "no newline\n" },
	/* macros */
	{ "#define A\n[A]\n", "\n[]\n" },
	{ "#define A \"\"\n[A]\n", "\n[]\n" },
	{ "#define\tB\t\"x y\"\nB\n", "\nx y\n" },
	{ "#define C 'a \"b'\nC\n", "\na \"b\n" },
	{ "#define D 5\nD:0:1 D XD D_ D\n", "\n5:0:1 5 XD D_ 5\n" },
	{ "#define D 5\nx \"D\" D.D D-D aD 1D #D #{D}\n", "\nx \"5\" 5.5 5-5 aD 15 #5 #{5}\n" },
	{ "#define A B\n#define B 7\nA B\n", "\n\nB 7\n" }, /* once */
	{ "#undef A\n#define A 1\n#undef A\nA\n", "\n\n\nA\n" },
	{ "#define A 1\n#undef A\n#define A 2\nA\n", "\n\n\n2\n" },
	{ "#define A 1 /* c */\nA\n", "\n1\n" },
	{ "#define A /* c */ 1\nA\n", "\n1\n" },
	/* conditions */
	{ "#ifdef A\nyes\n#else\nno\n#endif\n", "\n\n\nno\n\n" },
	{ "#ifndef A\nyes\n#else\nno\n#endif\n", "\nyes\n\n\n\n" },
	{ "#define A 1\n#ifdef  A  \nA\n#endif  \n", "\n\n1\n\n" },
	{ "#define A 1\r\n#ifdef A\r\nA\r\n#endif\r\n", "\n\n1\r\n\n" },
	{ "#define A 1\n#ifdef A /* foo */\nx\n#endif /* A */\n", "\n\nx\n\n" },
	{ "#ifdef A\n#include \"nosuch\"\n#define B 2\n#shell 'x'\n#endif\nB\n", "\n\n\n\n\nB\n" },
	/* not a directive */
	{ "#if 1\n#bogus\n#\n# 3 \"foo\"\n", "#if 1\n#bogus\n#\n# 3 \"foo\"\n" },
	{ "# define A 1\n #define A 1\nA\n", "# define A 1\n #define A 1\nA\n" },
	{ "#includeX \"y\"\n#defineA 1\n#endifx\n", "#includeX \"y\"\n#defineA 1\n#endifx\n" },
	{ "/* c */#define A 1\nA\n", "       #define A 1\nA\n" },
	/* comments */
	{ "/* a */x/* b\n c */y\n", "       x\n     y\n" }, /* no blanks at the end */
	{ "a /* b */ c \"/* d */\" e // f\n", "a         c \"       \" e // f\n" },
	{ "*/ x /* /* */ */\n", "*/ x          */\n" },
	{ "/*/ a */b\n", "        b\n" },
	{ "/**/a/\n*b\n", "    a/\n*b\n" },
};

static const struct {
	unsigned int flags;
	const char *in;
	const char *out;
} flagged[] = {
	{ CPP_NO_MARKERS, "#define A 1\nA\n", "\n1\n" },
	{ CPP_NO_MARKERS | CPP_MARKED, "#define A 1\nA #A x#{A}y %A #AB #{A\n", "\nA 1 x1y %A #AB #{A\n" },
	{ CPP_NO_MARKERS | CPP_MARKED, "#define A 1\n#{A #{A}} ##A #{} #\n", "\n#{A #{A}} #1 #{} #\n" },
	{ CPP_NO_MARKERS | CPP_PERCENT, "%define A 1\n#define B 2\nA /* %A */ B\n", "\n#define B 2\n1 /* %1 */ B\n" },
	{ CPP_NO_MARKERS | CPP_PERCENT | CPP_MARKED, "%define A 1\nA #A %A %{A}\n", "\nA #A 1 1\n" },
};

static const struct {
	const char *in;
	unsigned int line; /* 0: the end */
	const char *what;
} errors[] = {
	{ "x\n#define 9x 1\n", 2, "Illegal character in macro name" },
	{ "#define A(x) 1\n", 1, "Illegal character in macro name" },
	{ "#define A-B 1\n", 1, "Illegal character in macro name" },
	{ "#undef 9\n", 1, "Illegal character in macro name" },
	{ "#define\n", 1, "Missing macro name" },
	{ "#undef \n", 1, "Missing macro name" },
	{ "#ifdef\n", 1, "Missing macro name" },
	{ "#ifndef\n", 1, "Missing macro name" },
	{ "#define A 1\n#define A 1\n", 2, "Macro redefinition" },
	{ "#define A \"abc\nA\"\n", 1, "Unterminated value string in #define" },
	{ "#define A 'abc\"\n", 1, "Unterminated value string in #define" },
	{ "#define A \"abc\" d\n", 1, "Unexpected extra text in a control line" },
	{ "#define A 1 2\n", 1, "Unexpected extra text in a control line" },
	{ "#undef A B\n", 1, "Unexpected extra text in a control line" },
	{ "#ifdef A extra\n", 1, "Unexpected extra text in a control line" },
	{ "#ifdef A\n#else extra\n", 2, "Unexpected extra text in a control line" },
	{ "#ifdef A\n#endif extra\n", 2, "Unexpected extra text in a control line" },
	{ "#ifndef A\n#ifdef B\n", 2, "Nested #ifdef or #ifndef" },
	{ "#ifdef A\n#ifndef B\n", 2, "Nested #ifdef or #ifndef" },
	{ "#endif\n", 1, "No matching #ifdef or #ifndef for #endif" },
	{ "#else\n", 1, "No matching #ifdef or #ifndef for #else" },
	{ "#ifdef A\n#else\n#else\n", 3, "No matching #ifdef or #ifndef for #else" },
	{ "\n#ifdef A\nx\n", 0, "End of input and no matching #endif for #ifdef at line 2" },
	{ "#ifndef A\nx\n", 0, "End of input and no matching #endif for #ifndef at line 1" },
	{ "x\n/* y\nz\n", 0, "Comment at line 2 not terminated before end of file" },
	{ "#include \"nosuch\"\n", 1, "Cannot open file for #include" },
	{ "#include <nosuch>\n", 1, "Cannot open file for #include" },
	{ "#include \"\"\n", 1, "Cannot open file for #include" },
	{ "#include \"/tmp\"\n", 1, "Cannot open file for #include" },
	{ "#include \"/dev/zero\"\n", 1, "Cannot open file for #include" },
	{ "#include\n", 1, "Expected \" or < after #include" },
	{ "#include nosuch\n", 1, "Expected \" or < after #include" },
	{ "#include \"nosuch>\n", 1, "Expected \" after file name" },
	{ "#include <nosuch\"\n", 1, "Expected > after file name" },
	{ "#include \"a\" b\n", 1, "Unexpected extra text in #include line" },
	{ "#shell 'echo x'\n", 1, "#shell is refused: no command is run for a file" },
};
// clang-format on

static void text_to_text(void **state)
{
	static const struct cpp_options none;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct buffer out = BUFFER_INIT, error = BUFFER_INIT;
		char expected[512];

		snprintf(expected, sizeof(expected), "# 1 \"f\"\n%s", texts[i].out);
		assert_int_equal(run("f", texts[i].in, &none, &out, &error), 0);
		assert_string_equal(buffer_str(&out), expected);
		assert_string_equal(buffer_str(&error), "");
		buffer_done(&out);
		buffer_done(&error);
	}
}

static void flags(void **state)
{
	for (size_t i = 0; i < sizeof(flagged) / sizeof(flagged[0]); i++) {
		struct cpp_options opt = {.flags = flagged[i].flags};
		struct buffer out = BUFFER_INIT, error = BUFFER_INIT;

		assert_int_equal(run("main", flagged[i].in, &opt, &out, &error), 0);
		assert_string_equal(buffer_str(&out), flagged[i].out);
		buffer_done(&out);
		buffer_done(&error);
	}
}

static void defines(void **state)
{
	const struct cpp_define good[] = {{.text = "A", .number = 1}, {.text = "B x"}, {0}};
	const struct cpp_define bad[] = {
	    {.text = "A 1", .number = 3}, {.text = "A 1", .number = 5}, {0}};
	struct cpp_options opt = {.flags = CPP_NO_MARKERS, .defines = good};
	struct buffer out = BUFFER_INIT, error = BUFFER_INIT;

	assert_int_equal(run("main", "[A] B\n", &opt, &out, &error), 0);
	assert_string_equal(buffer_str(&out), "[] x\n");
	opt.defines = bad;
	assert_int_equal(run("main", "A\n", &opt, &out, &error), -EINVAL);
	assert_string_equal(buffer_str(&error),
			    "pmcpp: <arg>[5]: #define A 1\npmcpp: Error: Macro redefinition");
	buffer_done(&out);
	buffer_done(&error);
}

/* The n-th line of a text, without its newline. */
static void nth_line(const char *text, unsigned int n, char *line, size_t size)
{
	while (n-- > 1)
		text = strchr(text, '\n') + 1;
	snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
}

static void error_texts(void **state)
{
	static const struct cpp_options none;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct buffer out = BUFFER_INIT, error = BUFFER_INIT;
		char expected[512], line[256];

		if (errors[i].line == 0) {
			snprintf(expected, sizeof(expected), "pmcpp: f:\npmcpp: Error: %s",
				 errors[i].what);
		} else {
			nth_line(errors[i].in, errors[i].line, line, sizeof(line));
			snprintf(expected, sizeof(expected), "pmcpp: f[%u]: %s\npmcpp: Error: %s",
				 errors[i].line, line, errors[i].what);
		}
		assert_int_equal(run("f", errors[i].in, &none, &out, &error), -EINVAL);
		assert_string_equal(buffer_str(&error), expected);
		buffer_done(&out);
		buffer_done(&error);
	}
}

/* The path itself, the folder of the main file, then the folders of the options. */
static void include_search(void **state)
{
	const char *dir = test_folder();
	char main_dir[80], other_dir[80], main_path[96], expected[512];
	const char *dirs[] = {other_dir, NULL};
	struct cpp_options opt = {.dirs = dirs};
	struct buffer out = BUFFER_INIT, error = BUFFER_INIT, seen = BUFFER_INIT;

	snprintf(main_dir, sizeof(main_dir), "%s/main", dir);
	snprintf(other_dir, sizeof(other_dir), "%s/other", dir);
	assert_int_equal(file_mkdirs(main_dir, 0700), 0);
	assert_int_equal(file_mkdirs(other_dir, 0700), 0);
	test_file(main_dir, "both", "in main\n");
	test_file(other_dir, "both", "in other\n");
	test_file(other_dir, "deep", "#define X 1\n#include \"both\"\nX\n");
	snprintf(main_path, sizeof(main_path), "%s/f", main_dir);

	opt.opened = test_message;
	opt.arg = &seen;
	assert_int_equal(run(main_path, "#include \"deep\"\nX\n", &opt, &out, &error), 0);
	snprintf(expected, sizeof(expected),
		 "# 1 \"%s\"\n# 1 \"%s/deep\"\n\n# 1 \"%s/both\"\nin main\n"
		 "# 3 \"%s/deep\"\n1\n# 2 \"%s\"\n1\n",
		 main_path, other_dir, main_dir, other_dir, main_path);
	assert_string_equal(buffer_str(&out), expected);
	snprintf(expected, sizeof(expected), "%s/deep\n%s/both\n", other_dir, main_dir);
	assert_string_equal(buffer_str(&seen), expected);

	/* An absolute path is not searched elsewhere. */
	buffer_reset(&out);
	assert_int_equal(run(main_path, "#include </both>\n", &opt, &out, &error), -EINVAL);
	buffer_done(&out);
	buffer_done(&error);
	buffer_done(&seen);
	test_folder_remove(dir);
}

static void include_depth(void **state)
{
	const char *dir = test_folder();
	const char *dirs[] = {dir, NULL};
	struct cpp_options opt = {.dirs = dirs};
	struct buffer out = BUFFER_INIT, error = BUFFER_INIT;
	char name[16], text[64];

	for (int i = 2; i <= 6; i++) {
		snprintf(name, sizeof(name), "i%d", i);
		snprintf(text, sizeof(text), "#include \"i%d\"\n", i + 1);
		test_file(dir, name, i < 6 ? text : "end\n");
	}
	assert_int_equal(run("i2", "#include \"i3\"\n", &opt, &out, &error), 0);
	assert_int_equal(run("i1", "#include \"i2\"\n", &opt, &out, &error), -EINVAL);
	assert_non_null(strstr(buffer_str(&error), "nesting too deep"));
	/* A file that includes itself ends the same way. */
	test_file(dir, "self", "#include \"self\"\n");
	buffer_reset(&error);
	assert_int_equal(run("x", "#include \"self\"\n", &opt, &out, &error), -EINVAL);
	buffer_done(&out);
	buffer_done(&error);
	test_folder_remove(dir);
}

static void given_texts(void **state)
{
	static const char defines[] = "#ifndef G\n#define G\n#define A 1\n#endif\n";
	const struct cpp_text std = {.name = "std", .text = defines, .len = strlen(defines)};
	struct cpp_options opt = {.extra = &std};
	struct buffer out = BUFFER_INIT, error = BUFFER_INIT;

	assert_int_equal(run("f", "#include <std>\nA\n", &opt, &out, &error), 0);
	assert_string_equal(buffer_str(&out), "# 1 \"f\"\n# 1 \"std\"\n\n\n\n\n# 2 \"f\"\n1\n");
	/* A prelude defines, leaves no trace in the output, and gives way. */
	opt.prelude = &std;
	buffer_reset(&out);
	assert_int_equal(run("f", "A\n#define A 2\nA\n#include <std>\nA\n", &opt, &out, &error), 0);
	assert_string_equal(buffer_str(&out),
			    "# 1 \"f\"\n1\n\n2\n# 1 \"std\"\n\n\n\n\n# 5 \"f\"\n2\n");
	/* But what the text defined it may not define again. */
	assert_int_equal(run("f", "#define A 2\n#define A 3\n", &opt, &out, &error), -EINVAL);
	buffer_done(&out);
	buffer_done(&error);
}

/* A short text that would expand without end is refused. */
static void growth(void **state)
{
	enum { VALUE = 60000, USES = 6000 };
	static const struct cpp_options none;
	struct buffer in = BUFFER_INIT, out = BUFFER_INIT, error = BUFFER_INIT;

	buffer_printf(&in, "#define A ");
	buffer_fill(&in, 'x', VALUE);
	buffer_printf(&in, "\n");
	for (int i = 0; i < USES; i++)
		buffer_printf(&in, "A ");
	assert_int_equal(run("f", buffer_str(&in), &none, &out, &error), -EFBIG);
	assert_non_null(strstr(buffer_str(&error), "Output is too large"));
	assert_true(out.len < CPP_OUTPUT_MAX + 2 * VALUE);
	buffer_done(&in);
	buffer_done(&out);
	buffer_done(&error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_to_text),   cmocka_unit_test(error_texts),
	    cmocka_unit_test(flags),          cmocka_unit_test(defines),
	    cmocka_unit_test(include_search), cmocka_unit_test(include_depth),
	    cmocka_unit_test(given_texts),    cmocka_unit_test(growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
