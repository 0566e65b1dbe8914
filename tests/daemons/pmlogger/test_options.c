/* test_options - sizes as -s and -v take them (docs/spec/logger.md A6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemons/pmlogger/options.h"
#include "libbase/cleanup.h"

static const struct row {
	const char *text;
	enum size_kind kind; /* SIZE_NONE: refused */
	uint64_t value;
} rows[] = {
    {"1", SIZE_SAMPLES, 1},
    {"100", SIZE_SAMPLES, 100},
    {"5b", SIZE_BYTES, 5},
    {"5 bytes", SIZE_BYTES, 5},
    {"2k", SIZE_BYTES, 2048},
    {"2KB", SIZE_BYTES, 2048},
    {"2 kibibytes", SIZE_BYTES, 2048},
    {"3mbytes", SIZE_BYTES, 3 << 20},
    {"1 Gib", SIZE_BYTES, 1 << 30},
    {"2sec", SIZE_TIME, 2000},
    {"1.5 min", SIZE_TIME, 90000},
    {"1hour", SIZE_TIME, 3600000},
    {"0", SIZE_NONE, 0},
    {"-1", SIZE_NONE, 0},
    {"-1kb", SIZE_NONE, 0},
    {"0b", SIZE_NONE, 0},
    {"", SIZE_NONE, 0},
    {"k", SIZE_NONE, 0},
    {"5 parsecs", SIZE_NONE, 0},
    {"99999999999999999999", SIZE_NONE, 0},
    {"99999999999gb", SIZE_NONE, 0},
};

static void sizes(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct size_limit size = {SIZE_NONE, 0};
		bool ok = options_size(rows[i].text, &size);

		assert_int_equal(ok, rows[i].kind != SIZE_NONE);
		if (!ok)
			continue;
		assert_int_equal(size.kind, rows[i].kind);
		assert_int_equal(size.value, rows[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
