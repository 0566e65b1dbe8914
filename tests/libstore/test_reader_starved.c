/* test_reader_starved - each allocation of reading an archive fails once, in turn. */
#include <errno.h>

#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_writer.h"
#include "scene.h"
#include "starve.h"
#include "store_test.h"

enum { RECORDS = 60 };

static void make(void **state)
{
	struct log_label label = scene_label(3);
	struct archive_writer *w;

	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	for (uint64_t k = 0; k < RECORDS; k++) {
		if (k == RECORDS / 2)
			assert_int_equal(archive_writer_volume(w), 1);
		assert_int_equal(scene_write(w, 3, k), 0);
	}
	assert_int_equal(archive_writer_end(w), 0);
}

/* Reads on until an error; how many records there were besides. */
static int read_all(struct archive *a, int (*next)(struct archive *, struct result_view *))
{
	struct result_view view;
	int r, n = 0;

	while ((r = next(a, &view)) > 0)
		n++;
	return r < 0 ? r : n;
}

static int records(struct archive *a)
{
	struct timespec end, middle = scene_stamp(RECORDS - 10);
	struct archive_head head;
	int r = archive_end(a, &end);

	if (r == 0) {
		assert_int_equal(end.tv_sec, scene_stamp(RECORDS - 1).tv_sec);
		r = read_all(a, archive_next);
	}
	if (r > 0) {
		assert_int_equal(r, RECORDS);
		r = archive_seek_forward(a, &middle);
	}
	if (r == 0)
		r = archive_head_seek(a, &middle, &head);
	if (r > 0) {
		assert_int_equal(head.stamp.tv_sec, middle.tv_sec);
		r = read_all(a, archive_prev);
	}
	if (r > 0)
		assert_int_equal(r, RECORDS - 10);
	return r;
}

static int metadata(struct archive *a)
{
	const struct archive_indom *const *all;
	const struct archive_indom *at;
	struct archive_meta *meta = NULL;
	uint64_t offset;
	int r = archive_meta_new(&meta);

	if (r == 0)
		r = archive_meta_load(meta, archive_meta_member(a), 3, 0, LOG_LABEL_LEN_V3,
				      &offset);
	if (r == 0) {
		assert_int_equal(archive_meta_pmid(meta, "scene.count"), SCENE_COUNT);
		r = archive_meta_indom(meta, SCENE_INDOM, &all);
	}
	if (r >= 0) {
		assert_true(r > 1);
		r = archive_meta_indom_union(meta, SCENE_INDOM, &at);
	}
	for (int i = 0; r == 0 && i < 10; i++) {
		int inst = at->insts[0].inst;
		char *name = __real_strdup(at->insts[0].name.s);

		assert_int_equal(archive_indom_lookup(at, name), inst);
		free(name);
	}
	archive_meta_free(meta);
	return r;
}

static int list(const char *dir)
{
	char **bases = NULL;
	int n = archive_files_list(dir, &bases);

	for (int i = 0; i < n; i++)
		free(bases[i]);
	if (n > 0)
		free(bases);
	return n;
}

static int everything(void **state)
{
	struct archive *a = NULL;
	int r = list(*state);

	if (r > 0)
		r = archive_open(store_test_path(state, "a"), 0, &a);
	if (r == 0)
		r = records(a);
	if (r >= 0)
		r = metadata(a);
	archive_close(a);
	return r;
}

static int faults_of(void **state)
{
	for (int faults = 0;; faults++) {
		bool met;
		int r;

		starve_left = faults;
		r = everything(state);
		met = starve_left < 0;
		starve_left = -1;
		if (!met) {
			assert_int_equal(r, 0);
			return faults;
		}
		/* Some are done without: an index is not needed to find a record. */
		if (r != -ENOMEM && r != 0)
			fail_msg("allocation %d: %d", faults, r);
	}
}

static void plain(void **state)
{
	make(state);
	assert_true(faults_of(state) > 30);
}

static void compressed(void **state)
{
	make(state);
	store_test_run(state, (const char *[]){"xz", "-0", "a.0", NULL});
	store_test_run(state, (const char *[]){"gzip", "-1", "a.1", NULL});
	store_test_run(state, (const char *[]){"zstd", "-q", "--rm", "a.meta", NULL});
	assert_true(faults_of(state) > 40);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(plain, store_test_setup, store_test_teardown),
	    cmocka_unit_test_setup_teardown(compressed, store_test_setup, store_test_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
