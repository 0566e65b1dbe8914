/*
 * fetch_report - log messages of pmdaFetch, and the end of values that the callback allocated
 * (docs/spec/pmda.md 10.2). A message that repeats is logged once (logged.h).
 */
#ifndef LIBPCP_PMDA_FETCH_REPORT_H
#define LIBPCP_PMDA_FETCH_REPORT_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

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

#endif
