/*
 * event - prints the records inside an event value.
 */
#ifndef PMINFO_EVENT_H
#define PMINFO_EVENT_H

#include <pcp/pmapi.h>

/* Unpacks value i of the set and prints each record. Does nothing for other types. */
void event_report(const pmValueSet *vset, int i, int type);

#endif
