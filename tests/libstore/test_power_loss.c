/*
 * test_power_loss - the disk of a machine that lost its power, made of what a writer asked for.
 *
 * Every call is written down. A moment of the run is chosen; what was synced before it is there,
 * and of the later writes some, some in part, some not, in any order; of the later names a first
 * part. The repair makes an archive of it that has every record of the last sync, no damage, and
 * metadata for all that it has.
 */
#include "store_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"
#include "inspect.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libstore/archive_repair.h"
#include "scene.h"

enum {
	RECORDS = 90,
	VOLUME_EVERY = 31,
	SYNC_EVERY = 10,
	FILES_MAX = 16,
	IMAGE_MAX = 64 << 10,
	PAGE = 512,
	IMAGES_A_POINT = 3,
	CHECK_EVERY = 16, /* of the images, for the peer's tools: they take their time */
	LONG_AGO = 1000000000,
};

/* Which calls were done when a sync was: records up to safe are durable from then on. */
struct milestone {
	size_t ncalls;
	uint64_t safe;
};

static struct milestone milestones[RECORDS];
static size_t nmilestones;

struct image {
	uint8_t *bytes; /* IMAGE_MAX of them */
	size_t len;
	char name[160];
	bool named;
};

static struct image images[FILES_MAX];
static uint64_t seed;

static uint32_t chance(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static void record(void **state, int version)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;

	calls_forget();
	calls = (struct call_plan){.log = true, .dry_sync = true};
	nmilestones = 0;
	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	for (uint64_t k = 0; k < RECORDS; k++) {
		if (k > 0 && k % VOLUME_EVERY == 0)
			archive_writer_volume(w);
		assert_int_equal(scene_write(w, version, k), 0);
		if (k % SYNC_EVERY == SYNC_EVERY - 1) {
			assert_int_equal(archive_writer_sync(w), 0);
			milestones[nmilestones++] = (struct milestone){calls.ncalls, k + 1};
		}
	}
	assert_int_equal(archive_writer_end(w), 0);
	milestones[nmilestones++] = (struct milestone){calls.ncalls, RECORDS};
	calls.log = false;
}

static void apply_write(struct image *im, const struct call *c, size_t from, size_t to)
{
	assert_true(c->offset + to <= IMAGE_MAX);
	memcpy(im->bytes + c->offset + from, c->bytes + from, to - from);
	if (c->offset + to > im->len)
		im->len = c->offset + to;
}

/* All, nothing, its beginning, its end: the file has its whole length, zeros are where pages are
 * missing. */
static void apply_maybe(struct image *im, const struct call *c)
{
	size_t first = PAGE - c->offset % PAGE;

	switch (chance(6)) {
	case 0:
		return;
	case 1:
		if (first < c->len)
			apply_write(im, c, 0, first);
		return;
	case 2:
		if (first < c->len)
			apply_write(im, c, first, c->len);
		return;
	case 3:
		if (c->offset + c->len > im->len)
			im->len = c->offset + c->len;
		return;
	default:
		apply_write(im, c, 0, c->len);
	}
}

/* The call after which everything before it in this file was on the disk; 0: none. */
static size_t synced_until(int file, size_t until)
{
	for (size_t i = until; i > 0; i--) {
		if (calls.calls[i - 1].kind == CALL_SYNC && calls.calls[i - 1].file == file)
			return i;
	}
	return 0;
}

static void apply_name(const struct call *c)
{
	for (int f = 0; f < FILES_MAX; f++) {
		struct image *im = &images[f];

		if (c->kind == CALL_CREATE && c->file == f) {
			snprintf(im->name, sizeof(im->name), "%s", c->path);
			im->named = true;
		} else if (c->kind == CALL_RENAME && im->named && strcmp(im->name, c->path) == 0) {
			snprintf(im->name, sizeof(im->name), "%s", c->to);
		} else if (c->kind == CALL_UNLINK && im->named && strcmp(im->name, c->path) == 0) {
			im->named = false;
		}
	}
}

static void build(size_t until)
{
	size_t names = synced_until(-1, until);

	/* Names keep their order: a journal writes a first part of them. */
	names += chance((uint32_t)(until - names + 1));
	for (int f = 0; f < FILES_MAX; f++) {
		memset(images[f].bytes, 0, IMAGE_MAX);
		images[f].len = 0;
		images[f].named = false;
	}
	for (size_t i = 0; i < until; i++) {
		const struct call *c = &calls.calls[i];

		if (i < names)
			apply_name(c);
		if (c->file < 0)
			continue;
		if (c->kind == CALL_TRUNCATE && c->offset < images[c->file].len)
			images[c->file].len = c->offset;
		if (c->kind != CALL_WRITE)
			continue;
		if (i < synced_until(c->file, until))
			apply_write(&images[c->file], c, 0, c->len);
		else
			apply_maybe(&images[c->file], c);
	}
}

/* Restores the files to the state that the machine finds after its restart, with old modification
 * times. */
static void put_files(void **state)
{
	struct timespec times[2] = {{LONG_AGO, 0}, {LONG_AGO, 0}};

	for (int f = 0; f < FILES_MAX; f++) {
		const struct image *im = &images[f];
		const char *name = strrchr(im->name, '/');

		if (!im->named)
			continue;
		store_test_file(state, name + 1, im->bytes, im->len);
		assert_int_equal(utimensat(AT_FDCWD, im->name, times, 0), 0);
	}
}

static void remove_files(void **state)
{
	assert_int_equal(file_remove_tree(*state), 0);
	assert_int_equal(mkdir(*state, 0700), 0);
}

static uint64_t safe_at(size_t until)
{
	uint64_t safe = 0;

	for (size_t i = 0; i < nmilestones; i++) {
		if (milestones[i].ncalls <= until)
			safe = milestones[i].safe;
	}
	return safe;
}

static void check_image(void **state, size_t until, bool peer)
{
	const char *base = store_test_path(state, "a");
	uint64_t safe = safe_at(until);
	struct archive_repair done, again;
	struct inspect in;
	int r = archive_repair(base, &done);

	if (r == -ENOENT && safe == 0)
		return;
	if (r != 0)
		fail_msg("after call %zu: repair: %d", until, r);
	inspect(base, &in);
	if (in.wrong)
		fail_msg("after call %zu: damaged", until);
	if (in.undescribed > 0)
		fail_msg("after call %zu: %zu records without metadata", until, in.undescribed);
	for (uint64_t k = 0; k < safe; k++) {
		if (!in.has[k])
			fail_msg("after call %zu: record %d of %d is lost", until, (int)k,
				 (int)safe);
	}
	if (!in.there)
		return;
	assert_int_equal(archive_repair(base, &again), 0);
	if (again.meta_cut + again.data_cut + again.damaged != 0 || again.index_written)
		fail_msg("after call %zu: the second repair found something", until);
	if (peer && (inspect_dump(base) == 0 || inspect_check(base) == 0))
		fail_msg("after call %zu: the peer's tools complain", until);
}

static void every_moment(void **state, int version)
{
	const char *scale = getenv("PITOT_SOAK");
	int each = scale != NULL ? atoi(scale) : IMAGES_A_POINT;
	unsigned int n = 0;

	record(state, version);
	for (size_t until = 1; until <= calls.ncalls; until++) {
		for (int i = 0; i < each; i++) {
			seed = until * 1000 + (uint64_t)i + (uint64_t)version * 1000000;
			remove_files(state);
			build(until);
			put_files(state);
			check_image(state, until, ++n % CHECK_EVERY == 0);
		}
	}
	calls_forget();
}

static void v2(void **state)
{
	every_moment(state, 2);
}

static void v3(void **state)
{
	every_moment(state, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(v2, store_test_setup, store_test_teardown),
	    cmocka_unit_test_setup_teardown(v3, store_test_setup, store_test_teardown),
	};
	int failed;

	for (int f = 0; f < FILES_MAX; f++) {
		images[f].bytes = malloc(IMAGE_MAX);
		if (images[f].bytes == NULL)
			return 1;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (int f = 0; f < FILES_MAX; f++)
		free(images[f].bytes);
	return failed;
}
