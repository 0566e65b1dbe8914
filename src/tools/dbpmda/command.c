/*
 * command - one line of input, parsed (docs/spec/pmda.md 19.4).
 */
#include "tools/dbpmda/command.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Attributes
 */

/* clang-format off */
static const char *const names[] = {
	[1] = "protocol", [2] = "secure", [3] = "compress", [4] = "userauth",
	[5] = "username", [6] = "authname", [7] = "password", [8] = "method",
	[9] = "realm", [10] = "unixsock", [11] = "userid", [12] = "groupid",
	[13] = "local", [14] = "processid", [15] = "container", [16] = "exclusive",
};
/* clang-format on */

enum { ATTRIBUTE_COUNT = sizeof(names) / sizeof(names[0]) };

/* The key of a name, or -1. */
static int attribute_key(const char *name)
{
	for (int i = 1; i < ATTRIBUTE_COUNT; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	return -1;
}

const char *attribute_name(int key)
{
	return key > 0 && key < ATTRIBUTE_COUNT ? names[key] : NULL;
}

/*
 * Commands
 */

int parse_fail(struct parse *p, const char *fmt, ...)
{
	va_list ap;

	if (p->failed)
		return -1;
	p->failed = true;
	p->error->column = (int)p->pos;
	va_start(ap, fmt);
	vsnprintf(p->error->text, sizeof(p->error->text), fmt, ap);
	va_end(ap);
	return -1;
}

int parse_next(struct parse *p, char *buf)
{
	if (p->pos == p->len)
		return 0;
	buf[0] = p->line[p->pos++];
	return 1;
}

const char *parse_text(struct parse *p, const char *s, size_t len)
{
	char *text = arena_strndup(&p->c->mem, s, len);

	if (text == NULL)
		parse_fail(p, "%s", strerror(ENOMEM));
	return text;
}

const char *parse_path(struct parse *p, const char *s)
{
	size_t len = strlen(s) + sizeof("./");
	char *path = arena_alloc(&p->c->mem, len);

	if (path == NULL)
		parse_fail(p, "%s", strerror(ENOMEM));
	else
		snprintf(path, len, "./%s", s);
	return path;
}

static int add_pmid(struct parse *p, pmID pmid)
{
	if (p->c->npmid == COMMAND_WORDS_MAX)
		return parse_fail(p, "More than %d metrics", COMMAND_WORDS_MAX);
	p->c->pmids[p->c->npmid++] = pmid;
	return 0;
}

int parse_metric_name(struct parse *p, const char *name)
{
	pmID pmid;
	int r = p->ctx->lookup(p->ctx->arg, name, &pmid);

	if (r < 0)
		return parse_fail(p, "%s", pmErrStr(r));
	return add_pmid(p, pmid);
}

int parse_metric_pmid(struct parse *p, pmID pmid)
{
	p->ctx->check(p->ctx->arg, pmid);
	return add_pmid(p, pmid);
}

int parse_word(struct parse *p, const char *word)
{
	if (p->c->nword == COMMAND_WORDS_MAX)
		return parse_fail(p, "More than %d arguments", COMMAND_WORDS_MAX);
	p->c->words[p->c->nword++] = word;
	return 0;
}

int parse_debug(struct parse *p, const char *word)
{
	int r = word[0] == '-' ? pmClearDebug(word + 1) : pmSetDebug(word);

	return r < 0 ? parse_fail(p, "Bad debug flag (%s)", word) : 0;
}

int parse_debug_number(struct parse *p, int bits)
{
	char word[16];

	snprintf(word, sizeof(word), "%d", bits);
	return parse_debug(p, word);
}

int parse_attribute(struct parse *p, const char *name)
{
	int key = attribute_key(name);

	if (key < 0)
		return parse_fail(p, "Attribute (%s) is not recognised", name);
	p->c->number = key;
	return 0;
}

int parse_attribute_key(struct parse *p, int key)
{
	if (attribute_name(key) == NULL)
		return parse_fail(p, "Attribute (%d) is not recognised", key);
	p->c->number = key;
	return 0;
}

int parse_service(struct parse *p, const char *name)
{
	const struct servent *service = getservbyname(name, "tcp");
	char text[128];

	if (service == NULL)
		return parse_fail(p, "Failed to map (%s) to a port number", name);
	p->c->number = ntohs((in_port_t)service->s_port);
	snprintf(text, sizeof(text), "Mapped %s to port number %d", name, p->c->number);
	p->ctx->warn(p->ctx->arg, text);
	return 0;
}

int command_parse(const char *line, const struct command_context *ctx, struct command *ret_command,
		  struct command_error *ret_error)
{
	struct parse p = {
	    .line = line,
	    .len = strlen(line),
	    .ctx = ctx,
	    .c = ret_command,
	    .error = ret_error,
	};

	*ret_command = (struct command){.indom = PM_INDOM_NULL};
	if (parse_run_grammar(&p) == 0 && !p.failed)
		return 0;
	parse_fail(&p, "syntax error");
	command_done(ret_command);
	return -1;
}

void command_done(struct command *c)
{
	arena_done(&c->mem);
	*c = (struct command){.indom = PM_INDOM_NULL};
}
