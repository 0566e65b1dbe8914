/*
 * parse - a line while it is read: what lexer and grammar (lex.l, grammar.y) share.
 */
#ifndef DBPMDA_PARSE_H
#define DBPMDA_PARSE_H

#include "tools/dbpmda/command.h"

struct parse {
	const char *line;
	size_t pos, len; /* what the lexer has taken: the column of an error */
	unsigned int ntoken;
	bool failed; /* ret_error is filled */
	const struct command_context *ctx;
	struct command *c;
	struct command_error *error;
};

/* Notes the first error, with the column reached. Returns -1. */
int parse_fail(struct parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Gives the lexer the next characters of the line, one at a time, so that columns are known. */
int parse_next(struct parse *p, char *buf);

/* A text of the line in the command's memory; NULL is an error that has been noted. */
const char *parse_text(struct parse *p, const char *s, size_t len);

/* A path which could be taken for a name is one of the current directory. */
const char *parse_path(struct parse *p, const char *s);

/* These return 0, or -1 when the error has been noted. */
int parse_metric_name(struct parse *p, const char *name);
int parse_metric_pmid(struct parse *p, pmID pmid);
int parse_word(struct parse *p, const char *word);
int parse_debug(struct parse *p, const char *word);
int parse_debug_number(struct parse *p, int bits);
int parse_attribute(struct parse *p, const char *name);
int parse_attribute_key(struct parse *p, int key);
int parse_service(struct parse *p, const char *name);

/* Runs the grammar over the line: 0, or not. */
int parse_run_grammar(struct parse *p);

#endif
