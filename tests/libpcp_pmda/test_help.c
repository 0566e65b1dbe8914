/* Tests of help.c: texts of a file of some size, in any order, with what it may have twice. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "starve.h"

enum { ENTRIES = 3000, TEXT_LEN = 16 };

static char base[64];

static void put_file(const char *suffix, const void *bytes, size_t len)
{
	char path[80];
	FILE *f;

	snprintf(path, sizeof(path), "%s.%s", base, suffix);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

/* Entry i is metric 250.i/1000.i%1000, or from the middle on domain 250.i; text i is "i". */
static uint32_t ident_of(uint32_t i)
{
	uint32_t ident = 250u << 22;

	return i < ENTRIES / 2 ? ident | i / 1000 << 10 | i % 1000 : ident | i | 1u << 31;
}

static void put_files(void)
{
	static uint32_t index[ENTRIES + 1][3];
	static char text[ENTRIES + 1][TEXT_LEN];

	index[0][0] = 0x50635068;
	index[0][1] = 0x31320000;
	index[0][2] = ENTRIES;
	for (uint32_t i = 0; i < ENTRIES; i++) {
		uint32_t at = i * 7 % ENTRIES; /* in no order */

		index[at + 1][0] = ident_of(i);
		index[at + 1][1] = i * TEXT_LEN + 1;
		index[at + 1][2] = i * TEXT_LEN;
		snprintf(text[i], TEXT_LEN, "h%u", i);
	}
	/* A metric and a domain once more: the first of metrics counts, the last of domains. */
	index[ENTRIES][0] = ident_of(5);
	index[1][0] = ident_of(ENTRIES - 5);
	put_file("dir", index, sizeof(index));
	put_file("pag", text, sizeof(text));
}

static int setup(void **state)
{
	snprintf(base, sizeof(base), "/tmp/test_help.%d", (int)getpid());
	put_files();
	return 0;
}

static int teardown(void **state)
{
	char path[80];

	snprintf(path, sizeof(path), "%s.dir", base);
	unlink(path);
	snprintf(path, sizeof(path), "%s.pag", base);
	unlink(path);
	return 0;
}

static void test_all_texts(void **state)
{
	int handle = pmdaOpenHelp(base), found = 0;

	assert_true(handle >= 0);
	for (uint32_t i = 0; i < ENTRIES; i++) {
		const char *help =
		    i < ENTRIES / 2
			? pmdaGetHelp(handle, ident_of(i), PM_TEXT_HELP)
			: pmdaGetInDomHelp(handle, ident_of(i) & ~(1u << 31), PM_TEXT_HELP);
		char text[TEXT_LEN];

		snprintf(text, sizeof(text), "h%u", i);
		found += help != NULL && strcmp(help, text) == 0;
	}
	/* Two entries had to make room for the doubles. */
	assert_int_equal(found, ENTRIES - 2);
	assert_string_equal(pmdaGetHelp(handle, ident_of(5), PM_TEXT_HELP), "h5");
	assert_string_equal(pmdaGetHelp(handle, ident_of(5), PM_TEXT_ONELINE), "5");
	assert_string_equal(
	    pmdaGetInDomHelp(handle, ident_of(ENTRIES - 5) & ~(1u << 31), PM_TEXT_HELP), "h2995");
	assert_null(pmdaGetHelp(handle, 1, PM_TEXT_HELP));
	assert_null(pmdaGetInDomHelp(handle, ident_of(0), PM_TEXT_HELP));
	pmdaCloseHelp(handle);
	assert_null(pmdaGetHelp(handle, ident_of(5), PM_TEXT_HELP));
	pmdaCloseHelp(handle);
}

static void test_starved(void **state)
{
	int handle = -ENOMEM;

	for (long n = 0; handle == -ENOMEM; n++) {
		starve_left = n;
		handle = pmdaOpenHelp(base);
		starve_left = -1;
	}
	assert_true(handle >= 0);
	assert_string_equal(pmdaGetHelp(handle, ident_of(7), PM_TEXT_HELP), "h7");
	pmdaCloseHelp(handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_starved),
	    cmocka_unit_test(test_all_texts),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
