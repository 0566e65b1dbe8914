/*
 * fake_timing - timing.h for tests: time passes only when the test says so, and timers
 * run in the order in which they are due. Link fake_timing.c into the test; nothing of pmlogger's
 * timing.c is linked then.
 */
#ifndef FAKE_TIMING_H
#define FAKE_TIMING_H

#include <stdint.h>
#include <time.h>

/* A machine that was booted a day ago, at this time of day, without timers. */
void fake_timing_begin(struct timespec now);

/* All clocks pass by so much. Each timer that is due meanwhile runs at its time. */
void fake_timing_pass(uint64_t ms);

/* The time of day is set by so much; no other clock is. */
void fake_timing_set(int64_t by_ms);

#endif
