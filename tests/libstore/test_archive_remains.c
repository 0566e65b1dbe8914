/* test_archive_remains - files of a killed compression are removed; files that a process works on,
 * or owns, stay. */
#include "store_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libstore/archive_keep.h"
#include "libstore/archive_writer.h"
#include "scene.h"

enum { NOW = SCENE_START + 1000000 };

static const struct timespec now = {NOW, 0};

static bool is_there(void **state, const char *name)
{
	return access(store_test_path(state, name), F_OK) == 0;
}

static void make(void **state, const char *name, int version)
{
	struct log_label label = scene_label(version);
	struct archive_writer *w;

	memset(label.host, 'h', 100); /* longer than version 2 has room for */
	label.host[100] = '\0';
	assert_int_equal(archive_writer_new(store_test_path(state, name), &label, &w), 0);
	assert_int_equal(scene_write(w, version, 0), 0);
	assert_int_equal(archive_writer_end(w), 0);
}

static void leave(void **state, const char *name, time_t age)
{
	struct timespec times[2] = {{NOW - age, 0}, {NOW - age, 0}};

	store_test_file(state, name, "half", 4);
	assert_int_equal(utimensat(AT_FDCWD, store_test_path(state, name), times, 0), 0);
}

static int sweep(void **state)
{
	char host[101] = {0};

	memset(host, 'h', 100);
	return archive_remains_remove(*state, host, &now);
}

/* Whatever became of the volume. */
static void ours_go(void **state)
{
	make(state, "a", 3);
	make(state, "b", 2);
	leave(state, "a.0.new.xz", 0);
	leave(state, "a.7.new.zst", 0); /* the caps have taken it */
	leave(state, "b.0.new.xz", 0);
	assert_int_equal(sweep(state), 3);
	assert_false(is_there(state, "a.0.new.xz") || is_there(state, "a.7.new.zst") ||
		     is_there(state, "b.0.new.xz"));
	assert_true(is_there(state, "a.0") && is_there(state, "a.meta") && is_there(state, "b.0"));
	assert_int_equal(sweep(state), 0);
}

static void at_work(void **state)
{
	int fd;

	make(state, "a", 3);
	leave(state, "a.0.new.xz", 0);
	fd = open(store_test_path(state, "a.0"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(sweep(state), 0);
	assert_true(is_there(state, "a.0.new.xz"));
	close(fd);
	assert_int_equal(sweep(state), 1);
	assert_false(is_there(state, "a.0.new.xz"));
}

static void without_archive(void **state)
{
	leave(state, "gone.0.new.xz", ARCHIVE_REMAINS_AGE_S + 1);
	leave(state, "young.0.new.xz", 60);
	assert_int_equal(sweep(state), 1);
	assert_false(is_there(state, "gone.0.new.xz"));
	assert_true(is_there(state, "young.0.new.xz"));
}

static void others_stay(void **state)
{
	static const char *const names[] = {"a.0.new.xz", "a.new.xz",    "a.0x.new.xz",
					    "0.new.xz",   ".0.new.xz",   "a.0.new.gz",
					    "a.0.xz",     "bad.0.new.xz"};

	make(state, "a", 3);
	store_test_file(state, "bad.meta", "no label", 8);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		leave(state, names[i], 10 * ARCHIVE_REMAINS_AGE_S);
	assert_int_equal(archive_remains_remove(*state, "another", &now), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(is_there(state, names[i]));
	assert_int_equal(archive_remains_remove(store_test_path(state, "none"), "h", &now),
			 -ENOENT);
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, store_test_setup, store_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    UNIT(ours_go),
	    UNIT(at_work),
	    UNIT(without_archive),
	    UNIT(others_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
