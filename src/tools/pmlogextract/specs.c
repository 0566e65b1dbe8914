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
	TOKEN_WRONG,
};

struct scan {
	const char *p, *end;
	int line;
	const char *s; /* of the last name, number or string */
	size_t len;
};

/* Blanks, commas and comments. */
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

static enum token take_string(struct scan *in)
{
	char quote = *in->p++;

	in->s = in->p;
	while (in->p < in->end && *in->p != quote && *in->p != '\n')
		in->p++;
	in->len = (size_t)(in->p - in->s);
	if (in->p == in->end || *in->p != quote)
		return TOKEN_WRONG;
	in->p++;
	return TOKEN_STRING;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

static enum token take_word(struct scan *in)
{
	bool number = true;

	in->s = in->p;
	for (; in->p < in->end && is_name(*in->p); in->p++)
		number = number && isdigit((unsigned char)*in->p);
	in->len = (size_t)(in->p - in->s);
	if (in->len == 0 || (!number && !isalpha((unsigned char)*in->s)))
		return TOKEN_WRONG;
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

/* Behind a '[': up to the ']'. */
static bool read_insts(struct spec *spec, struct scan *in)
{
	for (;;) {
		enum token token = next_token(in);

		if (token == TOKEN_CLOSE)
			return spec->n > 0;
		if (token != TOKEN_NUMBER && token != TOKEN_STRING)
			return false;
		add_inst(spec, in, token);
	}
}

static bool read_specs(struct specs *s, struct scan *in)
{
	enum token token = next_token(in);

	while (token != TOKEN_END) {
		struct spec *spec;

		if (token != TOKEN_NAME)
			return false;
		spec = add_spec(s, in);
		token = next_token(in);
		if (token == TOKEN_OPEN) {
			if (!read_insts(spec, in))
				return false;
			spec->line = in->line;
			token = next_token(in);
		} else {
			spec->line = in->line;
		}
	}
	return true;
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
		if (!ok)
			fprintf(stderr,
				"Specification error in configuration file (%s)\n"
				"[line %d] syntax error\n",
				path, in.line);
	}
	buffer_done(&text);
	return ok;
}

void specs_done(struct specs *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < s->list[i].n; k++)
			free(s->list[i].insts[k].name);
		free(s->list[i].insts);
		free(s->list[i].metric);
	}
	free(s->list);
}
