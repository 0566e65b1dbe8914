/* test_word - words for shells and terminals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tools/pitot/pitot.h"

/* clang-format off */
static const struct {
	const char *word, *quoted;
} quotes[] = {
	{ "/run/pitot/pmcd.socket", "/run/pitot/pmcd.socket" },
	{ "a b",                    "'a b'" },
	{ "it's",                   "'it'\\''s'" },
	{ "$(rm x)",                "'$(rm x)'" },
	{ "",                       "''" },
	{ "a\nb",                   "'a\nb'" },
};

static const struct {
	const char *text, *clean;
} cleans[] = {
	{ "plain",               "plain" },
	{ "\033[31mred",         "?[31mred" },
	{ "a\tb\177",            "a?b?" },
	{ "\xc2\x9b" "31m",      "??31m" },
	{ "\xc3\xa9t\xc3\xa9",   "\xc3\xa9t\xc3\xa9" },
};
/* clang-format on */

static void test_quotes(void **state)
{
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(quotes) / sizeof(quotes[0]); i++)
		assert_string_equal(word_quote(quotes[i].word, text, sizeof(text)),
				    quotes[i].quoted);
}

static void test_cleans(void **state)
{
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cleans) / sizeof(cleans[0]); i++) {
		snprintf(text, sizeof(text), "%s", cleans[i].text);
		word_clean(text);
		assert_string_equal(text, cleans[i].clean);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quotes),
	    cmocka_unit_test(test_cleans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
