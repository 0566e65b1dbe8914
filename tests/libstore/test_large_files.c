/*
 * test_large_files - volumes at 2 GB, where version 2 ends them, and at 4 GB. The files have holes:
 * of a long write only its beginning and its end reach the disk.
 */
#include "store_test.h"

#include <malloc.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "libstore/repair_index.h"
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
	const char *p = buf;

	if (n <= 2 * EDGE)
		return __real_pwrite64(fd, buf, n, at);
	if (__real_pwrite64(fd, p, EDGE, at) != EDGE ||
	    __real_pwrite64(fd, p + n - EDGE, EDGE, at + (off_t)n - EDGE) != EDGE)
		return -1;
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
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, store_test_setup, store_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    UNIT(version_2_begins_a_volume),
	    UNIT(version_3_goes_on),
	};

	/* Records of this length are otherwise fresh memory each, and the time goes into its pages.
	 */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
