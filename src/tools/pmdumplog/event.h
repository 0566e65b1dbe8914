/*
 * event - the records in the values of event metrics (docs/spec/archive.md 6.5).
 */
#ifndef PMDUMPLOG_EVENT_H
#define PMDUMPLOG_EVENT_H

#include <stdbool.h>

struct dump;
struct wire_value;

/*
 * Prints " 5 (and 7 missed) event records" and the lines that follow; the caller has printed the
 * name of the value.
 */
void event_print(const struct dump *d, bool highres, const struct wire_value *value);

#endif
