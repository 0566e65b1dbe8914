/*
 * told - what the log was told already: a metric that fails in each fetch is worth one line, not
 * one a fetch (docs/libpcp_pmda.md).
 *
 * A cause is what is concerned and an error code. It is told again when what is concerned went well
 * meanwhile, or when the library is debugged. Without memory everything is told.
 */
#ifndef LIBPCP_PMDA_TOLD_H
#define LIBPCP_PMDA_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "libbase/hash.h"

enum told_kind {
	TOLD_FETCH, /* a metric's values, by PMID */
	TOLD_FREE,  /* the end of a value that cannot be freed, by PMID */
	TOLD_DESC,  /* a descriptor, by PMID */
	TOLD_INDOM, /* an instance domain that there is not */
};

/* Codes that are no errors of a callback. */
enum { TOLD_UNDEFINED = 1 };

struct told {
	struct hash rows;
	uint64_t idents; /* bit ident % 64 is set if one of those is in a row */
};

/* Quick, and right if it says no. */
static inline bool told_perhaps(const struct told *t, uint32_t ident)
{
	return (t->idents >> (ident & 63) & 1) != 0;
}

/* True if this is to be told now; it is known from then on. */
bool told_is_new(struct told *t, enum told_kind kind, uint32_t ident, int code);

void told_forget_row(struct told *t, enum told_kind kind, uint32_t ident);

/* It went well. */
static inline void told_forget(struct told *t, enum told_kind kind, uint32_t ident)
{
	if (told_perhaps(t, ident))
		told_forget_row(t, kind, ident);
}

#endif
