/*
 * test_archive - reading an archive of scenes: both directions, seeks, growth, and everything that
 * can be wrong with its files.
 */
#include "libstore/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libdisk/index_entry.h"
#include "libdisk/record.h"
#include "libstore/archive_writer.h"
#include "libstore/member.h"
#include "scene.h"
#include "store_test.h"

enum { RECORDS = 400, VOLUME = 150 }; /* a new volume every so many records */

static struct archive_writer *writer_new(void **state, int version)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;

	assert_int_equal(archive_writer_new(store_test_path(state, "a"), &label, &w), 0);
	return w;
}

static void write_scenes(struct archive_writer *w, int version, uint64_t from, uint64_t to)
{
	for (uint64_t k = from; k < to; k++) {
		if (k > 0 && k % VOLUME == 0)
			assert_true(archive_writer_volume(w) > 0);
		assert_int_equal(scene_write(w, version, k), 0);
	}
}

static void make(void **state, int version)
{
	struct archive_writer *w = writer_new(state, version);

	write_scenes(w, version, 0, RECORDS);
	assert_int_equal(archive_writer_end(w), 0);
}

static struct archive *open_flags(void **state, unsigned int flags)
{
	struct archive *a;

	assert_int_equal(archive_open(store_test_path(state, "a"), flags, &a), 0);
	return a;
}

static uint64_t number_of(const struct result_view *view)
{
	return (uint64_t)(view->stamp.tv_sec - SCENE_START);
}

static void check_view(struct archive *a, const struct result_view *view, uint64_t k)
{
	size_t len;

	assert_int_equal(number_of(view), k);
	assert_int_equal(result_view_is_mark(view), scene_is_mark(k));
	assert_non_null(archive_record(a, &len));
	assert_int_equal(archive_place(a).end - archive_place(a).offset, len);
	assert_int_equal(archive_place(a).volume, k / VOLUME);
}

static void check_forward(struct archive *a, uint64_t from, uint64_t to)
{
	struct result_view view;

	for (uint64_t k = from; k < to; k++) {
		assert_int_equal(archive_next(a, &view), 1);
		check_view(a, &view, k);
	}
	assert_int_equal(archive_next(a, &view), 0);
	assert_int_equal(archive_next(a, &view), 0);
}

static void check_backward(struct archive *a, uint64_t from, uint64_t down_to)
{
	struct result_view view;

	for (uint64_t k = from; k > down_to; k--) {
		assert_int_equal(archive_prev(a, &view), 1);
		check_view(a, &view, k - 1);
	}
	assert_int_equal(archive_prev(a, &view), 0);
}

static void check_end(struct archive *a, uint64_t k)
{
	struct timespec end, stamp = scene_stamp(k);

	assert_int_equal(archive_end(a, &end), 0);
	assert_int_equal(end.tv_sec, stamp.tv_sec);
}

/* A seek to before and after every record, from any position. */
static void check_seeks(struct archive *a, uint64_t n)
{
	struct result_view view;
	uint32_t turn = 1;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t k = (turn = turn * 69069 + 1) / 8 % n;
		struct timespec when = scene_stamp(k);

		assert_int_equal(archive_seek_forward(a, &when), 0);
		assert_int_equal(archive_next(a, &view), 1);
		assert_int_equal(number_of(&view), k);
		assert_int_equal(archive_seek_back(a, &when), 0);
		assert_int_equal(archive_prev(a, &view), 1);
		assert_int_equal(number_of(&view), k);
		when.tv_sec--;
		when.tv_nsec += 1000;
		assert_int_equal(archive_seek_forward(a, &when), 0);
		assert_int_equal(archive_next(a, &view), 1);
		assert_int_equal(number_of(&view), k);
	}
}

static void check_all(struct archive *a, uint64_t n)
{
	archive_rewind(a);
	check_end(a, n - 1);
	check_forward(a, 0, n);
	check_backward(a, n, 0);
	check_seeks(a, n);
	archive_to_end(a);
	check_backward(a, n, 0);
	archive_rewind(a);
	check_forward(a, 0, n);
}

static void whole(void **state)
{
	for (int version = 2; version <= 3; version++) {
		struct archive *a;

		store_test_setup(state);
		make(state, version);
		a = open_flags(state, 0);
		assert_int_equal(archive_label(a)->version, version);
		assert_int_equal(archive_files(a)->nvolumes, (RECORDS + VOLUME - 1) / VOLUME);
		assert_true(member_size(archive_meta_member(a)) > log_label_len(version));
		check_all(a, RECORDS);
		assert_int_equal(archive_damage(a).regions, 0);
		archive_close(a);
		store_test_teardown(state);
	}
	store_test_setup(state);
}

static void places(void **state)
{
	struct archive_place place, wrong;
	struct result_view view;
	struct archive *a;

	make(state, 3);
	a = open_flags(state, 0);
	check_seeks(a, 20);
	place = archive_place(a);
	check_seeks(a, 200);
	assert_int_equal(archive_at(a, &place, &view), 1);
	check_forward(a, number_of(&view) + 1, RECORDS);
	wrong = place;
	wrong.end++;
	assert_int_equal(archive_at(a, &wrong, &view), PM_ERR_LOGREC);
	wrong = place;
	wrong.offset += 4;
	assert_int_equal(archive_at(a, &wrong, &view), PM_ERR_LOGREC);
	wrong.offset = UINT64_MAX;
	assert_int_equal(archive_at(a, &wrong, &view), PM_ERR_LOGREC);
	wrong.offset = 0;
	assert_int_equal(archive_at(a, &wrong, &view), -EINVAL);
	wrong.volume = 77;
	assert_int_equal(archive_at(a, &wrong, &view), -EINVAL);
	archive_close(a);
}

static void heads(void **state)
{
	struct archive_head head;
	struct result_view view;
	struct archive *a;

	make(state, 2);
	a = open_flags(state, 0);
	assert_int_equal(archive_next(a, &view), 1);
	for (uint64_t k = 0; k < RECORDS; k++) {
		struct timespec when = scene_stamp(k);

		if (k % 60 == 0)
			assert_int_equal(archive_head_seek(a, &when, &head), 1);
		else
			assert_int_equal(archive_head_next(a, &head, &head), 1);
		assert_int_equal(head.stamp.tv_sec, when.tv_sec);
		assert_int_equal(head.mark, scene_is_mark(k));
		assert_int_equal(head.place.volume, k / VOLUME);
	}
	assert_int_equal(archive_head_next(a, &head, &head), 0);
	check_forward(a, 1, RECORDS); /* the position was left alone */
	archive_close(a);
}

/* Walking by heads over more volumes than are kept open leaves what was given out alone. */
static void heads_leave_views(void **state)
{
	struct archive_writer *w = writer_new(state, 3);
	struct archive_head head;
	struct result_view view;
	struct timespec first = scene_stamp(0);
	AUTO_FREE void *copy = NULL;
	struct archive *a;
	size_t len;
	int r, n = 0;

	for (uint64_t k = 0; k < 80; k++) {
		if (k > 0 && k % 10 == 0)
			assert_true(archive_writer_volume(w) > 0);
		assert_int_equal(scene_write(w, 3, k), 0);
	}
	assert_int_equal(archive_writer_end(w), 0);
	a = open_flags(state, 0);
	assert_int_equal(archive_next(a, &view), 1);
	archive_record(a, &len);
	copy = malloc(len);
	memcpy(copy, archive_record(a, &len), len);
	for (r = archive_head_seek(a, &first, &head); r > 0; r = archive_head_next(a, &head, &head))
		n++;
	assert_int_equal(n, 80);
	assert_memory_equal(archive_record(a, &len), copy, len);
	assert_int_equal(result_view_check(&view), 0);
	archive_close(a);
}

static void grows(void **state)
{
	struct archive_writer *w = writer_new(state, 3);
	struct result_view view;
	struct archive *a;

	write_scenes(w, 3, 0, 1);
	a = open_flags(state, 0);
	for (uint64_t k = 1; k <= RECORDS; k++) {
		assert_int_equal(archive_next(a, &view), 1);
		check_view(a, &view, k - 1);
		check_end(a, k - 1);
		assert_int_equal(archive_next(a, &view), 0);
		if (k < RECORDS)
			write_scenes(w, 3, k, k + 1);
	}
	check_backward(a, RECORDS, 0);
	check_seeks(a, RECORDS);
	assert_int_equal(archive_writer_end(w), 0);
	check_all(a, RECORDS);
	archive_close(a);
}

/* A second reader that looks at the end alone, while volumes are added. */
static void grows_by_volumes(void **state)
{
	struct archive_writer *w = writer_new(state, 2);
	struct archive *a;

	write_scenes(w, 2, 0, 10);
	a = open_flags(state, 0);
	check_end(a, 9);
	write_scenes(w, 2, 10, RECORDS);
	check_end(a, RECORDS - 1);
	archive_to_end(a);
	check_backward(a, RECORDS, 0);
	assert_int_equal(archive_writer_end(w), 0);
	archive_close(a);
}

static void missing_index(void **state)
{
	const struct index_entry *entries;
	struct archive *a;
	size_t n;

	make(state, 3);
	a = open_flags(state, 0);
	assert_int_equal(archive_index(a, &entries, &n), 0);
	assert_true(n > 3);
	assert_int_equal(entries[0].volume, 0);
	archive_close(a);
	unlink(store_test_path(state, "a.index"));
	a = open_flags(state, 0);
	assert_int_equal(archive_index(a, &entries, &n), 0);
	assert_int_equal(n, 0);
	check_all(a, RECORDS);
	archive_close(a);
}

static void label_only_index(void **state)
{
	struct archive *a;

	make(state, 2);
	store_test_cut(state, "a.index", LOG_LABEL_LEN_V2);
	a = open_flags(state, 0);
	assert_null(archive_files(a)->index);
	check_all(a, RECORDS);
	archive_close(a);
	store_test_cut(state, "a.index", 0);
	a = open_flags(state, 0);
	check_all(a, RECORDS);
	archive_close(a);
}

/* Entries of any stamps and places: they cost time, and nothing else. */
static void wrong_index(void **state)
{
	uint32_t turn = 7;

	make(state, 3);
	for (int round = 0; round < 20; round++) {
		struct buffer b = BUFFER_INIT;
		struct archive *a;

		for (int64_t i = 0; i < 50; i++) {
			struct index_entry e = {scene_stamp((uint64_t)i * 8), 0, 0, 0};

			turn = turn * 69069 + 1;
			e.volume = round % 2 == 0 ? (int32_t)(i / 18) : (int32_t)(turn >> 30);
			e.data_offset = round % 3 == 0 ? turn >> 12 : (turn >> 16) % 9000;
			if (round % 4 == 0) /* where a volume begins */
				e.data_offset = LOG_LABEL_LEN_V3;
			if (round % 5 == 0)
				e.stamp.tv_sec += turn >> 26;
			assert_int_equal(index_entry_encode(&b, 3, &e), 0);
		}
		store_test_cut(state, "a.index", LOG_LABEL_LEN_V3);
		store_test_append(state, "a.index", b.data, b.len);
		a = open_flags(state, 0);
		check_seeks(a, 60);
		check_all(a, RECORDS);
		archive_close(a);
		buffer_done(&b);
	}
}

static size_t size_of(void **state, const char *name)
{
	struct stat st;

	assert_int_equal(stat(store_test_path(state, name), &st), 0);
	return (size_t)st.st_size;
}

/* The last volume is cut at every length: what is whole is the archive. */
static void torn(void **state)
{
	struct archive_writer *w = writer_new(state, 3);
	uint64_t ends[30];
	size_t last = 0, len;
	struct archive *a;

	for (uint64_t k = 0; k < 30; k++) {
		assert_int_equal(scene_write(w, 3, k), 0);
		ends[k] = size_of(state, "a.0");
	}
	assert_int_equal(archive_writer_end(w), 0);
	last = 29;
	for (len = ends[29] - 1; len > LOG_LABEL_LEN_V3; len -= len % 3 == 0 ? 7 : 2) {
		struct result_view view;
		struct timespec late = scene_stamp(1000), end;

		store_test_cut(state, "a.0", len);
		while (last > 0 && ends[last - 1] > len)
			last--;
		a = open_flags(state, 0);
		if (last == 0) {
			assert_int_equal(archive_end(a, &end), PM_ERR_LOGREC);
			archive_close(a);
			continue;
		}
		check_end(a, last - 1);
		archive_to_end(a);
		check_backward(a, last, 0);
		for (uint64_t k = 0; k < last; k++)
			assert_int_equal(archive_next(a, &view), 1);
		assert_int_equal(archive_next(a, &view),
				 len - ends[last - 1] < 4 ? 0 : PM_ERR_LOGREC);
		assert_int_equal(archive_seek_back(a, &late), 0);
		check_backward(a, last, 0);
		check_seeks(a, last);
		archive_close(a);
		a = open_flags(state, ARCHIVE_SKIP_DAMAGE);
		check_forward(a, 0, last);
		check_backward(a, last, 0);
		archive_close(a);
	}
}

static void missing_volumes(void **state)
{
	struct result_view view;
	struct archive *a;
	uint64_t k = 0;

	make(state, 3);
	unlink(store_test_path(state, "a.1"));
	a = open_flags(state, 0);
	check_end(a, RECORDS - 1);
	for (; archive_next(a, &view) > 0; k++) {
		k = k == VOLUME ? (uint64_t)2 * VOLUME : k;
		check_view(a, &view, k);
	}
	assert_int_equal(k, RECORDS);
	archive_close(a);
	/* One that goes while it is open, and one of which only the label is there. */
	a = open_flags(state, 0);
	unlink(store_test_path(state, "a.2"));
	check_forward(a, 0, VOLUME);
	check_end(a, VOLUME - 1);
	archive_close(a);
	unlink(store_test_path(state, "a.0"));
	assert_int_equal(archive_open(store_test_path(state, "a"), 0, &a), PM_ERR_LOGFILE);
}

/* A volume that is compressed between opening the archive and reading it. */
static void compressed_meanwhile(void **state)
{
	struct archive *a;

	make(state, 2);
	a = open_flags(state, 0);
	store_test_run(state, (const char *[]){"xz", "-0", "a.1", NULL});
	check_all(a, RECORDS);
	archive_close(a);
	store_test_run(state,
		       (const char *[]){"xz", "-0", "a.0", "a.2", "a.meta", "a.index", NULL});
	a = open_flags(state, 0);
	check_all(a, RECORDS);
	archive_close(a);
}

static void damage(void **state, const char *name, size_t at, const void *bytes, size_t len)
{
	int fd = open(store_test_path(state, name), O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, len, (off_t)at), len);
	close(fd);
}

/* Bytes in the middle are lost: everything before and after them is read. */
static void skipped(void **state)
{
	static const uint8_t zeros[700];
	struct result_view view;
	struct archive_damage lost;
	struct archive *a;
	uint64_t k = 0, n = 0, back = 0;
	int r;

	make(state, 3);
	damage(state, "a.1", 5000, zeros, sizeof(zeros));
	damage(state, "a.1", 9000, "x", 1);
	damage(state, "a.2", 36, "?", 1); /* in its label */
	a = open_flags(state, 0);
	while ((r = archive_next(a, &view)) > 0)
		n++;
	assert_int_equal(r, PM_ERR_LOGREC);
	assert_true(n > VOLUME && n < (uint64_t)2 * VOLUME);
	assert_int_equal(archive_next(a, &view), PM_ERR_LOGREC);
	archive_close(a);
	a = open_flags(state, ARCHIVE_SKIP_DAMAGE);
	for (n = 0; (r = archive_next(a, &view)) > 0; n++) {
		assert_true(number_of(&view) >= k);
		k = number_of(&view) + 1;
	}
	assert_int_equal(r, 0);
	assert_int_equal(k, RECORDS);
	lost = archive_damage(a);
	assert_true(lost.regions >= 2 && lost.bytes >= sizeof(zeros) && lost.bytes < 4000);
	assert_true(n < RECORDS && n > RECORDS - 40);
	for (; archive_prev(a, &view) > 0; back++) {
		assert_true(number_of(&view) < k);
		k = number_of(&view);
	}
	assert_int_equal(back, n);
	archive_close(a);
}

/* Records are looked for where there are none, in bytes that look like lengths. */
static void nothing_but_lengths(void **state)
{
	uint8_t words[64000];
	struct result_view view;
	struct archive *a;

	make(state, 2);
	for (size_t i = 0; i < sizeof(words); i += 4)
		store_be32(words + i, 64);
	store_test_append(state, "a.0", words, sizeof(words));
	a = open_flags(state, ARCHIVE_SKIP_DAMAGE);
	for (uint64_t k = 0; k < RECORDS; k++)
		assert_int_equal(archive_next(a, &view), 1);
	assert_true(archive_damage(a).bytes >= sizeof(words));
	archive_close(a);
}

/* The result of opening with a changed label, by the byte. */
static void labels(void **state)
{
	static const struct {
		const char *name;
		size_t at;
		uint8_t byte;
		unsigned int flags;
		int error;
	} cases[] = {
	    {"a.0", 3, 1, 0, PM_ERR_LABEL}, /* its length */
	    {"a.0", 7, 1, 0, PM_ERR_LABEL}, /* version 1 */
	    {"a.0", 7, 4, 0, PM_ERR_LABEL},
	    {"a.0", 5, 9, 0, PM_ERR_LABEL},  /* magic */
	    {"a.0", 27, 1, 0, PM_ERR_LABEL}, /* volume */
	    {"a.0", 31, 1, 0, PM_ERR_FEATURE},
	    {"a.0", 28, 0x80, 0, PM_ERR_LABEL + 1}, /* a feature for tests: opens */
	    {"a.0", 31, 1, ARCHIVE_NO_FEATURE_CHECK, PM_ERR_LABEL + 1},
	    {"a.0", 807, 1, 0, PM_ERR_LABEL},  /* trailer */
	    {"a.0", 11, 77, 0, PM_ERR_LABEL},  /* pid */
	    {"a.0", 36, '?', 0, PM_ERR_LABEL}, /* host */
	    {"a.meta", 36, '?', 0, PM_ERR_LABEL},
	    {"a.meta", 27, 0, 0, PM_ERR_LABEL},
	    {"a.meta", 31, 2, 0, PM_ERR_FEATURE},
	    {"a.index", 36, '?', 0, PM_ERR_LABEL},
	    {"a.index", 27, 0xff, 0, PM_ERR_LABEL},
	    {"a.index", 31, 4, 0, PM_ERR_FEATURE},
	    {"a.index", 15, 4, 0, PM_ERR_LABEL + 1}, /* start: not compared */
	};

	make(state, 3);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = open(store_test_path(state, cases[i].name), O_RDONLY);
		struct archive *a = NULL;
		uint8_t before;
		int r;

		assert_int_equal(pread(fd, &before, 1, (off_t)cases[i].at), 1);
		close(fd);
		damage(state, cases[i].name, cases[i].at, &cases[i].byte, 1);
		r = archive_open(store_test_path(state, "a"), cases[i].flags, &a);
		if (cases[i].error == PM_ERR_LABEL + 1)
			assert_int_equal(r, 0);
		else if (r != cases[i].error)
			fail_msg("%s at %zu: %d", cases[i].name, cases[i].at, r);
		archive_close(a);
		damage(state, cases[i].name, cases[i].at, &before, 1);
	}
}

static void too_short(void **state)
{
	static const struct {
		const char *name;
		size_t len;
		int error;
	} cases[] = {
	    {"a.index", 100, PM_ERR_LABEL},
	    {"a.meta", LOG_LABEL_LEN_V2, PM_ERR_NODATA},
	    {"a.meta", 100, PM_ERR_LABEL},
	    {"a.meta", 0, PM_ERR_NODATA},
	    {"a.0", LOG_LABEL_LEN_V2, PM_ERR_NODATA},
	    {"a.0", 131, PM_ERR_LABEL},
	    {"a.0", 7, PM_ERR_NODATA},
	    {"a.0", 0, PM_ERR_NODATA},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct archive *a;

		store_test_setup(state);
		make(state, 2);
		store_test_cut(state, cases[i].name, cases[i].len);
		assert_int_equal(archive_open(store_test_path(state, "a"), 0, &a), cases[i].error);
		store_test_teardown(state);
	}
	store_test_setup(state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, store_test_setup, store_test_teardown)
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(whole, NULL, store_test_teardown),
	    TEST(places),
	    TEST(heads),
	    TEST(heads_leave_views),
	    TEST(grows),
	    TEST(grows_by_volumes),
	    TEST(missing_index),
	    TEST(label_only_index),
	    TEST(wrong_index),
	    TEST(torn),
	    TEST(missing_volumes),
	    TEST(compressed_meanwhile),
	    TEST(skipped),
	    TEST(nothing_but_lengths),
	    TEST(labels),
	    cmocka_unit_test_setup_teardown(too_short, NULL, store_test_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
