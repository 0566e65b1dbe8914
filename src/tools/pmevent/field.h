/* field - a parameter of an event: its name and value. */
#ifndef PMEVENT_FIELD_H
#define PMEVENT_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "tools/common/real.h"

struct field {
	const char
	    *name; /* the last part of the metric's name; the full name if two fields have the same last part */
	const char *metric;
	int type;          /* PM_TYPE_* */
	pmAtomValue value; /* strings and aggregates are owned by the record */
	bool is_event;     /* this field is the name of the event */
};

/* Enough room for any number. */
#define FIELD_NUMBER REAL_TEXT

bool field_is_number(const struct field *f);

/* A number as text, in the shortest form that reads back as the same number. */
const char *field_number(const struct field *f, char buf[FIELD_NUMBER]);

/*
 * The value as text, which the caller frees: a string itself, bytes in hexadecimal. NULL: out of
 * memory.
 */
char *field_text(const struct field *f);

#endif
