/* test_string - formatting, copying, reading words: docs/spec/pmapi.md 13.2 .. 13.5. */
#include "pcp_test.h"

static void formatting(void **state)
{
	char buf[4] = "xyz";

	assert_int_equal(pmsprintf(buf, sizeof(buf), "%s", "hello"), 3);
	assert_string_equal(buf, "hel");
	assert_int_equal(pmsprintf(buf, sizeof(buf), "%d", 42), 2);
	assert_int_equal(pmsprintf(buf, sizeof(buf), "%s", ""), 1);
	assert_string_equal(buf, "");
	buf[0] = 'q';
	assert_int_equal(pmsprintf(buf, 0, "x"), 0);
	assert_int_equal(buf[0], 'q');
}

static void copying(void **state)
{
	char buf[4];

	assert_int_equal(pmstrncpy(buf, sizeof(buf), "abc"), 0);
	assert_int_equal(pmstrncpy(buf, sizeof(buf), "abcd"), -1);
	assert_string_equal(buf, "abc");
	strcpy(buf, "a");
	assert_int_equal(pmstrncat(buf, sizeof(buf), "bc"), 0);
	assert_string_equal(buf, "abc");
	assert_int_equal(pmstrncat(buf, sizeof(buf), "d"), -1);
	assert_int_equal(pmstrlen(NULL), 0);
	assert_int_equal(pmstrlen("abc"), 3);
}

static void words(void **state)
{
	char text[] = "  one two\n\nthree";
	static const ssize_t lengths[] = {3, 3, 0, 5, -1};
	FILE *f = fmemopen(text, strlen(text), "r");
	char *word;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		assert_int_equal(pmfstring(f, &word), lengths[i]);
		if (lengths[i] > 0)
			free(word);
	}
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formatting),
	    cmocka_unit_test(copying),
	    cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
