/*
 * libpcp_calls - what this library asks of libpcp beyond <pcp/pmapi.h> (docs/spec/pmapi.md 21).
 */
#ifndef LIBPCP_PMDA_LIBPCP_CALLS_H
#define LIBPCP_PMDA_LIBPCP_CALLS_H

#include <stddef.h>

#include <pcp/pmapi.h>

enum { PM_STATE_APPL = 0, PM_STATE_PMCS = 1 };

int __pmSetInternalState(int state);
void __pmFreeResultValues(pmResult *result);
void __pmFreeInResult(pmInResult *result);
int __pmAddLabels(pmLabelSet **set, const char *json, int flags);
int __pmGetContextLabels(pmLabelSet **set);
int __pmGetDomainLabels(int domain, const char *name, pmLabelSet **set);
int __pmAttrStr_r(int key, const char *value, char *buf, size_t size);

#endif
