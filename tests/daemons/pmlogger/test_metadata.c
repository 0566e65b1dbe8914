/* test_metadata - which records ask for a domain again, and what they leave as history. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/meta_query.h"
#include "daemons/pmlogger/metadata.h"
#include "libdisk/log_label.h"
#include "libstore/archive_writer.h"

enum { INSTS = 4, DOMAIN_A = 0x7400001, METRIC_A = 0x7400002, METRIC_B = 0x7400003 };

/* A task with two metrics of one domain. Nothing is written to the disk: no record is. */
struct world {
	struct logging logging;
	struct fetch_plan plan;
	struct metadata md;
	struct archive_writer *w;
	time_t now;
};

/* The result of a fetch for a metric: a number of instances, or an error. */
struct given {
	int numval;
	int insts[INSTS];
};

static struct logging_task *task_of(struct world *x)
{
	return LIST_ENTRY(x->logging.tasks.next, struct logging_task, in_tasks);
}

static void log_it(struct world *x, pmID pmid, const char *name)
{
	static const struct logging_request on = {true, LOGGING_ON, 1000, false};
	char *names[] = {(char *)name};
	pmDesc desc = {.pmid = pmid, .type = PM_TYPE_32, .indom = DOMAIN_A};
	int err;

	logging_change(&x->logging, logging_add(&x->logging, &desc, 1, names), &on, NULL, 0, &err);
	assert_int_equal(err, 0);
}

static void begin_archive(struct world *x)
{
	struct log_label label = {.version = DISK_V3, .host = "here", .timezone = "UTC"};

	assert_int_equal(archive_writer_new("unwritten", &label, &x->w), 0);
}

static int setup(void **state)
{
	struct world *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	x->now = 1000;
	logging_init(&x->logging);
	log_it(x, METRIC_A, "some.a");
	log_it(x, METRIC_B, "some.b");
	assert_int_equal(fetch_plan_make(task_of(x), &x->plan), 0);
	assert_int_equal(x->plan.ngroup, 1);
	metadata_init(&x->md);
	begin_archive(x);
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct world *x = *state;

	archive_writer_abandon(x->w);
	metadata_done(&x->md);
	fetch_plan_done(&x->plan);
	logging_done(&x->logging);
	free(x);
	return 0;
}

static pmValueSet *set_of(pmID pmid, const struct given *given)
{
	pmValueSet *set = calloc(1, sizeof(*set) + INSTS * sizeof(pmValue));

	assert_non_null(set);
	set->pmid = pmid;
	set->numval = given->numval;
	for (int i = 0; i < given->numval; i++)
		set->vlist[i].inst = given->insts[i];
	return set;
}

/* The domain has all instances. */
static void answer_indom(struct meta_query_item *item)
{
	const size_t list = INSTS * sizeof(char *);
	char *text;

	item->n = INSTS;
	item->insts = calloc(INSTS, sizeof(*item->insts));
	item->names = calloc(1, list + INSTS * 8);
	assert_true(item->insts != NULL && item->names != NULL);
	text = (char *)item->names + list;
	for (int i = 0; i < INSTS; i++, text += 8) {
		item->insts[i] = i;
		item->names[i] = text;
		snprintf(text, 8, "inst %d", i);
	}
}

/* How often the domain is asked for; labels and texts have no answer. */
static int answer(struct meta_query *list)
{
	int asked = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct meta_query_item *item = &list->items[i];

		if (item->kind == META_QUERY_INDOM) {
			answer_indom(item);
			asked++;
		} else if (item->kind != META_QUERY_KNOWN) {
			item->err = PM_ERR_TEXT;
		}
	}
	return asked;
}

/* A fetch becomes a record, as the recorder does it; how often it asked for the domain. */
static int record(struct world *x, struct given a, struct given b)
{
	struct fetch_group *g = &x->plan.groups[0];
	struct meta_query list = {.n = 0};
	pmHighResResult *result = calloc(1, sizeof(*result) + sizeof(pmValueSet *));
	pmValueSet *sets[] = {set_of(METRIC_B, &b), set_of(METRIC_A, &a)}; /* descending */
	int asked;

	assert_non_null(result);
	result->timestamp.tv_sec = ++x->now;
	result->numpmid = 2;
	memcpy(result->vset, sets, sizeof(sets));
	assert_int_equal(metadata_questions(&x->md, x->w, g, result, false, &list), 0);
	asked = answer(&list);
	assert_int_equal(metadata_write(&x->md, x->w, &list, &result->timestamp), 0);
	assert_int_equal(metadata_remember(&x->md, g, task_of(x), result), 0);
	meta_query_done(&list);
	free(sets[0]);
	free(sets[1]);
	free(result);
	return asked;
}

static bool has(struct world *x, pmID pmid, int inst)
{
	return (logging_status(logging_find(&x->logging, pmid), inst) & LOGGING_BIT_AVAIL) != 0;
}

#define NONE    ((struct given){0, {0}})
#define FAILED  ((struct given){PM_ERR_AGAIN, {0}})
#define OF(...) ((struct given){(int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), {__VA_ARGS__}})

static void instances_that_stay_ask_nothing(void **state)
{
	struct world *x = *state;

	assert_int_equal(record(x, OF(0, 1), OF(0, 1)), 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(record(x, OF(0, 1), OF(0, 1)), 0);
	assert_true(has(x, METRIC_A, 0) && has(x, METRIC_A, 1) && !has(x, METRIC_A, 2));
}

/* Each change is one question, and what is compared with afterwards is the new record. */
static void each_change_asks_once(void **state)
{
	static const struct given steps[] = {
	    {3, {0, 1, 2}}, {2, {1, 2}}, {2, {2, 1}}, {2, {1, 3}}, {1, {3}}};
	struct world *x = *state;

	record(x, OF(0, 1), OF(0));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		assert_int_equal(record(x, steps[i], OF(0)), 1);
		assert_int_equal(record(x, steps[i], OF(0)), 0);
		assert_int_equal(record(x, steps[i], OF(0)), 0);
	}
	assert_true(has(x, METRIC_A, 3) && !has(x, METRIC_A, 1));
	assert_true(has(x, METRIC_B, 0));
}

/* A request for one metric of an instance domain serves all its metrics. */
static void two_changes_ask_once(void **state)
{
	struct world *x = *state;

	record(x, OF(0), OF(1));
	assert_int_equal(record(x, OF(0, 1), OF(1, 2)), 1);
	assert_int_equal(record(x, OF(0, 1), OF(1, 2)), 0);
	assert_true(has(x, METRIC_A, 1) && has(x, METRIC_B, 2));
}

/* A record without values asks nothing, but is what the next one is compared with. */
static void no_values_are_history_too(void **state)
{
	static const struct given nothing[] = {{0, {0}}, {PM_ERR_AGAIN, {0}}};
	struct world *x = *state;

	record(x, OF(0, 1), OF(0));
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
		assert_int_equal(record(x, OF(0, 1), OF(0)), i > 0);
		assert_int_equal(record(x, nothing[i], OF(0)), 0);
		assert_true(!has(x, METRIC_A, 0) && !has(x, METRIC_A, 1) && has(x, METRIC_B, 0));
	}
	assert_int_equal(record(x, OF(0, 1), FAILED), 1);
	assert_true(has(x, METRIC_A, 0) && has(x, METRIC_A, 1) && !has(x, METRIC_B, 0));
	assert_int_equal(record(x, NONE, NONE), 0);
	assert_true(!has(x, METRIC_A, 0) && !has(x, METRIC_B, 0));
}

/* A new archive has no domain yet, whatever the record before held. */
static void another_archive_asks_again(void **state)
{
	struct world *x = *state;

	record(x, OF(0, 1), OF(0));
	assert_int_equal(record(x, OF(0, 1), OF(0)), 0);
	archive_writer_abandon(x->w);
	begin_archive(x);
	metadata_restart(&x->md);
	assert_int_equal(record(x, OF(0, 1), OF(0)), 1);
	assert_int_equal(record(x, OF(0, 1), OF(0)), 0);
	assert_true(has(x, METRIC_A, 0) && has(x, METRIC_A, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(instances_that_stay_ask_nothing, setup, teardown),
	    cmocka_unit_test_setup_teardown(each_change_asks_once, setup, teardown),
	    cmocka_unit_test_setup_teardown(two_changes_ask_once, setup, teardown),
	    cmocka_unit_test_setup_teardown(no_values_are_history_too, setup, teardown),
	    cmocka_unit_test_setup_teardown(another_archive_asks_again, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
