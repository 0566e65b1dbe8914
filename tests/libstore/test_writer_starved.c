/*
 * test_writer_starved - makes each allocation of writing an archive fail once, in turn; and of
 * repairing one, and of limiting a folder. A refused record is given again: the archive is then
 * complete and holds every record.
 */
#include "store_test.h"

#include <errno.h>
#include <unistd.h>

#include "inspect.h"
#include "libbase/file.h"
#include "libstore/archive_keep.h"
#include "libstore/archive_repair.h"
#include "libstore/archive_writer.h"
#include "scene.h"
#include "starve.h"

enum {
	RECORDS = 60,
	VOLUME_EVERY = 22,
	SYNC_EVERY = 20,
};

/* Failures other than for lack of memory: there must be none. */
static int first_other;

/* True to do it again: what failed was the one allocation. */
static bool again(int r)
{
	if (r < 0 && r != -ENOMEM)
		first_other = r;
	return r == -ENOMEM;
}

static struct archive_writer *open_writer(const char *base, int version)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w = NULL;

	if (again(archive_writer_new(base, &label, &w)) &&
	    archive_writer_new(base, &label, &w) != 0)
		return NULL;
	return w;
}

static void play(const char *base, int version)
{
	struct archive_writer *w = open_writer(base, version);

	assert_non_null(w);
	for (uint64_t k = 0; k < RECORDS; k++) {
		if (k > 0 && k % VOLUME_EVERY == 0 && again(archive_writer_volume(w)))
			assert_true(archive_writer_volume(w) > 0);
		if (again(scene_write(w, version, k)))
			assert_int_equal(scene_write(w, version, k), 0);
		if (k % SYNC_EVERY == SYNC_EVERY - 1 && again(archive_writer_sync(w)))
			assert_int_equal(archive_writer_sync(w), 0);
	}
	again(archive_writer_end(w));
}

static void check(const char *base, long at)
{
	struct inspect in;

	inspect(base, &in);
	if (first_other != 0 || in.wrong || !in.there || in.undescribed > 0)
		fail_msg("allocation %ld: error %d, %s", at, first_other,
			 in.wrong    ? "damaged"
			 : !in.there ? "not there"
				     : "whole");
	for (int k = 0; k < RECORDS; k++) {
		if (!in.has[k])
			fail_msg("allocation %ld: record %d is lost", at, k);
	}
}

/* True if the allocation that must fail was reached. */
static bool starved_writing(void **state, int version, long at)
{
	char dir[256], base[280];
	bool met;

	snprintf(dir, sizeof(dir), "%s/%d.%ld", (char *)*state, version, at);
	snprintf(base, sizeof(base), "%s/a", dir);
	assert_int_equal(file_mkdirs(dir, 0700), 0);
	first_other = 0;
	starve_left = at;
	play(base, version);
	met = starve_left < 0;
	starve_left = -1;
	check(base, at);
	if (at % 32 == 0 && inspect_check(base) == 0)
		fail_msg("allocation %ld: pmlogcheck complains", at);
	assert_int_equal(file_remove_tree(dir), 0);
	return met;
}

static void every_allocation(void **state, int version)
{
	long at = 0;

	while (starved_writing(state, version, at))
		at++;
	assert_true(at > RECORDS);
}

static void v2(void **state)
{
	every_allocation(state, 2);
}

static void v3(void **state)
{
	every_allocation(state, 3);
}

/* A torn tail, and no index. */
static void spoil(const char *base)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s.2", base);
	f = fopen(path, "ae");
	assert_non_null(f);
	fwrite("\0\0\1\0torn", 8, 1, f);
	fclose(f);
	snprintf(path, sizeof(path), "%s.index", base);
	assert_int_equal(unlink(path), 0);
}

static bool starved_repair(void **state, long at)
{
	const char *base = store_test_path(state, "r");
	struct archive_repair done;
	bool met;
	int r;

	spoil(base);
	starve_left = at;
	r = archive_repair(base, &done);
	met = starve_left < 0;
	starve_left = -1;
	if (r != 0)
		assert_int_equal(r, -ENOMEM);
	if (r != 0 || met)
		assert_int_equal(archive_repair(base, &done), 0);
	check(base, at);
	if (inspect_check(base) == 0)
		fail_msg("allocation %ld: pmlogcheck complains", at);
	return met;
}

static void repair(void **state)
{
	long at = 0;

	first_other = 0;
	play(store_test_path(state, "r"), 3);
	while (starved_repair(state, at))
		at++;
	assert_true(at > 10);
}

/* Files that a starved call does not remove, the next one removes. */
static void keep(void **state)
{
	struct log_label label = scene_label(3);
	struct archive_caps caps = {.bytes = 1, .host = label.host};
	struct timespec now = scene_stamp(RECORDS);
	struct archive_kept kept;
	bool met = true;

	for (long at = 0; met; at++) {
		int r;

		first_other = 0;
		play(store_test_path(state, "k"), 3);
		starve_left = at;
		r = archive_keep(*state, &caps, &now, &kept);
		met = starve_left < 0;
		starve_left = -1;
		if (r != 0)
			assert_int_equal(r, -ENOMEM);
		assert_int_equal(archive_keep(*state, &caps, &now, &kept), 0);
		assert_int_equal(access(store_test_path(state, "k.meta"), F_OK), -1);
		assert_int_equal(access(store_test_path(state, "k.0"), F_OK), -1);
		assert_true(at < 1000);
	}
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, store_test_setup, store_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {UNIT(v2), UNIT(v3), UNIT(repair), UNIT(keep)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
