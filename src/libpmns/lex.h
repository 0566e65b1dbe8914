/*
 * lex - the words of a name space (docs/spec/pmcd.md 10.1): separated by white space; a linemarker
 * is a line of its own.
 *
 * Written by hand: with flex a load took half as long again (docs/performance.md E).
 */
#ifndef LIBPMNS_LEX_H
#define LIBPMNS_LEX_H

#include <stdbool.h>
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

/*
 * ---- the place of a word ----
 *
 * A text that is being parsed, and the file and line of a place in it.
 *
 * Lines are counted when an error is reported, not for each line read. Linemarkers '# <line>
 * "<file>"' (docs/spec/pmcd.md 10.1) change file and line.
 */

struct buffer;

/* How messages begin, after their place: docs/spec/pmcd.md 10.1. */
#define SOURCE_PREFIX "Error Parsing ASCII PMNS: "

struct source {
	const char *text;
	size_t len;
	const char *file; /* what the text is called until a linemarker says otherwise */
};

struct source_place {
	const char *file; /* not terminated */
	size_t file_len;
	unsigned int line;     /* from 1 */
	const char *line_text; /* the whole line, without its newline */
	size_t line_len;
};

/* True if the line (without its newline) is a linemarker; the parts are written then. */
bool source_marker(const char *line, size_t len, unsigned int *ret_line, const char **ret_file,
		   size_t *ret_file_len);

/* The place of the byte at offset; offset may be len. */
void source_place(const struct source *src, size_t offset, struct source_place *ret_place);

/*
 * Appends "[file:line] Error Parsing ASCII PMNS: <what>", the offending line without its leading
 * blanks after four of them, and a caret under offset; no final newline.
 */
void source_error(const struct source *src, size_t offset, const char *what, struct buffer *out);

#endif
