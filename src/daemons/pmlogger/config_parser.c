/* config_parser - the actions of the grammar; see config_parser.h. */
#include "daemons/pmlogger/config_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"

enum {
	ERROR_LEN = 512,
};

static void *alloc(struct config_parser *p, size_t size)
{
	void *m = arena_calloc(&p->c->mem, 1, size);

	if (m == NULL) {
		p->nomem = true;
		p->gave_up = true;
	}
	return m;
}

const char *config_word(struct config_parser *p, const char *s, size_t len)
{
	char *word = alloc(p, len + 1);

	if (word != NULL)
		memcpy(word, s, len);
	return word;
}

void config_error(struct config_parser *p, const char *fmt, ...)
{
	char text[ERROR_LEN];
	va_list ap;

	if (p->c->error != NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p->c->error = config_word(p, text, strlen(text));
	p->c->error_file = p->file;
	p->c->error_line = p->line;
}

void config_marker(struct config_parser *p, const char *text, size_t len)
{
	const char *name = memchr(text, '"', len) + 1;
	const char *end = memchr(name, '"', len - (size_t)(name - text));
	const char *file = config_word(p, name, (size_t)(end - name));
	unsigned long line = strtoul(text + 2, NULL, 10);

	if (file == NULL)
		return;
	p->file = file;
	p->line = line < INT_MAX ? (unsigned int)line : INT_MAX;
}

/*
 * Statements
 */

void config_begin_statement(struct config_parser *p, bool mandatory, enum config_state state)
{
	struct config_statement *s = alloc(p, sizeof(*s));

	p->statement = s;
	if (s == NULL)
		return;
	s->mandatory = mandatory;
	s->state = state;
	*p->statements_end = s;
	p->statements_end = &s->next;
	p->metrics_end = &s->metrics;
}

int config_every(struct config_parser *p, const char *number, unsigned int unit_ms)
{
	unsigned long long n, ms;

	errno = 0;
	n = strtoull(number, NULL, 10);
	ms = errno == 0 && n <= ULLONG_MAX / unit_ms ? n * unit_ms : ULLONG_MAX;
	if (ms > CONFIG_DELTA_MAX) {
		config_error(p, "Logging delta (%llu msec) cannot be bigger than %d msec", ms,
			     CONFIG_DELTA_MAX);
		p->gave_up = true;
		return -1;
	}
	if (p->statement != NULL)
		p->statement->delta_ms = (uint32_t)ms;
	return 0;
}

void config_every_default(struct config_parser *p)
{
	if (p->statement != NULL)
		p->statement->delta_ms = p->default_ms;
}

/*
 * Metrics
 */

void config_begin_metric(struct config_parser *p, const char *name)
{
	struct config_metric *m = alloc(p, sizeof(*m));

	p->metric = m;
	if (m == NULL || p->statement == NULL)
		return;
	m->name = name;
	p->insts_end = &m->insts;
	*p->metrics_end = m;
	p->metrics_end = &m->next;
}

void config_end_metric(struct config_parser *p)
{
	if (p->metric == NULL)
		return;
	p->metric->file = p->file;
	p->metric->line = p->line;
}

static struct config_inst *parser_add_inst(struct config_parser *p)
{
	struct config_inst *i = alloc(p, sizeof(*i));

	if (i == NULL || p->metric == NULL)
		return NULL;
	*p->insts_end = i;
	p->insts_end = &i->next;
	return i;
}

void config_add_inst(struct config_parser *p, const char *name)
{
	struct config_inst *i = parser_add_inst(p);

	if (i != NULL)
		i->name = name;
}

int config_add_inst_number(struct config_parser *p, const char *number)
{
	struct config_inst *i;
	long v;

	errno = 0;
	v = strtol(number, NULL, 10);
	if (errno != 0 || v > INT_MAX) {
		config_error(p, "syntax error");
		p->gave_up = true;
		return -1;
	}
	i = parser_add_inst(p);
	if (i != NULL)
		i->number = (int)v;
	return 0;
}

/*
 * Access
 */

void config_begin_rule(struct config_parser *p, bool allow)
{
	struct config_access *rule = alloc(p, sizeof(*rule));

	p->rule = rule;
	p->ops = 0;
	if (rule == NULL)
		return;
	rule->file = p->file;
	rule->line = p->line;
	rule->denied = allow ? 0 : CONFIG_OP_ALL; /* of what it will turn out to speak of */
	*p->access_end = rule;
	p->access_end = &rule->next;
	p->hosts_end = &rule->hosts;
}

void config_add_host(struct config_parser *p, const char *name)
{
	struct config_host *host = alloc(p, sizeof(*host));

	if (host == NULL || p->rule == NULL)
		return;
	host->name = name;
	*p->hosts_end = host;
	p->hosts_end = &host->next;
}

/* "allow H: all except X" denies X, "disallow H: all except X" allows it (A8). */
void config_end_rule(struct config_parser *p, unsigned int ops, bool except)
{
	struct config_access *rule = p->rule;
	bool allow;

	if (rule == NULL)
		return;
	allow = rule->denied == 0;
	rule->specified = except ? CONFIG_OP_ALL : ops;
	if (except)
		rule->denied = allow ? ops : CONFIG_OP_ALL & ~ops;
	else
		rule->denied = allow ? 0 : ops;
}
