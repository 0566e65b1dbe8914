/* test_clock - ticks: kinds, pairs, and the way to nanoseconds and back from hostile pairs. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "libtrace/clock.h"

static void every_usable_kind_ticks(void **state)
{
	assert_true(clock_usable(clock_kind()));
	assert_true(clock_usable(CLOCK_KIND_MONO));
	for (int kind = CLOCK_KIND_TSC; kind <= CLOCK_KIND_SEQ; kind++) {
		uint64_t before, now;

		if (!clock_usable((enum clock_kind)kind))
			continue;
		before = clock_fenced((enum clock_kind)kind);
		for (int i = 0; i < 1000; i++) {
			now = clock_fenced((enum clock_kind)kind);
			assert_true(now >= before);
			before = now;
		}
	}
}

static void a_pair_is_one_moment(void **state)
{
	enum clock_kind kind = clock_kind();
	int wrong = 1;

	/* Somebody who takes the processor in a pair makes it worse; not each time. */
	for (int round = 0; wrong != 0 && round < 10; round++) {
		struct clock_pair pairs[2];

		wrong = 0;
		pairs[0] = clock_pair(kind);
		while (clock_mono() - pairs[0].mono_ns < 5000000)
			;
		pairs[1] = clock_pair(kind);
		for (int i = 0; i < 100; i++) {
			uint64_t before = clock_mono(), tick = clock_fenced(kind),
				 after = clock_mono(), ns;

			ns = clock_convert(pairs, 2, tick);
			/* Of two pairs 5 ms apart: both within half a microsecond, and so the line.
			 */
			wrong += ns + 2000 <= before || ns >= after + 2000;
		}
	}
	assert_int_equal(wrong, 0);
}

static void a_burst_is_some_nanoseconds(void **state)
{
	struct clock_pair a, b;
	uint32_t burst = clock_burst(CLOCK_KIND_TSC);
	double ns;

	assert_int_equal(clock_burst(CLOCK_KIND_MONO), 0);
	if (!clock_usable(CLOCK_KIND_TSC) || clock_kind() != CLOCK_KIND_TSC)
		skip();
	assert_int_equal(burst, clock_burst(CLOCK_KIND_TSC));
	a = clock_pair(CLOCK_KIND_TSC);
	while (clock_mono() - a.mono_ns < 2000000)
		;
	b = clock_pair(CLOCK_KIND_TSC);
	ns = burst * (double)(b.mono_ns - a.mono_ns) / (double)(b.tick - a.tick);
	assert_true(ns > 25 && ns < 45);
}

static void converts_by_pairs(void **state)
{
	/* 2 ns a tick, then 4, then 0.5; the last slope goes on. */
	static const struct clock_pair pairs[] = {
	    {1000, 50000}, {2000, 52000}, {3000, 56000}, {5000, 57000}};
	static const struct {
		uint64_t tick, ns;
	} rows[] = {
	    {0, 48000},    {999, 49998},  {1000, 50000}, {1500, 51000},
	    {2000, 52000}, {2001, 52004}, {2999, 55996}, {3000, 56000},
	    {4000, 56500}, {5000, 57000}, {7000, 58000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(clock_convert(pairs, 4, rows[i].tick), rows[i].ns);
	assert_int_equal(clock_convert(pairs, 1, 1500), 50500);
	assert_int_equal(clock_convert(pairs, 1, 500), 49500);
}

static void never_goes_back(void **state)
{
	struct clock_pair pairs[50];

	srand(1);
	for (int round = 0; round < 200; round++) {
		uint64_t tick = 1u << 30, ns = 1u << 30, last = 0;
		struct clock_line line = {0};

		for (int i = 0; i < 50; i++) {
			tick += (uint64_t)rand() % 5000000000u;
			ns += (uint64_t)rand() % 3000000000u;
			pairs[i] = (struct clock_pair){tick, ns};
		}
		for (tick = 0; tick < pairs[49].tick + 1000000000u;
		     tick += 1 + (uint64_t)rand() % 400000000u) {
			uint64_t now = clock_convert(pairs, 50, tick);

			assert_true(now >= last);
			last = now;
			if (!clock_on(&line, tick))
				line = clock_line(pairs, 50, tick);
			assert_int_equal(clock_on(&line, tick), tick >= pairs[0].tick);
			if (clock_on(&line, tick))
				assert_int_equal(clock_along(&line, tick), now);
		}
	}
}

static void lives_with_any_pairs(void **state)
{
	struct clock_pair pairs[8];

	srand(2);
	for (int round = 0; round < 20000; round++) {
		for (int i = 0; i < 8; i++)
			pairs[i] = (struct clock_pair){(uint64_t)rand() << (rand() % 33),
						       (uint64_t)rand() << (rand() % 33)};
		(void)clock_convert(pairs, (size_t)(1 + rand() % 8),
				    (uint64_t)rand() << (rand() % 33));
	}
}

enum { THREADS = 2, EACH = 100000, SLOW_BITS = 12 };
static _Atomic uint64_t sequence, latest;

/* Own ticks ascend, and are greater than any that another thread had before. */
static void *take(void *arg)
{
	uint64_t last = 0;

	for (int i = 0; i < EACH; i++) {
		uint64_t before = atomic_load(&latest), now = clock_sequenced(&sequence);

		if (now <= last || now <= before)
			return arg;
		last = now;
		atomic_store(&latest, now);
	}
	return NULL;
}

static void sequenced_ticks_ascend(void **state)
{
	pthread_t threads[THREADS];
	void *bad;
	enum clock_kind was = clock_kind();
	uint64_t fenced;

	if (!clock_usable(CLOCK_KIND_SEQ))
		skip();
	clock_force(CLOCK_KIND_SEQ, SLOW_BITS);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take, &sequence), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
	/* Earlier time stamps are before a fenced tick, later ones are not. */
	for (int i = 0; i < 1000; i++) {
		fenced = clock_fenced(CLOCK_KIND_SEQ);
		assert_true(atomic_load(&latest) < fenced);
		atomic_store(&latest, clock_sequenced(&sequence));
		assert_true(atomic_load(&latest) >= fenced);
	}
	/* Another process may have put anything there: it does not last. */
	atomic_store(&sequence, UINT64_MAX - 5);
	fenced = clock_fenced(CLOCK_KIND_SEQ);
	assert_true(clock_sequenced(&sequence) - fenced < (uint64_t)1 << 40);
	clock_force(was, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_usable_kind_ticks),
	    cmocka_unit_test(a_pair_is_one_moment),
	    cmocka_unit_test(a_burst_is_some_nanoseconds),
	    cmocka_unit_test(converts_by_pairs),
	    cmocka_unit_test(never_goes_back),
	    cmocka_unit_test(lives_with_any_pairs),
	    cmocka_unit_test(sequenced_ticks_ascend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
