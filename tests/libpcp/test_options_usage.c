/* test_options_usage - the usage message: docs/spec/pmapi.md 19.4. */
#include "apart.h"

static pmLongOptions long_options[] = {
    PMAPI_OPTIONS_HEADER("General options"),
    PMOPT_ALIGN,
    PMOPT_ARCHIVE,
    PMOPT_DEBUG, /* not shown */
    {"only", 1, 0, "ARG", "no letter"},
    {"", 0, 'k', NULL, "no name"},
    PMAPI_OPTIONS_TEXT("Some text."),
    PMAPI_OPTIONS_END,
};

static void usage(void)
{
	pmOptions o = {.long_options = long_options, .short_usage = "[options] what"};

	pmSetProgname("prog");
	pmUsageMessage(&o);
}

static void no_usage(void)
{
	pmOptions o = {.long_options = long_options, .flags = PM_OPTFLAG_RUNTIME_ERR};

	pmprintf("what went wrong\n");
	pmUsageMessage(&o);
}

static void no_flush(void)
{
	pmOptions o = {.flags = PM_OPTFLAG_NOFLUSH};

	pmUsageMessage(&o);
}

static void messages(void **state)
{
	char text[1024];

	run_apart(usage, text, sizeof(text));
	assert_string_equal(text,
			    "Usage: prog [options] what\n"
			    "\nGeneral options:\n"
			    "  -A TIME, --align=TIME align sample times on natural boundaries\n"
			    "  -a FILE, --archive=FILE\n"
			    "                        metrics source is a PCP log archive\n"
			    "  --only=ARG            no letter\n"
			    "  -k                    no name\n"
			    "Some text.\n");
	run_apart(no_usage, text, sizeof(text));
	assert_string_equal(text, "what went wrong\n");
	run_apart(no_flush, text, sizeof(text));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(messages)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
