/* record - one event: its time, instance, name and fields. */
#ifndef PMEVENT_RECORD_H
#define PMEVENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "tools/pmevent/field.h"

struct event_records;

struct record {
	const char *metric;
	const char *instance; /* NULL: the metric has no instances */
	int inst;
	bool nanoseconds; /* the stamp has nanoseconds; else microseconds */
	struct timespec stamp;
	unsigned int flags; /* PM_EVENT_FLAG_* */
	bool missed;        /* not an event, but a count of missed events: */
	unsigned int n_missed;
	const char
	    *event; /* the value of the first parameter whose name ends in ".event", or NULL */
	struct field *fields;
	size_t n_fields;
};

/*
 * Reads record number i into r. The caller has set metric, instance and inst; the rest of r is
 * zero. A parameter that cannot be decoded is left out.
 */
void record_read(struct record *r, const struct event_records *records, int i);

/* Frees the fields. The struct can then be filled again. */
void record_done(struct record *r);

/* The names of the flags, "start,id"; empty for an event that is only a point in time. */
const char *record_flags(const struct record *r, char *buf, int size);

#endif
