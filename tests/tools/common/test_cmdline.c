/* test_cmdline - options as rows: what each kind sets, letters without a row, options that are
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/common/cmdline.h"
#include "tools/common/names.h"

struct options {
	pmOptions pm;
	bool on, off;
	int count, number, batch;
	long size;
	unsigned int bits;
	const char *text;
	struct wordlist words;
	int calls;
};

static void call(void *options)
{
	struct options *o = options;

	o->calls++;
	o->text = o->pm.optarg;
}

static void set(pmOptions *opts, const struct cmdline_row *row, void *target)
{
	*(long *)target = strtol(opts->optarg, NULL, 16) + (long)row->bits;
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ PMOPT_HOSTZONE, CMDLINE_HOSTZONE, .complaint = "both zones" },
	{ PMOPT_TIMEZONE },
	{ PMOPT_START, CMDLINE_START },
	{ { "on", 0, 'n', 0, "a flag" }, CMDLINE_FLAG, AT(on) },
	{ { "off", 0, 'f', 0, "a flag that is cleared" }, CMDLINE_OFF, AT(off) },
	{ { "count", 0, 'c', 0, "counted" }, CMDLINE_COUNT, AT(count) },
	{ { "bits", 0, 'a', 0, "some bits" }, CMDLINE_BITS, AT(bits), 5 },
	{ { "text", 1, 't', "TEXT", "a text" }, CMDLINE_TEXT, AT(text) },
	{ { "words", 1, 'w', "WORDS", "words" }, CMDLINE_WORDS, AT(words) },
	{ { "number", 1, 'i', "N", "a number" }, CMDLINE_INT, AT(number), .min = 1, .max = 9, .complaint = "no number" },
	{ { "size", 1, 'l', "N", "a number" }, CMDLINE_LONG, AT(size), .max = 1L << 40, .complaint = "no size" },
	{ { "batch", 1, 'b', "N", "a batch" }, CMDLINE_BATCH_N, AT(batch) },
	{ { "call", 1, 'x', "ARG", "a function" }, CMDLINE_CALL, .call = call },
	{ { "hex", 1, 'y', "N", "a value of a type of its own" }, CMDLINE_SET, AT(size), 1, .set = set },
	{ { "long-only", 0, 'd', 0, "no letter" }, CMDLINE_FLAG, AT(on), .form = CMDLINE_LONG_ONLY },
	{ { "", 0, 'q', 0, NULL }, CMDLINE_IGNORED, .form = CMDLINE_LETTER_ONLY },
	{ { "", 0, 'r', 0, NULL }, CMDLINE_REFUSED, .form = CMDLINE_LETTER_ONLY },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/* The number of errors of a command line of up to four words. */
static int parse(struct options *o, const char *a, const char *b, const char *c, const char *d)
{
	char *argv[] = {(char *)"tool", (char *)a, (char *)b, (char *)c, (char *)d, NULL};
	int argc = 0, errors;

	while (argv[argc] != NULL)
		argc++;
	*o = (struct options){.off = true, .pm.flags = PM_OPTFLAG_QUIET};
	cmdline_parse(o, rows, argc, argv);
	errors = o->pm.errors;
	return errors;
}

static void kinds(void **state)
{
	struct options o;

	assert_int_equal(parse(&o, "-n", "-f", "-cc", "-a"), 0);
	assert_true(o.on && !o.off && o.count == 2 && o.bits == 5);
	assert_int_equal(parse(&o, "--text=one", "-w", "a,b", NULL), 0);
	assert_string_equal(o.text, "one");
	assert_int_equal(o.words.n, 2);
	wordlist_done(&o.words);
	assert_int_equal(parse(&o, "-i9", "-l", "1099511627776", "-b0"), 0);
	assert_true(o.number == 9 && o.size == 1L << 40 && o.batch == 1);
	assert_int_equal(parse(&o, "-x", "arg", "-q", NULL), 0);
	assert_int_equal(o.calls, 1);
	assert_string_equal(o.text, "arg");
	assert_int_equal(parse(&o, "-y", "ff", NULL, NULL), 0);
	assert_int_equal(o.size, 256);
	assert_int_equal(parse(&o, "-l", "", NULL, NULL), 0);
	assert_int_equal(o.size, 0);
	assert_int_equal(parse(&o, "--long-only", NULL, NULL, NULL), 0);
	assert_true(o.on);
}

static void zones_and_start(void **state)
{
	struct options o;

	assert_int_equal(parse(&o, "-z", "-S", "1min", NULL), 0);
	assert_int_equal(o.pm.tzflag, 1);
	assert_string_equal(o.pm.start_optarg, "1min");
	assert_int_equal(parse(&o, "-z", "-Z", "UTC", NULL), 1);
}

static void refused(void **state)
{
	static const char *const wrong[] = {"-i0", "-i10", "-ix", "-i", "-l-1",    "-b-1",
					    "-bx", "-r",   "-d",  "-Q", "--nosuch"};
	struct options o;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (parse(&o, wrong[i], NULL, NULL, NULL) == 0)
			fail_msg("%s is accepted", wrong[i]);
}

/* As getopt(3): the long forms of the rows are not known. */
static void letters(void **state)
{
	char *argv[] = {(char *)"tool", (char *)"-ct", (char *)"one", (char *)"-Q",
			(char *)"word", (char *)"-n",  NULL};
	struct options o = {.off = true};

	(void)state;
	opterr = 0;
	assert_int_equal(cmdline_next_letter(&o, rows, 6, argv, "+"), 'c');
	assert_int_equal(cmdline_next_letter(&o, rows, 6, argv, "+"), 't');
	assert_string_equal(o.text, "one");
	assert_int_equal(o.pm.errors, 0);
	assert_int_equal(cmdline_next_letter(&o, rows, 6, argv, "+"), '?');
	assert_int_equal(o.pm.errors, 1);
	assert_int_equal(cmdline_next_letter(&o, rows, 6, argv, "+"), -1);
	assert_true(optind == 4 && !o.on && o.count == 1);
}

static void has(void **state)
{
	char *argv[] = {(char *)"tool",  (char *)"word", (char *)"-ct", (char *)"-n",
			(char *)"--off", (char *)"--",   (char *)"-x",  NULL};

	(void)state;
	assert_true(cmdline_has(rows, 7, argv, "zc"));
	assert_true(cmdline_has(rows, 7, argv, "f"));
	assert_false(cmdline_has(rows, 7, argv, "nx"));
	assert_string_equal(argv[1], "word");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kinds),   cmocka_unit_test(zones_and_start),
	    cmocka_unit_test(refused), cmocka_unit_test(letters),
	    cmocka_unit_test(has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
