/*
 * line - an event as a line for people; pmevent(1) has the form.
 *
 *     16:03:11.482915207 [4711 worker] request.done path="/index" status=200
 */
#ifndef PMEVENT_LINE_H
#define PMEVENT_LINE_H

#include <stdbool.h>

struct record;

struct line {
	bool colours;
	bool date;    /* before the time */
	bool metrics; /* print the name of the metric: there are several */
	bool all;     /* print routine fields that add nothing, too (routine.h) */
};

/* True if standard output is a terminal that has colours and NO_COLOR is not set. */
bool line_has_colours(void);

/* Prints a record. Names and texts cannot control the terminal. */
void line_print(const struct line *l, const struct record *r);

#endif
