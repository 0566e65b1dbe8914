/* test_options - the standard options, in both versions: docs/spec/pmapi.md 19.3. */
#define PMAPI_VERSION 3
#include "apart.h"

static pmLongOptions long_options[] = {
    PMAPI_GENERAL_OPTIONS,
    PMOPT_HOST_LIST,
    {"own", 1, 'y', "ARG", "own option"},
    PMAPI_OPTIONS_END,
};

static int last;

/* The whole command line; own options give their letter in last. */
static pmOptions parse(int flags, char *const *argv)
{
	pmOptions o = {.version = PMAPI_VERSION,
		       .flags = flags,
		       .short_options = PMAPI_OPTIONS "LK:y:",
		       .long_options = long_options};
	int argc = 0, c;

	while (argv[argc] != NULL)
		argc++;
	last = 0;
	while ((c = pmGetOptions(argc, argv, &o)) != -1)
		last = c;
	return o;
}

#define ARGV(...)                                                                                  \
	(char *[])                                                                                 \
	{                                                                                          \
		(char *)"prog", __VA_ARGS__, NULL                                                  \
	}

static void values(void **state)
{
	pmOptions o = parse(
	    0, ARGV("-h", "host", "-s", "5", "-t", "1.5", "-Z", "UTC", "-y", "own", "-T", "10"));

	assert_int_equal(o.errors, 0);
	assert_int_equal(o.context, PM_CONTEXT_HOST);
	assert_int_equal(o.nhosts, 1);
	assert_string_equal(o.hosts[0], "host");
	assert_int_equal(o.samples, 5);
	assert_true(o.interval.tv_sec == 1 && o.interval.tv_nsec == 500000000);
	assert_string_equal(o.timezone, "UTC");
	assert_string_equal(o.finish_optarg, "10");
	assert_int_equal(last, 'y');
	assert_true(o.flags & PM_OPTFLAG_DONE);
	pmFreeOptions(&o);
	assert_int_equal(o.nhosts, 0);
	o = parse(0, ARGV("-L", "-K", "clear", "-p", "9"));
	assert_int_equal(o.errors, 0);
	assert_int_equal(o.context, PM_CONTEXT_LOCAL);
	assert_true(o.Lflag);
	assert_string_equal(o.guiport_optarg, "9");
	pmFreeOptions(&o);
	o = parse(0, ARGV("-a", "x", "-A", "1min", "-O", "@10", "-S", "1"));
	assert_int_equal(o.context, PM_CONTEXT_ARCHIVE);
	assert_string_equal(o.align_optarg, "1min");
	assert_string_equal(o.origin_optarg, "@10");
	assert_string_equal(o.start_optarg, "1");
	pmFreeOptions(&o);
	o = parse(0, ARGV("-?"));
	assert_int_equal(o.errors, 1);
	pmFreeOptions(&o);
}

/* A standard letter that a program declares without an argument is the program's. */
static void bare_letters(void **state)
{
	char **argv = ARGV("-s", "-a", "-D");
	pmOptions o = {.version = PMAPI_VERSION, .short_options = "saD"};

	assert_int_equal(pmGetOptions(4, argv, &o), 's');
	assert_int_equal(pmGetOptions(4, argv, &o), 'a');
	assert_int_equal(pmGetOptions(4, argv, &o), 'D');
	assert_int_equal(pmGetOptions(4, argv, &o), -1);
	assert_int_equal(o.errors, 0);
	pmFreeOptions(&o);
}

static void environment(void **state)
{
	pmOptions o;

	setenv("PCP_SAMPLES", "7", 1);
	setenv("PCP_HOST", "other", 1);
	o = parse(PM_OPTFLAG_ENV_ONLY, ARGV("-s", "9"));
	assert_int_equal(o.samples, 7);
	assert_string_equal(o.hosts[0], "other");
	pmFreeOptions(&o);
	o = parse(0, ARGV("-s", "9"));
	assert_int_equal(o.samples, 9);
	pmFreeOptions(&o);
	unsetenv("PCP_SAMPLES");
	unsetenv("PCP_HOST");
}

static const struct {
	const char *argv[6];
	const char *message;
	int flag; /* 0: PM_OPTFLAG_USAGE_ERR */
} wrong[] = {
    {{"prog", "-h", "a", "-h", "b"}, "prog: too many hosts requested: b\n"},
    {{"prog", "-h", "a", "-a", "b"}, "prog: only one host or archive allowed\n"},
    {{"prog", "-s", "x"}, "prog: -s requires a positive numeric argument\n"},
    {{"prog", "-g", "-p", "1"}, "prog: at most one of -g and -p allowed\n"},
    {{"prog", "-z"}, "prog: use of timezone from metric source requires a source\n"},
    {{"prog", "-S", "1"}, "prog: time window options are supported for archives only\n"},
    {{"prog", "-D", "nonsense"}, "prog: unrecognized debug options specification (nonsense)\n"},
    {{"prog", "-t", "5foo"},
     "prog: -t argument not in pmParseHighResInterval(3) format:\n5foo\n ^ -- unexpected "
     "value\n\n"},
    {{"prog", "-K", "bogus"}, "prog: pmSpecLocalPMDA failed: bad op in spec\n"},
    {{"prog", "-n", "/no/such"},
     "Error Parsing ASCII PMNS: Cannot open \"/no/such\"\nprog: Cannot load namespace from "
     "\"/no/such\": No such file or directory\n",
     PM_OPTFLAG_RUNTIME_ERR},
    {{"prog", "-V"}, "prog version 6.0.3 (Pitot " PITOT_VERSION ")\n"},
};

static size_t wrong_case;

static void run_wrong(void)
{
	pmOptions o = parse(0, (char *const *)wrong[wrong_case].argv);
	int flag = wrong[wrong_case].flag != 0 ? wrong[wrong_case].flag : PM_OPTFLAG_USAGE_ERR;

	pmflush();
	if (wrong_case + 1 < ARRAY_SIZE(wrong))
		_exit(o.errors == 1 && (o.flags & flag) ? 0 : 3);
	_exit(o.errors == 0 && (o.flags & PM_OPTFLAG_EXIT) ? 0 : 3);
}

static void mistakes(void **state)
{
	char text[512];

	for (wrong_case = 0; wrong_case < ARRAY_SIZE(wrong); wrong_case++) {
		assert_int_equal(run_apart(run_wrong, text, sizeof(text)), 0);
		assert_string_equal(text, wrong[wrong_case].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values),
	    cmocka_unit_test(bare_letters),
	    cmocka_unit_test(environment),
	    cmocka_unit_test(mistakes),
	};

	setenv("PCP_CONF", "/dev/null", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
