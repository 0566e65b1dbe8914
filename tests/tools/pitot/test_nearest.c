/* test_nearest - the word of a list that a mistyped word probably means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/pitot/pitot.h"

/* clang-format off */
static const struct {
	const char *word;
	const char *meant; /* NULL: none */
} cases[] = {
	{ "status",  "status" },
	{ "statsu",  "status" }, /* two letters exchanged */
	{ "satus",   "status" }, /* a letter missing */
	{ "statuss", "status" }, /* a letter too many */
	{ "stotus",  "status" }, /* a wrong letter */
	{ "stotsu",  "status" },
	{ "doc",     "doctor" }, /* the beginning of a word */
	{ "s",       "status" },
	{ "upp",     "up" },
	{ "pu",      "up" },
	{ "trumpet", NULL },
	{ "xyzzy",   NULL },
	{ "",        NULL },
	{ "a word that is longer than any command could be", NULL },
};
/* clang-format on */

static void test_cases(void **state)
{
	static const char *const words[] = {"up", "status", "doctor"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *got = nearest(cases[i].word, words, 3);

		if (cases[i].meant == NULL)
			assert_null(got);
		else
			assert_string_equal(got, cases[i].meant);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
