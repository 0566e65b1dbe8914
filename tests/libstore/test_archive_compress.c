/* test_archive_compress - a volume becomes .xz and loses nothing, wherever that is cut short. */
#include "store_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lzma.h>

#include "inspect.h"
#include "libstore/archive_compress.h"
#include "scene.h"

enum {
	RECORDS = 60,
	VOLUME = 20,
	LONG_AGO = 1000000000,
	LARGE = 10 << 20,
};

static void make(void **state)
{
	struct log_label label = scene_label(3);
	struct archive_writer *w;

	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	for (uint64_t k = 0; k < RECORDS; k++) {
		if (k > 0 && k % VOLUME == 0)
			archive_writer_volume(w);
		assert_int_equal(scene_write(w, 3, k), 0);
	}
	assert_int_equal(archive_writer_end(w), 0);
}

static bool is_there(void **state, const char *name)
{
	return access(store_test_path(state, name), F_OK) == 0;
}

static void whole_archive(void **state)
{
	struct inspect in;

	inspect(store_test_path(state, "a"), &in);
	assert_false(in.wrong);
	assert_int_equal(in.records, RECORDS);
	assert_int_not_equal(inspect_check(store_test_path(state, "a")), 0);
	assert_int_not_equal(inspect_dump(store_test_path(state, "a")), 0);
}

static void volumes(void **state)
{
	struct timespec times[2] = {{LONG_AGO, 0}, {LONG_AGO, 0}};
	struct stat st;

	make(state);
	assert_int_equal(chmod(store_test_path(state, "a.0"), 0640), 0);
	assert_int_equal(utimensat(AT_FDCWD, store_test_path(state, "a.0"), times, 0), 0);
	assert_int_equal(archive_compress(store_test_path(state, "a.0"), ARCHIVE_XZ), 0);
	assert_false(is_there(state, "a.0") || is_there(state, "a.0.new.xz"));
	assert_int_equal(stat(store_test_path(state, "a.0.xz"), &st), 0);
	assert_int_equal(st.st_mtime, LONG_AGO); /* ages count from there */
	assert_int_equal(st.st_mode & 07777, 0640);
	whole_archive(state);
	assert_int_equal(archive_compress(store_test_path(state, "a.1"), ARCHIVE_XZ), 0);
	whole_archive(state);
	assert_int_equal(archive_compress(store_test_path(state, "a.1"), ARCHIVE_XZ), -ENOENT);
}

static void put_copy(void **state, const char *from, const char *to)
{
	const char *const argv[] = {"cp", from, to, NULL};

	store_test_run(state, argv);
}

/* As a kill before the last step leaves it, and before the rename. */
static void goes_on(void **state)
{
	make(state);
	put_copy(state, "a.0", "copy");
	assert_int_equal(archive_compress(store_test_path(state, "a.0"), ARCHIVE_XZ), 0);
	put_copy(state, "copy", "a.0");
	whole_archive(state);
	assert_int_equal(archive_compress(store_test_path(state, "a.0"), ARCHIVE_XZ), 0);
	assert_false(is_there(state, "a.0"));
	whole_archive(state);
	store_test_file(state, "a.1.new.xz", "half", 4);
	whole_archive(state);
	assert_int_equal(archive_compress(store_test_path(state, "a.1"), ARCHIVE_XZ), 0);
	assert_false(is_there(state, "a.1") || is_there(state, "a.1.new.xz"));
	whole_archive(state);
}

/* Nothing is removed for a compressed file that says something else. */
static void other_contents(void **state)
{
	make(state);
	put_copy(state, "a.1", "copy");
	assert_int_equal(archive_compress(store_test_path(state, "a.0"), ARCHIVE_XZ), 0);
	put_copy(state, "copy", "a.0");
	assert_int_equal(archive_compress(store_test_path(state, "a.0"), ARCHIVE_XZ), -EEXIST);
	assert_true(is_there(state, "a.0") && is_there(state, "a.0.xz"));
	store_test_file(state, "a.2.xz", "no xz at all", 12);
	assert_true(archive_compress(store_test_path(state, "a.2"), ARCHIVE_XZ) < 0);
	assert_true(is_there(state, "a.2"));
}

static uint64_t count_blocks(const char *path)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_index *index = NULL;
	static uint8_t bytes[LARGE];
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, bytes, sizeof(bytes));
	uint64_t blocks;

	close(fd);
	assert_true(n > 0 && n < (ssize_t)sizeof(bytes));
	assert_int_equal(lzma_file_info_decoder(&stream, &index, UINT64_MAX, (uint64_t)n), LZMA_OK);
	stream.next_in = bytes;
	stream.avail_in = (size_t)n;
	for (;;) {
		lzma_ret r = lzma_code(&stream, LZMA_RUN);

		if (r == LZMA_STREAM_END)
			break;
		assert_int_equal(r, LZMA_SEEK_NEEDED);
		stream.next_in = bytes + stream.seek_pos;
		stream.avail_in = (size_t)n - stream.seek_pos;
	}
	blocks = lzma_index_block_count(index);
	lzma_end(&stream);
	lzma_index_end(index, NULL);
	return blocks;
}

/* A record in the middle costs one block. */
static void blocks(void **state)
{
	char *bytes = calloc(1, LARGE);

	assert_non_null(bytes);
	for (size_t i = 0; i < LARGE; i += 7)
		bytes[i] = (char)(i * i >> 9);
	store_test_file(state, "b.0", bytes, LARGE);
	free(bytes);
	assert_int_equal(archive_compress(store_test_path(state, "b.0"), ARCHIVE_XZ), 0);
	assert_int_equal(count_blocks(store_test_path(state, "b.0.xz")),
			 (LARGE + ARCHIVE_COMPRESS_BLOCK - 1) / ARCHIVE_COMPRESS_BLOCK);
}

/* Our readers know it; a volume that is there in one form is not made in another. */
static void as_zst(void **state)
{
	struct inspect in;

	make(state);
	put_copy(state, "a.0", "copy");
	store_test_file(state, "a.0.new.zst", "half", 4);
	assert_int_equal(archive_compress(store_test_path(state, "a.0"), ARCHIVE_ZST), 0);
	assert_true(is_there(state, "a.0.zst"));
	assert_false(is_there(state, "a.0") || is_there(state, "a.0.new.zst"));
	put_copy(state, "copy", "a.0");
	assert_int_equal(archive_compress(store_test_path(state, "a.0"), ARCHIVE_XZ), 0);
	assert_true(is_there(state, "a.0.zst"));
	assert_false(is_there(state, "a.0") || is_there(state, "a.0.xz"));
	inspect(store_test_path(state, "a"), &in);
	assert_false(in.wrong);
	assert_int_equal(in.records, RECORDS);
}

/* One at a time; and what a killed one left goes when it is said so. */
static void held(void **state)
{
	int fd;

	make(state);
	fd = open(store_test_path(state, "a.0"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(archive_compress(store_test_path(state, "a.0"), ARCHIVE_XZ), -EBUSY);
	assert_true(is_there(state, "a.0"));
	store_test_file(state, "a.0.new.xz", "half", 4);
	archive_compress_clean(store_test_path(state, "a.0"));
	assert_true(is_there(state, "a.0.new.xz")); /* another process writes it */
	close(fd);
	store_test_file(state, "a.0.new.zst", "half", 4);
	archive_compress_clean(store_test_path(state, "a.0"));
	assert_false(is_there(state, "a.0.new.xz") || is_there(state, "a.0.new.zst"));
	whole_archive(state);
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, store_test_setup, store_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    UNIT(volumes), UNIT(goes_on), UNIT(other_contents),
	    UNIT(blocks),  UNIT(as_zst),  UNIT(held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
