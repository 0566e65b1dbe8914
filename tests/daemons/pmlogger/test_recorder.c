/*
 * test_recorder - what becomes of the archive when time passes, the clock is set, the day is over
 * or the disk is full. Archives are real files, read again through the library; the clock is the
 * test's (fake_timing.h). A limit on the size of files takes the place of a full disk.
 */
#include "daemons/pmlogger/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/meta_query.h"
#include "daemons/pmlogger/timing.h"
#include "fake_timing.h"
#include "libbase/cleanup.h"

enum {
	METRIC = 0x7400001,
	RECORDS_MAX = 32,
	NOON = 1700049600, /* 2023-11-15 12:00:00 UTC */
	PROLOGUE = 5,      /* metrics of the first and the last record */
	MS = 1000000,
	FOR_A_MARK = 30, /* bytes, and not enough for a record */
};

struct world {
	char dir[64], base[128];
	uv_loop_t loop;
	struct logging logging;
	struct fetch_plan plan;
	struct recorder r;
	unsigned int begun; /* archives */
};

/* A record of an archive: its time after noon in ms, and its metrics (0: a mark). */
struct seen {
	int64_t at_ms;
	int metrics;
};

static struct timespec now(void)
{
	return timing_now();
}

static struct logging_task *task_of(struct world *x)
{
	return LIST_ENTRY(x->logging.tasks.next, struct logging_task, in_tasks);
}

static void count_begun(void *arg)
{
	((struct world *)arg)->begun++;
}

static void begin(struct world *x, const char *name)
{
	struct log_label label = {.version = DISK_V3, .host = "here", .timezone = "UTC"};
	struct timespec stamp = now();

	snprintf(x->base, sizeof(x->base), "%s/%s", x->dir, name);
	assert_int_equal(recorder_init(&x->r, &x->loop, x->base, &label), 0);
	snprintf(x->r.who.host, sizeof(x->r.who.host), "here");
	x->r.begun = count_begun;
	x->r.arg = x;
	assert_int_equal(recorder_begin(&x->r, &stamp), 0);
}

static int setup(void **state)
{
	static const struct logging_request on = {true, LOGGING_ON, 1000, false};
	struct world *x = calloc(1, sizeof(*x));
	pmDesc desc = {.pmid = METRIC, .type = PM_TYPE_32, .indom = PM_INDOM_NULL};
	char *names[] = {"some.metric"};
	int err;

	assert_non_null(x);
	fake_timing_begin((struct timespec){.tv_sec = NOON});
	strcpy(x->dir, "/tmp/test_recorder.XXXXXX");
	assert_non_null(mkdtemp(x->dir));
	assert_int_equal(uv_loop_init(&x->loop), 0);
	logging_init(&x->logging);
	logging_change(&x->logging, logging_add(&x->logging, &desc, 1, names), &on, NULL, 0, &err);
	assert_int_equal(err, 0);
	assert_int_equal(fetch_plan_make(task_of(x), &x->plan), 0);
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

	uv_run(&x->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&x->loop), 0);
	fetch_plan_done(&x->plan);
	logging_done(&x->logging);
	remove_all(x->dir);
	free(x);
	return 0;
}

static pmHighResResult *result_of(int value)
{
	pmHighResResult *result = calloc(1, sizeof(*result));
	pmValueSet *set = calloc(1, sizeof(*set));

	assert_true(result != NULL && set != NULL);
	set->pmid = METRIC;
	set->numval = 1;
	set->valfmt = PM_VAL_INSITU;
	set->vlist[0] = (pmValue){.inst = (int)PM_IN_NULL, .value.lval = value};
	result->timestamp = now();
	result->numpmid = 1;
	result->vset[0] = set;
	return result;
}

/* A fetch of this moment becomes a record, as turn.c does it. Labels and texts have no answer. */
static int record(struct world *x)
{
	struct fetch_group *g = &x->plan.groups[0];
	struct meta_query list = {.n = 0};
	pmHighResResult *result = result_of(7);
	int r;

	recorder_turn_over(&x->r, &result->timestamp);
	assert_non_null(x->r.w);
	assert_int_equal(metadata_questions(&x->r.metadata, x->r.w, g, result, false, &list), 0);
	for (size_t i = 0; i < list.n; i++) {
		if (list.items[i].kind != META_QUERY_KNOWN)
			list.items[i].err = PM_ERR_TEXT;
	}
	r = recorder_write(&x->r, g, task_of(x), result, &list);
	meta_query_done(&list);
	return r;
}

static void record_after(struct world *x, uint64_t ms)
{
	fake_timing_pass(ms);
	assert_int_equal(record(x), 0);
}

/* Reads all records of an archive of the folder. */
static size_t read_archive(const struct world *x, const char *name, struct seen *seen)
{
	char path[256];
	pmHighResResult *result;
	size_t n = 0;
	int ctx;

	snprintf(path, sizeof(path), "%s/%s", x->dir, name);
	ctx = pmNewContext(PM_CONTEXT_ARCHIVE, path);
	assert_true(ctx >= 0);
	while (pmFetchHighResArchive(&result) == 0) {
		assert_true(n < RECORDS_MAX);
		seen[n++] = (struct seen){(result->timestamp.tv_sec - NOON) * 1000 +
					      result->timestamp.tv_nsec / MS,
					  result->numpmid};
		pmFreeHighResResult(result);
	}
	pmDestroyContext(ctx);
	return n;
}

static void assert_archive(const struct world *x, const char *name, const struct seen *wanted,
			   size_t n)
{
	struct seen seen[RECORDS_MAX];

	assert_int_equal(read_archive(x, name, seen), n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(seen[i].at_ms, wanted[i].at_ms);
		assert_int_equal(seen[i].metrics, wanted[i].metrics);
	}
}

#define ASSERT_ARCHIVE(x, name, ...)                                                               \
	assert_archive((x), (name), (const struct seen[]){__VA_ARGS__},                            \
		       ARRAY_SIZE(((const struct seen[]){__VA_ARGS__})))

static bool exists(const struct world *x, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", x->dir, name);
	return access(path, F_OK) == 0;
}

/*
 * Names
 */

static void names_have_suffixes_and_times(void **state)
{
	struct archive_base b;

	assert_int_equal(archive_base_init(&b, "/a/%Y%m%d.%H"), 0);
	assert_true(archive_base_is_template(&b));
	assert_int_equal(archive_base_name(&b, NOON, 0), 0);
	assert_string_equal(b.name, "/a/20231115.12");
	assert_int_equal(archive_base_name(&b, NOON, 1), 0);
	assert_string_equal(b.name, "/a/20231115.12-00");
	assert_int_equal(archive_base_name(&b, NOON, 99), 0);
	assert_string_equal(b.name, "/a/20231115.12-98");
	assert_int_equal(archive_base_name(&b, NOON, 100), -EEXIST);
	assert_int_equal(archive_base_init(&b, "%%"), 0);
	assert_int_equal(archive_base_name(&b, NOON, 0), 0);
	assert_string_equal(b.name + strlen(b.dir), "/%");
}

static void a_relative_name_keeps_its_folder(void **state)
{
	struct archive_base b;
	char cwd[PATH_MAX], wanted[PATH_MAX + 8];

	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(archive_base_init(&b, "a"), 0);
	assert_false(archive_base_is_template(&b));
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(archive_base_name(&b, NOON, 0), 0);
	assert_int_equal(chdir(cwd), 0);
	snprintf(wanted, sizeof(wanted), "%s/a", cwd);
	assert_string_equal(b.name, wanted);
}

static void names_that_are_too_long(void **state)
{
	static char longest[PATH_MAX + 1];
	struct archive_base b;

	memset(longest, 'x', PATH_MAX);
	longest[0] = '/';
	assert_int_equal(archive_base_init(&b, longest), 0);
	assert_int_equal(archive_base_name(&b, NOON, 0), -ENAMETOOLONG);
	longest[PATH_MAX - 2] = '\0'; /* a suffix does not fit */
	assert_int_equal(archive_base_name(&b, NOON, 0), 0);
	assert_int_equal(archive_base_name(&b, NOON, 1), -ENAMETOOLONG);
}

/*
 * Records and marks
 */

static void an_archive_begins_and_ends_with_its_owner(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 1000);
	record_after(x, 1000);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {2000, 1}, {2001, PROLOGUE});
	assert_int_equal(x->begun, 1);
}

static void the_end_has_the_time_of_the_last_answer(void **state)
{
	struct world *x = *state;
	struct timespec stamp;

	begin(x, "a");
	record_after(x, 1000);
	fake_timing_pass(500);
	stamp = now();
	recorder_end(&x->r, &stamp);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {1500, PROLOGUE});
}

static void a_mark_is_before_the_next_record(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 1000);
	recorder_mark(&x->r);
	record_after(x, 1000);
	record_after(x, 1000);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {1001, 0}, {2000, 1}, {3000, 1},
		       {3001, PROLOGUE});
}

/* The time between did not exist. */
static void a_clock_set_ahead_leaves_a_mark(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 1000);
	fake_timing_set(RECORDER_JUMP_MS);
	record_after(x, 1000); /* not more than the limit */
	fake_timing_set(RECORDER_JUMP_MS + 1);
	record_after(x, 1000);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {3000, 1}, {3001, 0}, {5001, 1},
		       {5002, PROLOGUE});
}

/* A pause of the machine, or of the recorder, is time that existed. */
static void a_long_pause_leaves_no_mark(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 1000);
	record_after(x, 3600000);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {3601000, 1}, {3601001, PROLOGUE});
}

static void a_clock_set_back_a_little_keeps_the_order(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 1000);
	fake_timing_set(-RECORDER_JUMP_MS);
	record_after(x, 0);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {1000, 1}, {1001, PROLOGUE});
	assert_int_equal(x->begun, 1);
}

static void a_clock_set_back_begins_another_archive(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 5000);
	fake_timing_set(-RECORDER_JUMP_MS - 1);
	record_after(x, 0);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {5000, 1}, {5001, PROLOGUE});
	ASSERT_ARCHIVE(x, "a-00", {3999, PROLOGUE}, {3999, 1}, {4000, PROLOGUE});
	assert_int_equal(x->begun, 2);
}

/*
 * Days and volumes
 */

enum { UNTIL_MIDNIGHT_MS = 12 * 3600 * 1000 };

static void a_new_day_begins_another_archive_of_a_template(void **state)
{
	struct world *x = *state;

	begin(x, "%m%d");
	record_after(x, UNTIL_MIDNIGHT_MS - 1);
	assert_int_equal(x->begun, 1);
	record_after(x, 1);
	assert_int_equal(x->begun, 2);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "1115", {0, PROLOGUE}, {UNTIL_MIDNIGHT_MS - 1, 1},
		       {UNTIL_MIDNIGHT_MS, PROLOGUE});
	ASSERT_ARCHIVE(x, "1116", {UNTIL_MIDNIGHT_MS, PROLOGUE}, {UNTIL_MIDNIGHT_MS, 1},
		       {UNTIL_MIDNIGHT_MS + 1, PROLOGUE});
}

static void a_new_day_does_not_end_an_archive_of_one_name(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 2 * UNTIL_MIDNIGHT_MS);
	assert_int_equal(x->begun, 1);
	recorder_end(&x->r, NULL);
}

static void a_name_that_is_taken_is_not_written_over(void **state)
{
	struct log_label label = {.version = DISK_V3, .host = "here", .timezone = "UTC"};
	struct world *x = *state;
	struct timespec stamp = now();
	static struct recorder second; /* the loop closes its timers later */

	begin(x, "a");
	record_after(x, 1000);
	assert_int_equal(recorder_init(&second, &x->loop, x->base, &label), 0);
	assert_int_equal(recorder_begin(&second, &stamp), -EEXIST);
	recorder_end(&second, NULL);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {1001, PROLOGUE});
}

static void a_volume_begins_with_the_next_record(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 1000);
	assert_int_equal(recorder_volume(&x->r, "the test"), 1);
	assert_int_equal(x->r.next_volume, 1);
	assert_false(exists(x, "a.1"));
	record_after(x, 1000);
	assert_true(exists(x, "a.1"));
	assert_int_equal(recorder_state(&x->r).volume, 1);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {2000, 1}, {2001, PROLOGUE});
}

/*
 * The disk
 */

static void records_are_synced_every_ten_seconds(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 1000);
	fake_timing_pass(RECORDER_SYNC_MS - 1001);
	assert_null(x->r.sync);
	assert_true(recorder_state(&x->r).unsynced);
	fake_timing_pass(1);
	assert_non_null(x->r.sync);
	while (x->r.sync != NULL)
		uv_run(&x->loop, UV_RUN_ONCE);
	assert_false(recorder_state(&x->r).unsynced);
	fake_timing_pass(RECORDER_SYNC_MS);
	assert_null(x->r.sync); /* nothing is new */
	recorder_end(&x->r, NULL);
}

/* No file may be longer than this now, or (RLIM_INFINITY) as long as it likes. */
static void limit_files(rlim_t size)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* There is room for so many bytes in the volume. */
static void fill_disk(const struct world *x, rlim_t room)
{
	signal(SIGXFSZ, SIG_IGN);
	limit_files((rlim_t)recorder_state(&x->r).volume_size + room);
}

static void a_full_disk_pauses_the_recording(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 1000);
	fill_disk(x, 0);
	for (int i = 0; i < 3; i++) {
		fake_timing_pass(1000);
		assert_int_equal(record(x), -EFBIG);
		assert_true(x->r.paused);
		assert_int_equal(x->r.pause_error, -EFBIG);
	}
	limit_files(RLIM_INFINITY);
	record_after(x, 1000);
	assert_false(x->r.paused);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {1001, 0}, {5000, 1}, {5001, PROLOGUE});
}

/* Without another record, too: the newest result is kept, and tried every three seconds. */
static void the_newest_result_is_tried_again(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 500);
	fill_disk(x, 0);
	for (int at_ms = 1000; at_ms <= 2000; at_ms += 1000) {
		fake_timing_pass(at_ms == 1000 ? 500 : 1000);
		assert_int_equal(record(x), -EFBIG);
	}
	limit_files(RLIM_INFINITY);
	fake_timing_pass(RECORDER_RETRY_MS - 2001);
	assert_true(x->r.paused);
	fake_timing_pass(1);
	assert_false(x->r.paused);
	assert_null(x->r.pending);
	fill_disk(x, 0);
	fake_timing_pass(500);
	assert_int_equal(record(x), -EFBIG);
	fake_timing_pass(RECORDER_RETRY_MS - 500); /* this one fails */
	assert_true(x->r.paused);
	limit_files(RLIM_INFINITY);
	fake_timing_pass(RECORDER_RETRY_MS - 1);
	assert_true(x->r.paused);
	fake_timing_pass(1);
	assert_false(x->r.paused);
	recorder_end(&x->r, NULL);
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {500, 1}, {501, 0}, {2000, 1}, {2001, 0}, {3500, 1},
		       {3501, PROLOGUE});
}

static void an_archive_that_ends_while_it_pauses_has_its_mark(void **state)
{
	struct world *x = *state;

	begin(x, "a");
	record_after(x, 1000);
	fill_disk(x, FOR_A_MARK);
	fake_timing_pass(1000);
	assert_int_equal(record(x), -EFBIG);
	limit_files(RLIM_INFINITY);
	fake_timing_set(-10000);
	record_after(x, 0);
	recorder_end(&x->r, NULL);
	assert_int_equal(x->begun, 2);
	/* No record of an owner is after the mark. */
	ASSERT_ARCHIVE(x, "a", {0, PROLOGUE}, {1000, 1}, {1001, 0});
}

static int quiet(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	pmSetProgname("test_recorder");
	return 0;
}

#define WORLD(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_have_suffixes_and_times),
	    cmocka_unit_test(a_relative_name_keeps_its_folder),
	    cmocka_unit_test(names_that_are_too_long),
	    WORLD(an_archive_begins_and_ends_with_its_owner),
	    WORLD(the_end_has_the_time_of_the_last_answer),
	    WORLD(a_mark_is_before_the_next_record),
	    WORLD(a_clock_set_ahead_leaves_a_mark),
	    WORLD(a_long_pause_leaves_no_mark),
	    WORLD(a_clock_set_back_a_little_keeps_the_order),
	    WORLD(a_clock_set_back_begins_another_archive),
	    WORLD(a_new_day_begins_another_archive_of_a_template),
	    WORLD(a_new_day_does_not_end_an_archive_of_one_name),
	    WORLD(a_name_that_is_taken_is_not_written_over),
	    WORLD(a_volume_begins_with_the_next_record),
	    WORLD(records_are_synced_every_ten_seconds),
	    WORLD(a_full_disk_pauses_the_recording),
	    WORLD(the_newest_result_is_tried_again),
	    WORLD(an_archive_that_ends_while_it_pauses_has_its_mark),
	};

	return cmocka_run_group_tests(tests, quiet, NULL);
}
