/*
 * parse - the state of parsing a line, shared by lexer and grammar (lex.l, grammar.y).
 */
#ifndef DBPMDA_PARSE_H
#define DBPMDA_PARSE_H

#include "tools/dbpmda/command.h"

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
