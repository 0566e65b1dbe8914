/* test_explore - the explorer finds every order of a program whose orders are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "explore.h"
#include <stdatomic.h>

static struct {
	_Atomic uint64_t counter;
	_Atomic uint64_t flag[2], turn;
	uint64_t inside, both;
} world;

/* Counts without atomicity: two threads of two additions give 2, 3 or 4. */
static void add_badly(void *arg)
{
	for (int i = 0; i < 2; i++) {
		uint64_t v = atomic_load(&world.counter);

		atomic_store(&world.counter, v + 1);
	}
	(void)arg;
}

static unsigned outcomes[8];

static const char *count_outcome(void *arg)
{
	(void)arg;
	outcomes[atomic_load(&world.counter)]++;
	return NULL;
}

static void finds_lost_updates(void **state)
{
	struct explore explore = {
	    .regions = {{&world, sizeof(world)}},
	    .nregions = 1,
	    .threads = {{.name = "a", .run = add_badly}, {.name = "b", .run = add_badly}},
	    .nthreads = 2,
	    .max_states = 10000,
	    .check = count_outcome,
	};
	struct explore_result result = explore_run(&explore);

	(void)state;
	assert_true(result.complete);
	assert_true(outcomes[2] && outcomes[3] && outcomes[4]);
	assert_false(outcomes[0] || outcomes[1] || outcomes[5]);
	assert_int_equal(atomic_load(&world.counter), 0); /* the world is as before */
}

/* With a death between any two operations, anything from 0 up is possible. */
static void finds_deaths(void **state)
{
	struct explore explore = {
	    .regions = {{&world, sizeof(world)}},
	    .nregions = 1,
	    .threads = {{.name = "a", .run = add_badly, .mortal = true},
			{.name = "b", .run = add_badly, .mortal = true}},
	    .nthreads = 2,
	    .kills = 2,
	    .max_states = 10000,
	    .check = count_outcome,
	};

	(void)state;
	__builtin_memset(outcomes, 0, sizeof(outcomes));
	assert_true(explore_run(&explore).complete);
	for (int i = 0; i <= 4; i++)
		assert_true(outcomes[i] > 0);
}

/* Peterson's lock; the broken variant has the two stores in the other order. */
static void enter(unsigned me, int broken)
{
	if (broken)
		atomic_store(&world.turn, 1 - me);
	atomic_store(&world.flag[me], 1);
	if (!broken)
		atomic_store(&world.turn, 1 - me);
	for (int spins = 0; atomic_load(&world.flag[1 - me]); spins++) {
		if (atomic_load(&world.turn) == me)
			break;
		if (spins == 20)
			return; /* an unfair order: not a finding */
	}
	if (world.inside++)
		world.both = 1;
	explore_point();
	world.inside--;
	atomic_store(&world.flag[me], 0);
}

static void lock_well(void *arg)
{
	enter((unsigned)(uintptr_t)arg, 0);
}

static void lock_badly(void *arg)
{
	enter((unsigned)(uintptr_t)arg, 1);
}

static const char *nobody_met(void *arg)
{
	(void)arg;
	return world.both ? "both inside" : NULL;
}

static void judges_locks(void **state)
{
	struct explore explore = {
	    .regions = {{&world, sizeof(world)}},
	    .nregions = 1,
	    .threads = {{.name = "a", .run = lock_well, .arg = (void *)0},
			{.name = "b", .run = lock_well, .arg = (void *)1}},
	    .nthreads = 2,
	    .max_states = 1000000,
	    .check = nobody_met,
	};
	struct explore_result result = explore_run(&explore);

	(void)state;
	assert_true(result.complete);
	assert_null(result.wrong);
	explore.threads[0].run = explore.threads[1].run = lock_badly;
	assert_non_null(explore_run(&explore).wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_lost_updates),
	    cmocka_unit_test(finds_deaths),
	    cmocka_unit_test(judges_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
