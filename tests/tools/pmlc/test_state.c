/* test_state - the status word as text: docs/spec/logger.md C3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tools/pmlc/pmlc.h"

static void words(void **state)
{
	static const struct {
		int word;
		const char *text;
	} rows[] = {
	    {0x0, "adv  off nl             "},
	    {0xc, "adv  off                "},
	    {0x2, "mand off nl             "},
	    {0x3e8f, "mand on           1 sec "},
	    {0x1, "adv  on  nl         once"},
	    {0x3e80 | 0x9, "adv  on  na       1 sec "},
	    {500 << 4 | 0xf, "mand on         500 msec"},
	    {1500 << 4 | 0xd, "adv  on        1.5 sec "},
	    {1234567 << 4 | 0xf, "mand on     20.576 min "},
	    {5400000 << 4 | 0xf, "mand on        1.5 hour"},
	    {(int)(266400000u << 4 | 0xf), "mand on          74 hour"},
	};
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *f = fmemopen(text, sizeof(text), "w");

		state_print(rows[i].word, f);
		fclose(f);
		assert_string_equal(text, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
