/*
 * timeline - the clock pairs of a stream: the reader takes them now and then, and converts ticks to
 * the times of reported events (docs/spec/posix-trace.md R-9).
 *
 * Writers      the holder of the stream's mutex, or the keeper; the pair first, then the count.
 * Invariants   pairs ascend in tick and in ns. Ticks that are converted in one round of the reader are
 *              between two pairs, or no further after the last pair than the last two are apart.
 */
#ifndef LIBTRACE_TIMELINE_H
#define LIBTRACE_TIMELINE_H

#include "libtrace/control.h"

/* Takes a pair if one is due: soon after the first, then at doubling intervals, in the end every
 * second. */
void control_clock_extend(struct control *control);

/* CLOCK_MONOTONIC ns of a tick, and ns since the epoch on the stream's own time line. */
uint64_t control_clock_mono(const struct control *control, uint64_t tick);
int64_t control_clock_real(const struct control *control, uint64_t tick);

/* The same for many ticks. `line` caches the line of the last tick; it must be all zero at first
 * and after control_clock_extend(). */
int64_t control_clock_real_by(const struct control *control, struct clock_line *line, uint64_t tick);

#endif
