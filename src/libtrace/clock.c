/*
 * clock - see clock.h. The machine-dependent part is the counter at the top: how it is read between
 * fences, and whether it is reliable.
 */
#include "libtrace/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum {
	TRIES = 16,      /* measurements of a pair; attempts to change a word */
	AHEAD_BITS = 30, /* how far a sequence word may be ahead of the counter */
	BURST_NS = 35,
	BURST_MEASURE_NS = 50000,
	FAST_HZ = 200000000, /* with a slower counter two CPUs can see the same tick */
};

#if defined(__x86_64__) || defined(__i386__)

/* The instruction as text: every processor whose counter is used has it, even when the compiler
 * targets older ones. */
static void fence(void)
{
	__asm__ volatile("lfence" ::: "memory");
}

static uint64_t counter(void)
{
	uint64_t t;

	fence();
	t = __rdtsc();
	fence();
	return t;
}

/* The kernel uses the TSC only if it has verified that the CPUs agree. */
static bool kernel_trusts_tsc(void)
{
	char name[16];
	ssize_t n;
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = read(fd, name, sizeof(name));
	close(fd);
	return n == 4 && memcmp(name, "tsc\n", 4) == 0;
}

static bool tsc_is_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
}

static bool tsc_is_allowed(void)
{
	int how = 0;

	return prctl(PR_GET_TSC, &how) != 0 || how == PR_TSC_ENABLE;
}

static enum clock_kind find_kind(void)
{
	if (tsc_is_invariant() && tsc_is_allowed() && kernel_trusts_tsc())
		return CLOCK_KIND_TSC;
	return CLOCK_KIND_MONO;
}

bool clock_usable(enum clock_kind kind)
{
	if (kind == CLOCK_KIND_MONO)
		return true;
	return (kind == CLOCK_KIND_TSC || kind == CLOCK_KIND_SEQ) && tsc_is_invariant() &&
	       tsc_is_allowed();
}

#elif defined(__aarch64__)

static uint64_t counter(void)
{
	uint64_t t;

	__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(t)::"memory");
	return t;
}

static enum clock_kind find_kind(void)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz >= FAST_HZ ? CLOCK_KIND_TSC : CLOCK_KIND_SEQ;
}

bool clock_usable(enum clock_kind kind)
{
	return kind == CLOCK_KIND_TSC || kind == CLOCK_KIND_MONO || kind == CLOCK_KIND_SEQ;
}

#else

static uint64_t counter(void)
{
	return clock_mono();
}

static enum clock_kind find_kind(void)
{
	return CLOCK_KIND_MONO;
}

bool clock_usable(enum clock_kind kind)
{
	return kind == CLOCK_KIND_MONO || kind == CLOCK_KIND_SEQ;
}

#endif

static _Atomic uint32_t known_kind;
static unsigned coarse; /* low bits of the counter that CLOCK_KIND_SEQ ignores: 0 except in tests */

enum clock_kind clock_kind(void)
{
	uint32_t kind = atomic_load_explicit(&known_kind, memory_order_relaxed);

	if (kind == 0) {
		kind = find_kind();
		atomic_store_explicit(&known_kind, kind, memory_order_relaxed);
	}
	return (enum clock_kind)kind;
}

void clock_force(enum clock_kind kind, unsigned bits)
{
	coarse = bits;
	atomic_store_explicit(&known_kind, kind, memory_order_relaxed);
}

static uint64_t slow_counter(void)
{
	return counter() >> coarse;
}

/* The first tick that no event before this call can have. */
static uint64_t next_counter(void)
{
	uint64_t t, first = slow_counter();

	do
		t = slow_counter();
	while (t == first);
	return t;
}

uint64_t clock_fenced(enum clock_kind kind)
{
	switch (kind) {
	case CLOCK_KIND_TSC:
		return counter();
	case CLOCK_KIND_SEQ:
		return next_counter() << CLOCK_SEQ_BITS;
	case CLOCK_KIND_MONO:
		break;
	}
	return clock_mono();
}

/*
 * The word holds the last tick given out. The next tick is the counter if that is larger, else one
 * more than the word. So ticks ascend in the order in which the word changes, however many fall
 * into one tick of the counter. A word that is far ahead of the counter was damaged and is ignored.
 */
uint64_t clock_sequenced(_Atomic uint64_t *sequence)
{
	uint64_t last = atomic_load_explicit(sequence, memory_order_acquire);

	for (int i = 0; i < TRIES; i++) {
		uint64_t tick = slow_counter() << CLOCK_SEQ_BITS;

		if (tick <= last && last - tick < (uint64_t)1 << AHEAD_BITS)
			tick = last + 1;
		if (atomic_compare_exchange_strong_explicit(
			sequence, &last, tick, memory_order_acq_rel, memory_order_acquire))
			return tick;
	}
	return atomic_fetch_add_explicit(sequence, 1, memory_order_acq_rel) + 1;
}

struct clock_pair clock_pair(enum clock_kind kind)
{
	struct clock_pair best = {0, 0};
	uint64_t window = UINT64_MAX;

	if (kind == CLOCK_KIND_MONO) {
		best.mono_ns = best.tick = clock_mono();
		return best;
	}
	for (int i = 0; i < TRIES; i++) {
		uint64_t t0 = clock_fenced(kind), mono = clock_mono(), t1 = clock_fenced(kind);

		if (t1 - t0 >= window)
			continue;
		window = t1 - t0;
		best.tick = t0 + window / 2;
		best.mono_ns = mono;
	}
	return best;
}

static uint32_t measure_burst(enum clock_kind kind)
{
	struct clock_pair a = clock_pair(kind), b;

	while (clock_mono() - a.mono_ns < BURST_MEASURE_NS)
		;
	b = clock_pair(kind);
	return (uint32_t)(BURST_NS * (double)(b.tick - a.tick) / (double)(b.mono_ns - a.mono_ns));
}

uint32_t clock_burst(enum clock_kind kind)
{
	static _Atomic uint32_t known;
	uint32_t burst;

	if (kind != CLOCK_KIND_TSC)
		return 0;
	burst = atomic_load_explicit(&known, memory_order_relaxed);
	if (burst == 0) {
		burst = measure_burst(kind);
		atomic_store_explicit(&known, burst, memory_order_relaxed);
	}
	return burst;
}

/* Index of the pair that begins the line for a tick: the last pair that is not after it, but
 * never the very last one if there are two. */
static size_t line_of(const struct clock_pair *pairs, size_t count, uint64_t tick)
{
	size_t low = 0, high = count - 1;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (pairs[middle].tick <= tick)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Nanoseconds per tick between two pairs. */
static double slope_of(const struct clock_pair *a, const struct clock_pair *b)
{
	if (b->tick <= a->tick || b->mono_ns <= a->mono_ns)
		return 0;
	return (double)(b->mono_ns - a->mono_ns) / (double)(b->tick - a->tick);
}

struct clock_line clock_line(const struct clock_pair *pairs, size_t count, uint64_t tick)
{
	const struct clock_pair *a, *b;

	if (count < 2)
		return (struct clock_line){0};
	a = &pairs[line_of(pairs, count, tick)];
	b = a + 1;
	if (tick < a->tick)
		return (struct clock_line){0};
	if (tick >= b->tick) /* after the last pair */
		return (struct clock_line){b->tick, UINT64_MAX, b->mono_ns, UINT64_MAX,
					   slope_of(a, b)};
	return (struct clock_line){a->tick, b->tick, a->mono_ns, b->mono_ns, slope_of(a, b)};
}

uint64_t clock_convert(const struct clock_pair *pairs, size_t count, uint64_t tick)
{
	const struct clock_pair *first = pairs, *last = &pairs[count - 1];
	struct clock_line line;
	double ns;

	if (count == 1)
		return last->mono_ns + (tick - last->tick);
	line = clock_line(pairs, count, tick);
	if (line.to != 0)
		return clock_along(&line, tick);
	/* Before the first pair: extrapolated backwards. */
	ns = slope_of(first, first + 1) * (double)(first->tick - tick);
	return ns < (double)first->mono_ns ? first->mono_ns - (uint64_t)ns : 0;
}
