/*
 * clock - ticks, the timestamps of records, and their conversion to nanoseconds.
 * docs/spec/trace-design.md 6 has the measurements and the argument. The controller chooses the
 * kind once per process and writes it into the segment; a target that cannot read that kind does
 * not attach.
 */
#ifndef LIBTRACE_CLOCK_H
#define LIBTRACE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum clock_kind {
	CLOCK_KIND_TSC = 1,  /* rdtsc; invariant, and the kernel's current clock source */
	CLOCK_KIND_MONO = 2, /* clock_gettime(CLOCK_MONOTONIC), ns */
	CLOCK_KIND_SEQ = 3,  /* a slow counter << CLOCK_SEQ_BITS, made unique per stream */
};

/* Room for more events than a stream can record in one tick of a slow counter, and few enough
 * bits that the counter lasts for years. */
#define CLOCK_SEQ_BITS 10

/* One moment on both clocks. */
struct clock_pair {
	uint64_t tick;
	uint64_t mono_ns;
};

/* The best kind that is reliable on this machine. Cached; reads /sys once. */
enum clock_kind clock_kind(void);

/* For tests, before the first stream: selects a usable kind that this machine would not choose;
 * CLOCK_KIND_SEQ ignores the lowest bits of the counter, to simulate a slow one. */
void clock_force(enum clock_kind kind, unsigned bits);

/* Can this process read that kind? prctl(PR_SET_TSC) can forbid one kind, and another belongs to
 * another architecture. Signal-safe. */
bool clock_usable(enum clock_kind kind);

/* A tick that is ordered after all earlier and before all later loads and stores of this thread. */
uint64_t clock_fenced(enum clock_kind kind);

/* A tick of CLOCK_KIND_SEQ, ordered against all others of the same sequence word. */
uint64_t clock_sequenced(_Atomic uint64_t *sequence);

/* The closest of several measurements. */
struct clock_pair clock_pair(enum clock_kind kind);

/* Ticks in 35 ns: an event closer than this to the thread's last one is not fenced. 0 for kinds
 * that need no fence. Cached; measured once, in 50 us. */
uint32_t clock_burst(enum clock_kind kind);

/* CLOCK_MONOTONIC ns of a tick by pairs in ascending order (count >= 1): interpolated between
 * pairs, extrapolated with the nearest slope outside, 1 ns per tick if there is only one pair;
 * never decreases with the tick, whatever the pairs are. */
uint64_t clock_convert(const struct clock_pair *pairs, size_t count, uint64_t tick);

/* The function that clock_convert() uses for ticks in [from, to). All zero: an empty range. */
struct clock_line {
	uint64_t from, to;
	uint64_t ns, most; /* result for `from`, and upper bound of all results */
	double slope;
};

/* The line for a tick and its neighbours; empty for ticks before the first pair. */
struct clock_line clock_line(const struct clock_pair *pairs, size_t count, uint64_t tick);

static inline bool clock_on(const struct clock_line *line, uint64_t tick)
{
	return tick >= line->from && tick < line->to;
}

static inline uint64_t clock_along(const struct clock_line *line, uint64_t tick)
{
	double apart = line->slope * (double)(tick - line->from);
	uint64_t ns = line->ns + (apart < 9e18 ? (uint64_t)apart : (uint64_t)9e18);

	return ns < line->most ? ns : line->most;
}

static inline uint64_t clock_mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_real(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
