/*
 * trace - what the debug options show of this library's work, on stderr: docs/spec/pmapi.md 22.1.
 *
 * Each function looks at its own option first, so callers call them always; only where it costs
 * something do they look themselves.
 */
#ifndef LIBPCP_TRACE_H
#define LIBPCP_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct context_insts;

/* pdu: one whole PDU, and its words. */
void trace_pdu(bool sent, int fd, const uint8_t *pdu, size_t len);

/* context, pmapi: a call and its result. */
void trace_context(const char *call, int arg, const char *name, int result);

/* pmapi: a call that reached its source, written as fmt, and its result. */
void trace_call(int result, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* profile: what happens, and the profile. */
void trace_profile(const char *what, const pmProfile *profile);

/* pmns: names, and what became of them. */
void trace_names(int n, const char **names, const pmID *pmids, int result);

/* indom: instances that were found. */
void trace_insts(pmInDom indom, const struct context_insts *insts, int n);

/* labels: sets that were found. */
void trace_labels(unsigned int ident, int type, pmLabelSet *sets, int n);

/* value: what a value of a type was made into. */
void trace_value(int type, const pmAtomValue *out, int otype, int result);

/* config: a variable that was set. */
void trace_config(const char *name, const char *value);

#endif
