/* test_stamp - files that change, go and come. */
#include "libpmns/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include "pmns_test.h"

static void changes(void **state)
{
	const char *dir = test_folder();
	char path[128];
	struct stamps s = {0}, more = {0};
	const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	snprintf(path, sizeof(path), "%s", test_file(dir, "a", "one"));
	assert_int_equal(stamps_add(&s, path), 0);
	assert_false(stamps_changed(&s));
	test_file(dir, "a", "longer");
	assert_true(stamps_changed(&s));
	stamps_done(&s);

	/* The same size and another time. */
	assert_int_equal(stamps_add(&s, path), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_true(stamps_changed(&s));
	stamps_done(&s);

	/* Gone, and noted as gone. */
	assert_int_equal(stamps_add(&s, path), 0);
	assert_int_equal(unlink(path), 0);
	assert_true(stamps_changed(&s));
	assert_int_equal(stamps_add(&more, path), 0);
	assert_false(stamps_changed(&more));
	assert_int_equal(stamps_move(&more, &s), 0);
	assert_int_equal(more.count, 2);
	assert_int_equal(s.count, 0);
	assert_true(stamps_changed(&more));
	stamps_done(&more);
	assert_false(stamps_changed(&more));
	test_folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(changes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
