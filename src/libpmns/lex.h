/*
 * lex - the words of a name space (docs/spec/pmcd.md 10.1): separated by white space; a linemarker
 * is a line of its own.
 *
 * Written by hand: with flex a load took half as long again (docs/performance.md E).
 */
#ifndef LIBPMNS_LEX_H
#define LIBPMNS_LEX_H

#include <stddef.h>

/* A word of the text. */
struct token {
	const char *s;
	size_t len;
};

enum lex_kind {
	LEX_END,
	LEX_NAME,   /* letter { letter | digit | "_" } */
	LEX_PATH,   /* names joined by dots, at least two */
	LEX_PMID,   /* digits, '*' and ':'; blanks may surround a ':' */
	LEX_OPEN,   /* "{" */
	LEX_CLOSE,  /* "}" */
	LEX_WORD,   /* anything else */
	LEX_LONG,   /* not a word: a line that is too long, from its begin */
	LEX_MARKER, /* a line whose first word begins with '#', from there to its end */
};

enum { LEX_LINE_MAX = 256 }; /* a line is shorter, its newline included */

struct lex {
	const char *pos;
	const char *end;
	const char *line; /* the begin of the line at pos */
};

void lex_init(struct lex *l, const char *text, size_t len);

/* The next word; at the end an empty one after the text. */
enum lex_kind lex_next(struct lex *l, struct token *ret_token);

#endif
