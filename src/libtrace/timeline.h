/*
 * timeline - the clock pairs of a stream: taken now and then by whoever reads it, turned into the
 * times that events are reported with (docs/spec/posix-trace.md R-9).
 *
 * Who writes   the holder of the stream's mutex, or the keeper; pair first, then the count.
 * Always true  pairs ascend in tick and in ns; what is converted in one round of the reader lies
 *              between two pairs, or no further behind the last one than these two are apart.
 */
#ifndef LIBTRACE_TIMELINE_H
#define LIBTRACE_TIMELINE_H

#include "libtrace/control.h"

/* Takes a pair if it is time for one: soon after the first, then in doubling distances, at last
 * every second. */
void timeline_extend(struct control *control);

/* CLOCK_MONOTONIC ns of a tick, and ns since the epoch on the stream's own line. */
uint64_t timeline_mono(const struct control *control, uint64_t tick);
int64_t timeline_real(const struct control *control, uint64_t tick);

/* The same for many ticks: `line` is the one that the last tick was on, all zero at first and after
 * timeline_extend(). */
int64_t timeline_real_by(const struct control *control, struct clock_line *line, uint64_t tick);

#endif
