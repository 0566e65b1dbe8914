/*
 * fuzz_cpp - any bytes through the preprocessor of name-space files.
 *
 * Only paths in the input are searched on disk; an existing file does not matter. The output has
 * one line for each input line, not counting linemarkers, and no comments.
 */
#include <errno.h>

#include "fuzz.h"
#include "libbase/buffer.h"
#include "libpmns/cpp.h"

static void run(const struct cpp_text *text, unsigned int flags)
{
	static const char defines[] = "#ifndef G\n#define G 1\n#define ROOT 1\n#endif\n";
	static const struct cpp_text std = {
	    .name = "stdpmid", .text = defines, .len = sizeof(defines) - 1};
	static const struct cpp_define given[] = {{.text = "A 1", .number = 1}, {0}};
	const struct cpp_options opt = {
	    .flags = flags, .defines = given, .extra = &std, .prelude = flags == 0 ? &std : NULL};
	struct buffer out = BUFFER_INIT, error = BUFFER_INIT;
	int r = cpp_run(text, &opt, &out, &error);

	FUZZ_REQUIRE(r == 0 || r == -EINVAL || r == -EFBIG);
	FUZZ_REQUIRE((r == 0) == (error.len == 0));
	buffer_done(&out);
	buffer_done(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cpp_text text = {.name = "f", .text = (const char *)data, .len = size};

	for (unsigned int flags = 0; flags <= (CPP_PERCENT | CPP_MARKED | CPP_NO_MARKERS); flags++)
		run(&text, flags);
	return 0;
}
