/*
 * fetch_report - log messages of pmdaFetch, and the end of values that the callback allocated
 * (docs/spec/pmda.md 10.2). A message that repeats is logged once.
 */
#ifndef LIBPCP_PMDA_FETCH_REPORT_H
#define LIBPCP_PMDA_FETCH_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libbase/hash.h"

/* A callback's error code for an instance; ordinary ones are logged only when debugging. */
void fetch_report_error(pmdaExt *ext, pmID pmid, int inst, int sts);

/* The metric's type has no values. */
void fetch_report_type(pmdaExt *ext, const pmDesc *desc);

/* A metric that there is not: if it is of another domain than the agent's, the log says so once. */
void fetch_report_foreign(pmdaExt *ext, pmID pmid);

/* An agent of an old interface has no such metric. */
void fetch_report_undefined(pmdaExt *ext, pmID pmid);

/* PMDA_FETCH_DYNAMIC: what the callback allocated has been copied, and is freed. */
void fetch_free_dynamic(pmdaExt *ext, const pmDesc *desc, pmAtomValue *atom);

/* Diagnostics of a call of pmdaFetch. */
void fetch_trace_call(int numpmid, const pmID *pmids);
void fetch_check_back_pointer(const pmdaExt *ext);

/* ---- What the log has ----------------------------------------------------------------------- */

/*
 * Messages that the log has already: a metric that fails in each fetch is worth one line, not one a
 * fetch (docs/libpcp_pmda.md).
 *
 * A cause is an identifier and an error code. It is logged again once its identifier has succeeded
 * in between, or when the library is debugged. Without memory every message is logged.
 */
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
