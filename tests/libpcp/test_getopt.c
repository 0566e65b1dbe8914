/* test_getopt - the option parser: docs/spec/pmapi.md 19.2. */
#include "pcp_test.h"

static pmLongOptions long_options[] = {
    PMAPI_OPTIONS_HEADER("Options"),        {"all", 0, 'x', NULL, "everything"},
    {"allow", 1, 'y', "WHAT", "something"}, {"maybe", 2, 'o', "ARG", "argument or not"},
    {"only", 0, 0, NULL, "no letter"},      PMAPI_OPTIONS_END,
};

struct option_case {
	const char *shorts;
	int flags;
	const char *argv[10];
	const char *expected; /* letters, arguments in <>, then | and what is left */
};

static const struct option_case cases[] = {
    {"xy:o::", 0, {"p", "-x", "a", "-yv", "b", "-o", "-oval"}, "xy<v>oo<val>|a b"},
    {"xy:o::", 0, {"p", "--all", "--allow", "v", "--allow=w", "--maybe=m"}, "xy<v>y<w>o<m>|"},
    {"xy:o::", 0, {"p", "--al", "--only", "--nonsense", "-k", "-y"}, "?0???|"},
    {"xy:o::", 0, {"p", "a", "--", "-x"}, "|a -x"},
    {"xy:o::", PM_OPTFLAG_POSIX, {"p", "-x", "a", "-x"}, "x|a -x"},
    {"+xy:o::", 0, {"p", "-x", "a", "-x"}, "x|a -x"},
    {"-xy:o::", 0, {"p", "-x", "a", "-x"}, "x1<a>x|"},
    {":xy:o::", 0, {"p", "-y"}, ":|"},
    {"xy:W;", 0, {"p", "-W", "all", "-Wallow=v"}, "xy<v>|"},
    {"xy:", 0, {"p", "-", "-x"}, "x|-"},
    {NULL, 0, {"p", "-x"}, "|p -x"},
};

static void parse(const struct option_case *c, char *text, size_t size)
{
	pmOptions o = {.short_options = c->shorts, .flags = c->flags, .long_options = long_options};
	char *argv[10];
	int argc = 0, r;

	for (; c->argv[argc] != NULL; argc++)
		argv[argc] = (char *)c->argv[argc];
	text[0] = '\0';
	while ((r = pmgetopt_r(argc, argv, &o)) != -1) {
		char word[64];

		pmsprintf(word, sizeof(word), "%c", r > 1 ? r : '0' + r);
		pmstrncat(text, size, word);
		if (o.optarg != NULL) {
			pmsprintf(word, sizeof(word), "<%s>", o.optarg);
			pmstrncat(text, size, word);
		}
	}
	pmstrncat(text, size, "|");
	for (int i = o.optind; i < argc; i++) {
		pmstrncat(text, size, argv[i]);
		if (i + 1 < argc)
			pmstrncat(text, size, " ");
	}
}

static void sequences(void **state)
{
	char text[256];

	setenv("PCP_STDERR", "/dev/null", 1);
	unsetenv("POSIXLY_CORRECT");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(&cases[i], text, sizeof(text));
		assert_string_equal(text, cases[i].expected);
		assert_string_equal(pmGetProgname(), i < ARRAY_SIZE(cases) ? "p" : "");
	}
	pmflush();
}

static void long_index(void **state)
{
	pmOptions o = {.short_options = "x", .long_options = long_options};
	char *argv[] = {(char *)"p", (char *)"--only", NULL};

	assert_int_equal(pmgetopt_r(2, argv, &o), 0);
	assert_int_equal(o.index, 4);
	assert_int_equal(pmgetopt_r(2, argv, &o), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sequences),
	    cmocka_unit_test(long_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
