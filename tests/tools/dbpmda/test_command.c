/*
 * test_command - each row of docs/spec/pmda.md 19.4, the words of 19.3, and the places of errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/dbpmda/command.h"

enum { COLOR = 0x3f400001 }; /* 253.0.1, the PMID of "simple.color" */

static int unnamed;
static char warning[256];

static int look_up(void *arg, const char *name, pmID *ret_pmid)
{
	if (strcmp(name, "simple.color") != 0)
		return PM_ERR_NAME;
	*ret_pmid = COLOR;
	return 0;
}

static void check(void *arg, pmID pmid)
{
	unnamed++;
}

static void warn(void *arg, const char *text)
{
	snprintf(warning, sizeof(warning), "%s", text);
}

static const struct command_context context = {look_up, check, warn, NULL};

/* A command as one line of text, for comparison. */
static const char *show(const struct command *c)
{
	static char text[1024];
	size_t n = 0;

	n += (size_t)snprintf(text, sizeof(text), "%d/%d", c->verb, c->form);
	if (c->verb == VERB_HELP)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " about %d", c->about);
	if (c->indom != PM_INDOM_NULL)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " indom %u", c->indom);
	if (c->number != 0 || c->has_number)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %d", c->number);
	if (c->text != NULL)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " <%s>", c->text);
	for (int i = 0; i < c->npmid; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %x", c->pmids[i]);
	for (int i = 0; i < c->nword; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " (%s)", c->words[i]);
	return text;
}

struct row {
	const char *line;
	enum verb verb;
	enum form form;
	const char *rest; /* the output of show() */
};

/* clang-format off */
static const struct row rows[] = {
	{ "",				VERB_NONE, FORM_NONE, "" },
	{ "  \t # nothing",		VERB_NONE, FORM_NONE, "" },
	{ "open",			VERB_OPEN, FORM_USAGE, "" },
	{ "open dso /x/a.so a_init",	VERB_OPEN, FORM_DSO, " </x/a.so> (a_init)" },
	{ "open dso a.so a_init 253",	VERB_OPEN, FORM_DSO, " 253 <./a.so> (a_init)" },
	{ "open dso ./a.so a_init",	VERB_OPEN, FORM_DSO, " <./a.so> (a_init)" },
	{ "open dso '/a b.so' a_init",	VERB_OPEN, FORM_DSO, " </a b.so> (a_init)" },
	{ "open pipe /x/a",		VERB_OPEN, FORM_PIPE, " </x/a>" },
	{ "open pipe a -d 3 'b c' \"d e\" f#g", VERB_OPEN, FORM_PIPE, " <a> (-d) (3) (b c) (d e) (f#g)" },
	{ "open socket /x/s",		VERB_OPEN, FORM_UNIX, " </x/s>" },
	{ "open socket unix s",		VERB_OPEN, FORM_UNIX, " <./s>" },
	{ "open socket inet 4321",	VERB_OPEN, FORM_INET, " 4321" },
	{ "open socket ipv6 4321",	VERB_OPEN, FORM_IPV6, " 4321" },
	{ "close",			VERB_CLOSE, FORM_NONE, "" },
	{ "desc",			VERB_DESC, FORM_USAGE, "" },
	{ "desc simple.color",		VERB_DESC, FORM_METRIC, " 3f400001" },
	{ "desc 253.0.1",		VERB_DESC, FORM_METRIC, " 3f400001" },
	{ "desc 0.1",			VERB_DESC, FORM_METRIC, " 1" },
	{ "desc 4294967295",		VERB_DESC, FORM_METRIC, " ffffffff" },
	{ "desc 0x10",			VERB_DESC, FORM_METRIC, " 10" },
	{ "fetch",			VERB_FETCH, FORM_USAGE, "" },
	{ "fetch simple.color 1, 2.3",	VERB_FETCH, FORM_METRIC, " 3f400001 1 803" },
	{ "store",			VERB_STORE, FORM_USAGE, "" },
	{ "store simple.color \"-1\"",	VERB_STORE, FORM_METRIC, " <-1> 3f400001" },
	{ "store 1 'a \"b'",		VERB_STORE, FORM_METRIC, " <a \"b> 1" },
	{ "text",			VERB_TEXT, FORM_USAGE, "" },
	{ "text 253.0.1",		VERB_TEXT, FORM_METRIC, " 3f400001" },
	{ "text indom 253.1",		VERB_TEXT, FORM_INDOM, " indom 1061158913" },
	{ "instance",			VERB_INSTANCE, FORM_USAGE, "" },
	{ "instance 5",			VERB_INSTANCE, FORM_INDOM, " indom 5" },
	{ "instance -2",		VERB_INSTANCE, FORM_INDOM, " indom 4294967294" },
	{ "instance 1.2 7",		VERB_INSTANCE, FORM_INDOM, " indom 4194306 7" },
	{ "instance 1.2 red",		VERB_INSTANCE, FORM_INDOM, " indom 4194306 <red>" },
	{ "instance 1.2 \"a b\"",	VERB_INSTANCE, FORM_INDOM, " indom 4194306 <a b>" },
	{ "profile",			VERB_PROFILE, FORM_USAGE, "" },
	{ "profile 1.2 all",		VERB_PROFILE, FORM_ALL, " indom 4194306" },
	{ "profile 1.2 none",		VERB_PROFILE, FORM_NOTHING, " indom 4194306" },
	{ "profile 1.2 add 3",		VERB_PROFILE, FORM_ADD, " indom 4194306 3" },
	{ "profile 1.2 delete 3",	VERB_PROFILE, FORM_DELETE, " indom 4194306 3" },
	{ "children",			VERB_CHILDREN, FORM_USAGE, "" },
	{ "children a.b",		VERB_CHILDREN, FORM_NONE, " <a.b>" },
	{ "traverse",			VERB_TRAVERSE, FORM_USAGE, "" },
	{ "traverse a.b",		VERB_TRAVERSE, FORM_NONE, " <a.b>" },
	{ "pmid",			VERB_PMID, FORM_USAGE, "" },
	{ "pmid a.b",			VERB_PMID, FORM_NONE, " <a.b>" },
	{ "name",			VERB_NAME, FORM_USAGE, "" },
	{ "name 253.0.1",		VERB_NAME, FORM_NONE, " 3f400001" },
	{ "attr",			VERB_ATTR, FORM_USAGE, "" },
	{ "attr 11",			VERB_ATTR, FORM_NONE, " 11" },
	{ "attribute \"userid\" '7'",	VERB_ATTR, FORM_NONE, " 11 <7>" },
	{ "label",			VERB_LABEL, FORM_USAGE, "" },
	{ "label context",		VERB_LABEL, FORM_CONTEXT, "" },
	{ "label domain",		VERB_LABEL, FORM_DOMAIN, "" },
	{ "label indom 1.2",		VERB_LABEL, FORM_INDOM, " indom 4194306" },
	{ "label instances 1.2",	VERB_LABEL, FORM_INSTANCES, " indom 4194306" },
	{ "label cluster 3",		VERB_LABEL, FORM_CLUSTER, " 3072" },
	{ "label cluster 253.3",	VERB_LABEL, FORM_CLUSTER, " 1061161984" },
	{ "label item simple.color",	VERB_LABEL, FORM_ITEM, " 3f400001" },
	{ "namespace names",		VERB_NAMESPACE, FORM_NONE, " <./names>" },
	{ "namespace /x/names",		VERB_NAMESPACE, FORM_NONE, " </x/names>" },
	{ "debug",			VERB_DEBUG, FORM_USAGE, "" },
	{ "debug all",			VERB_DEBUG, FORM_ALL, "" },
	{ "debug none",			VERB_DEBUG, FORM_NOTHING, "" },
	{ "debug -pdu, -fetch -profile", VERB_DEBUG, FORM_NONE, "" },
	{ "timer",			VERB_TIMER, FORM_USAGE, "" },
	{ "timer on",			VERB_TIMER, FORM_ON, "" },
	{ "timer off",			VERB_TIMER, FORM_OFF, "" },
	{ "getdesc",			VERB_GETDESC, FORM_USAGE, "" },
	{ "getdesc on",			VERB_GETDESC, FORM_ON, "" },
	{ "getiname",			VERB_GETINAME, FORM_USAGE, "" },
	{ "getiname off",		VERB_GETINAME, FORM_OFF, "" },
	{ "wait",			VERB_WAIT, FORM_USAGE, "" },
	{ "wait 3",			VERB_WAIT, FORM_NONE, " 3" },
	{ "watch",			VERB_WATCH, FORM_USAGE, "" },
	{ "watch /x/log",		VERB_WATCH, FORM_NONE, " </x/log>" },
	{ "status",			VERB_STATUS, FORM_NONE, "" },
	{ "quit",			VERB_QUIT, FORM_NONE, "" },
	{ "q",				VERB_QUIT, FORM_NONE, "" },
	{ "exit",			VERB_QUIT, FORM_NONE, "" },
};

/* The column is the number of characters that were read. */
static const struct {
	const char *line, *text;
	int column;
} bad[] = {
	{ "frobnicate",			"Unrecognized command", 10 },
	{ "42",				"Unrecognized command", 2 },
	{ "fetch nosuch.metric",	"Unknown metric name", 19 },
	{ "fetch simple.color, nosuch",	"Unknown metric name", 26 },
	{ "desc 1 2",			"syntax error", 8 },
	{ "close now",			"syntax error", 9 },
	{ "help help",			"syntax error", 9 },
	{ "namespace",			"syntax error", 9 },
	{ "name 1.2",			"syntax error", 8 },
	{ "store 1 x",			"syntax error", 9 },
	{ "store 1 \"x",		"Expected \"", 10 },
	{ "store 1 'x",			"Expected '", 10 },
	{ "store 1 \"\"",		"Expected \"", 10 },
	{ "fetch 1 $",			"Illegal character", 9 },
	{ "attr 999",			"Attribute (999) is not recognised", 8 },
	{ "attr \"nosuch\"",		"Attribute (nosuch) is not recognised", 13 },
	{ "debug nosuch",		"Bad debug flag (nosuch)", 12 },
	{ "fetch 99999999999",		"Number is too large", 17 },
	{ "fetch 99999999999.1",	"Number is too large", 19 },
	{ "instance -99999999999",	"Number is too large", 21 },
	{ "open socket inet \"no-such-service\"", "Failed to map (no-such-service) to a port number", 34 },
};
/* clang-format on */

static void test_rows(void **state)
{
	static struct command c;
	struct command_error e;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char expected[256];

		snprintf(expected, sizeof(expected), "%d/%d%s", rows[i].verb, rows[i].form,
			 rows[i].rest);
		if (command_parse(rows[i].line, &context, &c, &e) < 0)
			fail_msg("%s: %s at %d", rows[i].line, e.text, e.column);
		if (strcmp(show(&c), expected) != 0)
			fail_msg("%s: %s, not %s", rows[i].line, show(&c), expected);
		command_done(&c);
	}
}

static void test_help(void **state)
{
	static struct command c;
	struct command_error e;
	int known = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[64];

		if (strchr(rows[i].line, ' ') != NULL || rows[i].verb == VERB_NONE)
			continue;
		if (strcmp(rows[i].line, "q") == 0)
			continue;
		snprintf(line, sizeof(line), "%s %s", i % 2 ? "help" : "?", rows[i].line);
		assert_int_equal(command_parse(line, &context, &c, &e), 0);
		assert_int_equal(c.verb, VERB_HELP);
		assert_int_equal(c.about, rows[i].verb);
		command_done(&c);
		known++;
	}
	assert_true(known >= 20);
	assert_int_equal(command_parse("help", &context, &c, &e), 0);
	assert_int_equal(c.about, VERB_NONE);
	command_done(&c);
}

static void test_bad(void **state)
{
	static struct command c;
	struct command_error e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (command_parse(bad[i].line, &context, &c, &e) == 0)
			fail_msg("%s: is taken", bad[i].line);
		if (strcmp(e.text, bad[i].text) != 0 || e.column != bad[i].column)
			fail_msg("%s: %s at %d", bad[i].line, e.text, e.column);
	}
}

static void test_names(void **state)
{
	static struct command c;
	struct command_error e;

	unnamed = 0;
	assert_int_equal(command_parse("fetch 1 2.3 253.0.1 simple.color", &context, &c, &e), 0);
	assert_int_equal(unnamed, 3); /* PMIDs given as numbers are looked up, for a warning */
	command_done(&c);
}

static void test_service(void **state)
{
	static struct command c;
	struct command_error e;

	warning[0] = '\0';
	if (command_parse("open socket inet \"http\"", &context, &c, &e) < 0)
		skip(); /* a system without a database of services */
	assert_int_equal(c.number, 80);
	assert_string_equal(warning, "Mapped http to port number 80");
	command_done(&c);
}

static void test_limits(void **state)
{
	static char line[8 * COMMAND_WORDS_MAX];
	static struct command c;
	struct command_error e;
	size_t n = (size_t)sprintf(line, "fetch");

	for (int i = 0; i < COMMAND_WORDS_MAX; i++)
		n += (size_t)sprintf(line + n, " 1");
	assert_int_equal(command_parse(line, &context, &c, &e), 0);
	assert_int_equal(c.npmid, COMMAND_WORDS_MAX);
	command_done(&c);
	strcpy(line + n, " 1");
	assert_int_equal(command_parse(line, &context, &c, &e), -1);
	assert_string_equal(e.text, "More than 1024 metrics");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),    cmocka_unit_test(test_help),
	    cmocka_unit_test(test_bad),     cmocka_unit_test(test_names),
	    cmocka_unit_test(test_service), cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
