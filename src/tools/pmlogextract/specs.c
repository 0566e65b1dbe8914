#include "tools/pmlogextract/specs.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/file.h"

enum { CONFIG_MAX = 64 << 20 };

enum token {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_STRING,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_WRONG, /* the next character begins no token */
};

struct scan {
	const char *p, *end;
	int line;
	const char *s; /* of the last name, number or string token */
	size_t len;
};

/* Skips blanks, commas and comments. */
static void skip_blank(struct scan *in)
{
	while (in->p < in->end) {
		if (*in->p == '#')
			while (in->p < in->end && *in->p != '\n')
				in->p++;
		else if (*in->p == '\n')
			in->line++, in->p++;
		else if (*in->p == ',' || isspace((unsigned char)*in->p))
			in->p++;
		else
			return;
	}
}

/* Reads a quoted text: on one line, and not empty. */
static enum token take_string(struct scan *in)
{
	char quote = *in->p;
	const char *s = in->p + 1, *end = s;

	while (end < in->end && *end != quote && *end != '\n')
		end++;
	if (end == in->end || *end != quote || end == s)
		return TOKEN_WRONG;
	in->s = s;
	in->len = (size_t)(end - s);
	in->p = end + 1;
	return TOKEN_STRING;
}

static bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* A number ends after its digits: 9x is a number and a name. */
static enum token take_word(struct scan *in)
{
	bool number = is_digit(*in->p);

	if (!number && !isalpha((unsigned char)*in->p))
		return TOKEN_WRONG;
	in->s = in->p;
	while (in->p < in->end && (number ? is_digit(*in->p) : is_name(*in->p)))
		in->p++;
	in->len = (size_t)(in->p - in->s);
	return number ? TOKEN_NUMBER : TOKEN_NAME;
}

static enum token next_token(struct scan *in)
{
	skip_blank(in);
	if (in->p == in->end)
		return TOKEN_END;
	if (*in->p == '"' || *in->p == '\'')
		return take_string(in);
	if (*in->p == '[' || *in->p == ']')
		return *in->p++ == '[' ? TOKEN_OPEN : TOKEN_CLOSE;
	return take_word(in);
}

static char *copy_text(const struct scan *in)
{
	char *text = strndup(in->s, in->len);

	if (text == NULL)
		pmNoMem("configuration", in->len, PM_FATAL_ERR);
	return text;
}

static struct spec *add_spec(struct specs *s, const struct scan *in)
{
	struct spec *list = reallocarray(s->list, s->n + 1, sizeof(*list));

	if (list == NULL)
		pmNoMem("configuration", sizeof(*list), PM_FATAL_ERR);
	s->list = list;
	list[s->n] = (struct spec){.metric = copy_text(in), .line = in->line};
	return &list[s->n++];
}

static bool add_inst(struct spec *spec, const struct scan *in, enum token token)
{
	struct spec_inst *insts = reallocarray(spec->insts, spec->n + 1, sizeof(*insts));
	struct spec_inst *inst;

	if (insts == NULL)
		pmNoMem("configuration", sizeof(*insts), PM_FATAL_ERR);
	spec->insts = insts;
	inst = &insts[spec->n++];
	*inst = (struct spec_inst){.name = copy_text(in)};
	if (token == TOKEN_NUMBER) {
		long n = strtol(inst->name, NULL, 10);

		free(inst->name);
		*inst = (struct spec_inst){.inst = n > INT_MAX ? INT_MAX : (int)n};
	}
	return true;
}

/* Reads instances from the '[' up to the ']'. */
static bool read_insts(struct spec *spec, struct scan *in, enum token *ret_token)
{
	for (;;) {
		enum token token = *ret_token = next_token(in);

		if (token == TOKEN_CLOSE)
			return spec->n > 0;
		if (token != TOKEN_NUMBER && token != TOKEN_STRING && token != TOKEN_NAME)
			return false;
		add_inst(spec, in, token);
	}
}

static void free_spec(struct spec *spec)
{
	for (size_t i = 0; i < spec->n; i++)
		free(spec->insts[i].name);
	free(spec->insts);
	free(spec->metric);
}

/*
 * Reads a metric with its instances, and the token after it. Returns false if it is incomplete; it
 * is then left out.
 */
static bool read_spec(struct specs *s, struct scan *in, enum token *token)
{
	struct spec *spec = add_spec(s, in);
	bool whole;

	*token = next_token(in);
	if (*token == TOKEN_OPEN)
		whole = read_insts(spec, in, token);
	else
		whole = *token != TOKEN_WRONG;
	spec->line = in->line;
	if (!whole)
		free_spec(&s->list[--s->n]);
	else if (*token == TOKEN_CLOSE && spec->n > 0)
		*token = next_token(in);
	return whole;
}

static bool read_specs(struct specs *s, struct scan *in)
{
	enum token token = next_token(in);
	bool whole = true;

	while (whole && token == TOKEN_NAME)
		whole = read_spec(s, in, &token);
	if (whole && token == TOKEN_END)
		return true;
	s->wrong_line = in->line;
	if (token == TOKEN_WRONG)
		s->wrong = *in->p;
	return false;
}

bool specs_read(struct specs *s, const char *path)
{
	struct buffer text = BUFFER_INIT;
	char why[PM_MAXERRMSGLEN];
	int sts = file_read_all(path, CONFIG_MAX, &text);
	bool ok = false;

	if (sts < 0) {
		fprintf(stderr, "%s: Cannot open config file \"%s\": %s\n", pmGetProgname(), path,
			pmErrStr_r(sts, why, sizeof(why)));
	} else {
		const char *p = (const char *)buffer_head(&text);
		struct scan in = {.p = p, .end = p + buffer_pending(&text), .line = 1};

		ok = read_specs(s, &in);
	}
	buffer_done(&text);
	return ok;
}

void specs_complain(const struct specs *s, const char *path)
{
	if (s->wrong_line == 0)
		return;
	fprintf(stderr, "Specification error in configuration file (%s)\n[line %d] ", path,
		s->wrong_line);
	if (s->wrong != '\0')
		fprintf(stderr, "Unexpected character '%c'\n", s->wrong);
	else
		fputs("syntax error\n", stderr);
}

void specs_done(struct specs *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_spec(&s->list[i]);
	free(s->list);
}
