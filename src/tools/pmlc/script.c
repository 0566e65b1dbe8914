/*
 * script - reads commands from lines of text (docs/spec/logger.md C2).
 */
#include "tools/pmlc/script.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Command
 */

/* Empties the command; the memory is kept for the next one. */
static void command_reset(struct command *c)
{
	struct arena mem = c->mem;

	arena_reset(&mem);
	*c = (struct command){.mem = mem};
}

void command_done(struct command *c)
{
	arena_done(&c->mem);
	*c = (struct command){0};
}

/*
 * Scripts
 */

enum { MESSAGE_MAX = 160 };

struct script *script_new(const struct script_source *source)
{
	struct script *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->source = *source;
	s->at_end = true;
	if (parse_lexer_new(s) < 0) {
		free(s);
		return NULL;
	}
	return s;
}

void script_free(struct script *s)
{
	if (s == NULL)
		return;
	parse_lexer_free(s);
	free(s->line);
	free(s);
}

/* Returns false at the end of the text. */
static bool next_line(struct script *s)
{
	if (!s->ended)
		s->line = s->source.line(s->source.arg, s->braces);
	s->ended = s->line == NULL;
	s->number += s->ended ? 0 : 1;
	s->pos = 0;
	return !s->ended;
}

int parse_char(struct script *s, char *buf)
{
	if (s->line == NULL && !next_line(s))
		return 0;
	*buf = s->line[s->pos];
	if (*buf != '\0') {
		s->pos++;
		return 1;
	}
	*buf = '\n';
	free(s->line);
	s->line = NULL;
	return 1;
}

void parse_unread(struct script *s, char ch)
{
	if (ch == '\n')
		s->at_end = true;
	else if (s->line != NULL && s->pos > 0)
		s->pos--;
}

const char *parse_text(struct script *s, const char *text, size_t len)
{
	return arena_strndup(&s->c->mem, text, len);
}

int parse_error(struct script *s, const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list ap;

	if (s->failed)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->source.error(s->source.arg, s->number, text);
	s->failed = true;
	s->skip_list = s->braces;
	return -1;
}

int parse_need_connection(struct script *s)
{
	if (s->source.connected(s->source.arg))
		return 0;
	return parse_error(s, "Not connected to any pmlogger instance");
}

void parse_begin_list(struct script *s)
{
	s->mode = PARSE_LIST;
	s->metric_end = &s->c->metrics;
}

int parse_metric(struct script *s, const char *name)
{
	struct metric_spec *m = arena_calloc(&s->c->mem, 1, sizeof(*m));

	if (m == NULL)
		return -1;
	m->name = name;
	m->line = s->number;
	*s->metric_end = m;
	s->metric_end = &m->next;
	s->inst_end = &m->insts;
	return 0;
}

int parse_inst(struct script *s, const char *name, uint32_t number)
{
	struct inst_spec *inst = arena_calloc(&s->c->mem, 1, sizeof(*inst));

	if (inst == NULL)
		return -1;
	inst->name = name;
	inst->number = (int)number;
	*s->inst_end = inst;
	s->inst_end = &inst->next;
	return 0;
}

/* Skips the rest of a command that was wrong. */
static void skip(struct script *s)
{
	char ch = '\0';

	if (s->skip_list) {
		while (ch != '}' && parse_char(s, &ch) > 0)
			;
		s->at_end = false;
	}
	s->braces = false;
	while (!s->at_end && !s->ended && ch != '\n' && parse_char(s, &ch) > 0)
		;
}

int script_next(struct script *s, struct command *c)
{
	int r;

	command_reset(c);
	s->c = c;
	s->mode = PARSE_WORDS;
	s->braces = s->failed = s->skip_list = false;
	r = parse_run(s);
	if (r == 0 && !s->failed)
		return s->ended && c->verb == VERB_NONE ? -1 : 1;
	skip(s);
	return s->ended ? -1 : 0;
}
