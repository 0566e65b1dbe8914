/* test_member - the bytes of a file, however it is stored: all orders of reading, damage, growth.
 */
#include "libstore/member.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "store_test.h"

enum { LEN = 1500000 };

static uint8_t *bytes; /* what every file holds, in each of the forms */
static uint32_t seed = 1;

static uint32_t number(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

static int make_bytes(void **state)
{
	bytes = malloc(LEN);
	assert_non_null(bytes);
	for (size_t i = 0; i < LEN; i++)
		bytes[i] = i % 7 == 0 ? (uint8_t)number() : (uint8_t)(i >> 12);
	return store_test_setup(state);
}

static int free_bytes(void **state)
{
	free(bytes);
	return store_test_teardown(state);
}

/* Returned bytes must be right, and all bytes of the file must be returned. */
static void check_at(struct member *m, uint64_t offset, size_t want, size_t size)
{
	size_t left = SIZE_MAX;
	const uint8_t *p = member_at(m, offset, want, &left);

	if (offset > size || want > size - offset) {
		assert_null(p);
		assert_true(left < want);
		assert_int_equal(member_error(m), 0);
		return;
	}
	assert_non_null(p);
	assert_true(left >= want && left <= size - offset);
	assert_memory_equal(p, bytes + offset, left);
}

static void check_all_orders(struct member *m, size_t size)
{
	assert_int_equal(member_size(m), size);
	for (size_t at = 0; at < size; at += 9999)
		check_at(m, at, 1 + number() % 3000, size);
	for (size_t at = size; at > 0; at -= at < 7777 ? at : 7777)
		check_at(m, at - 1, 1, size);
	for (int i = 0; i < 60; i++)
		check_at(m, number() % (size + 1000), number() % 5000, size);
	check_at(m, 0, size, size);
	check_at(m, 1, size, size);
	check_at(m, size, 0, size);
	check_at(m, 100, size - 100, size);
	check_at(m, UINT64_MAX - 1, 1, size);
	check_at(m, INT64_MAX, SIZE_MAX, size);
}

static const struct {
	const char *suffix;
	const char *argv[6];
} forms[] = {
    {"", {"true"}},
    {".xz", {"xz", "-0kf", "f"}},
    {".xz", {"xz", "-0kf", "--block-size=100000", "f"}},
    {".lzma", {"xz", "-0kf", "--format=lzma", "f"}},
    {".zst", {"zstd", "-qkf", "f"}},
    {".bz2", {"bzip2", "-k1f", "f"}},
    {".bz", {"bzip2", "-k1f", "f"}},
    {".gz", {"gzip", "-k1f", "f"}},
};

static const char *form_path(void **state, size_t i)
{
	char name[16];

	snprintf(name, sizeof(name), "f%s", forms[i].suffix);
	return store_test_path(state, name);
}

/* The file f in a form, as its program names it. */
static void form_make(void **state, size_t i, size_t len)
{
	unlink(form_path(state, i));
	store_test_file(state, "f", bytes, len);
	store_test_run(state, forms[i].argv);
	if (strcmp(forms[i].suffix, ".bz") == 0)
		rename(store_test_path(state, "f.bz2"), store_test_path(state, "f.bz"));
}

static void every_form(void **state)
{
	static const size_t lens[] = {LEN, 1000, 100000};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(lens); j++) {
			struct member *m;

			form_make(state, i, lens[j]);
			assert_int_equal(member_open(form_path(state, i), &m), 0);
			check_all_orders(m, lens[j]);
			member_close(m);
		}
	}
}

static void empty(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct member *m;

		form_make(state, i, 0);
		assert_int_equal(member_open(form_path(state, i), &m), 0);
		assert_int_equal(member_size(m), 0);
		check_at(m, 0, 1, 0);
		member_close(m);
	}
}

/* Two consecutive streams, with padding between them. */
static void several_streams(void **state)
{
	static const char pad[8];
	struct member *m;

	store_test_file(state, "f", bytes, 300000);
	store_test_run(state, (const char *[]){"xz", "-0f", "--block-size=70000", "f", NULL});
	store_test_file(state, "g", bytes + 300000, 200000);
	store_test_run(state, (const char *[]){"xz", "-0f", "-C", "none", "g", NULL});
	rename(store_test_path(state, "f.xz"), store_test_path(state, "a"));
	rename(store_test_path(state, "g.xz"), store_test_path(state, "b"));
	store_test_append(state, "a", pad, sizeof(pad));
	store_test_run(state, (const char *[]){"dd", "if=b", "of=a", "oflag=append", "conv=notrunc",
					       "status=none", NULL});
	rename(store_test_path(state, "a"), store_test_path(state, "a.xz"));
	assert_int_equal(member_open(store_test_path(state, "a.xz"), &m), 0);
	check_all_orders(m, 500000);
	member_close(m);
}

/* A block larger than is kept in memory: unpacked whole. */
static void one_large_block(void **state)
{
	enum { LARGE = MEMBER_XZ_BLOCK_MAX + 4096 };
	struct member *m;
	size_t left;

	store_test_file(state, "f", "", 0);
	store_test_cut(state, "f", LARGE);
	store_test_append(state, "f", bytes, 1000);
	store_test_run(state, (const char *[]){"xz", "-0f", "f", NULL});
	assert_int_equal(member_open(store_test_path(state, "f.xz"), &m), 0);
	assert_int_equal(member_size(m), LARGE + 1000);
	assert_memory_equal(member_at(m, LARGE, 1000, &left), bytes, 1000);
	member_close(m);
}

/* .Z as compress writes it, without any string but single bytes. */
static void lzw(void **state)
{
	uint8_t packed[256] = {0x1f, 0x9d, 0x90};
	struct member *m;
	size_t bit = 0;

	for (size_t i = 0; i < 100; i++, bit += 9) {
		uint32_t code = (uint32_t)bytes[i] << bit % 8;

		packed[3 + bit / 8] |= (uint8_t)code;
		packed[4 + bit / 8] |= (uint8_t)(code >> 8);
		packed[5 + bit / 8] |= (uint8_t)(code >> 16);
	}
	store_test_file(state, "f.Z", packed, 3 + (bit + 7) / 8);
	assert_int_equal(member_open(store_test_path(state, "f.Z"), &m), 0);
	check_at(m, 0, 100, 100);
	assert_int_equal(member_size(m), 100);
	member_close(m);
}

/* A file that is cut is an error when it is opened, or ends before what its index says. */
static void cut(void **state)
{
	for (size_t i = 1; i < ARRAY_SIZE(forms); i++) {
		struct member *m;
		struct stat st;

		form_make(state, i, 400000);
		assert_int_equal(stat(form_path(state, i), &st), 0);
		for (off_t len = st.st_size - 1; len > 0; len = len > 9000 ? len - 9000 : len / 2) {
			assert_int_equal(truncate(form_path(state, i), len), 0);
			assert_int_equal(member_open(form_path(state, i), &m), PM_ERR_LOGREC);
		}
	}
}

/* A changed byte is reported, or has no effect. */
static void damaged(void **state)
{
	for (size_t i = 1; i < ARRAY_SIZE(forms); i++) {
		if (strcmp(forms[i].suffix, ".lzma") == 0 || strcmp(forms[i].suffix, ".zst") == 0)
			continue; /* they have no check of their content, or by default none */
		for (int turn = 0; turn < 12; turn++) {
			struct member *m;
			struct stat st;
			uint8_t byte;
			size_t left;
			int fd, r;

			form_make(state, i, 100000);
			assert_int_equal(stat(form_path(state, i), &st), 0);
			fd = open(form_path(state, i), O_RDWR);
			off_t at = 12 + (off_t)number() % (st.st_size - 12);
			assert_int_equal(pread(fd, &byte, 1, at), 1);
			byte ^= 0x10;
			assert_int_equal(pwrite(fd, &byte, 1, at), 1);
			close(fd);
			r = member_open(form_path(state, i), &m);
			if (r == 0) {
				const uint8_t *p = member_at(m, 0, 100000, &left);

				if (p != NULL)
					assert_memory_equal(p, bytes, 100000);
				else
					assert_int_equal(member_error(m), PM_ERR_LOGREC);
				member_close(m);
			} else {
				assert_int_equal(r, PM_ERR_LOGREC);
			}
		}
	}
}

static void grows_and_is_cut(void **state)
{
	struct member *m;
	size_t size = 1000;

	store_test_file(state, "f", bytes, size);
	assert_int_equal(member_open(store_test_path(state, "f"), &m), 0);
	for (int i = 0; i < 30; i++) {
		size_t more = number() % (LEN / 40); /* 30 times, and there are LEN bytes */

		check_at(m, size - 1, 1, size);
		check_at(m, size - 1, 2, size);
		store_test_append(state, "f", bytes + size, more);
		check_at(m, size - 1, 1 + more, size + more);
		size += more;
		assert_int_equal(member_size(m), size);
	}
	check_at(m, 0, 100, size);
	store_test_cut(state, "f", 50);
	assert_int_equal(member_size(m), 50);
	check_at(m, 40, 200000, 50);
	check_at(m, 40, 10, 50);
	member_close(m);
}

/* Bytes that were part of a record and have changed are not returned from memory. */
static void tail_is_read_again(void **state)
{
	struct member *m;
	size_t left;

	store_test_file(state, "f", "0123456789", 10);
	assert_int_equal(member_open(store_test_path(state, "f"), &m), 0);
	assert_null(member_at(m, 8, 4, &left));
	store_test_cut(state, "f", 8);
	store_test_append(state, "f", "abcd", 4);
	assert_memory_equal(member_at(m, 8, 4, &left), "abcd", 4);
	member_close(m);
}

static void no_such_file(void **state)
{
	struct member *m;

	assert_int_equal(member_open(store_test_path(state, "none"), &m), -ENOENT);
	assert_int_equal(member_open(*state, &m), -EINVAL);
	assert_int_equal(mkfifo(store_test_path(state, "pipe"), 0600), 0);
	assert_int_equal(member_open(store_test_path(state, "pipe"), &m), -EINVAL);
	assert_int_equal(mkfifo(store_test_path(state, "pipe.xz"), 0600), 0);
	assert_int_equal(member_open(store_test_path(state, "pipe.xz"), &m), -EINVAL);
	member_close(NULL);
}

static void no_such_program(void **state)
{
	char *path = strdup(getenv("PATH"));
	struct member *m;

	form_make(state, 7, 1000);
	setenv("PATH", *state, 1);
	assert_int_equal(member_open(form_path(state, 7), &m), PM_ERR_LOGFILE);
	setenv("PATH", path, 1);
	assert_int_equal(member_open(form_path(state, 7), &m), 0);
	member_close(m);
	free(path);
}

/* Children that are reaped by themselves; and no folder to unpack into. */
static void odd_surroundings(void **state)
{
	struct member *m;

	form_make(state, 7, LEN);
	setenv("PCP_TMPFILE_DIR", store_test_path(state, "none"), 1);
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(member_open(form_path(state, 7), &m), 0);
	signal(SIGCHLD, SIG_DFL);
	check_all_orders(m, LEN);
	member_close(m);
	setenv("PCP_TMPFILE_DIR", *state, 1);
	assert_int_equal(member_open(form_path(state, 7), &m), 0);
	check_all_orders(m, LEN);
	member_close(m);
	unsetenv("PCP_TMPFILE_DIR");
}

static char refused[8192]; /* what was reported, a line each */

static void note_refusal(const char *line)
{
	snprintf(refused + strlen(refused), sizeof(refused) - strlen(refused), "%s\n", line);
}

/* Each form is refused where it unpacks to more than it may, with one report; a label is read. */
static void unpacks_to_a_limit(void **state)
{
	for (size_t i = 1; i < ARRAY_SIZE(forms); i++) {
		struct member *m;
		size_t left;

		refused[0] = '\0';
		member_on_refusal(note_refusal);
		form_make(state, i, LEN);
		setenv("PITOT_UNPACK_MAX", "1M", 1);
		assert_int_equal(member_open(form_path(state, i), &m), -EFBIG);
		assert_int_equal(member_open_lazy(form_path(state, i), &m), 0);
		check_at(m, 0, 1000, LEN);
		assert_null(member_at(m, LEN - 100, 100, &left));
		assert_int_equal(member_error(m), -EFBIG);
		assert_int_equal(member_read(m, LEN - 100, refused + 4096, 100), -EFBIG);
		member_size(m);
		assert_int_equal(member_fault(m), -EFBIG);
		member_close(m);
		assert_non_null(strstr(refused, form_path(state, i)));
		assert_non_null(strstr(refused, " unpacks to more than 1 MB: PITOT_UNPACK_MAX="));
		assert_ptr_equal(strchr(refused, '\n'), strrchr(refused, '\n'));
		setenv("PITOT_UNPACK_MAX", "none", 1);
		assert_int_equal(member_open(form_path(state, i), &m), 0);
		check_all_orders(m, LEN);
		member_close(m);
		unsetenv("PITOT_UNPACK_MAX");
		assert_int_equal(member_open_to(form_path(state, i), LEN - 1, &m), -EFBIG);
		assert_int_equal(member_open_to(form_path(state, i), LEN, &m), 0);
		member_close(m);
		member_on_refusal(NULL);
	}
}

/* A label costs no more than the first bytes, of whatever size all of it is. */
static void lazy_reads_the_beginning(void **state)
{
	for (size_t i = 1; i < ARRAY_SIZE(forms); i++) {
		struct member *m;

		form_make(state, i, LEN);
		assert_int_equal(member_open_lazy(form_path(state, i), &m), 0);
		assert_true(member_size_to(m, 1) >= 1);
		check_at(m, 0, 100, LEN);
		if (strcmp(forms[i].suffix, ".xz") != 0) /* its index has the size */
			assert_true(member_size_to(m, 0) <= LEN / 2);
		assert_int_equal(member_size(m), LEN);
		assert_int_equal(member_fault(m), 0);
		member_close(m);
	}
}

/* Bytes before the place where decompression fails are returned, and the fault is reported. */
static void lazy_reads_up_to_damage(void **state)
{
	for (size_t i = 1; i < ARRAY_SIZE(forms); i++) {
		struct member *m;
		struct stat st;
		uint64_t size;
		size_t left;

		form_make(state, i, LEN);
		assert_int_equal(stat(form_path(state, i), &st), 0);
		assert_int_equal(truncate(form_path(state, i), st.st_size / 4 * 3), 0);
		assert_int_equal(member_open_lazy(form_path(state, i), &m), 0);
		check_at(m, 0, 1000, LEN);
		size = member_size(m);
		assert_true(size < LEN && size > 1000);
		assert_int_equal(member_fault(m), PM_ERR_LOGREC);
		assert_memory_equal(member_at(m, size - 100, 100, &left), bytes + size - 100, 100);
		assert_null(member_at(m, size - 100, 200, &left));
		assert_int_equal(member_error(m), PM_ERR_LOGREC);
		member_close(m);
	}
}

static void limits(void **state)
{
	static const struct {
		const char *text;
		uint64_t packed, limit;
	} rows[] = {
	    {NULL, 0, MEMBER_FREE_BYTES},
	    {NULL, 1 << 20, (uint64_t)500 << 20},
	    {NULL, UINT64_MAX, MEMBER_UNPACKED_MAX},
	    {"0", 1, 0},
	    {"12345", 1, 12345},
	    {"3K", 1, 3072},
	    {"2G", 1, (uint64_t)2 << 30},
	    {"1T", UINT64_MAX, (uint64_t)1 << 40},
	    {"none", 1, INT64_MAX},
	    {"", 1, MEMBER_FREE_BYTES},
	    {"-1", 1, MEMBER_FREE_BYTES},
	    {"1 M", 1, MEMBER_FREE_BYTES},
	    {"9999999T", 1, MEMBER_FREE_BYTES},
	    {"99999999999999999999", 1, MEMBER_FREE_BYTES},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsetenv("PITOT_UNPACK_MAX");
		if (rows[i].text != NULL)
			setenv("PITOT_UNPACK_MAX", rows[i].text, 1);
		assert_int_equal(member_limit(rows[i].packed), rows[i].limit);
	}
	unsetenv("PITOT_UNPACK_MAX");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_form),
	    cmocka_unit_test(empty),
	    cmocka_unit_test(several_streams),
	    cmocka_unit_test(one_large_block),
	    cmocka_unit_test(lzw),
	    cmocka_unit_test(cut),
	    cmocka_unit_test(damaged),
	    cmocka_unit_test(grows_and_is_cut),
	    cmocka_unit_test(tail_is_read_again),
	    cmocka_unit_test(no_such_file),
	    cmocka_unit_test(no_such_program),
	    cmocka_unit_test(odd_surroundings),
	    cmocka_unit_test(unpacks_to_a_limit),
	    cmocka_unit_test(lazy_reads_the_beginning),
	    cmocka_unit_test(lazy_reads_up_to_damage),
	    cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, make_bytes, free_bytes);
}
