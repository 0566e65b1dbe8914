/*
 * config_parser - a configuration while it is parsed: what lexer and grammar (config_lex.l,
 * config_parse.y) share with the functions that they call (config_parser.c).
 *
 * The agent section is lines of words, understood here; the access section has a grammar.
 */
#ifndef PMCD_CONFIG_PARSER_H
#define PMCD_CONFIG_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "daemons/pmcd/config.h"

enum { CONFIG_WORDS_MAX = CONFIG_LINE_MAX / 2 + 1 };

/* An access statement while it is read. */
struct config_rule {
	enum config_class class;
	unsigned int line;
	bool allow;
	bool all;      /* the word "all" was there */
	bool except;   /* ... and "except" */
	bool specific; /* fetch or store outside of "except" */
	bool just_except;
	unsigned int ops; /* the operations named: all of them, those excepted, or the specific */
	unsigned int max_connections;
	const char **names;
	unsigned int nname, name_cap;
};

struct config_parser {
	struct config *c;
	const char *text;
	size_t len;
	const char *file;
	bool access_only;
	config_message message;
	void *arg;

	/* lexer; its memory is taken at once, because generated code ends the process without any
	 */
	char *pool;
	size_t pool_left;
	unsigned int line; /* its position */
	int token, before; /* the last two tokens */
	bool begun;
	bool line_begun; /* a word of this line was seen */

	/* agent section */
	const char *words[CONFIG_WORDS_MAX];
	unsigned int nword;
	unsigned int word_line; /* of the first word */
	bool agent_failed;      /* the last agent line was bad */

	/* access section */
	struct config_rule rule;
	unsigned int nrule;
	bool in_access, access_failed;

	unsigned int nerror;
	bool gave_up; /* the scan cannot go on */
	bool nomem;
};

/* The generated parser over p->text: 0, or not 0 when it ended early. */
int config_run_grammar(struct config_parser *p);

/* Says an error of a line: "pmcd config[line N]: Error: <what>". */
void config_error(struct config_parser *p, unsigned int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A word of the text without its quotes and escapes, in the arena; NULL when out of memory. */
const char *config_word(struct config_parser *p, const char *s, size_t len, bool quoted);

/* The agent section: a word, and the end of a line. */
void config_agent_word(struct config_parser *p, const char *word);
void config_agent_line(struct config_parser *p);

/*
 * The access section. Those that return int: 0, or -1 after an error was reported; the rest of the
 * statement is then to be skipped.
 */
enum config_perm { CONFIG_PERM_FETCH, CONFIG_PERM_STORE, CONFIG_PERM_ALL, CONFIG_PERM_EXCEPT };

void config_rule_begin(struct config_parser *p, bool allow);
void config_rule_class(struct config_parser *p, const char *word);
int config_rule_name(struct config_parser *p, const char *name);
int config_rule_perm(struct config_parser *p, enum config_perm perm);
int config_rule_maximum(struct config_parser *p);
int config_rule_number(struct config_parser *p, const char *number);
int config_rule_unlimited(struct config_parser *p);
void config_rule_end(struct config_parser *p);

/* "host", "user" or "group" of the statement in hand. */
const char *config_rule_noun(const struct config_parser *p);

#endif
