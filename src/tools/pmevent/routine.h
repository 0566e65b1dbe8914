/*
 * routine - parameters that the tracing agent adds to each event (docs/spec/trace-agent.md 2). Most
 * of them repeat what is already known.
 */
#ifndef PMEVENT_ROUTINE_H
#define PMEVENT_ROUTINE_H

#include <stdbool.h>

struct field;
struct record;

/* True if the field is a routine one: it is printed after the event's own fields. */
bool routine_is(const struct field *f);

/*
 * True if the field adds information: another thread than the first one, an event of the system, a
 * truncated event. Always true for other fields.
 */
bool routine_is_notable(const struct field *f, const struct record *r);

#endif
