/* test_stdpmid - the macros of domain numbers, from lines or as they are. */
#include "libpmns/stdpmid.h"

#include "libpmns/folder.h"
#include "pmns_test.h"

#define DEFINE(name, number) "#undef " name "\n#define " name " " number "\n"

static void lines(void **state)
{
	// clang-format off
	static const struct {
		const char *in;
		const char *out;
	} rows[] = {
		{ "ROOT\t\t1\n", DEFINE("ROOT", "1") },
		{ "  _a9 510 # comment\nB 007", DEFINE("_a9", "510") DEFINE("B", "7") },
		{ "X 12\r\n", DEFINE("X", "12") },
		{ "# ROOT 1\n\n \n", "" },
		{ "ROOT\n", "" },
		{ "ROOT \n", "" },
		{ "ROOT x\n", "" },
		{ "ROOT 1 2\n", "" },
		{ "ROOT 1x\n", "" },
		{ "ROOT 511\n", "" },
		{ "ROOT 99999999999999999999\n", "" },
		{ "9A 1\n", "" },
		{ "A-B 1\n", "" },
		{ "A", "" },
	};
	// clang-format on
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buffer out = BUFFER_INIT;

		stdpmid_convert(rows[i].in, strlen(rows[i].in), &out);
		assert_string_equal(buffer_str(&out), rows[i].out);
		buffer_done(&out);
	}
}

static void folders(void **state)
{
	const char *dir = test_folder();
	struct buffer out = BUFFER_INIT;
	struct stamps stamps = {0};

	test_file(dir, "stdpmid.pcp", "B 2\n");
	test_file(dir, "stdpmid.local", "A 1\n");
	assert_int_equal(stdpmid_text(dir, &out, &stamps), 0);
	assert_string_equal(buffer_str(&out), "#ifndef __STDPMID\n#define __STDPMID\n" DEFINE(
						  "A", "1") DEFINE("B", "2") "#endif\n");
	assert_int_equal(stamps.count, 2);
	stamps_done(&stamps);

	/* An existing file stdpmid is used unchanged. */
	test_file(dir, "stdpmid", "#define C 3\n");
	buffer_reset(&out);
	assert_int_equal(stdpmid_text(dir, &out, &stamps), 0);
	assert_string_equal(buffer_str(&out), "#define C 3\n");
	assert_int_equal(stamps.count, 1);
	stamps_done(&stamps);
	test_folder_remove(dir);

	buffer_reset(&out);
	assert_int_equal(stdpmid_text(dir, &out, &stamps), 0);
	assert_string_equal(buffer_str(&out), "");
	buffer_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines),
	    cmocka_unit_test(folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
