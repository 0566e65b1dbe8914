/*
 * parse - the state of reading a command, shared by script, lexer and grammar.
 */
#ifndef PMLC_PARSE_H
#define PMLC_PARSE_H

#include "tools/pmlc/script.h"

enum parse_mode {
	PARSE_WORDS, /* keywords */
	PARSE_HOST,  /* the name of a host is expected */
	PARSE_LIST,  /* names of metrics: words are not keywords */
};

struct script {
	struct script_source source;
	void *scanner;
	char *line; /* NULL: the next line has to be read */
	size_t pos;
	unsigned int number; /* of the line */
	struct command *c;
	struct metric_spec **metric_end; /* where the next token goes */
	struct inst_spec **inst_end;
	enum parse_mode mode;
	bool braces;  /* a newline does not end the command */
	bool at_end;  /* the last token was the end of the line */
	bool ended;   /* there are no more lines */
	bool told;    /* this command has an error */
	bool skip_list; /* after an error: skip up to the brace */
};

/* Gives the lexer the next character of the text. Returns 1, or 0 at the end. */
int parse_char(struct script *s, char *buf);

/* Takes back the last character that the lexer got and did not use. */
void parse_unread(struct script *s, char ch);

/* Copies a text to the command's memory; NULL: out of memory. */
const char *parse_text(struct script *s, const char *text, size_t len);

/*
 * Reports an error of a command if it is the first one, and marks the command as wrong. Returns -1.
 */
int parse_error(struct script *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns 0, or -1 after reporting that there is no connection. */
int parse_need_connection(struct script *s);

/* Begins a list: the words that follow are names. */
void parse_begin_list(struct script *s);

/* These return 0, or -1 if out of memory. */
int parse_metric(struct script *s, const char *name);
int parse_inst(struct script *s, const char *name, uint32_t number);

/* Parses one command by the grammar. Returns 0 on success. */
int parse_run(struct script *s);

/* Implemented by the lexer; begin discards the text read ahead of an error. */
int parse_lexer_new(struct script *s);
void parse_lexer_free(struct script *s);

#endif
