/*
 * events - values that are event records: the metrics that they carry (docs/spec/archive.md 6.5),
 * and those that are not recorded. Where recording of events was off the archive has none: not even
 * those that agents kept.
 */
#ifndef PMLOGGER_EVENTS_H
#define PMLOGGER_EVENTS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct fetch_group;

/* Calls found for each parameter of each record of a set's values, in host form, checked when it
 * was received; found may be called several times for one metric. */
void event_params(const pmValueSet *set, bool highres, void (*found)(pmID pmid, void *arg),
		  void *arg);

/* Takes values out of a result of this group that logging_primed says are of such a time. */
void event_hole_cut(const struct fetch_group *g, pmHighResResult *result);

#endif
