/* config - see config.h. The parser is config_parser.c with config_lex.l and config_parse.y. */
#include "daemons/pmcd/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmcd/config_parser.h"

void config_init(struct config *c)
{
	memset(c, 0, sizeof(*c));
	c->agents_end = &c->agents;
	c->access_end = &c->access;
}

void config_done(struct config *c)
{
	arena_done(&c->mem);
	config_init(c);
}

/*
 * Where the first line begins that is longer than a line may be, or len. A backslash before the
 * newline joins lines.
 */
static size_t check_lines(const char *text, size_t len, unsigned int *ret_line)
{
	unsigned int line = 1, at_line = 1;
	size_t start = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && text[i] != '\n')
			continue;
		line++;
		if (i < len && i > 0 && text[i - 1] == '\\')
			continue;
		if (i - start > CONFIG_LINE_MAX) {
			*ret_line = at_line;
			return start;
		}
		start = i + 1;
		at_line = line;
	}
	return len;
}

static void config_give_up(struct config_parser *p)
{
	if (p->message != NULL)
		p->message(p->arg, p->file, 0, "pmcd config: Can't continue, giving up");
	p->c->failed = true;
}

static void check_result(struct config_parser *p, int grammar)
{
	struct config *c = p->c;

	if (p->gave_up)
		config_give_up(p);
	else if (c->has_access && !p->agent_failed && p->nrule == 0 && p->nerror == 0)
		config_error(p, p->line, "no valid statements in [access] section");
	/* Errors of the agent section count by its last line alone. */
	if (p->agent_failed || grammar != 0 || p->access_failed)
		c->failed = true;
	c->nerror += p->nerror;
}

static int config_parse_text(struct config_parser *p, const char *text, size_t len)
{
	unsigned int long_line = 0;
	int r;

	if (len > CONFIG_TEXT_MAX)
		return -EFBIG;
	p->text = text;
	p->line = 1;
	p->len = check_lines(text, len, &long_line);
	r = config_run_grammar(p);
	free(p->rule.names);
	if (p->nomem)
		return -ENOMEM;
	if (p->len < len && !p->gave_up) {
		config_error(p, long_line, "ridiculously long line (%d characters)",
			     CONFIG_LINE_MAX);
		p->gave_up = true;
	}
	check_result(p, r);
	return (int)p->nerror;
}

int config_parse(struct config *c, const char *text, size_t len, const char *file,
		 config_message message, void *arg)
{
	struct config_parser p = {.c = c, .file = file, .message = message, .arg = arg};

	return config_parse_text(&p, text, len);
}

int config_parse_access(struct config *c, const char *text, size_t len, const char *file,
			config_message message, void *arg)
{
	struct config_parser p = {
	    .c = c, .file = file, .access_only = true, .message = message, .arg = arg};

	return config_parse_text(&p, text, len);
}

static bool text_equal(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool argv_equal(const struct config_agent *a, const struct config_agent *b)
{
	if (a->argc != b->argc)
		return false;
	for (unsigned int i = 0; i < a->argc; i++) {
		if (strcmp(a->argv[i], b->argv[i]) != 0)
			return false;
	}
	return true;
}

bool config_agent_equal(const struct config_agent *a, const struct config_agent *b)
{
	return a->domain == b->domain && a->kind == b->kind && text_equal(a->entry, b->entry) &&
	       text_equal(a->path, b->path) && a->family == b->family && a->port == b->port &&
	       argv_equal(a, b);
}
