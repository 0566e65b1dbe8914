/* event_hole - where recording of events was off, the archive has none: not even those that agents kept. */
#ifndef PMLOGGER_EVENT_HOLE_H
#define PMLOGGER_EVENT_HOLE_H

#include <pcp/pmapi.h>

struct fetch_group;

/* Takes values out of a result of this group that logging_primed says are of such a time. */
void event_hole_cut(const struct fetch_group *g, pmHighResResult *result);

#endif
