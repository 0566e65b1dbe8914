/*
 * logged - messages that the log has already: a metric that fails in each fetch is worth one line,
 * not one a fetch (docs/libpcp_pmda.md).
 *
 * A cause is an identifier and an error code. It is logged again once its identifier has succeeded
 * in between, or when the library is debugged. Without memory every message is logged.
 */
#ifndef LIBPCP_PMDA_LOGGED_H
#define LIBPCP_PMDA_LOGGED_H

#include <stdbool.h>
#include <stdint.h>

#include "libbase/hash.h"

enum logged_kind {
	LOGGED_FETCH, /* a metric's values, by PMID */
	LOGGED_FREE,  /* the end of a value that cannot be freed, by PMID */
	LOGGED_DESC,  /* a descriptor, by PMID */
	LOGGED_INDOM, /* an instance domain that there is not */
};

/* Codes that are not errors of a callback. */
enum { LOGGED_UNDEFINED = 1 };

struct logged {
	struct hash rows;
	uint64_t idents; /* bit ident % 64 is set if one of those is in a row */
};

/* Quick, and right if it says no. */
static inline bool logged_perhaps(const struct logged *t, uint32_t ident)
{
	return (t->idents >> (ident & 63) & 1) != 0;
}

/* True if the message is to be logged now; it is known from then on. */
bool logged_is_new(struct logged *t, enum logged_kind kind, uint32_t ident, int code);

void logged_forget_row(struct logged *t, enum logged_kind kind, uint32_t ident);

/* It went well. */
static inline void logged_forget(struct logged *t, enum logged_kind kind, uint32_t ident)
{
	if (logged_perhaps(t, ident))
		logged_forget_row(t, kind, ident);
}

#endif
