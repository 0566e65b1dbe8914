/* test_archive_files - which files make an archive, by any of its names. */
#include "libstore/archive_files.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "store_test.h"

static void touch(void **state, const char *names)
{
	AUTO_FREE char *copy = strdup(names);
	char *save;

	for (char *name = strtok_r(copy, " ", &save); name != NULL;
	     name = strtok_r(NULL, " ", &save))
		store_test_file(state, name, "", 0);
}

static const char *in_folder(void **state, const char *path)
{
	size_t len = strlen(*state);

	if (path == NULL)
		return "-";
	assert_memory_equal(path, *state, len);
	return path + len + 1;
}

/* "base index meta number=path ..." */
static void found_as(void **state, const char *name, const char *expected)
{
	struct archive_files files;
	char text[1024];
	int n;
	int r = archive_files_find(name, &files);

	if (r < 0)
		fail_msg("%s: %d", name, r);
	n = snprintf(text, sizeof(text), "%s", in_folder(state, files.base));
	n += snprintf(text + n, sizeof(text) - (size_t)n, " %s", in_folder(state, files.index));
	n += snprintf(text + n, sizeof(text) - (size_t)n, " %s", in_folder(state, files.meta));
	for (size_t i = 0; i < files.nvolumes; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %d=%s", files.volumes[i].number,
			      in_folder(state, files.volumes[i].path));
	assert_string_equal(text, expected);
	archive_files_done(&files);
	assert_null(files.base);
}

static const struct {
	const char *files, *name, *found;
} names[] = {
    {"a.0 a.meta a.index", "a", "a a.index a.meta 0=a.0"},
    {"a.0 a.meta", "a", "a - a.meta 0=a.0"},
    {"a.0 a.meta a.index", "a.0", "a a.index a.meta 0=a.0"},
    {"a.0 a.meta a.index", "a.meta", "a a.index a.meta 0=a.0"},
    {"a.0.xz a.meta", "a.0", "a - a.meta 0=a.0.xz"},
    {"a.0.xz a.meta", "a.0.xz", "a - a.meta 0=a.0.xz"},
    {"a.0.zst a.meta.gz a.index.Z", "a", "a a.index.Z a.meta.gz 0=a.0.zst"},
    /* A member's name where there is no such file is a base. */
    {"20240101.00.10.0 20240101.00.10.meta", "20240101.00.10",
     "20240101.00.10 - 20240101.00.10.meta 0=20240101.00.10.0"},
    {"d.00.0 d.00.meta", "d.00", "d.00 - d.00.meta 0=d.00.0"},
    /* Order and holes. */
    {"a.10 a.2 a.7.bz2 a.meta", "a", "a - a.meta 2=a.2 7=a.7.bz2 10=a.10"},
    /* Files that are not members. */
    {"a.0 a.meta a.1x a.99999999999 a. a.meta.old a.0.xz.tmp ab.1 a.index.x", "a",
     "a - a.meta 0=a.0"},
    /* Plain before compressed, canonical before leading zeros. */
    {"a.0 a.0.xz a.meta.gz a.meta a.index.zst a.index.xz", "a", "a a.index.xz a.meta 0=a.0"},
    {"a.00 a.0.zst a.meta", "a", "a - a.meta 0=a.0.zst"},
    {"a.01 a.meta", "a", "a - a.meta 1=a.01"},
    /* A file of exactly that name, without a member's tail. */
    {"a a.0 a.meta", "a", "a - a.meta 0=a.0"},
};

static void found(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		store_test_setup(state);
		touch(state, names[i].files);
		found_as(state, store_test_path(state, names[i].name), names[i].found);
		store_test_teardown(state);
	}
	store_test_setup(state);
}

static const struct {
	const char *files, *name;
	int error;
} errors[] = {
    {"a.0 a.index", "a", PM_ERR_LOGFILE},
    {"a.meta", "a", PM_ERR_LOGFILE},
    {"a.index", "a", PM_ERR_LOGFILE},
    {"a.meta.xz a.index", "a.index", PM_ERR_LOGFILE},
    {"b.0 b.meta", "a", -ENOENT},
    {"", "a", -ENOENT},
    {"a", "a", -ENOENT},
    {"", "no/a", -ENOENT},
    {"f", "f/a", -ENOTDIR},
};

static void not_found(void **state)
{
	struct archive_files files;

	assert_int_equal(archive_files_find(NULL, &files), PM_ERR_LOGFILE);
	assert_int_equal(archive_files_find("", &files), PM_ERR_LOGFILE);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		store_test_setup(state);
		touch(state, errors[i].files);
		assert_int_equal(archive_files_find(store_test_path(state, errors[i].name), &files),
				 errors[i].error);
		store_test_teardown(state);
	}
	store_test_setup(state);
}

static void relative(void **state)
{
	char *before = getcwd(NULL, 0);
	struct archive_files files;

	touch(state, "a.0 a.meta");
	assert_int_equal(chdir(*state), 0);
	assert_int_equal(archive_files_find("a", &files), 0);
	assert_string_equal(files.base, "a");
	assert_string_equal(files.volumes[0].path, "a.0");
	archive_files_done(&files);
	assert_int_equal(archive_files_find("./a.meta", &files), 0);
	assert_string_equal(files.base, "./a");
	assert_string_equal(files.meta, "./a.meta");
	archive_files_done(&files);
	assert_int_equal(chdir(before), 0);
	free(before);
}

static void list(void **state)
{
	char **bases = NULL;

	assert_int_equal(archive_files_list(*state, &bases), 0);
	assert_null(bases);
	assert_int_equal(archive_files_list(store_test_path(state, "none"), &bases), -ENOENT);
	touch(state, "b.meta a.meta.xz a.meta a.b.meta c.0 d.index e.metax f.meta.zst");
	assert_int_equal(archive_files_list(*state, &bases), 4);
	assert_string_equal(in_folder(state, bases[0]), "a");
	assert_string_equal(in_folder(state, bases[1]), "a.b");
	assert_string_equal(in_folder(state, bases[2]), "b");
	assert_string_equal(in_folder(state, bases[3]), "f");
	for (size_t i = 0; i < 4; i++)
		free(bases[i]);
	free(bases);
}

static void suffix(void **state)
{
	(void)state;
	assert_int_equal(archive_files_suffix("a.0"), 0);
	assert_int_equal(archive_files_suffix("a.0.xz"), 3);
	assert_int_equal(archive_files_suffix("a.lzma"), 5);
	assert_int_equal(archive_files_suffix("a.zst"), 4);
	assert_int_equal(archive_files_suffix(".xz"), 0);
	assert_int_equal(archive_files_suffix(""), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(found, NULL, store_test_teardown),
	    cmocka_unit_test_setup_teardown(not_found, NULL, store_test_teardown),
	    cmocka_unit_test_setup_teardown(relative, store_test_setup, store_test_teardown),
	    cmocka_unit_test_setup_teardown(list, store_test_setup, store_test_teardown),
	    cmocka_unit_test(suffix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
