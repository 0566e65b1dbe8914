/*
 * script - commands: parsed, as lines of text, and the state shared by lexer and grammar.
 */
#ifndef PMLC_SCRIPT_H
#define PMLC_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "libbase/arena.h"

struct script;

/*
 * command - one parsed command of the language (docs/spec/logger.md C2).
 */

enum verb {
	VERB_NONE, /* an empty line */
	VERB_CONNECT,
	VERB_DISCONNECT,
	VERB_HELP,
	VERB_LOG,
	VERB_NEW_VOLUME,
	VERB_QA,
	VERB_QUERY,
	VERB_QUIT,
	VERB_SHOW,
	VERB_SLEEP,
	VERB_STATUS,
	VERB_SYNC,
	VERB_TIMEZONE,
};

/* Which recorder the command is for. */
enum target { TARGET_PRIMARY, TARGET_PID, TARGET_PORT, TARGET_SOCKET };

enum zone { ZONE_LOCAL, ZONE_LOGGER, ZONE_GIVEN };

struct inst_spec {
	struct inst_spec *next;
	const char *name; /* NULL: by number */
	int number;
};

struct metric_spec {
	struct metric_spec *next;
	const char *name;
	unsigned int line;       /* the line where it was read, for messages */
	struct inst_spec *insts; /* NULL: all */
};

struct command {
	struct arena mem; /* memory of all texts and lists */
	enum verb verb;
	enum target target;
	enum zone zone;
	const char *text;  /* a host, NULL for none; a time zone */
	uint32_t number;   /* process id, port, milliseconds, test case */
	int control;       /* PM_LOG_MANDATORY, … */
	int state;         /* PM_LOG_ON, … */
	uint64_t delta_ms; /* may be larger than a request can hold */
	struct metric_spec *metrics;
};

void command_done(struct command *c);

/*
 * script - reads commands from lines of text.
 *
 * A line is requested when the words of the lines before are used up; a list in braces may span
 * many lines. After an error the rest of the line is skipped, or the rest of a list in braces.
 */

struct script_source {
	/*
	 * The next line without its newline, malloc'd; NULL at the end. more: a list is continued.
	 */
	char *(*line)(void *arg, bool more);
	/* Some commands need a connection; it is checked before the rest of the command is read. */
	bool (*connected)(void *arg);
	/* Reports an error and its line. */
	void (*error)(void *arg, unsigned int line, const char *text);
	void *arg;
};

/* Returns NULL if out of memory. The script keeps the pointer source. */
struct script *script_new(const struct script_source *source);
void script_free(struct script *s);

/*
 * Reads one command. Returns 1 and *c; 0 after a command with an error, which has been reported; -1
 * at the end.
 */
int script_next(struct script *s, struct command *c);

/*
 * parse - the state of reading a command, shared by script, lexer and grammar.
 */

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
	bool braces;    /* a newline does not end the command */
	bool at_end;    /* the last token was the end of the line */
	bool ended;     /* there are no more lines */
	bool failed;    /* this command has an error */
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
