/*
 * when - the time before a record, as fine as the archive has it and as long as -x asks for.
 */
#ifndef PMDUMPLOG_WHEN_H
#define PMDUMPLOG_WHEN_H

#include <stdbool.h>

#include "tools/archive/stamp.h"

struct dump;

/* Of a record: in the digits of the archive's version. */
void when_print(const struct dump *d, const struct timespec *when);

/* Of an event. As ever, one of high resolution has no date whatever -x says, and none has the
 * seconds of the epoch. */
void when_print_event(const struct dump *d, const struct timespec *when, bool highres);

#endif
