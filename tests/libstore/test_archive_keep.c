/* test_archive_keep - what goes and what stays, by size and by age; what is left opens in the
 * peer's tools. */
#include "store_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inspect.h"
#include "libstore/archive_keep.h"
#include "scene.h"

enum {
	VOLUME = 20, /* records of a volume */
	VOLUMES = 4,
	NOW = SCENE_START + 1000000,
	DAY = 86400,
};

static const struct timespec now = {NOW, 0};

static bool is_there(void **state, const char *name)
{
	return access(store_test_path(state, name), F_OK) == 0;
}

/* An archive of VOLUMES volumes, which begins with record k. */
static void make(void **state, const char *name, const char *host, uint64_t k)
{
	struct log_label label = scene_label(3);
	struct archive_writer *w;

	snprintf(label.host, sizeof(label.host), "%s", host);
	assert_int_equal(archive_writer_new(store_test_path(state, name), &label, &w), 0);
	for (int i = 0; i < VOLUME * VOLUMES; i++) {
		if (i > 0 && i % VOLUME == 0)
			archive_writer_volume(w);
		assert_int_equal(scene_write(w, 3, k + (uint64_t)i), 0);
	}
	assert_int_equal(archive_writer_end(w), 0);
}

static void set_age(void **state, const char *name, time_t age)
{
	struct timespec times[2] = {{NOW - age, 0}, {NOW - age, 0}};

	assert_int_equal(utimensat(AT_FDCWD, store_test_path(state, name), times, 0), 0);
}

static uint64_t size(void **state, const char *name)
{
	struct stat st;

	assert_int_equal(stat(store_test_path(state, name), &st), 0);
	return (uint64_t)st.st_size;
}

static uint64_t whole(void **state, const char *base)
{
	static const char *const tails[] = {".0", ".1", ".2", ".3", ".meta", ".index"};
	uint64_t bytes = 0;
	char name[32];

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", base, tails[i]);
		bytes += is_there(state, name) ? size(state, name) : 0;
	}
	return bytes;
}

static struct archive_kept keep(void **state, const struct archive_caps *caps)
{
	struct archive_kept kept;

	assert_int_equal(archive_keep(*state, caps, &now, &kept), 0);
	return kept;
}

static void opens(void **state, const char *base, size_t records)
{
	struct inspect in;

	inspect(store_test_path(state, base), &in);
	assert_true(in.there);
	assert_false(in.wrong);
	assert_int_equal(in.records, records);
	assert_int_not_equal(inspect_dump(store_test_path(state, base)), 0);
}

static void by_size(void **state)
{
	struct archive_caps caps = {.host = "h"};
	struct archive_kept kept;
	uint64_t all;

	make(state, "new", "h", 301); /* the order does not follow from the names */
	make(state, "old", "h", 1);
	all = whole(state, "old") + whole(state, "new");
	caps.bytes = all;
	kept = keep(state, &caps);
	assert_int_equal(kept.removed_files, 0);
	assert_int_equal(kept.bytes, all);

	caps.bytes = all - 1;
	kept = keep(state, &caps);
	assert_int_equal(kept.removed_files, 1);
	assert_false(is_there(state, "old.0"));
	opens(state, "old", VOLUME * (VOLUMES - 1));
	assert_int_equal(kept.bytes, all - kept.removed_bytes);

	caps.bytes = whole(state, "new");
	kept = keep(state, &caps);
	assert_int_equal(kept.removed_files, VOLUMES - 1 + 2);
	assert_int_equal(whole(state, "old"), 0);
	opens(state, "new", VOLUME * VOLUMES);

	caps.bytes = 1;
	keep(state, &caps);
	assert_int_equal(whole(state, "new"), 0);
}

static void by_age(void **state)
{
	struct archive_caps caps = {.host = "h", .age_s = 10 * DAY};
	struct archive_kept kept;

	make(state, "a", "h", 1);
	make(state, "b", "h", 301);
	for (int i = 0; i < VOLUMES; i++) {
		char name[8];

		snprintf(name, sizeof(name), "a.%d", i);
		set_age(state, name, 30 * DAY);
		snprintf(name, sizeof(name), "b.%d", i);
		set_age(state, name, (12 - i) * DAY);
	}
	kept = keep(state, &caps);
	assert_int_equal(kept.removed_files, VOLUMES + 2 + 2);
	assert_int_equal(whole(state, "a"), 0);
	assert_false(is_there(state, "b.1"));
	opens(state, "b", VOLUME * 2);
}

static void what_is_written_stays(void **state)
{
	char base[256];
	struct archive_caps caps = {
	    .host = "h", .bytes = 1, .age_s = 1, .writing = base, .writing_volume = 2};

	make(state, "a", "h", 1);
	snprintf(base, sizeof(base), "%s", store_test_path(state, "a"));
	for (int i = 0; i < 2; i++) {
		keep(state, &caps);
		assert_false(is_there(state, "a.0") || is_there(state, "a.1"));
		opens(state, "a", VOLUME * 2);
		assert_true(is_there(state, "a.index"));
	}
}

/* Files that look like members but have no label of ours: logs that were turned, another host's. */
static void others_stay(void **state)
{
	struct archive_caps caps = {.host = "h", .bytes = 1, .age_s = 1};
	struct archive_kept kept;

	make(state, "other", "else.where", 1);
	store_test_file(state, "messages.1", "some text\n", 10);
	store_test_file(state, "messages.2.xz", "some text\n", 10);
	store_test_file(state, "empty.0", "", 0);
	store_test_file(state, "x.meta", "", 0);
	set_age(state, "messages.1", 30 * DAY);
	kept = keep(state, &caps);
	assert_int_equal(kept.removed_files, 0);
	assert_int_equal(kept.bytes, 0);
	opens(state, "other", VOLUME * VOLUMES);
	assert_true(is_there(state, "messages.1") && is_there(state, "messages.2.xz"));
	assert_true(is_there(state, "empty.0") && is_there(state, "x.meta"));
}

/* The rest of an archive whose removal was cut short goes later, that which is begun does not. */
static void remains_go(void **state)
{
	struct archive_caps caps = {.host = "h"};
	struct archive_kept kept;

	make(state, "a", "h", 1);
	assert_int_equal(unlink(store_test_path(state, "a.meta")), 0);
	set_age(state, "a.0", 60);
	kept = keep(state, &caps);
	assert_int_equal(kept.removed_files, 0);
	set_age(state, "a.0", DAY);
	kept = keep(state, &caps);
	assert_int_equal(kept.removed_files, VOLUMES + 1);
	assert_int_equal(whole(state, "a"), 0);
}

static void no_folder(void **state)
{
	struct archive_caps caps = {.host = "h"};
	struct archive_kept kept;

	assert_int_equal(archive_keep(store_test_path(state, "none"), &caps, &now, &kept), -ENOENT);
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, store_test_setup, store_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    UNIT(by_size),     UNIT(by_age),     UNIT(what_is_written_stays),
	    UNIT(others_stay), UNIT(remains_go), UNIT(no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
