/* test_wordlist - separators, quotes, and missing closing quotes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/names.h"

/* clang-format off */
static const struct {
	const char *text;
	const char *words[4];
} cases[] = {
	{ "", { NULL } },
	{ " ,\t,\n", { NULL } },
	{ "one", { "one" } },
	{ "one,two three\tfour", { "one", "two", "three", "four" } },
	{ ",one,,two,", { "one", "two" } },
	{ "\"1 minute\",'5, or so'", { "1 minute", "5, or so" } },
	{ "'a \"b\" c'", { "a \"b\" c" } },
	{ "\"\"", { "" } },
	{ "\"open end", { "open end" } },
	{ "it's", { "it's" } },
};
/* clang-format on */

static void words(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wordlist list = {0};
		size_t n = 0;

		wordlist_add(&list, cases[i].text);
		while (n < 4 && cases[i].words[n] != NULL)
			n++;
		assert_int_equal(list.n, n);
		for (size_t w = 0; w < n; w++)
			assert_string_equal(list.words[w], cases[i].words[w]);
		wordlist_done(&list);
		assert_int_equal(list.n, 0);
	}
}

static void added_up(void **state)
{
	struct wordlist list = {0};

	wordlist_add(&list, "a b");
	wordlist_add(&list, "c");
	assert_int_equal(list.n, 3);
	assert_string_equal(list.words[2], "c");
	wordlist_done(&list);
	wordlist_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words),
	    cmocka_unit_test(added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
