/* test_lex - the words of a name space. */
#include "libpmns/lex.h"

#include "pmns_test.h"

#define X50  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X250 X50 X50 X50 X50 X50

/* A letter a kind, and the words between bars. */
static const char letters[] = {
    [LEX_END] = 'E',   [LEX_NAME] = 'N', [LEX_PATH] = 'P', [LEX_PMID] = 'I',  [LEX_OPEN] = '{',
    [LEX_CLOSE] = '}', [LEX_WORD] = 'W', [LEX_LONG] = 'L', [LEX_MARKER] = 'M'};

// clang-format off
static const struct {
	const char *text;
	const char *words;
} rows[] = {
	{ "", "E" },
	{ " \t\r\n\f\v ", "E" },
	{ "root {\n a 1:2:3\n}\n", "N|root {|{ N|a I|1:2:3 }|} E" },
	{ "a.b.c9_.D", "P|a.b.c9_.D E" },
	{ "a. a..b .a a.9 9 _a a-b a.b. A_9", "W|a. W|a..b W|.a W|a.9 I|9 W|_a W|a-b W|a.b. N|A_9 E" },
	{ "{} }{ {a a{", "W|{} W|}{ W|{a W|a{ E" },
	{ "1:2:3} 1:2:3x 1x *x", "W|1:2:3} W|1:2:3x W|1x W|*x E" },
	{ "1 : 2:\t3 4:*:*", "I|1 : 2:\t3 I|4:*:* E" },
	{ "1 2 1: 2 3 :4", "I|1 I|2 I|1: 2 I|3 :4 E" },
	{ "1 :\n2", "I|1 : I|2 E" },
	{ "1: a", "I|1: N|a E" },
	{ "1:2:3 }", "I|1:2:3 }|} E" },
	{ ":1 -1", "W|:1 W|-1 E" },
	{ "# 1 \"f\"\na\n  # x\n#", "M|# 1 \"f\" N|a M|# x M|# E" },
	{ "a # 1 \"f\"", "N|a W|# I|1 W|\"f\" E" },
	{ X250 "1234", "N|" X250 "1234 E" },
	{ "a\n" X250 "1234\nb", "N|a N|" X250 "1234 N|b E" },
	{ "a\n" X250 "12345\nb", "N|a N|" X250 "12345 L|" },
	{ "#" X250 "1234\nb", "M|#" X250 "1234 L|" },
	{ X250 "12345", "N|" X250 "12345 L|" },
};
// clang-format on

static void words(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		/* Without a NUL after it, so that reading too far is detected. */
		size_t len = strlen(rows[i].text);
		char *text = malloc(len + 1);
		struct buffer got = BUFFER_INIT;
		struct token word;
		struct lex l;
		enum lex_kind kind;

		memcpy(text + 1, rows[i].text, len);
		lex_init(&l, text + 1, len);
		while ((kind = lex_next(&l, &word)) != LEX_END && kind != LEX_LONG)
			buffer_printf(&got, "%c|%.*s ", letters[kind], (int)word.len, word.s);
		buffer_printf(&got, "%s", kind == LEX_END ? "E" : "L|");
		assert_string_equal(buffer_str(&got), rows[i].words);
		if (kind == LEX_END)
			assert_ptr_equal(word.s, text + 1 + len);
		assert_int_equal(word.len, 0);
		free(text);
		buffer_done(&got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
