/*
 * test_full_disk - a real file system of 256 KiB that fills up, and a limit for the size of files.
 *
 * The file system is mounted in a mount namespace of the test's own: without the right to do that
 * the test is skipped and says so.
 */
#include "store_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inspect.h"
#include "libstore/archive_repair.h"
#include "scene.h"

enum {
	DISK = 256 << 10,
	LIMIT = 24 << 10,
	CHUNK = 4096,
};

static bool own_namespace(void)
{
	static int can = -1;

	if (can < 0)
		can = unshare(CLONE_NEWNS) == 0 &&
		      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	return can == 1;
}

static bool mount_disk(void **state)
{
	char options[32];

	snprintf(options, sizeof(options), "size=%d", DISK);
	if (own_namespace() && mount("tmpfs", *state, "tmpfs", 0, options) == 0)
		return true;
	fprintf(stderr, "skipped: no file system can be mounted here\n");
	skip();
	return false;
}

/* Other files take what is left, or give it back. */
static void fill(void **state)
{
	static char zeros[CHUNK];
	int fd = open(store_test_path(state, "ballast"), O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(fd >= 0);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

static void empty(void **state)
{
	assert_int_equal(unlink(store_test_path(state, "ballast")), 0);
}

static void check(void **state, const char *name, size_t records)
{
	const char *base = store_test_path(state, name);
	struct inspect in;

	inspect(base, &in);
	assert_true(in.there);
	assert_false(in.wrong);
	assert_int_equal(in.undescribed, 0);
	assert_int_equal(in.records, records);
	assert_int_not_equal(inspect_check(base), 0);
	assert_int_not_equal(inspect_dump(base), 0);
}

/* Marks are the scenes of these numbers, so the inspection knows them. */
static uint64_t next_mark(uint64_t k)
{
	while (!scene_is_mark(k))
		k++;
	return k;
}

/* Writes scenes until the disk is full, from k on: the one that was refused. */
static uint64_t write_until_full(struct archive_writer *w, int version, uint64_t k, size_t *records)
{
	for (;; k++) {
		int r = scene_write(w, version, k);

		if (r == -ENOSPC)
			return k;
		assert_int_equal(r, 0);
		(*records)++;
		assert_true(k < INSPECT_MAX - 50);
	}
}

static void gap_is_marked(void **state, int version)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;
	size_t records = 0;
	uint64_t k;

	if (!mount_disk(state))
		return;
	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	for (k = 0; k < 40; k++, records++)
		assert_int_equal(scene_write(w, version, k), 0);
	fill(state);
	k = write_until_full(w, version, k, &records);
	check(state, "a", records);
	/* The closing mark comes from the reserve, on a disk that has nothing left. */
	k = next_mark(k);
	assert_int_equal(scene_write(w, version, k), 0);
	records++;
	check(state, "a", records);
	for (int i = 0; i < 100; i++)
		assert_int_equal(scene_write(w, version, k + 1), -ENOSPC);
	check(state, "a", records);
	empty(state);
	for (uint64_t end = k + 40; ++k < end; records++)
		assert_int_equal(scene_write(w, version, k), 0);
	assert_int_equal(archive_writer_end(w), 0);
	check(state, "a", records);
	assert_int_equal(umount2(*state, MNT_DETACH), 0);
}

static void gap_is_marked_v2(void **state)
{
	gap_is_marked(state, 2);
}

static void gap_is_marked_v3(void **state)
{
	gap_is_marked(state, 3);
}

/* It fills the disk by itself, ends there, and leaves an archive. */
static void ends_on_a_full_disk(void **state)
{
	struct log_label label = scene_label(3);
	struct archive_repair done;
	struct archive_writer *w;
	size_t records = 0;
	uint64_t k;

	if (!mount_disk(state))
		return;
	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	k = write_until_full(w, 3, 0, &records);
	assert_true(archive_writer_state(w).data_size + archive_writer_state(w).meta_size >
		    DISK / 2);
	assert_int_equal(scene_write(w, 3, next_mark(k)), 0);
	records++;
	assert_int_equal(archive_writer_end(w), 0);
	check(state, "a", records);
	assert_int_equal(archive_repair(store_test_path(state, "a"), &done), 0);
	assert_false(done.index_written);
	assert_int_equal(umount2(*state, MNT_DETACH), 0);
}

/* Nothing can be begun, and nothing is left of the try. */
static void begins_on_a_full_disk(void **state)
{
	struct log_label label = scene_label(3);
	struct archive_writer *w;

	if (!mount_disk(state))
		return;
	fill(state);
	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	for (uint64_t k = 0; k < 5; k++) {
		assert_int_equal(scene_write(w, 3, k), -ENOSPC);
		assert_int_equal(access(store_test_path(state, "a.0"), F_OK), -1);
		assert_int_equal(access(store_test_path(state, "a.meta"), F_OK), -1);
	}
	empty(state);
	for (uint64_t k = 6; k < 20; k++)
		assert_int_equal(scene_write(w, 3, k), 0);
	assert_int_equal(archive_writer_end(w), 0);
	check(state, "a", 14);
	assert_int_equal(umount2(*state, MNT_DETACH), 0);
}

/* A volume that may not grow: the record is refused, a new volume takes it. */
static void limit_for_files(void **state)
{
	struct log_label label = scene_label(3);
	struct rlimit old, limit;
	struct archive_writer *w;
	uint64_t k = 0;
	int r = 0;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){LIMIT, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	/* Scenes without instances: .meta has no limit to meet. */
	for (; r == 0 && k < 1000; k += r == 0)
		r = k % 3 == 0 ? 0 : scene_write(w, 3, k);
	assert_int_equal(r, -EFBIG);
	assert_int_equal(archive_writer_volume(w), 1);
	assert_int_equal(scene_write(w, 3, k), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(archive_writer_end(w), 0);
	check(state, "a", (size_t)(k - k / 3));
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, store_test_setup, store_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    UNIT(gap_is_marked_v2),      UNIT(gap_is_marked_v3), UNIT(ends_on_a_full_disk),
	    UNIT(begins_on_a_full_disk), UNIT(limit_for_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
