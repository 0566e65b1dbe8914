/*
 * event - prints the records inside an event value.
 */
#ifndef PMINFO_EVENT_H
#define PMINFO_EVENT_H

#include <pcp/pmapi.h>

/* Unpacks value i of the set and prints each record; nothing for a type that is no event. */
void event_report(const pmValueSet *vset, int i, int type);

#endif
