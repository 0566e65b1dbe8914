/*
 * rules_parser - what the lexer and the grammar of a configuration share.
 */
#ifndef PMLOGREWRITE_RULES_PARSER_H
#define PMLOGREWRITE_RULES_PARSER_H

#include "tools/pmlogrewrite/rules.h"

/* A token, or what was made of some. */
struct rule_word {
	const char *text;
	long number;
	unsigned int place; /* which token it is, from 1 on */
	struct rule_id id;
	enum rule_pick pick;
	unsigned int flags;
};

struct rules_parser {
	struct rules *r;
	void *scanner;
	unsigned int line;
	unsigned int place; /* of the last token */
	unsigned int bad;   /* the token that the grammar has no use for */
	int last, before;   /* the last two tokens */
	struct rule_step next; /* what the clauses so far say of a step */
	long units[6];
};

/* The first error counts. */
void rules_error(struct rules_parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* In place of "syntax error", if it is the n-th token behind a word that is wrong. */
void rules_expect(struct rules_parser *p, const struct rule_word *word, unsigned int n,
		  const char *what);

/* A text in the memory of the rules, quotes and escapes undone; NULL: -ENOMEM was told. */
const char *rules_text(struct rules_parser *p, const char *s, size_t len);
const char *rules_string(struct rules_parser *p, const char *s, size_t len);

/* Adds the step that was put together, with this kind, at this line; the next one is empty. */
int rules_step(struct rules_parser *p, enum rule_kind kind);

/* Check numbers: false after an error. */
bool rules_check_pmid(struct rules_parser *p, const struct rule_id *id);
bool rules_check_indom(struct rules_parser *p, const struct rule_id *id);
bool rules_add_bit(struct rules_parser *p, long bit);
void rules_set_delta(struct rules_parser *p, long hours, long minutes, const char *seconds);
void rules_set_units(struct rules_parser *p);

/* Instances: false, and told, for what is none. */
bool rules_set_insts(struct rules_parser *p, long old, long now);
/* A type that is told by a number: 32, 64. */
bool rules_type_number(struct rules_parser *p, struct rule_word *word);
bool rules_check_dims(struct rules_parser *p);
bool rules_scale_zero(struct rules_parser *p, const struct rule_word *word, const char *what);
bool rules_check_count(struct rules_parser *p, long scale);
/* The value of a label as it stands in a label set. */
bool rules_json_string(struct rules_parser *p, const struct rule_word *word,
		       struct rule_word *ret);
bool rules_json_minus(struct rules_parser *p, const struct rule_word *word, struct rule_word *ret);
struct rule_id rules_domain(long domain);

/* "29.0.6", "29.0.*", "29.*.*", "29.2", "29.*": as numbers. */
struct rule_id rules_numbers(const char *text, bool indom);

int rules_run(struct rules_parser *p, const char *text, size_t len);

#endif
