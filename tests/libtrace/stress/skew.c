#include "skew.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "load.h"

#if defined(__x86_64__)
#include <x86intrin.h>

enum {
	PAIRS = 16,
	ROUNDS = 20000,
	PAIR_NS = 200000000, /* where others want the processors, too */
};

/* Round n: the first side writes 2n - 1, the other one answers with 2n. */
struct ring {
	_Alignas(64) atomic_uint turn;
	_Alignas(64) uint64_t answer; /* written before the turn is passed */
	int processor;
};

static uint64_t tick(void)
{
	unsigned aux;
	uint64_t t = __rdtscp(&aux); /* after the load that saw the turn */

	_mm_lfence(); /* before the store that passes it */
	return t;
}

static void pin(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
}

static unsigned await(struct ring *ring, unsigned parity, unsigned last)
{
	unsigned turn;

	for (unsigned i = 1;; i++) {
		turn = atomic_load_explicit(&ring->turn, memory_order_acquire);
		if (turn == UINT32_MAX || (turn != last && turn % 2 == parity))
			return turn;
		if (i % 4096 == 0)
			sched_yield();
	}
}

static void *answer(void *arg)
{
	struct ring *ring = arg;
	unsigned turn = 0;

	pin(ring->processor);
	while ((turn = await(ring, 1, turn)) != UINT32_MAX) {
		ring->answer = tick();
		atomic_store_explicit(&ring->turn, turn + 1, memory_order_release);
	}
	return NULL;
}

/* The answer was read between two ticks of this side: it is ahead by at least answer - after, and
 * by at most answer - before. The narrowest bounds of all rounds count. */
static void measure_pair(int processor, int64_t *low, int64_t *high)
{
	struct ring ring = {.processor = processor};
	pthread_t thread = tool_thread(answer, &ring);
	int64_t end = tool_ns(tool_now(CLOCK_MONOTONIC)) + PAIR_NS;

	*low = INT64_MIN;
	*high = INT64_MAX;
	for (unsigned n = 0; n < ROUNDS && (n == 0 || tool_ns(tool_now(CLOCK_MONOTONIC)) < end);
	     n++) {
		uint64_t before = tick(), after;

		atomic_store_explicit(&ring.turn, 2 * n + 1, memory_order_release);
		await(&ring, 0, 2 * n);
		after = tick();
		if ((int64_t)(ring.answer - after) > *low)
			*low = (int64_t)(ring.answer - after);
		if ((int64_t)(ring.answer - before) < *high)
			*high = (int64_t)(ring.answer - before);
	}
	atomic_store(&ring.turn, UINT32_MAX);
	tool_join(thread);
}

static void measure_all(struct skew *skew, const cpu_set_t *all)
{
	int first = -1;

	for (int i = 0; i < CPU_SETSIZE && skew->pairs < PAIRS; i++) {
		int64_t low, high;

		if (!CPU_ISSET(i, all))
			continue;
		if (first < 0) {
			pin(first = i);
			continue;
		}
		measure_pair(i, &low, &high);
		skew->low = skew->pairs == 0 || low < skew->low ? low : skew->low;
		skew->high = skew->pairs == 0 || high > skew->high ? high : skew->high;
		skew->pairs++;
	}
}

struct skew skew_measure(void)
{
	struct skew skew = {0};
	cpu_set_t all;

	CHECK(sched_getaffinity(0, sizeof(all), &all) == 0);
	measure_all(&skew, &all);
	CHECK(sched_setaffinity(0, sizeof(all), &all) == 0);
	snprintf(skew.text, sizeof(skew.text),
		 "the counters are between %lld and %lld ticks apart (pairs: %d)",
		 (long long)skew.low, (long long)skew.high, skew.pairs);
	return skew;
}

#else

struct skew skew_measure(void)
{
	return (struct skew){.text = "skew of counters: not measured on this kind of processor"};
}

#endif
