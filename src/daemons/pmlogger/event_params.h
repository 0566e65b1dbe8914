/* event_params - the metrics that event records carry (docs/spec/archive.md 6.5). */
#ifndef PMLOGGER_EVENT_PARAMS_H
#define PMLOGGER_EVENT_PARAMS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/* Calls found for each parameter of each record of a set's values, in host form, checked when it
 * was received; found may be called several times for one metric. */
void event_params(const pmValueSet *set, bool highres, void (*found)(pmID pmid, void *arg),
		  void *arg);

#endif
