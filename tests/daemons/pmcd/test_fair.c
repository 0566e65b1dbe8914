/* test_fair - the order of service: shares of users and connections, light requests first, and no
 * client waits for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemons/pmcd/fair.h"

enum { HEAVY = 4500000, LIGHT = 10000, MEMBERS = 201 };

struct world {
	struct fair fair;
	struct fair_member members[MEMBERS];
	uint64_t cost[MEMBERS], served[MEMBERS];
	uint64_t clock;
};

static void join(struct world *w, int i, uint64_t user, uint64_t cost)
{
	assert_int_equal(fair_join(&w->fair, &w->members[i], user), 0);
	w->cost[i] = cost;
	fair_add(&w->fair, &w->members[i], cost);
}

/* Serves the first member, which queues again at once. Returns its index. */
static int serve(struct world *w)
{
	struct fair_member *m = fair_next(&w->fair);
	int i = (int)(m - w->members);

	fair_begin(&w->fair, m);
	w->clock += w->cost[i];
	w->served[i] += w->cost[i];
	fair_charge(&w->fair, m, w->cost[i]);
	fair_add(&w->fair, m, w->cost[i]);
	return i;
}

static void done(struct world *w)
{
	for (int i = 0; i < MEMBERS; i++)
		fair_leave(&w->fair, &w->members[i]);
	assert_true(fair_is_idle(&w->fair));
	assert_int_equal(w->fair.users.count, 0);
	fair_done(&w->fair);
}

/* A light connection of the same user, among 200 heavy ones, is served next, at whatever time it
 * sends a request. */
static void light_ones_first(void **state)
{
	static struct world w;

	memset(&w, 0, sizeof(w));
	for (int i = 0; i < MEMBERS - 1; i++)
		join(&w, i, 1, HEAVY);
	for (int round = 0; round < 1000; round++) {
		for (int n = random() % 5; n > 0; n--)
			serve(&w);
		if (round == 0)
			join(&w, MEMBERS - 1, 1, LIGHT);
		else
			fair_add(&w.fair, &w.members[MEMBERS - 1], LIGHT);
		struct fair_member *m = fair_next(&w.fair);

		assert_ptr_equal(m, &w.members[MEMBERS - 1]);
		fair_begin(&w.fair, m);
		fair_charge(&w.fair, m, LIGHT);
	}
	done(&w);
}

/* One connection of one user has as much as 200 of another. */
static void users_share(void **state)
{
	static struct world w;
	uint64_t many = 0;

	memset(&w, 0, sizeof(w));
	for (int i = 0; i < MEMBERS - 1; i++)
		join(&w, i, 1, HEAVY);
	join(&w, MEMBERS - 1, 2, HEAVY);
	for (int i = 0; i < 20000; i++)
		serve(&w);
	for (int i = 0; i < MEMBERS - 1; i++)
		many += w.served[i];
	assert_in_range(w.served[MEMBERS - 1] * 1000 / many, 990, 1010);
	done(&w);
}

/* Connections of one user get the same time, for any cost of their requests; none waits for
 * ever. */
static void connections_share(void **state)
{
	static struct world w;

	memset(&w, 0, sizeof(w));
	for (int i = 0; i < 10; i++)
		join(&w, i, 1, i % 2 == 0 ? HEAVY : 20 * LIGHT);
	while (w.clock < (uint64_t)10 * 1000 * HEAVY)
		serve(&w);
	for (int i = 0; i < 10; i++)
		assert_in_range(w.served[i] / HEAVY, 980, 1020);
	done(&w);
}

/* Time that was not used is not saved up: one that was away does not keep the others waiting. */
static void absence_is_no_credit(void **state)
{
	static struct world w;
	uint64_t before;

	memset(&w, 0, sizeof(w));
	join(&w, 0, 1, HEAVY);
	join(&w, 1, 1, HEAVY);
	fair_del(&w.fair, &w.members[1]);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(serve(&w), 0);
	fair_add(&w.fair, &w.members[1], HEAVY);
	before = w.served[0];
	for (int i = 0; i < 100; i++)
		serve(&w);
	assert_in_range((w.served[0] - before) / HEAVY, 48, 52);
	done(&w);
}

/* When no client waits any more, debts are reset. */
static void debts_are_forgiven(void **state)
{
	static struct world w;
	struct fair_member *m;

	memset(&w, 0, sizeof(w));
	join(&w, 0, 1, HEAVY);
	m = fair_next(&w.fair);
	fair_begin(&w.fair, m);
	fair_charge(&w.fair, m, 1000 * (uint64_t)HEAVY);
	join(&w, 1, 1, HEAVY);
	fair_add(&w.fair, &w.members[0], HEAVY - 1);
	assert_ptr_equal(fair_next(&w.fair), &w.members[0]);
	done(&w);
}

/* One that is held is in the queue of another; it leaves that when it goes. */
static void held_elsewhere(void **state)
{
	static struct world w;
	struct heap held = {0};

	memset(&w, 0, sizeof(w));
	join(&w, 0, 1, HEAVY);
	join(&w, 1, 1, HEAVY);
	fair_hold(&w.fair, &w.members[0], &held, HEAVY);
	assert_true(fair_waits(&w.members[0]));
	assert_ptr_equal(heap_first(&held), &w.members[0].place.by_key);
	fair_add(&w.fair, &w.members[0], HEAVY); /* stays */
	assert_ptr_equal(fair_next(&w.fair), &w.members[1]);
	assert_null(fair_next(&w.fair));
	fair_leave(&w.fair, &w.members[0]);
	assert_true(heap_empty(&held));
	done(&w);
}

/* Of the connections of one user that are held, the one that has had the least is first. */
static void held_by_share(void **state)
{
	static struct world w;
	struct heap held = {0};

	memset(&w, 0, sizeof(w));
	for (int i = 0; i < 10; i++)
		join(&w, i, 1, HEAVY);
	for (int n = 0; n < 95; n++) /* the last five have had less */
		serve(&w);
	for (int i = 0; i < 10; i++)
		fair_hold(&w.fair, &w.members[i], &held, HEAVY);
	for (uint64_t had = 0; !heap_empty(&held);) {
		struct fair_member *m =
		    HEAP_ENTRY(heap_first(&held), struct fair_member, place.by_key);

		assert_true(w.served[m - w.members] >= had);
		had = w.served[m - w.members];
		fair_del(&w.fair, m);
	}
	done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(light_ones_first),   cmocka_unit_test(users_share),
	    cmocka_unit_test(connections_share),  cmocka_unit_test(absence_is_no_credit),
	    cmocka_unit_test(debts_are_forgiven), cmocka_unit_test(held_elsewhere),
	    cmocka_unit_test(held_by_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
