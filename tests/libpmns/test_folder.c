/* test_folder - which files of a folder count, and in which order. */
#include "libpmns/folder.h"

#include <errno.h>

#include "pmns_test.h"

static void listing(void **state)
{
	static const char *const files[] = {
	    "root_b",  "root_a",          "root_",      "root",    "stdpmid",
	    "root_c~", "root_d.dpkg-new", "root_e.bak", "xroot_f", "root_B",
	};
	static const char *const expected[] = {"root_B", "root_a", "root_b"};
	const char *dir = test_folder();
	struct folder f;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		test_file(dir, files[i], "");
	assert_int_equal(folder_list(dir, "root_", &f), 0);
	assert_int_equal(f.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < f.count; i++)
		assert_string_equal(f.list[i], expected[i]);
	folder_done(&f);
	assert_int_equal(folder_list(dir, "nothing", &f), 0);
	assert_int_equal(f.count, 0);
	folder_done(&f);
	test_folder_remove(dir);
	assert_int_equal(folder_list(dir, "root_", &f), -ENOENT);
}

static void paths(void **state)
{
	char path[8];

	assert_int_equal(folder_path("/a", "b", path, sizeof(path)), 0);
	assert_string_equal(path, "/a/b");
	assert_int_equal(folder_path("/a", "bcdef", path, sizeof(path)), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(listing),
	    cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
