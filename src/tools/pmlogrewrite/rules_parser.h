/*
 * rules_parser - the state of parsing a configuration, shared by lexer and grammar.
 */
#ifndef PMLOGREWRITE_RULES_PARSER_H
#define PMLOGREWRITE_RULES_PARSER_H

#include "tools/pmlogrewrite/rules.h"

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
	unsigned int place; /* index of the last token */
	unsigned int bad;   /* the token that is a syntax error */
	int last, before;   /* the last two tokens */
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
bool rules_json_string(struct rules_parser *p, const struct rule_word *word,
		       struct rule_word *ret);
bool rules_json_minus(struct rules_parser *p, const struct rule_word *word, struct rule_word *ret);
struct rule_id rules_domain(long domain);

/* "29.0.6", "29.0.*", "29.*.*", "29.2", "29.*": parsed into numbers. */
struct rule_id rules_numbers(const char *text, bool indom);

int rules_run(struct rules_parser *p, const char *text, size_t len);

#endif
