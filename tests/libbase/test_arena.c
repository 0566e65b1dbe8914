/* test_arena - alignment, limits, reuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"

static void sizes(void **state)
{
	static const size_t cases[] = {0, 1, 15, 16, 17, 4000, 4096, 100000, 1, 2000000};
	struct arena a = ARENA_INIT;
	void *last = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		void *p = arena_alloc(&a, cases[i]);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		assert_true(i == 0 || cases[i - 1] == 0 || p != last);
		memset(p, 0xa5, cases[i]);
		last = p;
	}
	arena_done(&a);
	assert_null(a.blocks);
	assert_int_equal(a.used, 0);
}

static void impossible(void **state)
{
	struct arena a = ARENA_INIT;

	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX - 8));
	assert_null(arena_calloc(&a, SIZE_MAX / 2, 4));
	assert_int_equal(a.used, 0);
	assert_non_null(arena_alloc(&a, 1));
	arena_done(&a);
}

/* Each allocation counts with its rounding to 16. */
static void limits(void **state)
{
	static const struct {
		size_t limit, size;
		bool given;
	} cases[] = {
	    {16, 16, true}, {16, 17, false}, {15, 1, false},           {1, 0, true},
	    {32, 32, true}, {1, 1, false},   {1, SIZE_MAX - 1, false}, {0, 100000, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena a = {.limit = cases[i].limit};

		assert_int_equal(arena_alloc(&a, cases[i].size) != NULL, cases[i].given);
		arena_done(&a);
	}
}

static void limit_of_a_sum(void **state)
{
	struct arena a = {.limit = 48};

	assert_non_null(arena_alloc(&a, 16));
	assert_non_null(arena_alloc(&a, 20));
	assert_null(arena_alloc(&a, 1));
	assert_non_null(arena_alloc(&a, 0));
	arena_reset(&a);
	assert_non_null(arena_alloc(&a, 48));
	arena_done(&a);
}

static void reset_keeps_one_block(void **state)
{
	struct arena a = ARENA_INIT;
	void *first = arena_alloc(&a, 100);

	arena_reset(&a);
	assert_int_equal(a.used, 0);
	assert_ptr_equal(arena_alloc(&a, 100), first);
	for (int i = 0; i < 10; i++)
		assert_non_null(arena_alloc(&a, 4000));
	arena_reset(&a);
	assert_non_null(a.blocks);
	first = arena_alloc(&a, 8000);
	arena_reset(&a);
	assert_ptr_equal(arena_alloc(&a, 8000), first);
	arena_done(&a);
}

/* The memory of one large request is released. */
static void reset_gives_back(void **state)
{
	struct arena a = ARENA_INIT;

	assert_non_null(arena_alloc(&a, 4 << 20));
	arena_reset(&a);
	assert_null(a.blocks);
	arena_done(&a);
}

static void zeroed_and_copied(void **state)
{
	struct arena a = ARENA_INIT;
	uint8_t *p = arena_alloc(&a, 64);
	char *s;

	memset(p, 0xff, 64);
	arena_reset(&a);
	p = arena_calloc(&a, 16, 4);
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(p[i], 0);
	s = arena_strndup(&a, "hello world", 5);
	assert_string_equal(s, "hello");
	assert_string_equal(arena_strndup(&a, "", 0), "");
	a.limit = 1;
	assert_null(arena_strndup(&a, "hello", 5));
	assert_null(arena_calloc(&a, 1, 1));
	arena_done(&a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sizes),
	    cmocka_unit_test(impossible),
	    cmocka_unit_test(limits),
	    cmocka_unit_test(limit_of_a_sum),
	    cmocka_unit_test(reset_keeps_one_block),
	    cmocka_unit_test(reset_gives_back),
	    cmocka_unit_test(zeroed_and_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
