/* config_parser - see config_parser.h. */
#include "daemons/pmcd/config_parser.h"

#include <ctype.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"

static void parser_report(struct config_parser *p, unsigned int line, struct buffer *text)
{
	if (p->message != NULL)
		p->message(p->arg, p->file, line, buffer_str(text));
	buffer_done(text);
}

void config_error(struct config_parser *p, unsigned int line, const char *fmt, ...)
{
	struct buffer text = BUFFER_INIT;
	va_list ap;

	p->nerror++;
	p->access_failed |= p->in_access;
	buffer_printf(&text, "%s config[line %u]: Error: ", p->access_only ? "access" : "pmcd",
		      line);
	va_start(ap, fmt);
	buffer_vprintf(&text, fmt, ap);
	va_end(ap);
	parser_report(p, line, &text);
}

static void *alloc(struct config_parser *p, size_t n, size_t size)
{
	void *m = arena_calloc(&p->c->mem, n, size);

	if (m == NULL) {
		p->nomem = true;
		p->gave_up = true;
	}
	return m;
}

const char *config_word(struct config_parser *p, const char *s, size_t len, bool quoted)
{
	char *word = alloc(p, len + 1, 1);
	size_t n = 0;

	if (word == NULL)
		return NULL;
	if (quoted) {
		s++;
		len -= 2;
	}
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\' && i + 1 < len && (s[i + 1] == '"' || s[i + 1] == '#'))
			i++;
		if (s[i] == '\\' && i + 1 < len && s[i + 1] == '\n') {
			word[n++] = ' ';
			i++;
		} else {
			word[n++] = s[i];
		}
	}
	return word;
}

/*
 * The agent section
 */

void config_agent_word(struct config_parser *p, const char *word)
{
	if (p->nword == 0)
		p->word_line = p->line;
	if (p->nword < CONFIG_WORDS_MAX)
		p->words[p->nword++] = word;
}

/* The rest of the words of a line, from i on. */
struct words {
	struct config_parser *p;
	unsigned int i;
};

static const char *parser_next_word(struct words *w)
{
	return w->i < w->p->nword ? w->p->words[w->i++] : NULL;
}

static bool __attribute__((format(printf, 2, 3))) bad(struct words *w, const char *fmt, ...)
{
	struct buffer text = BUFFER_INIT;
	va_list ap;

	va_start(ap, fmt);
	buffer_vprintf(&text, fmt, ap);
	va_end(ap);
	config_error(w->p, w->p->word_line, "%s", buffer_str(&text));
	buffer_done(&text);
	return false;
}

static bool all_digits(const char *s)
{
	if (*s == '\0')
		return false;
	for (; *s != '\0'; s++) {
		if (!isdigit((unsigned char)*s))
			return false;
	}
	return true;
}

/* A number of digits alone, or -1; too large a one is LONG_MAX. */
static long parser_number(const char *s)
{
	return all_digits(s) ? strtol(s, NULL, 10) : -1;
}

static bool take_domain(struct words *w, struct config_agent *a)
{
	const char *word = parser_next_word(w);
	long v = word == NULL ? -1 : parser_number(word);

	if (v < 0)
		return bad(w, "expected domain number for \"%s\" agent", a->label);
	if (v > CONFIG_DOMAIN_MAX)
		return bad(w, "Illegal domain number (%s) for \"%s\" agent", word, a->label);
	for (const struct config_agent *o = w->p->c->agents; o != NULL; o = o->next) {
		if (o->domain == (unsigned long)v)
			return bad(w, "domain number for \"%s\" agent clashes with \"%s\" agent",
				   a->label, o->label);
	}
	a->domain = (unsigned int)v;
	return true;
}

/* All words that are left become the command. */
static bool take_command(struct words *w, struct config_agent *a)
{
	a->argc = w->p->nword - w->i;
	a->argv = alloc(w->p, a->argc + 1, sizeof(*a->argv));
	if (a->argv == NULL)
		return false;
	for (unsigned int i = 0; i < a->argc; i++)
		a->argv[i] = (char *)parser_next_word(w);
	return true;
}

static bool take_dso(struct words *w, struct config_agent *a)
{
	a->entry = parser_next_word(w);
	if (a->entry == NULL)
		return bad(w, "expected DSO entry point");
	a->path = parser_next_word(w);
	if (a->path == NULL)
		return bad(w, "expected DSO pathname");
	if (a->path[0] != '/')
		return bad(w, "path \"%s\" to PMDA is not absolute", a->path);
	if (parser_next_word(w) != NULL)
		return bad(w, "too many parameters for DSO");
	return take_command(w, a);
}

/* A number, or the name of a service. */
static bool take_port(struct words *w, struct config_agent *a, const char *word)
{
	long v = parser_number(word);
	const struct servent *service;

	if (v > 0 && v <= UINT16_MAX) {
		a->port = (uint16_t)v;
		return true;
	}
	service = v < 0 ? getservbyname(word, NULL) : NULL;
	if (service == NULL)
		return bad(w, "failed to get port number for port name %s", word);
	a->service = word;
	/* In network order, as 6.0.3 takes it on both sides (docs/spec/pmcd.md 5.2). */
	a->port = (uint16_t)service->s_port;
	return true;
}

static bool parser_take_socket(struct words *w, struct config_agent *a)
{
	static const struct {
		const char *word;
		int family;
	} families[] = {{"inet", AF_INET}, {"ipv6", AF_INET6}, {"unix", AF_UNIX}};
	const char *word = parser_next_word(w);

	for (size_t i = 0; word != NULL && i < ARRAY_SIZE(families); i++) {
		if (strcasecmp(word, families[i].word) == 0)
			a->family = families[i].family;
	}
	if (a->family == 0)
		return bad(w, "expected socket address domain (`inet', `ipv6', or `unix')");
	word = parser_next_word(w);
	if (word == NULL)
		return bad(w, "expected socket port name or number");
	if (a->family == AF_UNIX)
		a->path = word;
	else if (!take_port(w, a, word))
		return false;
	return take_command(w, a);
}

static bool take_pipe(struct words *w, struct config_agent *a)
{
	const char *word = parser_next_word(w);

	if (word == NULL || strcasecmp(word, "binary") != 0)
		return bad(w, "pipe PDU type expected (`binary')");
	while (w->i < w->p->nword && strcasecmp(w->p->words[w->i], "notready") == 0) {
		a->notready = true;
		w->i++;
	}
	if (w->i == w->p->nword)
		return bad(w, "command to create pipe agent expected.");
	return take_command(w, a);
}

static const struct {
	const char *word;
	enum config_kind kind;
	bool (*take)(struct words *w, struct config_agent *a);
} kinds[] = {
    {"dso", CONFIG_DSO, take_dso},
    {"socket", CONFIG_SOCKET, parser_take_socket},
    {"pipe", CONFIG_PIPE, take_pipe},
};

static bool take_kind(struct words *w, struct config_agent *a)
{
	const char *word = parser_next_word(w);

	for (size_t i = 0; word != NULL && i < ARRAY_SIZE(kinds); i++) {
		if (strcasecmp(word, kinds[i].word) == 0) {
			a->kind = kinds[i].kind;
			return kinds[i].take(w, a);
		}
	}
	return bad(w, "expected `dso', `socket' or `pipe'");
}

void config_agent_line(struct config_parser *p)
{
	struct words w = {.p = p};
	struct config_agent *a;

	if (p->nword == 0)
		return;
	a = alloc(p, 1, sizeof(*a));
	if (a == NULL)
		return;
	a->label = parser_next_word(&w);
	a->line = p->word_line;
	p->agent_failed = !take_domain(&w, a) || !take_kind(&w, a);
	if (!p->agent_failed) {
		*p->c->agents_end = a;
		p->c->agents_end = &a->next;
		p->c->nagent++;
	}
	p->nword = 0;
}

/*
 * The access section
 */

void config_rule_begin(struct config_parser *p, bool allow)
{
	struct config_rule *r = &p->rule;

	r->class = CONFIG_HOSTS;
	r->line = p->line;
	r->allow = allow;
	r->all = r->except = r->specific = r->just_except = false;
	r->ops = 0;
	r->max_connections = 0;
	r->nname = 0;
}

static const struct {
	const char *noun;
	enum config_class class;
} nouns[] = {{"host", CONFIG_HOSTS}, {"user", CONFIG_USERS}, {"group", CONFIG_GROUPS}};

void config_rule_class(struct config_parser *p, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(nouns); i++) {
		if (strncasecmp(word, nouns[i].noun, strlen(nouns[i].noun)) == 0)
			p->rule.class = nouns[i].class;
	}
}

const char *config_rule_noun(const struct config_parser *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(nouns); i++) {
		if (nouns[i].class == p->rule.class)
			return nouns[i].noun;
	}
	return nouns[0].noun;
}

int config_rule_name(struct config_parser *p, const char *name)
{
	struct config_rule *r = &p->rule;

	if (r->nname == r->name_cap) {
		unsigned int cap = r->name_cap == 0 ? 16 : r->name_cap * 2;
		const char **names = reallocarray(r->names, cap, sizeof(*names));

		if (names == NULL) {
			p->nomem = true;
			return -1;
		}
		r->names = names;
		r->name_cap = cap;
	}
	r->names[r->nname++] = name;
	return 0;
}

static int rule_error(struct config_parser *p, const char *what)
{
	config_error(p, p->line, "%s", what);
	return -1;
}

static int perm_all(struct config_parser *p)
{
	struct config_rule *r = &p->rule;

	if (r->just_except)
		return rule_error(p, "can't have \"all\" within an \"all except\"");
	if (r->specific || r->except)
		return rule_error(p, "can't have \"all\" mixed with specific permissions");
	r->all = true;
	r->ops = CONFIG_OP_ALL;
	return 0;
}

int config_rule_perm(struct config_parser *p, enum config_perm perm)
{
	struct config_rule *r = &p->rule;

	switch (perm) {
	case CONFIG_PERM_ALL:
		return perm_all(p);
	case CONFIG_PERM_EXCEPT:
		r->except = r->just_except = true;
		r->ops = 0;
		return 0;
	case CONFIG_PERM_FETCH:
	case CONFIG_PERM_STORE:
		break;
	}
	if (r->all && !r->except)
		return rule_error(p, "can't have \"all\" mixed with specific permissions");
	r->specific = !r->except;
	r->just_except = false;
	r->ops |= perm == CONFIG_PERM_FETCH ? CONFIG_OP_FETCH : CONFIG_OP_STORE;
	return 0;
}

int config_rule_maximum(struct config_parser *p)
{
	struct config_rule *r = &p->rule;

	if (!r->allow)
		return rule_error(p, "can't specify connection limit in a disallow statement");
	if (r->just_except)
		return rule_error(p, "connection limit may not immediately follow \"all except\"");
	if (r->max_connections != 0)
		return rule_error(p, "connection limit already specified");
	return 0;
}

int config_rule_number(struct config_parser *p, const char *word)
{
	long v = parser_number(word);

	if (v <= 0 || v > INT_MAX)
		return rule_error(p, "maximum connection limit must be a positive number");
	p->rule.max_connections = (unsigned int)v;
	return 0;
}

int config_rule_unlimited(struct config_parser *p)
{
	return rule_error(p, "\"connections\" expected"); /* as 6.0.3 does, always */
}

/* The masks of docs/spec/pmcd.md 6.1. */
static void rule_masks(const struct config_rule *r, struct config_access *a)
{
	a->specified = r->except ? CONFIG_OP_ALL : r->ops;
	a->denied = r->ops;
	if (r->allow != r->except) /* "allow X", "disallow all except X" */
		a->denied = a->specified & ~r->ops;
}

void config_rule_end(struct config_parser *p)
{
	const struct config_rule *r = &p->rule;
	struct config_access *a = alloc(p, 1, sizeof(*a));
	const char **names = alloc(p, r->nname, sizeof(*names));

	if (a == NULL || names == NULL)
		return;
	memcpy(names, r->names, r->nname * sizeof(*names));
	a->class = r->class;
	a->access_file = p->access_only;
	a->line = r->line;
	a->max_connections = r->max_connections;
	a->names = names;
	a->nname = r->nname;
	rule_masks(r, a);
	*p->c->access_end = a;
	p->c->access_end = &a->next;
	p->c->naccess++;
	p->nrule++;
}
