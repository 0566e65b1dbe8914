/* test_logging_state - the table of docs/spec/logger.md A3, cell by cell, and what it costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "daemons/pmlogger/logging_state.h"
#include "libbase/cleanup.h"

#define INDOM 5u

enum { D1 = 1000, D2 = 2000 };

static const struct logging_request mand_on1 = {true, LOGGING_ON, D1, false};
static const struct logging_request mand_on2 = {true, LOGGING_ON, D2, false};
static const struct logging_request mand_off = {true, LOGGING_OFF, 0, false};
static const struct logging_request mand_maybe = {true, LOGGING_MAYBE, 0, false};
static const struct logging_request adv_on1 = {false, LOGGING_ON, D1, false};
static const struct logging_request adv_on2 = {false, LOGGING_ON, D2, false};
static const struct logging_request adv_off = {false, LOGGING_OFF, 0, false};
static const struct logging_request adv_maybe = {false, LOGGING_MAYBE, 0, false};

static uint32_t bits(bool mandatory, bool on, uint32_t delta)
{
	return (on ? 1u : 0) | (mandatory ? 2u : 0) | delta << 4;
}

static struct logging_metric *add(struct logging *l, pmID pmid, pmInDom indom)
{
	char *names[] = {"some.metric"};
	pmDesc desc = {.pmid = pmid, .type = PM_TYPE_U32, .indom = indom, .sem = PM_SEM_INSTANT};

	return logging_add(l, &desc, 1, names);
}

static bool change(struct logging *l, struct logging_metric *m, const struct logging_request *r,
		   int inst)
{
	int err;
	bool ok = logging_change(l, m, r, inst == (int)PM_IN_NULL ? NULL : &inst,
				 inst == (int)PM_IN_NULL ? 0 : 1, &err);

	assert_int_equal(err, 0);
	return ok;
}

/* Tasks without items go, as the scheduler does it. */
static size_t sweep(struct logging *l)
{
	size_t n = 0;

	LIST_FOR_EACH (node, &l->tasks) {
		struct logging_task *t = LIST_ENTRY(node, struct logging_task, in_tasks);

		if (t->nitem == 0)
			logging_task_free(t);
		else
			n++;
	}
	return n;
}

struct cell {
	const struct logging_request *before; /* NULL: advisory off */
	const struct logging_request *request;
	bool accepted;
	bool mandatory, on;
	uint32_t delta;
};

/* clang-format off */
static const struct cell cells[] = {
	{ NULL,      &mand_on2,   true,  true,  true,  D2 },
	{ NULL,      &mand_off,   true,  true,  false, 0 },
	{ NULL,      &mand_maybe, true,  false, false, 0 },
	{ NULL,      &adv_on2,    true,  false, true,  D2 },
	{ NULL,      &adv_off,    true,  false, false, 0 },
	{ NULL,      &adv_maybe,  true,  false, false, 0 },
	{ &adv_on1,  &mand_on2,   true,  true,  true,  D2 },
	{ &adv_on1,  &mand_off,   true,  true,  false, 0 },
	{ &adv_on1,  &mand_maybe, true,  false, true,  D1 },
	{ &adv_on1,  &adv_on2,    true,  false, true,  D2 },
	{ &adv_on1,  &adv_on1,    true,  false, true,  D1 },
	{ &adv_on1,  &adv_off,    true,  false, false, 0 },
	{ &adv_on1,  &adv_maybe,  true,  false, false, 0 },
	{ &mand_on1, &mand_on2,   true,  true,  true,  D2 },
	{ &mand_on1, &mand_off,   true,  true,  false, 0 },
	{ &mand_on1, &mand_maybe, true,  false, false, 0 },
	{ &mand_on1, &adv_on2,    false, true,  true,  D1 },
	{ &mand_on1, &adv_off,    false, true,  true,  D1 },
	{ &mand_on1, &adv_maybe,  false, true,  true,  D1 },
	{ &mand_off, &mand_on2,   true,  true,  true,  D2 },
	{ &mand_off, &mand_off,   true,  true,  false, 0 },
	{ &mand_off, &mand_maybe, true,  false, false, 0 },
	{ &mand_off, &adv_on2,    false, true,  false, 0 },
	{ &mand_off, &adv_off,    false, true,  false, 0 },
	{ &mand_off, &adv_maybe,  false, true,  false, 0 },
};
/* clang-format on */

static void check_cell(const struct cell *c, pmInDom indom, int inst)
{
	struct logging l;
	struct logging_metric *m;

	logging_init(&l);
	m = add(&l, 1, indom);
	if (c->before != NULL)
		assert_true(change(&l, m, c->before, inst));
	assert_int_equal(change(&l, m, c->request, inst), c->accepted);
	assert_int_equal(logging_status(m, inst), bits(c->mandatory, c->on, c->delta));
	sweep(&l);
	assert_int_equal(logging_status(m, inst), bits(c->mandatory, c->on, c->delta));
	logging_done(&l);
}

static void table_holds(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
		check_cell(&cells[i], PM_INDOM_NULL, PM_IN_NULL); /* a singular metric */
		check_cell(&cells[i], INDOM, PM_IN_NULL);         /* all instances */
		check_cell(&cells[i], INDOM, 7);                  /* one instance */
	}
}

static void all_refuses_instances(void **state)
{
	const struct logging_request *requests[] = {&mand_on2, &mand_off, &mand_maybe, &adv_on2,
						    &adv_off};
	struct logging l;
	struct logging_metric *m;

	logging_init(&l);
	m = add(&l, 1, INDOM);
	change(&l, m, &adv_on1, PM_IN_NULL);
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		assert_false(change(&l, m, requests[i], 3));
		assert_int_equal(logging_status(m, 3), bits(false, true, D1));
	}
	assert_true(change(&l, m, &adv_off, PM_IN_NULL));
	assert_true(change(&l, m, &mand_on2, 3));
	assert_int_equal(logging_status(m, 3), bits(true, true, D2));
	assert_int_equal(logging_status(m, 4), 0);
	logging_done(&l);
}

struct widened {
	const struct logging_request *first, *second, *all;
	bool accepted;
	uint32_t bits0, bits1, other;
};

static void all_over_instances(void **state)
{
	uint32_t m1 = bits(true, true, D1), a1 = bits(false, true, D1), a2 = bits(false, true, D2),
		 off = bits(true, false, 0);
	const struct widened rows[] = {
	    {&mand_on1, &adv_on1, &adv_on2, false, m1, a1, 0},
	    {&mand_on1, &adv_on1, &adv_off, false, m1, a1, 0},
	    {&mand_off, &adv_on1, &adv_off, false, off, a1, 0},
	    {&adv_on1, &adv_on1, &mand_maybe, true, a1, a1, 0},
	    {&mand_on1, &adv_on1, &mand_maybe, true, 0, 0, 0},
	    {&adv_on1, &adv_on1, &adv_on2, true, a2, a2, a2},
	    {&adv_on1, &adv_on1, &adv_off, true, 0, 0, 0},
	    {&mand_on1, &adv_on1, &mand_off, true, off, off, off},
	    {&mand_on1, &adv_on1, &mand_on1, true, m1, m1, m1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct logging l;
		struct logging_metric *m;

		logging_init(&l);
		m = add(&l, 1, INDOM);
		change(&l, m, rows[i].first, 0);
		change(&l, m, rows[i].second, 1);
		assert_int_equal(change(&l, m, rows[i].all, PM_IN_NULL), rows[i].accepted);
		assert_int_equal(logging_status(m, 0), rows[i].bits0);
		assert_int_equal(logging_status(m, 1), rows[i].bits1);
		assert_int_equal(logging_status(m, 2), rows[i].other);
		logging_done(&l);
	}
}

static void tasks_are_shared(void **state)
{
	struct logging_request once = {false, LOGGING_ON, 0, false};
	struct logging_request once_in_file = {false, LOGGING_ON, 0, true};
	struct logging l;
	struct logging_metric *m, *other;

	logging_init(&l);
	m = add(&l, 1, PM_INDOM_NULL);
	other = add(&l, 2, PM_INDOM_NULL);
	change(&l, m, &adv_on1, PM_IN_NULL);
	change(&l, other, &adv_on1, PM_IN_NULL);
	assert_ptr_equal(m->all->task, other->all->task);
	change(&l, m, &once, PM_IN_NULL);
	change(&l, other, &once, PM_IN_NULL);
	assert_ptr_not_equal(m->all->task, other->all->task);
	assert_int_equal(sweep(&l), 2); /* that of adv_on1 is gone */
	assert_ptr_equal(LIST_ENTRY(l.tasks.next, struct logging_task, in_tasks), other->all->task);
	m = add(&l, 3, PM_INDOM_NULL);
	change(&l, m, &once_in_file, PM_IN_NULL);
	assert_ptr_equal(m->all->task, other->all->task);
	assert_int_equal(logging_status(m, PM_IN_NULL), bits(false, true, 0));
	logging_done(&l);
}

static void history_is_kept(void **state)
{
	const int first[] = {1, 2}, second[] = {2, 3};
	const struct logging_seen *seen;
	struct logging l;
	struct logging_metric *m;
	size_t pos = 0, n = 0;

	logging_init(&l);
	m = add(&l, 1, INDOM);
	change(&l, m, &adv_on1, PM_IN_NULL);
	logging_saw(m, m->all->task, first, 2);
	logging_saw(m, m->all->task, second, 2);
	assert_int_equal(logging_status(m, 1), bits(false, true, D1) | LOGGING_BIT_INLOG);
	assert_int_equal(logging_status(m, 3),
			 bits(false, true, D1) | LOGGING_BIT_INLOG | LOGGING_BIT_AVAIL);
	assert_int_equal(logging_status(m, 4), bits(false, true, D1));
	while ((seen = logging_seen_next(m, &pos)) != NULL)
		n += seen->inst >= 1 && seen->inst <= 3;
	assert_int_equal(n, 3);
	change(&l, m, &adv_off, PM_IN_NULL);
	assert_int_equal(logging_status(m, 1), LOGGING_BIT_INLOG);
	assert_int_equal(logging_status(m, 3), LOGGING_BIT_INLOG | LOGGING_BIT_AVAIL);
	assert_int_equal(logging_status(NULL, 1), 0);
	logging_done(&l);
}

/* Two instances are logged, one is turned off, and a record without it comes: it was there when it
 * was logged last. */
static void off_is_not_absent(void **state)
{
	const int both[] = {1, 2}, one[] = {2};
	struct logging l;
	struct logging_metric *m;
	struct logging_task *task;
	int err;

	logging_init(&l);
	m = add(&l, 1, INDOM);
	logging_change(&l, m, &mand_on1, both, 2, &err);
	task = LIST_ENTRY(l.tasks.next, struct logging_task, in_tasks);
	logging_saw(m, task, both, 2);
	change(&l, m, &mand_off, 1);
	logging_saw(m, task, one, 1);
	assert_int_equal(logging_status(m, 1),
			 LOGGING_BIT_MANDATORY | LOGGING_BIT_INLOG | LOGGING_BIT_AVAIL);
	logging_saw(m, task, NULL, 0);
	assert_int_equal(logging_status(m, 2) & LOGGING_BIT_AVAIL, 0);
	logging_done(&l);
}

/* The tasks that log an instance, by the interval of each, in the order of tasks. */
static const char *logged_by(const struct logging *l, int inst)
{
	static char text[64];
	int n = 0;

	text[0] = '\0';
	LIST_FOR_EACH (pos, &l->tasks) {
		const struct logging_task *t = LIST_ENTRY(pos, struct logging_task, in_tasks);

		LIST_FOR_EACH (node, &t->items) {
			const struct logging_item *item =
			    LIST_ENTRY(node, struct logging_item, in_task);

			if (item->whole || item->inst == inst)
				n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%u",
					      n > 0 ? " " : "", t->delta_ms / D1);
		}
	}
	return text;
}

#define BITS(mandatory, delta)                                                                     \
	(LOGGING_BIT_ON | ((mandatory) ? LOGGING_BIT_MANDATORY : 0u) | (delta) << 4)

/* Two statements of a configuration about one metric. Intervals: 1 and 2 times D1. */
static const struct logging_request A1 = {false, LOGGING_ON, D1, true},
				    A2 = {false, LOGGING_ON, D2, true},
				    M1 = {true, LOGGING_ON, D1, true},
				    M2 = {true, LOGGING_ON, D2, true},
				    OFF = {true, LOGGING_OFF, 0, true},
				    MAYBE = {true, LOGGING_MAYBE, 0, true},
				    A_OFF = {false, LOGGING_OFF, 0, true};

static const struct {
	const struct logging_request *first;
	bool first_all;
	const struct logging_request *second;
	bool second_all;
	bool refused;
	const char *five, *six; /* the tasks that log instances 5, which was named, and 6 */
	uint32_t bits5, bits6;
} statements[] = {
    {&M1, true, &M2, true, false, "1 2", "1 2", BITS(true, D1), BITS(true, D1)},
    {&A1, true, &A2, true, false, "1 2", "1 2", BITS(false, D1), BITS(false, D1)},
    {&A1, true, &M2, true, false, "1 2", "1 2", BITS(true, D2), BITS(true, D2)},
    {&M1, true, &A2, true, true, "1", "1", BITS(true, D1), BITS(true, D1)},
    {&M1, true, &M1, true, false, "1", "1", BITS(true, D1), BITS(true, D1)},
    {&M1, true, &OFF, true, false, "1", "1", BITS(true, D1), BITS(true, D1)},
    {&M1, true, &MAYBE, true, false, "1", "1", BITS(true, D1), BITS(true, D1)},
    {&A1, true, &A_OFF, true, false, "1", "1", BITS(false, D1), BITS(false, D1)},
    {&OFF, true, &M1, true, false, "1", "1", BITS(true, D1), BITS(true, D1)},
    {&OFF, true, &A1, true, true, "", "", LOGGING_BIT_MANDATORY, LOGGING_BIT_MANDATORY},
    {&M1, true, &M2, false, false, "1 2", "1", BITS(true, D2), BITS(true, D1)},
    {&M1, false, &M2, true, false, "1 2", "2", BITS(true, D1), BITS(true, D2)},
    {&M1, false, &M1, true, false, "1", "1", BITS(true, D1), BITS(true, D1)},
    {&M1, true, &A2, false, true, "1", "1", BITS(true, D1), BITS(true, D1)},
    {&M1, false, &M2, false, false, "2", "", BITS(true, D2), 0},
    {&M1, false, &OFF, false, false, "", "", LOGGING_BIT_MANDATORY, 0},
    {&A1, false, &MAYBE, false, false, "", "", 0, 0},
    {&M1, true, &OFF, false, false, "1", "1", BITS(true, D1), BITS(true, D1)},
    {&M1, false, &OFF, true, false, "1", "", BITS(true, D1), 0},
};

static void each_statement_logs(void **state)
{
	const struct logging_request off = {true, LOGGING_OFF, 0, false};
	const int five = 5;

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		struct logging l;
		struct logging_metric *m;
		bool agreed;
		int err;

		logging_init(&l);
		m = add(&l, 1, INDOM);
		logging_change(&l, m, statements[i].first, &five, !statements[i].first_all, &err);
		agreed = logging_change(&l, m, statements[i].second, &five,
					!statements[i].second_all, &err);
		if (agreed == statements[i].refused ||
		    strcmp(logged_by(&l, 5), statements[i].five) != 0)
			fail_msg("case %zu: instance 5 is logged by \"%s\"", i, logged_by(&l, 5));
		if (strcmp(logged_by(&l, 6), statements[i].six) != 0)
			fail_msg("case %zu: instance 6 is logged by \"%s\"", i, logged_by(&l, 6));
		if (logging_bits(m, 5) != statements[i].bits5 ||
		    logging_bits(m, 6) != statements[i].bits6)
			fail_msg("case %zu: bits %#x %#x", i, logging_bits(m, 5),
				 logging_bits(m, 6));
		/* A control client replaces what all statements said. */
		assert_true(logging_change(&l, m, &off, NULL, 0, &err));
		assert_string_equal(logged_by(&l, 5), "");
		assert_int_equal(logging_bits(m, 5), LOGGING_BIT_MANDATORY);
		logging_done(&l);
	}
}

/* Events that agents kept while recording was off are reported once. */
static void events_have_holes(void **state)
{
	const struct logging_request once = {true, LOGGING_ON, 0, false};
	const int seen[] = {4, 5}, five = 5;
	struct logging l;
	struct logging_metric *m;
	int err;

	logging_init(&l);
	m = add(&l, 1, INDOM);
	m->desc.type = PM_TYPE_HIGHRES_EVENT;
	logging_change(&l, m, &mand_on1, &five, 1, &err);
	logging_saw(m, NULL, seen, 2);      /* 4 with it, as a fetch of "all" would */
	assert_false(logging_primed(m, 5)); /* its beginning */
	logging_change(&l, m, &mand_on2, &five, 1, &err);
	assert_false(logging_primed(m, 5)); /* it was not off */
	logging_change(&l, m, &mand_off, &five, 1, &err);
	assert_false(logging_primed(m, 5));
	logging_change(&l, m, &once, &five, 1, &err);
	assert_false(logging_primed(m, 5));
	logging_change(&l, m, &mand_off, &five, 1, &err);
	logging_change(&l, m, &mand_on1, NULL, 0, &err);
	assert_true(logging_primed(m, 5) && logging_primed(m, 4));
	assert_false(logging_primed(m, 5) || logging_primed(m, 4) || logging_primed(m, 6));
	logging_change(&l, m, &mand_off, NULL, 0, &err);
	m->desc.type = PM_TYPE_U64;
	logging_change(&l, m, &mand_on1, NULL, 0, &err);
	assert_false(logging_primed(m, 5));
	logging_done(&l);
}

/* Time of this thread on a processor: others' work is not in it. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t ns_of(pmID metrics, int insts)
{
	uint64_t start = cpu_ns();
	struct logging l;
	int err;

	logging_init(&l);
	for (pmID i = 0; i < metrics; i++) {
		struct logging_metric *m = add(&l, i, INDOM);

		for (int k = 0; k < insts; k++)
			logging_change(&l, m, i & 1 ? &adv_on1 : &mand_on2, &k, 1, &err);
		logging_change(&l, m, &mand_on1, NULL, 0, &err);
	}
	assert_int_equal(l.nitem, metrics);
	logging_done(&l);
	return cpu_ns() - start;
}

/* The least of several tries. */
static uint64_t least_ns_of(pmID metrics, int insts)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t ns = ns_of(metrics, insts);

		least = ns < least ? ns : least;
	}
	return least;
}

/* Thirty times as many cost about thirty times as much, and memory that is further away: a square
 * would be nine hundred times. */
static void cost_is_linear(void **state)
{
	assert_true(least_ns_of(30000, 4) < 300 * least_ns_of(1000, 4));
	assert_true(least_ns_of(10, 30000) < 300 * least_ns_of(10, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(table_holds),        cmocka_unit_test(all_refuses_instances),
	    cmocka_unit_test(all_over_instances), cmocka_unit_test(tasks_are_shared),
	    cmocka_unit_test(history_is_kept),    cmocka_unit_test(each_statement_logs),
	    cmocka_unit_test(off_is_not_absent),  cmocka_unit_test(events_have_holes),
	    cmocka_unit_test(cost_is_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
