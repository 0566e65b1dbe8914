/*
 * test_kill_points - kills a writer before each of its system calls that change files, and in the
 * middle of each write. The peer's tools open its archive (unless it had no record yet); after the
 * repair all written records are present and the peer's pmlogcheck has no message. The repair is
 * killed at each of its calls too, and run again.
 */
#include "store_test.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "inspect.h"
#include "libbase/file.h"
#include "libstore/archive_repair.h"
#include "scene.h"

enum {
	RECORDS = 32,
	VOLUME_EVERY = 13,
	SYNC_EVERY = 10,
};

/* A fork of an instrumented program costs ten times as much: a part of the points, there. */
#if defined(__SANITIZE_ADDRESS__)
#define STEP 3
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STEP 3
#endif
#endif
#ifndef STEP
#define STEP 1
#endif

struct progress {
	long calls;       /* of a run to its end */
	uint64_t written; /* records */
	bool ended;
};

static struct progress *progress; /* shared with the children */

static void play(const char *base, int version)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;

	if (archive_writer_new(base, &label, &w) != 0)
		_exit(3);
	for (uint64_t k = 0; k < RECORDS; k++) {
		if (k > 0 && k % VOLUME_EVERY == 0)
			archive_writer_volume(w);
		if (scene_write(w, version, k) != 0)
			_exit(4);
		progress->written = k + 1;
		if (k % SYNC_EVERY == SYNC_EVERY - 1 && archive_writer_sync(w) != 0)
			_exit(5);
	}
	if (archive_writer_end(w) != 0)
		_exit(6);
	progress->ended = true;
	progress->calls = calls.count;
	_exit(0);
}

static void mend(const char *base)
{
	struct archive_repair done;

	int r = archive_repair(base, &done);

	_exit(r == 0 || r == -ENOENT ? 0 : 7);
}

/* True if the child was killed by the plan. */
static bool run_killed(long at, bool torn, const char *base, int version)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		calls = (struct call_plan){
		    .action = CALLS_KILL, .at = at, .torn = torn, .dry_sync = true};
		if (version != 0)
			play(base, version);
		mend(base);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;
	if (status != 0)
		fail_msg("call %ld: status %#x", at, status);
	return false;
}

static void check_repaired(const char *base, long at)
{
	struct inspect in;

	inspect(base, &in);
	if (in.wrong || (progress->written > 0 && !in.there))
		fail_msg("call %ld: %s", at, in.wrong ? "damaged" : "gone");
	for (uint64_t k = 0; k < progress->written; k++) {
		if (!in.has[k])
			fail_msg("call %ld: record %d of %d is lost", at, (int)k,
				 (int)progress->written);
	}
	if (in.undescribed > 0)
		fail_msg("call %ld: %zu records without metadata", at, in.undescribed);
	if (in.there && inspect_check(base) == 0)
		fail_msg("call %ld: pmlogcheck complains", at);
}

static void check_unchanged(const char *base, long at)
{
	struct archive_repair done;
	struct inspect in;
	int r = archive_repair(base, &done);

	inspect(base, &in);
	if (!in.there && r == -ENOENT)
		return;
	assert_int_equal(r, 0);
	if (done.meta_cut != 0 || done.data_cut != 0 || done.damaged != 0 || done.index_written ||
	    done.removed)
		fail_msg("call %ld: the second repair found something", at);
}

/* Kills repairs until one gets through. */
static void repair_killed(const char *base)
{
	for (long at = 1; run_killed(at, false, base, 0); at++)
		;
}

static void check_point(void **state, int version, long at, bool torn, bool kill_repair)
{
	char base[256], dir[256];
	struct archive_repair done;
	int r;

	snprintf(dir, sizeof(dir), "%s/%d.%ld", (char *)*state, version, at);
	assert_int_equal(file_mkdirs(dir, 0700), 0);
	assert_true(snprintf(base, sizeof(base), "%s/a", dir) < (int)sizeof(base));
	progress->written = 0;
	progress->ended = false;
	run_killed(at, torn, base, version);
	/* Only partial records need the repair: everything else opens without it. */
	if (!torn && progress->written > 0 && inspect_dump(base) == 0)
		fail_msg("call %ld: pmdumplog fails before the repair", at);
	if (kill_repair)
		repair_killed(base);
	r = archive_repair(base, &done);
	if (r != 0 && r != -ENOENT)
		fail_msg("call %ld: repair: %d", at, r);
	check_repaired(base, at);
	check_unchanged(base, at);
	assert_int_equal(file_remove_tree(dir), 0);
}

static long count_calls(void **state, int version)
{
	assert_false(run_killed(0, false, store_test_path(state, "whole"), version));
	assert_true(progress->ended);
	return progress->calls;
}

static void every_point(void **state, int version)
{
	long n = count_calls(state, version);

	assert_true(n > RECORDS);
	for (long at = 1; at <= n; at += STEP) {
		check_point(state, version, at, false, at % 8 == 0);
		check_point(state, version, at, true, at % 8 == 4);
	}
}

static void v2(void **state)
{
	every_point(state, 2);
}

static void v3(void **state)
{
	every_point(state, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(v2, store_test_setup, store_test_teardown),
	    cmocka_unit_test_setup_teardown(v3, store_test_setup, store_test_teardown),
	};

	calls.dry_sync = true;
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	return progress == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
