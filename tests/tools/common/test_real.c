/* test_real - numbers have their shortest form, and read back as the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/value.h"

/* clang-format off */
static const struct {
	const char *json, *shortened;
} cases[] = {
	{ "", "" },
	{ "{}", "{}" },
	{ "1.0009999999999999", "1.001" },
	{ "[1.0009999999999999,0.10000000000000001]", "[1.001,0.1]" },
	{ "{\"a\":-2.2999999999999998,\"b\":[1,2]}", "{\"a\":-2.3,\"b\":[1,2]}" },
	/* an integer stays an integer of any length; a real number stays real */
	{ "[18446744073709551615,1.0,100.0,-0.0]", "[18446744073709551615,1.0,100.0,-0.0]" },
	{ "1.7976931348623157e308", "1.7976931348623157e308" },
	{ "4.9406564584124654e-324", "4.94065645841247e-324" },
	{ "0.30000000000000004", "0.30000000000000004" },
	/* strings are not changed */
	{ "\"1.0009999999999999\"", "\"1.0009999999999999\"" },
	{ "[\"\\\"1.0009999999999999\",1.0009999999999999]", "[\"\\\"1.0009999999999999\",1.001]" },
	{ "[true,false,null,1.0009999999999999]", "[true,false,null,1.001]" },
	/* not JSON: no read beyond the end */
	{ "\"open", "\"open" },
	{ "\"open\\", "\"open\\" },
};
/* clang-format on */

static void json(void **state)
{
	char text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strcpy(text, cases[i].json);
		real_shorten_json(text);
		assert_string_equal(text, cases[i].shortened);
	}
}

/* Every number reads back as itself, whatever its bits. */
static void round_trips(void **state)
{
	uint64_t bits = 0x9e3779b97f4a7c15u;
	char buf[REAL_TEXT];

	for (int i = 0; i < 100000; i++) {
		double d;
		float f;
		uint32_t low;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		low = (uint32_t)bits;
		memcpy(&d, &bits, sizeof(d));
		memcpy(&f, &low, sizeof(f));
		if (d == d)
			assert_true(strtod(real_double(d, buf), NULL) == d);
		if (f == f)
			assert_true(strtof(real_float(f, buf), NULL) == f);
	}
	assert_string_equal(real_double(0.1, buf), "0.1");
	assert_string_equal(real_float(0.1f, buf), "0.1");
	assert_string_equal(real_text(0.1f, sizeof(float), buf), "0.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(json),
	    cmocka_unit_test(round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
