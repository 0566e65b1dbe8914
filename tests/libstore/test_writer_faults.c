/*
 * test_writer_faults - each system call of a writer that changes files fails once, or many times in
 * a row, or writes half of what it was given. After each fault, the archive is valid and has every
 * record that the writer accepted, and the writer continues.
 */
#include "store_test.h"

#include <errno.h>
#include <unistd.h>

#include "calls.h"
#include "inspect.h"
#include "libbase/file.h"
#include "libstore/archive_writer.h"
#include "scene.h"

enum {
	RECORDS = 44,
	VOLUME_EVERY = 17,
	SYNC_EVERY = 10,
	CHECK_EVERY = 16, /* for the peer's tool: it takes its time */
	TRIES = 40,
	LONG = 12, /* a full disk stays full for so many calls */
};

struct run {
	long calls;
	unsigned int refused, sync_failed;
	bool lost_meta;
	bool has[RECORDS];
	int end;
};

/* A refused record is tried again, after a closing mark; there are marks between two scenes. */
static int write_again(struct archive_writer *w, int version, uint64_t k, struct run *run)
{
	int r = scene_write(w, version, k);

	for (int i = 0; i < TRIES && r < 0 && r != -ESTALE; i++) {
		run->refused++;
		r = scene_write(w, version, k);
	}
	return r;
}

static void play(const char *base, int version, struct run *run)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;

	memset(run, 0, sizeof(*run));
	assert_int_equal(archive_writer_new(base, &label, &w), 0);
	for (uint64_t k = 0; k < RECORDS && !run->lost_meta; k++) {
		int r;

		if (k > 0 && k % VOLUME_EVERY == 0)
			archive_writer_volume(w);
		r = write_again(w, version, k, run);
		if (r == -ESTALE)
			break;
		assert_int_equal(r, 0);
		run->has[k] = true;
		if (k % SYNC_EVERY == SYNC_EVERY - 1 && archive_writer_sync(w) != 0)
			run->sync_failed++;
		run->lost_meta = archive_writer_state(w).finished;
	}
	run->end = archive_writer_end(w);
	run->calls = calls.count;
}

static void check(const char *base, const struct run *run, const char *what, long at)
{
	struct inspect in;

	inspect(base, &in);
	if (in.wrong || !in.there || in.undescribed > 0)
		fail_msg("%s at call %ld: damaged", what, at);
	for (int k = 0; k < RECORDS; k++) {
		if (in.has[k] != run->has[k])
			fail_msg("%s at call %ld: record %d: %d", what, at, k, in.has[k]);
	}
	if (at % CHECK_EVERY == 0 && inspect_check(base) == 0)
		fail_msg("%s at call %ld: pmlogcheck complains", what, at);
}

struct fault {
	const char *name;
	int error;
	bool torn;
	long span;
};

static const struct fault faults[] = {
    {"a full disk", ENOSPC, false, 1},
    {"a full disk, for a while", ENOSPC, false, LONG},
    {"a write cut short", ENOSPC, true, 2},
    {"a bad disk", EIO, false, 1},
    {"a bad disk, when cutting too", EIO, true, 3},
    {"no allocation ahead", EOPNOTSUPP, false, 1},
};

static void every_fault(void **state, int version, const struct fault *f)
{
	struct run run;
	char dir[256], base[280];
	long n;

	calls = (struct call_plan){.dry_sync = true};
	play(store_test_path(state, "whole"), version, &run);
	n = run.calls;
	assert_int_equal(file_remove_tree(*state), 0);
	for (long at = 1; at <= n; at++) {
		snprintf(dir, sizeof(dir), "%s/%d.%ld", (char *)*state, version, at);
		snprintf(base, sizeof(base), "%s/a", dir);
		assert_int_equal(file_mkdirs(dir, 0700), 0);
		calls = (struct call_plan){.action = CALLS_FAIL,
					   .at = at,
					   .error = f->error,
					   .torn = f->torn,
					   .span = f->span,
					   .dry_sync = true};
		play(base, version, &run);
		calls = (struct call_plan){.dry_sync = true};
		check(base, &run, f->name, at);
		assert_int_equal(file_remove_tree(dir), 0);
	}
}

static void v2(void **state)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		every_fault(state, 2, &faults[i]);
}

static void v3(void **state)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		every_fault(state, 3, &faults[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(v2, store_test_setup, store_test_teardown),
	    cmocka_unit_test_setup_teardown(v3, store_test_setup, store_test_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
