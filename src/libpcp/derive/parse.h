/*
 * parse - reads the text of an expression: a flex scanner and a bison grammar
 * (docs/spec/pmapi.md 18.3, 18.4).
 *
 * The grammar has the shape of 6.0.3's, so that a mistake is found at the same place and has the
 * same reason. A reason that the scanner finds comes before the one of the grammar.
 */
#ifndef LIBPCP_DERIVE_PARSE_H
#define LIBPCP_DERIVE_PARSE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "libpcp/derive/expr.h"

enum { PARSE_REASON_MAX = 256 };

/* A parse under way, and its outcome. */
struct parse {
	struct expr *e; /* what is read; the caller releases it */
	int at;         /* where the token begins that was read last; at the end: the last byte */
	int next;
	int len;       /* of the source */
	bool matching; /* inside of matchinst(): a slash begins a pattern */
	int err;       /* 0, -ENOMEM, or PM_ERR_BADDERIVE: at and reason are those of the mistake */
	char reason[PARSE_REASON_MAX]; /* "": none is known */
	struct arena scratch;          /* memory of the scanner, until the text is read */
	jmp_buf no_memory;             /* where the scanner goes when there is no more */
};

/* Reads the whole text. 0 or p->err. */
int parse_run(struct parse *p, const char *text);

/* For the scanner and the grammar: the first reason counts. */
void parse_fail(struct parse *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
int parse_nomem(struct parse *p);

#endif
