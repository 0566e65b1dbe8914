/* pairs - names on one line, numbers on the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "keys.h"
#include "linux.h"

struct base {
	uint64_t a, b, c;
};

static const struct key keys[] = {
    {"A", offsetof(struct base, a)},
    {"B", offsetof(struct base, b)},
    {"C", offsetof(struct base, c)},
};

enum { NONE_SEEN = 99 };

static void test_pairs(void **state)
{
	static const struct {
		const char *text;
		uint64_t a, b, c;
	} cases[] = {
	    {"", NONE_SEEN, NONE_SEEN, NONE_SEEN},
	    {"X: A B C\nX: 1 2 3\n", 1, 2, 3},
	    {"X: C A\nX: 1 2", 2, NONE_SEEN, 1},
	    {"X: A B\nX: 1\n", 1, NONE_SEEN, NONE_SEEN},
	    {"X: A\nX: 1 2 3\n", 1, NONE_SEEN, NONE_SEEN},
	    {"X: A B\nX: -1 2\n", NONE_SEEN, 2, NONE_SEEN},
	    {"X: A\nY: 1\n", NONE_SEEN, NONE_SEEN, NONE_SEEN},
	    {"X: A\nY: B\nY: 1\nX: C\nX: 4\n", NONE_SEEN, NONE_SEEN, 4},
	    {"X: A\n\nX: B\nX: 5\n", NONE_SEEN, 5, NONE_SEEN},
	    {"X A\nX 1\n", NONE_SEEN, NONE_SEEN, NONE_SEEN},
	    {"XX: A\nXX: 1\n", NONE_SEEN, NONE_SEEN, NONE_SEEN},
	    {":\n:\nX: A\nX: 6\n", 6, NONE_SEEN, NONE_SEEN},
	};
	struct pairs_group group = {"X", keys, NROWS(keys), {0}};

	for (size_t i = 0; i < NROWS(cases); i++) {
		struct base base = {NONE_SEEN, NONE_SEEN, NONE_SEEN};

		assert_int_equal(pairs_read(&group, 1, NULL, &base, cases[i].text), 0);
		if (base.a != cases[i].a || base.b != cases[i].b || base.c != cases[i].c)
			fail_msg("%s", cases[i].text);
	}
	keys_done(&group.keys);
}

static void other(void *base, const char *name, size_t len, struct scan *names,
		  struct scan *numbers)
{
	uint64_t *sum = base;
	uint64_t number = 0;

	assert_true(len == 1 && name[0] == 'Y');
	assert_true(scan_text(names, " N"));
	assert_true(scan_u64(numbers, &number));
	*sum += number;
}

static void test_other(void **state)
{
	struct pairs_group group = {"X", keys, NROWS(keys), {0}};
	uint64_t sum = 0;

	assert_int_equal(pairs_read(&group, 1, other, &sum, "Y: N\nY: 3\nY: N\nY: 4\n"), 0);
	assert_int_equal(sum, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pairs),
	    cmocka_unit_test(test_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
