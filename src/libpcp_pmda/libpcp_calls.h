/*
 * libpcp_calls - what this library asks of libpcp that no installed header declares
 * (docs/spec/pmapi.md 24).
 */
#ifndef LIBPCP_PMDA_LIBPCP_CALLS_H
#define LIBPCP_PMDA_LIBPCP_CALLS_H

#include <stddef.h>

#include <pcp/pmapi.h>

/* The host's labels, and {"agent":"NAME"}; as __pmAddLabels. */
int __pmGetContextLabels(pmLabelSet **set);
int __pmGetDomainLabels(int domain, const char *name, pmLabelSet **set);

#endif
