/*
 * aside - parameters that the tracing agent gives each event (docs/spec/trace-agent.md 2), and that
 * mostly tell what is known already.
 */
#ifndef PMEVENT_ASIDE_H
#define PMEVENT_ASIDE_H

#include <stdbool.h>

struct field;
struct record;

/* True if the field is one of them: it comes behind what the event itself has to say. */
bool aside_is(const struct field *f);

/* True if it tells something: a thread other than the first, an event of the system, a cut one. */
bool aside_tells(const struct field *f, const struct record *r);

#endif
