/* record - one event: when, of which instance, its name and fields. */
#ifndef PMEVENT_RECORD_H
#define PMEVENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "tools/pmevent/field.h"

struct event_records;

struct record {
	const char *metric;
	const char *instance; /* NULL: the metric has none */
	int inst;
	bool nanoseconds; /* what the stamp is good for; else microseconds */
	struct timespec stamp;
	unsigned int flags; /* PM_EVENT_FLAG_* */
	bool missed;        /* no event, but a word of how many there were that nobody has: */
	unsigned int n_missed;
	const char
	    *event; /* the value of the first parameter whose name ends in ".event"; or NULL */
	struct field *fields;
	size_t n_fields;
};

/*
 * Reads record number i into r, whose metric, instance and inst are the caller's and which is all
 * zero otherwise. A parameter that can't be had is left out.
 */
void record_read(struct record *r, const struct event_records *records, int i);

/* Frees the fields: r may be read into again. */
void record_done(struct record *r);

/* The flags by name, "start,id"; empty for an event that is a point in time and nothing else. */
const char *record_flags(const struct record *r, char *buf, int size);

#endif
