/*
 * test_large_files - volumes at 2 GB, where version 2 ends them, and at 4 GB, and metadata of more
 * than 64 MB. The files have holes: of a long write the pages that are zero don't reach the disk.
 */
#include "store_test.h"

#include <malloc.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "inspect.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_repair.h"
#include "libstore/archive_writer.h"
#include "libstore/repair_inner.h"
#include "scene.h"

enum {
	RECORD = 230 << 20,
	EDGE = 4096,
};

ssize_t __real_pwrite64(int fd, const void *buf, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t n, off_t at);
int __wrap_fallocate64(int fd, int mode, off_t at, off_t len);

ssize_t __wrap_pwrite64(int fd, const void *buf, size_t n, off_t at)
{
	static const char zeros[EDGE];
	const char *p = buf;

	if (n <= 2 * EDGE)
		return __real_pwrite64(fd, buf, n, at);
	for (size_t done = 0; done < n; done += EDGE) {
		size_t len = n - done < EDGE ? n - done : EDGE;

		if (done + len < n && memcmp(p + done, zeros, len) == 0)
			continue;
		if (__real_pwrite64(fd, p + done, len, at + (off_t)done) != (ssize_t)len)
			return -1;
	}
	return (ssize_t)n;
}

int __wrap_fallocate64(int fd, int mode, off_t at, off_t len)
{
	(void)fd, (void)mode, (void)at, (void)len;
	return 0; /* holes stay holes */
}

static uint64_t file_size(void **state, const char *name)
{
	struct stat st;

	assert_int_equal(stat(store_test_path(state, name), &st), 0);
	return (uint64_t)st.st_size;
}

static void write_gigabytes(void **state, const char *name, int version, int records)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;

	assert_int_equal(archive_writer_new(store_test_path(state, name), &label, &w), 0);
	for (int k = 1; k <= records; k++)
		assert_int_equal(scene_write_large(w, version, (uint64_t)k, RECORD), 0);
	assert_int_equal(archive_writer_end(w), 0);
}

/* The last record is found when reading in both directions, and so are the records on the other
 * side of the boundary. */
static void read_ends(void **state, const char *name, uint64_t records)
{
	struct timespec end, middle = scene_stamp(records - 1);
	struct archive *a = NULL;
	struct result_view view;
	struct vset_view set;
	struct wire_value value;

	assert_int_equal(archive_open(store_test_path(state, name), 0, &a), 0);
	assert_int_equal(archive_end(a, &end), 0);
	assert_int_equal(end.tv_sec, SCENE_START + records);
	assert_int_equal(archive_seek_forward(a, &middle), 0);
	for (uint64_t k = records - 1; k <= records; k++) {
		assert_int_equal(archive_next(a, &view), 1);
		assert_int_equal(view.stamp.tv_sec, SCENE_START + k);
		assert_int_equal(result_view_check(&view), 0);
	}
	assert_int_equal(archive_next(a, &view), 0);
	for (uint64_t k = records; k >= records - 1; k--) {
		assert_int_equal(archive_prev(a, &view), 1);
		assert_int_equal(view.stamp.tv_sec, SCENE_START + k);
	}
	assert_int_equal(result_view_find(&view, SCENE_BLOB, &set), 1);
	assert_int_equal(vset_view_value(&view, &set, set.numval - 1, &value), 0);
	archive_close(a);
}

/* No offset in version 2 exceeds 31 bits. */
static void version_2_begins_a_volume(void **state)
{
	struct index_list list = {NULL};
	int version;
	bool whole;

	write_gigabytes(state, "a", 2, 10);
	assert_true(file_size(state, "a.0") <= INT32_MAX);
	assert_true(file_size(state, "a.0") > (uint64_t)INT32_MAX - RECORD - RECORD / 8);
	assert_true(file_size(state, "a.1") > RECORD);
	assert_int_equal(
	    index_list_load(&list, store_test_path(state, "a.index"), &version, &whole), 0);
	assert_true(whole);
	for (size_t i = 0; i < list.n; i++)
		assert_true(list.entries[i].data_offset > 0 && list.entries[i].meta_offset > 0);
	assert_int_equal(list.entries[list.n - 1].volume, 1);
	index_list_done(&list);
	read_ends(state, "a", 10);
}

static void version_3_goes_on(void **state)
{
	struct index_list list = {NULL};
	int version;
	bool whole;

	write_gigabytes(state, "a", 3, 19);
	assert_true(file_size(state, "a.0") > UINT32_MAX);
	assert_int_equal(access(store_test_path(state, "a.1"), F_OK), -1);
	assert_int_equal(
	    index_list_load(&list, store_test_path(state, "a.index"), &version, &whole), 0);
	assert_true(whole);
	assert_true(list.entries[list.n - 1].data_offset > UINT32_MAX - RECORD);
	for (size_t i = 1; i < list.n; i++)
		assert_true(list.entries[i].data_offset >= list.entries[i - 1].data_offset);
	index_list_done(&list);
	read_ends(state, "a", 19);
}

/*
 * Metadata
 */

enum {
	INSTS = 10000,
	OBSERVATIONS = 70,
	NAME = 96,
};

/* Observation k has other names than all others: in version 3 it is not a delta. */
static int write_observation(struct archive_writer *w, int version, uint64_t k)
{
	static struct wire_inst insts[INSTS];
	static char names[INSTS][NAME + 1];
	union meta_body body = {.indom = {scene_stamp(k), SCENE_INDOM + 1, INSTS, insts}};

	for (int i = 0; i < INSTS; i++) {
		int len = snprintf(names[i], sizeof(names[i]), "%0*d-%d", NAME - 8, i, (int)k);

		insts[i] = (struct wire_inst){i, {names[i], (uint32_t)len}};
	}
	return archive_writer_meta(w, meta_type_indom(version), &body);
}

static void write_metadata(const char *base, int version)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;

	assert_int_equal(archive_writer_new(base, &label, &w), 0);
	for (uint64_t k = 1; k <= OBSERVATIONS; k++) {
		assert_int_equal(write_observation(w, version, k), 1);
		assert_int_equal(scene_write(w, version, k), 0);
	}
	assert_true(archive_writer_state(w).meta_size > 64 << 20);
	assert_int_equal(archive_writer_end(w), 0);
}

/* The domain at record k is that of observation k. */
static void check_observation(struct archive_meta *meta, uint64_t k)
{
	const struct timespec when = scene_stamp(k);
	const struct archive_indom *at;
	char name[NAME + 1];

	assert_int_equal(archive_meta_indom_at(meta, SCENE_INDOM + 1, &when, &at), 0);
	assert_non_null(at);
	assert_int_equal(at->n, INSTS);
	snprintf(name, sizeof(name), "%0*d-%d", NAME - 8, INSTS - 1, (int)k);
	assert_memory_equal(at->insts[INSTS - 1].name.s, name, strlen(name));
}

static void much_metadata(void **state, int version)
{
	const char *base = store_test_path(state, "m");
	struct archive_repair done;
	struct archive_meta *meta;
	struct archive *a = NULL;
	uint64_t end;

	write_metadata(base, version);
	assert_int_equal(archive_open(base, 0, &a), 0);
	assert_int_equal(archive_meta_new(&meta), 0);
	assert_int_equal(archive_meta_load(meta, archive_meta_member(a), version, 0,
					   version == 2 ? LOG_LABEL_LEN_V2 : LOG_LABEL_LEN_V3,
					   &end),
			 0);
	assert_int_equal(end, file_size(state, "m.meta"));
	for (uint64_t k = 1; k <= OBSERVATIONS; k++)
		check_observation(meta, k);
	archive_meta_free(meta);
	archive_close(a);
	assert_int_not_equal(inspect_check(base), 0);
	assert_int_equal(unlink(store_test_path(state, "m.index")), 0);
	assert_int_equal(archive_repair(base, &done), 0);
	assert_true(done.index_written && done.meta_cut == 0 && done.data_cut == 0);
	assert_int_not_equal(inspect_check(base), 0);
}

static void much_metadata_v2(void **state)
{
	much_metadata(state, 2);
}

static void much_metadata_v3(void **state)
{
	much_metadata(state, 3);
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, store_test_setup, store_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    UNIT(version_2_begins_a_volume),
	    UNIT(version_3_goes_on),
	    UNIT(much_metadata_v2),
	    UNIT(much_metadata_v3),
	};

	/* Records of this length are otherwise fresh memory each, and the time goes into its pages.
	 */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
