/*
 * test_archive_repair - single wounds of an archive, and what is made of each. Kills and power cuts
 * in all places are test_kill_points and test_power_loss.
 */
#include "store_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inspect.h"
#include "libstore/archive_compress.h"
#include "libstore/archive_repair.h"
#include "libstore/member.h"
#include "libstore/repair_inner.h"
#include "scene.h"

enum {
	RECORDS = 200,
	VOLUME = 70,
	LONG_AGO = 1000000000,
	WOUND = 12,
	ROUNDS = 60,
	STEPS = 20,
	STEP_US = 200,
};

/* Three volumes; record k at k seconds. */
static void make(void **state, int version, bool ended)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;

	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	for (uint64_t k = 0; k < RECORDS; k++) {
		if (k > 0 && k % VOLUME == 0)
			archive_writer_volume(w);
		assert_int_equal(scene_write(w, version, k), 0);
	}
	if (ended)
		assert_int_equal(archive_writer_end(w), 0);
	else
		archive_writer_abandon(w);
}

static size_t size(void **state, const char *name)
{
	struct stat st;

	assert_int_equal(stat(store_test_path(state, name), &st), 0);
	return (size_t)st.st_size;
}

static bool is_there(void **state, const char *name)
{
	return access(store_test_path(state, name), F_OK) == 0;
}

/* Zeros over some bytes of a file, as a page that was never written. */
static void wound(void **state, const char *name, size_t at)
{
	static const char zeros[WOUND];
	int fd = open(store_test_path(state, name), O_WRONLY);

	assert_int_equal(pwrite(fd, zeros, WOUND, (off_t)at), WOUND);
	close(fd);
}

/* Where a record begins. */
static size_t record_at(void **state, const char *name, int volume, int nth)
{
	struct repair_scan scan;
	struct scan_piece piece;
	struct member *m;

	assert_int_equal(member_open(store_test_path(state, name), &m), 0);
	assert_int_equal(repair_scan_begin(&scan, m, SCAN_DATA, volume), 0);
	for (int i = 0; i <= nth; i++)
		assert_int_equal(repair_scan_next(&scan, &piece), 1);
	repair_scan_done(&scan);
	member_close(m);
	return (size_t)piece.offset;
}

/* As if the machine had been started since. */
static void set_old(void **state, const char *name)
{
	struct timespec times[2] = {{LONG_AGO, 0}, {LONG_AGO, 0}};

	assert_int_equal(utimensat(AT_FDCWD, store_test_path(state, name), times, 0), 0);
}

static struct archive_repair repair(void **state)
{
	struct archive_repair done, again;

	assert_int_equal(archive_repair(store_test_path(state, "a"), &done), 0);
	if (!done.removed) {
		assert_int_equal(archive_repair(store_test_path(state, "a"), &again), 0);
		assert_int_equal(again.meta_cut + again.data_cut, 0);
		assert_true(again.damaged <= done.damaged); /* not looked at again */
		assert_false(again.index_written || again.removed);
	}
	return done;
}

static void has(void **state, size_t records, bool wrong)
{
	struct inspect in;

	inspect(store_test_path(state, "a"), &in);
	assert_true(in.there);
	assert_int_equal(in.records, records);
	assert_int_equal(in.wrong, wrong);
	assert_int_equal(in.undescribed, 0);
	if (!wrong)
		assert_int_not_equal(inspect_check(store_test_path(state, "a")), 0);
}

static void nothing(void **state)
{
	struct archive_repair done;

	assert_int_equal(archive_repair(store_test_path(state, "a"), &done), -ENOENT);
}

static void whole(void **state)
{
	for (int old = 0; old < 2; old++) {
		struct archive_repair done;
		struct stat before, after;

		make(state, 3, true);
		if (old)
			set_old(state, "a.2");
		assert_int_equal(stat(store_test_path(state, "a.2"), &before), 0);
		done = repair(state);
		assert_int_equal(done.meta_cut + done.data_cut + done.damaged, 0);
		assert_false(done.index_written || done.removed);
		assert_int_equal(stat(store_test_path(state, "a.2"), &after), 0);
		assert_int_equal(before.st_mtime, after.st_mtime);
		store_test_teardown(state);
		store_test_setup(state);
	}
}

static void ended_by_a_kill(void **state)
{
	struct archive_repair done;

	make(state, 2, false);
	done = repair(state);
	assert_true(done.index_written); /* it had no end record */
	assert_int_equal(done.data_cut + done.meta_cut, 0);
	has(state, RECORDS, false);
}

static void torn_tails(void **state)
{
	struct archive_repair done;

	make(state, 3, false);
	store_test_append(state, "a.2", "\0\0\0\xff rest", 9);
	store_test_append(state, "a.meta", "\0\0\1\0\0\0\0\1", 8);
	store_test_append(state, "a.index", "half", 4);
	store_test_file(state, "a.index.new", "half", 4);
	done = repair(state);
	assert_int_equal(done.data_cut, 9);
	assert_int_equal(done.meta_cut, 8);
	assert_true(done.index_written);
	assert_false(is_there(state, "a.index.new"));
	has(state, RECORDS, false);
}

/* A child of the recorder that was killed goes on compressing what it was at. */
static void compressed_meanwhile(void **state)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct archive_repair done;
		int status;
		pid_t child;

		make(state, 3, false);
		store_test_append(state, "a.2", "\0\0\0\xff rest", 9);
		child = fork();
		if (child == 0) {
			usleep((useconds_t)(round % STEPS) * STEP_US);
			_exit(archive_compress(store_test_path(state, "a.0"), ARCHIVE_XZ) != 0 ||
			      archive_compress(store_test_path(state, "a.1"), ARCHIVE_XZ) != 0);
		}
		assert_int_equal(archive_repair(store_test_path(state, "a"), &done), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_int_equal(done.data_cut, 9);
		assert_true(is_there(state, "a.0.xz") && is_there(state, "a.1.xz"));
		has(state, RECORDS, false);
		store_test_teardown(state);
		store_test_setup(state);
	}
}

static void volume_without_a_record(void **state)
{
	struct archive_repair done;

	make(state, 3, true);
	store_test_file(state, "a.3", "", 0);
	done = repair(state);
	assert_false(is_there(state, "a.3"));
	assert_false(done.removed);
	has(state, RECORDS, false);
}

static void archive_without_a_record(void **state)
{
	make(state, 3, true);
	assert_int_equal(unlink(store_test_path(state, "a.1")), 0);
	assert_int_equal(unlink(store_test_path(state, "a.2")), 0);
	store_test_cut(state, "a.0", log_label_len(3) + 10);
	assert_true(repair(state).removed);
	assert_false(is_there(state, "a.0") || is_there(state, "a.meta") ||
		     is_there(state, "a.index"));
}

static void index_is_made(void **state)
{
	make(state, 2, true);
	assert_int_equal(unlink(store_test_path(state, "a.index")), 0);
	assert_true(repair(state).index_written);
	has(state, RECORDS, false);
	wound(state, "a.index", log_label_len(2) + 10);
	set_old(state, "a.2"); /* else its last entry is believed */
	assert_true(repair(state).index_written);
	has(state, RECORDS, false);
}

/* Records around damage that is older than a sync stay, regardless of later events. */
static void damage_in_the_middle(void **state)
{
	for (int old = 0; old < 2; old++) {
		struct archive_repair done;
		size_t before;

		make(state, 3, false);
		wound(state, "a.0", record_at(state, "a.0", 0, 20));
		before = size(state, "a.0");
		if (old)
			set_old(state, "a.2");
		done = repair(state);
		assert_int_equal(done.damaged, 1);
		assert_int_equal(done.data_cut, 0);
		assert_int_equal(size(state, "a.0"), before);
		has(state, RECORDS - 1, true);
		store_test_teardown(state);
		store_test_setup(state);
	}
}

/* Near the end it is what a crash of the machine left, or it is not. */
static void damage_near_the_end(void **state)
{
	struct archive_repair done;

	make(state, 3, false);
	wound(state, "a.2", record_at(state, "a.2", 2, 50));
	done = repair(state);
	assert_int_equal(done.damaged, 1);
	assert_int_equal(done.data_cut, 0);
	has(state, RECORDS - 1, true);
	set_old(state, "a.2");
	done = repair(state);
	assert_int_equal(done.damaged, 0);
	assert_true(done.data_cut > 0);
	assert_true(done.index_written);
}

/* Metadata that is lost takes the data that needs it along: in the last minute, not before. */
static void lost_metadata(void **state)
{
	struct archive_repair done;
	struct inspect in;

	make(state, 3, false);
	store_test_cut(state, "a.meta", size(state, "a.meta") - 400);
	set_old(state, "a.2");
	done = repair(state);
	assert_true(done.data_cut > 0);
	inspect(store_test_path(state, "a"), &in);
	assert_false(in.wrong);
	assert_int_equal(in.undescribed, 0);
	assert_true(in.records > RECORDS - 60 && in.records < RECORDS);
	assert_int_not_equal(inspect_check(store_test_path(state, "a")), 0);
}

static void no_metadata_at_all(void **state)
{
	struct archive_repair done;

	make(state, 3, true);
	assert_int_equal(unlink(store_test_path(state, "a.meta")), 0);
	assert_int_equal(archive_repair(store_test_path(state, "a"), &done), PM_ERR_LOGFILE);
	set_old(state, "a.2");
	assert_int_equal(archive_repair(store_test_path(state, "a"), &done), PM_ERR_LOGFILE);
	assert_true(is_there(state, "a.0") && is_there(state, "a.2"));
	store_test_file(state, "a.meta", "no label at all", 15);
	assert_int_equal(archive_repair(store_test_path(state, "a"), &done), PM_ERR_LABEL);
	assert_true(is_there(state, "a.0"));
}

static void compressed_volumes(void **state)
{
	struct archive_repair done;

	make(state, 3, false);
	assert_int_equal(archive_compress(store_test_path(state, "a.0"), ARCHIVE_XZ), 0);
	store_test_cut(state, "a.2", size(state, "a.2") - 1);
	done = repair(state);
	assert_true(done.data_cut > 0);
	assert_true(done.index_written);
	has(state, RECORDS - 1, false);
	/* Without an index they are read. */
	assert_int_equal(unlink(store_test_path(state, "a.index")), 0);
	assert_true(repair(state).index_written);
	has(state, RECORDS - 1, false);
}

/* The front is gone: by a cap on what is kept. */
static void volumes_are_gone(void **state)
{
	make(state, 3, false);
	assert_int_equal(unlink(store_test_path(state, "a.0")), 0);
	assert_true(repair(state).index_written);
	has(state, RECORDS - VOLUME, false);
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, store_test_setup, store_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    UNIT(nothing),
	    UNIT(whole),
	    UNIT(ended_by_a_kill),
	    UNIT(torn_tails),
	    UNIT(compressed_meanwhile),
	    UNIT(volume_without_a_record),
	    UNIT(archive_without_a_record),
	    UNIT(index_is_made),
	    UNIT(damage_in_the_middle),
	    UNIT(damage_near_the_end),
	    UNIT(lost_metadata),
	    UNIT(no_metadata_at_all),
	    UNIT(compressed_volumes),
	    UNIT(volumes_are_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
