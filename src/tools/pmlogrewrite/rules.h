/*
 * rules - a configuration parsed into a list of steps (docs/spec/logger.md D6).
 *
 * The grammar knows only the language. The meaning of a step for an archive, and whether its
 * subject exists, is the task of plan. The steps before an error are in the list.
 */
#ifndef PMLOGREWRITE_RULES_H
#define PMLOGREWRITE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"

/*
 * rules - a configuration parsed into a list of steps (docs/spec/logger.md D6).
 *
 * The grammar knows only the language. The meaning of a step for an archive, and whether its
 * subject exists, is the task of plan. The steps before an error are in the list.
 */

enum rule_kind {
	RULE_HOSTNAME,
	RULE_TIME,
	RULE_TIMEZONE,
	RULE_ZONEINFO,
	RULE_FEATURES,
	RULE_INDOM, /* the clauses that follow are about this domain */
	RULE_INDOM_INAME,
	RULE_INDOM_INST,
	RULE_INDOM_MOVE,
	RULE_METRIC,
	RULE_METRIC_DELETE,
	RULE_METRIC_NAME,
	RULE_METRIC_PMID,
	RULE_METRIC_SEM,
	RULE_METRIC_TYPE,
	RULE_METRIC_UNITS,
	RULE_METRIC_INDOM,
	RULE_TEXT,
	RULE_TEXT_DELETE,
	RULE_TEXT_MOVE,
	RULE_TEXT_REPLACE,
	RULE_LABEL,
	RULE_LABEL_DELETE,
	RULE_LABEL_NEW,
	RULE_LABEL_NAME,
	RULE_LABEL_VALUE,
	RULE_LABEL_MOVE,
	RULE_LABEL_INSTANCE,
};

enum rule_pick {
	PICK_NONE,
	PICK_FIRST,
	PICK_LAST,
	PICK_INST,
	PICK_INAME,
	PICK_MIN,
	PICK_MAX,
	PICK_SUM,
	PICK_AVG,
};

/* A metric by its name; or a metric, a cluster, a domain, an instance domain by numbers. */
struct rule_id {
	const char *name;           /* NULL: by numbers */
	int domain, cluster, item;  /* item is the serial number of an instance domain */
	bool any_cluster, any_item; /* "*": on the right side it means no change */
};

enum rule_flag {
	RULE_TO_DELETE = 1u << 0,    /* an instance */
	RULE_TO_DUPLICATE = 1u << 1, /* a domain */
	RULE_TO_NULL = 1u << 2,      /* no domain */
	RULE_RESCALE = 1u << 3,
	RULE_IF = 1u << 4,        /* `old` is the type that the metric must have */
	RULE_BY_NUMBER = 1u << 5, /* the instance of a label: `old`, else text */
};

struct rule_step {
	enum rule_kind kind;
	unsigned int line;
	unsigned int flags;
	struct rule_id id;
	int type;                 /* PM_TYPE_*, PM_SEM_*, PM_TEXT_* bits, PM_LABEL_* */
	int old, now;             /* instances; types */
	const char *text, *value; /* NULL: none or any */
	const char *inst;         /* the name of a label's instance */
	enum rule_pick pick;
	pmUnits units;
	struct timespec delta;
	unsigned int features;
	int minutes, seconds; /* as written, for warnings */
};

struct rules {
	struct arena mem;
	struct rule_step *steps; /* owned */
	size_t n, room;
	unsigned int error_line;
	char error[200]; /* "": no error */
};

/* Returns 0; -1 with a message in error; -ENOMEM. The caller ends r in each case. */
int rules_parse(struct rules *r, const char *text, size_t len);
void rules_done(struct rules *r);

/*
 * rules_parser - the state of parsing a configuration, shared by lexer and grammar.
 */

/* A token, or a value made of several. */
struct rule_word {
	const char *text;
	long number;
	unsigned int place; /* its index, from 1 */
	struct rule_id id;
	enum rule_pick pick;
	unsigned int flags;
};

struct rules_parser {
	struct rules *r;
	void *scanner;
	unsigned int line;
	unsigned int place;    /* index of the last token */
	unsigned int bad;      /* the token that is a syntax error */
	int last, before;      /* the last two tokens */
	struct rule_step next; /* the step, as far as its clauses have been read */
	long units[6];
};

/* Notes an error if it is the first one. */
void rules_error(struct rules_parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Replaces "syntax error" if the error is n tokens after a word. */
void rules_expect(struct rules_parser *p, const struct rule_word *word, unsigned int n,
		  const char *what);

/*
 * Copies a text to the memory of the rules, without quotes and escapes; NULL after noting -ENOMEM.
 */
const char *rules_text(struct rules_parser *p, const char *s, size_t len);
const char *rules_string(struct rules_parser *p, const char *s, size_t len);

/* Adds the current step, with this kind and line, and begins an empty one. */
int rules_step(struct rules_parser *p, enum rule_kind kind);

/* Check numbers: false after an error. */
bool rules_check_pmid(struct rules_parser *p, const struct rule_id *id);
bool rules_check_indom(struct rules_parser *p, const struct rule_id *id);
bool rules_add_bit(struct rules_parser *p, long bit);
void rules_set_delta(struct rules_parser *p, long hours, long minutes, const char *seconds);
void rules_set_units(struct rules_parser *p);

/* Sets the instances: false after an error, if a number is not valid. */
bool rules_set_insts(struct rules_parser *p, long old, long now);
/* A type given by a number: 32, 64. */
bool rules_type_number(struct rules_parser *p, struct rule_word *word);
bool rules_check_dims(struct rules_parser *p);
bool rules_scale_zero(struct rules_parser *p, const struct rule_word *word, const char *what);
bool rules_check_count(struct rules_parser *p, long scale);
/* The value of a label in the form of a label set. */
bool rules_json_string(struct rules_parser *p, const struct rule_word *word, struct rule_word *ret);
bool rules_json_minus(struct rules_parser *p, const struct rule_word *word, struct rule_word *ret);
struct rule_id rules_domain(long domain);

/* "29.0.6", "29.0.*", "29.*.*", "29.2", "29.*": parsed into numbers. */
struct rule_id rules_numbers(const char *text, bool indom);

int rules_run(struct rules_parser *p, const char *text, size_t len);

#endif
