/*
 * event - the anonymous metrics that come first in an unpacked event record
 * (docs/spec/pmapi.md 21.1).
 */
#ifndef TOOLS_COMMON_EVENT_H
#define TOOLS_COMMON_EVENT_H

#include <pcp/pmapi.h>

/* The identifiers of event.flags and event.missed; a library without them is reported, once. */
pmID event_flags_pmid(void);
pmID event_missed_pmid(void);

#endif
