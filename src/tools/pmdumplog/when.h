/*
 * when - the time before a record, in the precision of the archive and with the details that -x
 * requests.
 */
#ifndef PMDUMPLOG_WHEN_H
#define PMDUMPLOG_WHEN_H

#include <stdbool.h>

#include "tools/archive/stamp.h"

struct dump;

/* The time of a record, with the digits of the archive's version. */
void when_print(const struct dump *d, const struct timespec *when);

/*
 * The time of an event. As in 6.0.3, a high-resolution event never has a date, whatever -x says,
 * and no event has the seconds of the epoch.
 */
void when_print_event(const struct dump *d, const struct timespec *when, bool highres);

#endif
