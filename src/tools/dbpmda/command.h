/*
 * command - lines of input: parsed commands, and the state shared by lexer and grammar.
 */
#ifndef DBPMDA_COMMAND_H
#define DBPMDA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"

/*
 * command - one parsed line of input (docs/spec/pmda.md 19.4).
 *
 * Names of metrics are looked up during parsing, because an error message includes the position in
 * the line.
 */

enum verb {
	VERB_NONE, /* an empty line */
	VERB_ATTR,
	VERB_CHILDREN,
	VERB_CLOSE,
	VERB_DEBUG,
	VERB_DESC,
	VERB_FETCH,
	VERB_GETDESC,
	VERB_GETINAME,
	VERB_HELP,
	VERB_INSTANCE,
	VERB_LABEL,
	VERB_NAME,
	VERB_NAMESPACE,
	VERB_OPEN,
	VERB_PMID,
	VERB_PROFILE,
	VERB_QUIT,
	VERB_STATUS,
	VERB_STORE,
	VERB_TEXT,
	VERB_TIMER,
	VERB_TRAVERSE,
	VERB_WAIT,
	VERB_WATCH,
	VERB_NVERB,
};

/* The word after a verb that has several forms. */
enum form {
	FORM_NONE,
	FORM_USAGE, /* the verb alone, although it needs an argument */
	FORM_METRIC,
	FORM_INDOM,
	FORM_ALL,
	FORM_NOTHING, /* "none" */
	FORM_ADD,
	FORM_DELETE,
	FORM_ON,
	FORM_OFF,
	FORM_CONTEXT,
	FORM_DOMAIN,
	FORM_CLUSTER,
	FORM_ITEM,
	FORM_INSTANCES,
	FORM_DSO,
	FORM_PIPE,
	FORM_UNIX,
	FORM_INET,
	FORM_IPV6,
};

enum { COMMAND_WORDS_MAX = 1024 };

struct command {
	struct arena mem; /* memory of everything below */
	enum verb verb;
	enum form form;
	enum verb about; /* for help: VERB_NONE means all */
	pmInDom indom;
	int number; /* an instance, a key, a cluster, a port, seconds, a domain */
	bool has_number;
	const char *text; /* a name, a path, or a value */
	int npmid;
	pmID pmids[COMMAND_WORDS_MAX];
	int nword; /* arguments of a program, debug options; words[nword] is NULL */
	const char *words[COMMAND_WORDS_MAX + 1];
};

/* The parse error, and the column (from 1) that had been reached. */
struct command_error {
	char text[256];
	int column;
};

/* Looks up the PMID of a metric's name. Returns 0 or an error code. */
typedef int (*command_lookup)(void *arg, const char *name, pmID *ret_pmid);

/* Called for a PMID, to warn if it has no name. */
typedef void (*command_unnamed)(void *arg, pmID pmid);

struct command_context {
	command_lookup lookup;
	command_unnamed check; /* called for each PMID given as numbers */
	void (*warn)(void *arg, const char *text);
	void *arg;
};

/*
 * Parses one line (without its newline). Returns 0 and *ret_command, which the caller ends with
 * command_done; or -1 and *ret_error.
 */
int command_parse(const char *line, const struct command_context *ctx, struct command *ret_command,
		  struct command_error *ret_error);
void command_done(struct command *c);

/*
 * attribute - attributes of a client, by key and name (docs/spec/pdu.md 5.14).
 */

/* The name of a key, or NULL. */
const char *attribute_name(int key);

/*
 * parse - the state of parsing a line, shared by lexer and grammar (lex.l, grammar.y).
 */

struct parse {
	const char *line;
	size_t pos, len; /* characters that the lexer has taken: the column of an error */
	unsigned int ntoken;
	bool failed; /* ret_error has been filled */
	const struct command_context *ctx;
	struct command *c;
	struct command_error *error;
};

/* Notes an error with the column, if it is the first. Returns -1. */
int parse_fail(struct parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Gives the lexer the next characters of the line, one at a time, so that columns are exact. */
int parse_next(struct parse *p, char *buf);

/* Copies a text of the line to the command's memory; NULL after noting an error. */
const char *parse_text(struct parse *p, const char *s, size_t len);

/* A path of the current directory, "./" and s, for a token that could also be a name. */
const char *parse_path(struct parse *p, const char *s);

/* These return 0, or -1 after noting an error. */
int parse_metric_name(struct parse *p, const char *name);
int parse_metric_pmid(struct parse *p, pmID pmid);
int parse_word(struct parse *p, const char *word);
int parse_debug(struct parse *p, const char *word);
int parse_debug_number(struct parse *p, int bits);
int parse_attribute(struct parse *p, const char *name);
int parse_attribute_key(struct parse *p, int key);
int parse_service(struct parse *p, const char *name);

/* Runs the grammar over the line. Returns 0 on success. */
int parse_run_grammar(struct parse *p);

#endif
