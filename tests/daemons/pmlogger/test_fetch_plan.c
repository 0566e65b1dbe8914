/* test_fetch_plan - which metrics make a record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/logging_state.h"

static const struct logging_request on = {true, LOGGING_ON, 1000, false};

static struct logging_metric *log_it(struct logging *l, pmID pmid, pmInDom indom, const int *insts,
				     size_t n)
{
	char *names[] = {"some.metric"};
	pmDesc desc = {.pmid = pmid, .indom = indom};
	struct logging_metric *m = logging_add(l, &desc, 1, names);
	int err;

	logging_change(l, m, &on, insts, n, &err);
	assert_int_equal(err, 0);
	return m;
}

static struct fetch_plan plan_of(struct logging *l)
{
	struct fetch_plan plan;

	assert_int_equal(
	    fetch_plan_make(LIST_ENTRY(l->tasks.next, struct logging_task, in_tasks), &plan), 0);
	return plan;
}

static void one_group_in_descending_order(void **state)
{
	struct logging l;
	struct fetch_plan plan;

	logging_init(&l);
	for (pmID i = 0; i < 1000; i++)
		log_it(&l, i * 7919 % 1000, i % 2 ? PM_INDOM_NULL : i % 5, NULL, 0);
	plan = plan_of(&l);
	assert_int_equal(plan.ngroup, 1);
	assert_int_equal(plan.groups[0].n, 1000);
	assert_int_equal(plan.groups[0].nwant, 0);
	for (pmID i = 0; i < 1000; i++) {
		assert_int_equal(plan.groups[0].pmids[i], 999 - i);
		assert_int_equal(plan.groups[0].metrics[i].metric->desc.pmid, 999 - i);
	}
	fetch_plan_done(&plan);
	logging_done(&l);
}

/* A profile is one for all metrics of a fetch. */
static void different_wishes_are_apart(void **state)
{
	const int two[] = {4, 2}, same[] = {2, 4}, one[] = {2};
	struct logging l;
	struct fetch_plan plan;
	size_t total = 0;

	logging_init(&l);
	log_it(&l, 1, 5, NULL, 0);
	log_it(&l, 2, 5, two, 2);
	log_it(&l, 3, 5, same, 2);
	log_it(&l, 4, 5, one, 1);
	log_it(&l, 5, 6, one, 1);
	log_it(&l, 6, PM_INDOM_NULL, NULL, 0);
	plan = plan_of(&l);
	assert_int_equal(plan.ngroup, 3);
	assert_int_equal(plan.groups[0].n, 3); /* 6, 5 and 1 */
	assert_int_equal(plan.groups[0].nwant, 1);
	assert_int_equal(plan.groups[0].wants[0].indom, 6);
	assert_int_equal(plan.groups[1].n, 2); /* 3 and 2 */
	assert_int_equal(plan.groups[1].nwant, 1);
	assert_int_equal(plan.groups[1].wants[0].n, 2);
	assert_int_equal(plan.groups[1].wants[0].insts[0], 2);
	assert_int_equal(plan.groups[1].wants[0].insts[1], 4);
	assert_int_equal(plan.groups[2].pmids[0], 4);
	for (size_t i = 0; i < plan.ngroup; i++)
		total += plan.groups[i].n;
	assert_int_equal(total, 6);
	fetch_plan_done(&plan);
	logging_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_group_in_descending_order),
	    cmocka_unit_test(different_wishes_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
