/*
 * parse - a command while it is read: what script, lexer and grammar share.
 */
#ifndef PMLC_PARSE_H
#define PMLC_PARSE_H

#include "tools/pmlc/script.h"

enum parse_mode {
	PARSE_WORDS, /* keywords */
	PARSE_HOST,  /* the name of a host follows */
	PARSE_LIST,  /* names of metrics: no word is a keyword */
};

struct script {
	struct script_source source;
	void *scanner;
	char *line; /* NULL: the next one is to be read */
	size_t pos;
	unsigned int number; /* of the line */
	struct command *c;
	struct metric_spec **metric_end; /* where the next one goes */
	struct inst_spec **inst_end;
	enum parse_mode mode;
	bool braces;  /* lines do not end the command */
	bool at_end;  /* of a line: the last token was its end */
	bool ended;   /* there are no more lines */
	bool told;    /* the error of this command */
	bool skip_list; /* after an error: up to the brace */
};

/* The next characters of the text for the lexer, one at a time: 1, or 0 at the end. */
int parse_char(struct script *s, char *buf);

/* The lexer has not used the character that it got last. */
void parse_unread(struct script *s, char ch);

/* A text in the command's memory; NULL: out of memory. */
const char *parse_text(struct script *s, const char *text, size_t len);

/* Tells the first error of a command, and that it is one. Returns -1. */
int parse_error(struct script *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* 0, or -1 when it has been told that there is no connection. */
int parse_need_connection(struct script *s);

/* A list begins: the words that follow are names. */
void parse_begin_list(struct script *s);

/* These return 0, or -1 for lack of memory. */
int parse_metric(struct script *s, const char *name);
int parse_inst(struct script *s, const char *name, uint32_t number);

/* One command by the grammar: 0, or not. */
int parse_run(struct script *s);

/* In the lexer: made, and ended; begin forgets what was read ahead of an error. */
int parse_lexer_new(struct script *s);
void parse_lexer_free(struct script *s);

#endif
