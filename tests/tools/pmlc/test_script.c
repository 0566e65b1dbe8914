/* test_script - commands read from lines of text: docs/spec/logger.md C2. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/impl.h>

#include "tools/pmlc/script.h"

enum { SAID_MAX = 4096 };

struct text {
	const char *rest;
	bool connected;
	unsigned int lists; /* number of lines that were requested inside a list */
	char said[SAID_MAX];
};

static char *next_line(void *arg, bool more)
{
	struct text *t = arg;
	size_t len = strcspn(t->rest, "\n");
	char *line;

	t->lists += more;
	if (*t->rest == '\0')
		return NULL;
	line = strndup(t->rest, len);
	t->rest += len + (t->rest[len] == '\n');
	return line;
}

static bool is_connected(void *arg)
{
	return ((struct text *)arg)->connected;
}

static void add(struct text *t, const char *fmt, ...)
{
	size_t len = strlen(t->said);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->said + len, SAID_MAX - len, fmt, ap);
	va_end(ap);
}

static void say(void *arg, unsigned int line, const char *text)
{
	add(arg, "%u!%s\n", line, text);
}

static void show(struct text *t, const struct command *c)
{
	static const char *const verbs[] = {"none",  "connect", "disconnect", "help",    "log",
					    "new",   "qa",      "query",      "quit",    "show",
					    "sleep", "status",  "sync",       "timezone"};

	if (c->verb == VERB_NONE)
		return;
	add(t, "%s", verbs[c->verb]);
	if (c->verb == VERB_CONNECT)
		add(t, " %d", c->target);
	if (c->verb == VERB_TIMEZONE)
		add(t, " %d", c->zone);
	if (c->verb == VERB_LOG)
		add(t, " %d %d %" PRIu64, c->control, c->state, c->delta_ms);
	if (c->number != 0)
		add(t, " %u", c->number);
	if (c->text != NULL)
		add(t, " @%s", c->text);
	for (const struct metric_spec *m = c->metrics; m != NULL; m = m->next) {
		add(t, " %s", m->name);
		for (const struct inst_spec *i = m->insts; i != NULL; i = i->next) {
			if (i->name != NULL)
				add(t, "[%s]", i->name);
			else
				add(t, "[%d]", i->number);
		}
	}
	add(t, "\n");
}

static const struct {
	const char *text;
	const char *said;
	unsigned int lists;
	bool apart; /* without a connection */
} rows[] = {
    {"", "", 0, false},
    {"\n  \n# nothing\n", "", 0, false},
    {"status\nsync\nflush\nnew volume\nqa 3\n", "status\nsync\nsync\nnew\nqa 3\n", 0, false},
    {"h\nhelp\n?\nq\nquit", "help\nhelp\nhelp\nquit\nquit\n", 0, false},
    {"show\nshow logger\nshow loggers@h-1.x\nshow @ \"my host\"\nshow @127.0.0.1",
     "show\nshow\nshow @h-1.x\nshow @my host\nshow @127.0.0.1\n", 0, false},
    {"connect primary\nconnect 12\nconnect port 4330 @ localhost\nconnect socket@unix:/a/b",
     "connect 0\nconnect 1 12\nconnect 2 4330 @localhost\nconnect 3 @unix:/a/b\n", 0, false},
    {"connect 0\nconnect port 0\n", "connect 0\nconnect 0\n", 0, false},
    {"timezone local\ntimezone logger\ntimezone \"EST5\"\nsleep 10\ndisconnect",
     "timezone 0\ntimezone 1\ntimezone 2 @EST5\nsleep 10\ndisconnect\n", 0, false},
    {"query a.b\nquery a.b # more\nquery {a, b c}\n", "query a.b\nquery a.b\nquery a b c\n", 0,
     false},
    {"query {\n a[1 x,\"y z\"]\n\n b }\nstatus", "query a[1][x][y z] b\nstatus\n", 3, false},
    {"query on\nquery {query mandatory}", "query on\nquery query mandatory\n", 0, false},
    {"log mandatory on 2 sec a\nadvisory on every 5 minutes a\nadvisory on once a",
     "log 11 2 2000 a\nlog 12 2 300000 a\nlog 12 2 0 a\n", 0, false},
    {"mandatory off a\nadvisory off a\nmandatory maybe a[1]",
     "log 11 0 0 a\nlog 12 0 0 a\nlog 11 1 0 a[1]\n", 0, false},
    {"mandatory on 4294967295 hours a\nmandatory on 99999999999999999999 msec a",
     "log 11 2 15461882262000000 a\nlog 11 2 4294967295 a\n", 0, false},
    /* Wrong commands: only the rest of the line, or the rest of the list, is skipped. */
    {"advisory maybe a\nstatus", "1!syntax error\nstatus\n", 0, false},
    {"foo\nstatus\nfoo bar } {\nstatus", "1!syntax error\nstatus\n3!syntax error\nstatus\n", 0,
     false},
    {"status x\nstatus", "1!syntax error\nstatus\n", 0, false},
    {"query\nstatus", "1!syntax error\nstatus\n", 0, false},
    {"query a b\nstatus", "1!syntax error\nstatus\n", 0, false},
    {"query {}\nstatus", "1!syntax error\nstatus\n", 0, false},
    {"query { a ]\n b\n}\nstatus", "1!syntax error\nstatus\n", 2, false},
    {"query { a [ b c}\n d } x\nstatus", "1!syntax error\n2!syntax error\nstatus\n", 0, false},
    {"query {\n a %\n b } c\nstatus", "2!Unexpected character '%'\nstatus\n", 2, false},
    {"query a; quit\nstatus", "1!Unexpected character ';'\nstatus\n", 0, false},
    {"timezone \"a\nstatus", "1!Unexpected character '\"'\nstatus\n", 0, false},
    {"query { a\n", "1!syntax error\n", 1, false},
    {"connect\nconnect x\nconnect port\nconnect -3\nconnect /a\nconnect unix:/a\nquit",
     "1!syntax error\n2!syntax error\n3!syntax error\n4!Unexpected character '-'\n"
     "5!syntax error\n6!syntax error\nquit\n",
     0, false},
    {"query {\n a\n}\nstatus\nhelp",
     "1!Not connected to any pmlogger instance\n2!syntax error\n3!syntax error\n"
     "4!Not connected to any pmlogger instance\nhelp\n",
     0, true},
    {"query ]\nadvisory maybe a\nmandatory off a\nflush x\nflush\nnew volume\nqa 1\nsleep 0",
     "1!Not connected to any pmlogger instance\n2!syntax error\n"
     "3!Not connected to any pmlogger instance\n4!syntax error\n"
     "5!Not connected to any pmlogger instance\n6!Not connected to any pmlogger instance\n"
     "7!Not connected to any pmlogger instance\nsleep\n",
     0, true},
};

static void commands(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct text *t = calloc(1, sizeof(*t));
		const struct script_source source = {next_line, is_connected, say, t};
		struct script *script = script_new(&source);
		struct command c = {0};
		int r;

		t->rest = rows[i].text;
		t->connected = !rows[i].apart;
		while ((r = script_next(script, &c)) >= 0) {
			if (r == 1)
				show(t, &c);
		}
		if (strcmp(t->said, rows[i].said) != 0)
			fail_msg("row %zu: %s\nsaid: %s", i, rows[i].text, t->said);
		if (t->lists != rows[i].lists)
			fail_msg("row %zu: %s\nlines of lists: %u", i, rows[i].text, t->lists);
		command_done(&c);
		script_free(script);
		free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(commands)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
