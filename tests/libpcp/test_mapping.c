/* test_mapping - files in memory: docs/spec/pmapi.md 24. */
#include "pcp_test.h"

static void maps(void **state)
{
	char path[] = "/tmp/test_mapping_XXXXXX";
	char text[5] = "";
	AUTO_FD int fd = mkstemp(path);
	char *reader, *writer;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, "abcd", 4), 4);
	reader = __pmMemoryMap(fd, 4, 0);
	writer = __pmMemoryMap(fd, 4, 1);
	assert_memory_equal(reader, "abcd", 4);
	memcpy(writer, "ABCD", 4);
	assert_memory_equal(reader, "ABCD", 4); /* what others write is seen */
	assert_int_equal(pread(fd, text, 4, 0), 4);
	assert_string_equal(text, "ABCD");
	__pmMemoryUnmap(reader, 4);
	__pmMemoryUnmap(writer, 4);
	assert_null(__pmMemoryMap(-1, 4, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(maps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
