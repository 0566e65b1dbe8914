/*
 * test_turn - when tasks are fetched. Time is the test's (fake_timing.h), the collector as well
 * (fake_worker.h); tasks, plans, metadata and the archive are real.
 */
#include "daemons/pmlogger/turn.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/pmlogger/bounds.h"
#include "daemons/pmlogger/compress.h"
#include "daemons/pmlogger/keep.h"
#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/options.h"
#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/timing.h"
#include "fake_timing.h"
#include "fake_worker.h"
#include "libbase/cleanup.h"

enum {
	A = 0x7400001,
	B = 0x7400002,
	NOON = 1700049600,
	FIRST_MS = 20, /* repeating tasks begin so much after the start */
};

struct world {
	char dir[64], base[128];
	uv_loop_t loop;
	struct options options;
	struct worker_host host;
	struct logging logging;
	struct recorder recorder;
	struct keep keep;
	struct compress compress;
	struct bounds bounds;
	struct turn turn;
};

static int setup(void **state)
{
	struct log_label label = {.version = DISK_V3, .host = "here", .timezone = "UTC"};
	struct world *x = calloc(1, sizeof(*x));
	struct timespec stamp;

	assert_non_null(x);
	fake_timing_begin((struct timespec){.tv_sec = NOON});
	fake_worker_begin();
	strcpy(x->dir, "/tmp/test_turn.XXXXXX");
	assert_non_null(mkdtemp(x->dir));
	snprintf(x->base, sizeof(x->base), "%s/a", x->dir);
	assert_int_equal(uv_loop_init(&x->loop), 0);
	logging_init(&x->logging);
	x->bounds = (struct bounds){.options = &x->options,
				    .loop = &x->loop,
				    .recorder = &x->recorder,
				    .keep = &x->keep,
				    .compress = &x->compress};
	turn_init(&x->turn, &x->bounds, &x->logging, &x->host);
	turn_begin(&x->turn, NULL);
	assert_int_equal(recorder_init(&x->recorder, &x->loop, x->base, &label), 0);
	stamp = timing_now();
	assert_int_equal(recorder_begin(&x->recorder, &stamp), 0);
	*state = x;
	return 0;
}

static void remove_all(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	}
	closedir(d);
	assert_int_equal(rmdir(dir), 0);
}

static int teardown(void **state)
{
	struct world *x = *state;

	fake_worker.delay_ms = 0;
	x->bounds.ending = true;
	fake_worker_pass(1000); /* the turn in hand ends */
	turn_stop(&x->turn);
	recorder_end(&x->recorder, NULL);
	turn_done(&x->turn);
	turn_close(&x->turn);
	uv_run(&x->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&x->loop), 0);
	logging_done(&x->logging);
	remove_all(x->dir);
	free(x);
	return 0;
}

/* A metric is logged with this interval; 0: once. */
static void log_it(struct world *x, pmID pmid, const char *name, uint32_t delta_ms)
{
	struct logging_request on = {true, LOGGING_ON, delta_ms, true};
	pmDesc desc = {.pmid = pmid, .type = PM_TYPE_32, .indom = PM_INDOM_NULL};
	struct logging_metric *m = logging_find(&x->logging, pmid);
	char *names[] = {(char *)name};
	int err;

	if (m == NULL)
		m = logging_add(&x->logging, &desc, 1, names);
	assert_non_null(m);
	logging_change(&x->logging, m, &on, NULL, 0, &err);
	assert_int_equal(err, 0);
}

static size_t fetches_of(pmID pmid)
{
	return fake_worker.asked[pmid % FAKE_METRICS];
}

static void assert_times(const uint64_t *times, size_t n)
{
	assert_int_equal(fake_worker.nfetch, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(fake_worker.fetches_ms[i], times[i]);
}

#define ASSERT_TIMES(...)                                                                          \
	assert_times((const uint64_t[]){__VA_ARGS__}, ARRAY_SIZE(((const uint64_t[]){__VA_ARGS__})))

/* The n-th fetch is n intervals after the first, however long answers take and recording goes on.
 */
static void nothing_drifts(void **state)
{
	struct world *x = *state;
	enum { STEP = 50, N = 1000 };

	log_it(x, A, "a", STEP);
	turn_sync(&x->turn, true);
	for (int i = 0; i < N; i++) {
		fake_worker.delay_ms = (uint64_t)i * 7 % (STEP - 1);
		fake_worker_pass(STEP);
	}
	fake_worker_pass(FIRST_MS - 1); /* the last answer */
	assert_int_equal(fake_worker.nfetch, N);
	for (uint64_t i = 0; i < N; i++)
		assert_int_equal(fake_worker.fetches_ms[i], FIRST_MS + i * STEP);
	/* The prologue is a record, too. */
	assert_int_equal(recorder_state(&x->recorder).records, N + 1);
}

/* Of the times 120, 220 and 320 that pass meanwhile, 220 is left out when 120 is made up for. */
static void missed_times_are_left_out(void **state)
{
	struct world *x = *state;

	log_it(x, A, "a", 100);
	turn_sync(&x->turn, true);
	fake_worker.delay_ms = 350;
	fake_worker_pass(100);
	fake_worker.delay_ms = 0;
	fake_worker_pass(700);
	ASSERT_TIMES(20, 370, 370, 420, 520, 620, 720);
}

/* A short delay of less than an interval leaves nothing out. */
static void a_short_delay_is_made_up(void **state)
{
	struct world *x = *state;

	log_it(x, A, "a", 100);
	turn_sync(&x->turn, true);
	fake_worker.delay_ms = 150;
	fake_worker_pass(100);
	fake_worker.delay_ms = 0;
	fake_worker_pass(300);
	ASSERT_TIMES(20, 170, 220, 320);
}

/* Many new metrics wait for their metadata; their task's times stay what they were. */
static void a_task_that_waits_for_metadata_loses_no_time(void **state)
{
	struct world *x = *state;

	for (pmID pmid = 0; pmid < 12; pmid++)
		log_it(x, A + pmid, "a", 500);
	turn_sync(&x->turn, true);
	fake_worker_pass(1600);
	ASSERT_TIMES(20, 520, 1020, 1520);
	assert_int_equal(fake_worker.questions, 1); /* ahead, for all of them */
}

static void each_task_has_its_own_times(void **state)
{
	struct world *x = *state;

	log_it(x, A, "a", 70);
	log_it(x, B, "b", 1000);
	turn_sync(&x->turn, true);
	fake_worker.delay_ms = 5;
	fake_worker_pass(FIRST_MS + 7000 + 10);
	assert_int_equal(fetches_of(A), 101);
	assert_int_equal(fetches_of(B), 8);
	assert_int_equal(recorder_state(&x->recorder).records, 1 + 101 + 8);
}

/* Several statements for a metric: each of them logs (docs/spec/logger.md A3). */
static void each_statement_logs(void **state)
{
	static const uint32_t rows[][3] = {
	    {500, 1000}, {1000, 500}, {500, 1000, 700}, {1, 1000}, {500, 500}};
	static const size_t wanted[] = {7 + 4, 4 + 7, 7 + 4 + 5, 3181 + 4, 7};
	struct world *x = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pmID pmid = A + (pmID)i;

		for (size_t j = 0; j < 3 && rows[i][j] != 0; j++)
			log_it(x, pmid, "a", rows[i][j]);
	}
	turn_sync(&x->turn, true);
	fake_worker_pass(3200);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(fetches_of(A + (pmID)i), wanted[i]);
}

static void a_task_once_is_fetched_once(void **state)
{
	struct world *x = *state;

	log_it(x, A, "a", 0);
	turn_sync(&x->turn, true);
	fake_worker_pass(60000);
	ASSERT_TIMES(0);
	assert_int_equal(recorder_state(&x->recorder).records, 2);
	turn_repeat_once(&x->turn); /* another archive */
	fake_worker_pass(60000);
	ASSERT_TIMES(0, 60000);
}

/* A metric that is wanted once is tried every second until it has a value. */
static void a_task_once_waits_for_the_collector(void **state)
{
	struct world *x = *state;

	log_it(x, A, "a", 0);
	fake_worker.err = PM_ERR_IPC;
	fake_worker.lost = true;
	turn_sync(&x->turn, true);
	fake_worker_pass(2500);
	ASSERT_TIMES(0, 1000, 2000);
	assert_int_equal(recorder_state(&x->recorder).records, 1);
	fake_worker.err = 0;
	fake_worker_pass(10000);
	ASSERT_TIMES(0, 1000, 2000, 3000);
	assert_int_equal(recorder_state(&x->recorder).records, 2);
}

/* A connection that was made again: metrics are looked at, and a mark is before the next record. */
static void another_collector_is_looked_at(void **state)
{
	struct world *x = *state;

	log_it(x, A, "a", 1000);
	turn_sync(&x->turn, true);
	fake_worker_pass(1500); /* 20, 1020 */
	assert_int_equal(recorder_state(&x->recorder).records, 3);
	fake_worker.err = PM_ERR_IPC;
	fake_worker.lost = true;
	fake_worker_pass(2000); /* 2020, 3020 */
	assert_true(x->turn.lost);
	assert_int_equal(recorder_state(&x->recorder).records, 3);
	assert_int_equal(fake_worker.checks, 0);
	fake_worker.err = 0;
	fake_worker.reconnects++;
	fake_worker_pass(1000); /* 4020 */
	assert_false(x->turn.lost);
	assert_int_equal(fake_worker.checks, 1);
	assert_int_equal(recorder_state(&x->recorder).records, 5); /* with the mark */
	fake_worker_pass(1000);
	assert_int_equal(fake_worker.checks, 1);
}

/* An error that leaves the connection is not a loss: the next time is another try. */
static void an_error_of_a_fetch_is_no_loss(void **state)
{
	struct world *x = *state;

	log_it(x, A, "a", 1000);
	turn_sync(&x->turn, true);
	fake_worker.err = PM_ERR_TOOBIG;
	fake_worker_pass(2500);
	assert_false(x->turn.lost);
	fake_worker.err = 0;
	fake_worker_pass(1000);
	ASSERT_TIMES(20, 1020, 2020, 3020);
	assert_int_equal(recorder_state(&x->recorder).records, 2);
}

/* An agent may report a change of labels with each answer: they are asked every ten seconds. */
static void labels_are_asked_at_most_every_ten_seconds(void **state)
{
	struct world *x = *state;
	size_t first;

	log_it(x, A, "a", 100);
	turn_sync(&x->turn, true);
	fake_worker_pass(1000);
	first = fake_worker.questions;
	assert_int_equal(first, 1);
	fake_worker_pass(5000);
	assert_int_equal(fake_worker.questions, first);
	fake_worker.changes = PMCD_LABEL_CHANGE;
	fake_worker_pass(10000);
	assert_int_equal(fake_worker.questions, first + 1);
	fake_worker_pass(100);
	assert_int_equal(fake_worker.questions, first + 2);
	fake_worker_pass(9900);
	assert_int_equal(fake_worker.questions, first + 2);
	fake_worker_pass(100);
	assert_int_equal(fake_worker.questions, first + 3);
	fake_worker_pass(100); /* one more change, too early to be asked for */
	fake_worker.changes = 0;
	fake_worker_pass(9800);
	assert_int_equal(fake_worker.questions, first + 3);
	fake_worker_pass(10000);
	assert_int_equal(fake_worker.questions, first + 4);
}

/* -s: so many firings of tasks. */
static void the_limit_of_samples_ends_the_recording(void **state)
{
	struct world *x = *state;

	x->options.end = (struct size_limit){SIZE_SAMPLES, 3};
	log_it(x, A, "a", 100);
	turn_sync(&x->turn, true);
	fake_worker_pass(10000);
	ASSERT_TIMES(20, 120, 220);
	assert_true(x->bounds.ending);
	assert_string_equal(x->bounds.reason, "Sample limit reached");
}

static int quiet(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	pmSetProgname("test_turn");
	return 0;
}

#define WORLD(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WORLD(nothing_drifts),
	    WORLD(missed_times_are_left_out),
	    WORLD(a_short_delay_is_made_up),
	    WORLD(a_task_that_waits_for_metadata_loses_no_time),
	    WORLD(each_task_has_its_own_times),
	    WORLD(each_statement_logs),
	    WORLD(a_task_once_is_fetched_once),
	    WORLD(a_task_once_waits_for_the_collector),
	    WORLD(another_collector_is_looked_at),
	    WORLD(an_error_of_a_fetch_is_no_loss),
	    WORLD(labels_are_asked_at_most_every_ten_seconds),
	    WORLD(the_limit_of_samples_ends_the_recording),
	};

	return cmocka_run_group_tests(tests, quiet, NULL);
}
