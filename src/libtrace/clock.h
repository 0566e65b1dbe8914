/*
 * clock - ticks: what a record is stamped with, and how they become nanoseconds.
 *
 * docs/spec/trace-design.md 6 has the measurements and the argument. The kind is chosen once a
 * process by the controller and written into the segment; a target that cannot read that kind
 * does not attach.
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
	CLOCK_KIND_SEQ = 3,  /* a slow counter << CLOCK_SEQ_BITS, told apart by the stream's last tick */
};

/* More events than a stream can take in a tick of a slow counter, few enough bits that the counter
 * lasts for years. */
#define CLOCK_SEQ_BITS 10

/* One moment on both clocks. */
struct clock_pair {
	uint64_t tick;
	uint64_t mono_ns;
};

/* The kind that this machine can be trusted with. Cached; needs /sys once. */
enum clock_kind clock_kind(void);

/* For tests, before the first stream: a kind that is usable, but that this machine would not choose;
 * for CLOCK_KIND_SEQ without the lowest bits of the counter, as if that were a slow one. */
void clock_force(enum clock_kind kind, unsigned bits);

/* Whether this process can read that kind here: one is forbidden by prctl(PR_SET_TSC), another is
 * of another machine. Signal-safe. */
bool clock_usable(enum clock_kind kind);

/* A tick that no earlier load or store of this thread crosses, nor a later one. */
uint64_t clock_fenced(enum clock_kind kind);

/* A tick of CLOCK_KIND_SEQ, ordered against every other of the same sequence word. */
uint64_t clock_sequenced(_Atomic uint64_t *sequence);

/* The closest of several tries. */
struct clock_pair clock_pair(enum clock_kind kind);

/* Ticks in 35 ns: an event closer than this to the thread's last one is not fenced. 0 for kinds
 * that need no fence. Cached; measured once, in 50 us. */
uint32_t clock_burst(enum clock_kind kind);

/* CLOCK_MONOTONIC ns of a tick by pairs in ascending order (count >= 1): interpolated inside,
 * extrapolated with the nearest slope outside, a ns a tick where there is one pair alone; never
 * decreasing in tick, whatever the pairs are. */
uint64_t clock_convert(const struct clock_pair *pairs, size_t count, uint64_t tick);

/* What clock_convert() does with ticks from `from` on, to below `to`. All zero: with none. */
struct clock_line {
	uint64_t from, to;
	uint64_t ns, most; /* of `from`; none is more */
	double slope;
};

/* The line that a tick is on, for those near it; before the first pair there is none. */
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
