/* config_parser - what the grammar and the words of a configuration share; see config.h. */
#ifndef PMLOGGER_CONFIG_PARSER_H
#define PMLOGGER_CONFIG_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "daemons/pmlogger/config.h"

struct config_parser {
	struct config *c;
	const char *text;
	size_t len;
	const char *file;
	unsigned int line;
	uint32_t default_ms;
	/* The generated code's memory: what it asks for when it asks for more ends the parse,
	 * because generated code ends the process without any. */
	char *pool;
	size_t pool_left;
	bool gave_up; /* said already */
	bool nomem;
	bool in_metrics; /* inside braces */

	struct config_statement **statements_end;
	struct config_metric **metrics_end;
	struct config_inst **insts_end;
	struct config_access **access_end;
	struct config_host **hosts_end;
	struct config_statement *statement; /* in hand */
	struct config_metric *metric;
	struct config_access *rule;
	unsigned int ops;
};

/* The generated parser over p->text: 0, or not 0 when it ended early. */
int config_run_grammar(struct config_parser *p);

/* The first error is kept. */
void config_error(struct config_parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A copy in the arena; NULL when out of memory. */
const char *config_word(struct config_parser *p, const char *s, size_t len);
/* A linemarker's text: '# LINE "FILE"'. */
void config_marker(struct config_parser *p, const char *text, size_t len);

/* The actions of the grammar. Those that return int: 0, or -1 after an error. */
void config_begin_statement(struct config_parser *p, bool mandatory, enum config_state state);
int config_every(struct config_parser *p, const char *number, unsigned int unit_ms);
void config_every_default(struct config_parser *p);
void config_begin_metric(struct config_parser *p, const char *name);
/* The line of its warnings is that of the last word read. */
void config_end_metric(struct config_parser *p);
void config_add_inst(struct config_parser *p, const char *name);
int config_add_inst_number(struct config_parser *p, const char *number);
void config_begin_rule(struct config_parser *p, bool allow);
void config_add_host(struct config_parser *p, const char *name);
void config_end_rule(struct config_parser *p, unsigned int ops, bool except);

#endif
