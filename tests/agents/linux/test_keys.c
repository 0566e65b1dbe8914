/* keys - lines of "key number" in any order, with keys that we don't know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"

struct values {
	uint64_t a, ab, b;
};

static const struct key table[] = {
    {"a", offsetof(struct values, a)},
    {"ab", offsetof(struct values, ab)},
    {"b(c)", offsetof(struct values, b)},
};

static void test_lines(void **state)
{
	static const struct {
		const char *line;
		uint64_t a, ab, b;
	} cases[] = {
	    {"a 1", 1, 0, 0}, {"ab: 2 kB", 0, 2, 0}, {"  b(c):\t3\n", 0, 0, 3}, {"abc 4", 0, 0, 0},
	    {"a", 0, 0, 0},   {"a x", 0, 0, 0},      {"a:5", 5, 0, 0},          {": 6", 0, 0, 0},
	    {"", 0, 0, 0},    {"a\n7", 0, 0, 0},
	};
	struct keys k = {NULL, 0, NULL, 0};

	assert_true(keys_init(&k, table, 3));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scan s = {cases[i].line};
		struct values v = {0, 0, 0};

		keys_line(&k, &v, &s);
		assert_true(v.a == cases[i].a && v.ab == cases[i].ab && v.b == cases[i].b);
	}
	keys_done(&k);
}

static void test_rows(void **state)
{
	static const struct agent_metric rows[] = {
	    {.name = "mem.x.one", .value = {8, 8}},
	    {.name = "other.two", .value = {16, 8}},
	};
	struct keys k = {NULL, 0, NULL, 0};
	uint64_t base[4] = {0};

	assert_true(keys_init_rows(&k, "mem.x.", rows, 2));
	assert_ptr_equal(keys_find(&k, base, "one", 3), &base[1]);
	assert_null(keys_find(&k, base, "two", 3));
	assert_null(keys_find(&k, base, "on", 2));
	keys_done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),
	    cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
