/* test_archive_value - counters between two values, by type, and those that went round. */
#include <stdbool.h>
#include <stdlib.h>

#include "libpcp/archive_value.h"
#include "pcp_test.h"

struct row {
	int type;
	double done, all;
	pmAtomValue from, to, expected;
};

#define HALF 1, 2

/* clang-format off */
static const struct row straight[] = {
	{ PM_TYPE_32,  HALF, { .l = 10 }, { .l = 20 }, { .l = 15 } },
	{ PM_TYPE_32,  HALF, { .l = 20 }, { .l = 10 }, { .l = 15 } },
	{ PM_TYPE_32,  HALF, { .l = 10 }, { .l = 11 }, { .l = 11 } },          /* 10.5, and a half */
	{ PM_TYPE_32,  HALF, { .l = -10 }, { .l = -20 }, { .l = -14 } },       /* cut towards 0 */
	{ PM_TYPE_32,  HALF, { .l = INT32_MIN }, { .l = INT32_MAX }, { .l = 0 } },
	{ PM_TYPE_32,  HALF, { .l = INT32_MAX }, { .l = INT32_MIN }, { .l = 0 } },
	{ PM_TYPE_32,  1, 1, { .l = 0 }, { .l = INT32_MIN }, { .l = -INT32_MAX } },
	{ PM_TYPE_U32, HALF, { .ul = 0 }, { .ul = UINT32_MAX }, { .ul = 0x80000000 } },
	{ PM_TYPE_U32, 1, 3, { .ul = 100 }, { .ul = 400 }, { .ul = 200 } },
	{ PM_TYPE_U32, 2, 3, { .ul = 400 }, { .ul = 100 }, { .ul = 200 } },
	{ PM_TYPE_U32, 1, 1, { .ul = UINT32_MAX }, { .ul = UINT32_MAX }, { .ul = UINT32_MAX } },
	{ PM_TYPE_64,  HALF, { .ll = 1LL << 40 }, { .ll = 3LL << 40 }, { .ll = 2LL << 40 } },
	{ PM_TYPE_64,  HALF, { .ll = INT64_MAX }, { .ll = INT64_MIN }, { .ll = 0 } },
	{ PM_TYPE_U64, HALF, { .ull = 1ULL << 63 }, { .ull = 3ULL << 62 }, { .ull = 5ULL << 61 } },
	{ PM_TYPE_U64, HALF, { .ull = 1ULL << 60 }, { .ull = 0 }, { .ull = 1ULL << 59 } },
	/* The way is taken exactly, before it is rounded: both ends alone are the same double. */
	{ PM_TYPE_U64, 1, 1, { .ull = (1ULL << 62) + 1024 }, { .ull = (1ULL << 62) + 2048 }, { .ull = (1ULL << 62) + 2048 } },
	{ PM_TYPE_FLOAT,  HALF, { .f = 1 }, { .f = 2 }, { .f = 1.5f } },
	{ PM_TYPE_DOUBLE, 1, 4, { .d = -1 }, { .d = 1 }, { .d = -0.5 } },
	{ PM_TYPE_DOUBLE, HALF, { .d = 2 }, { .d = 1 }, { .d = 1.5 } },
};

/* With wrap: a whole number that falls has wrapped; one that rises, and a real number, has not. */
static const struct row round_once[] = {
	{ PM_TYPE_U32, HALF, { .ul = 0xfffffff0 }, { .ul = 0x10 }, { .ul = 0 } },
	{ PM_TYPE_U32, 3, 4, { .ul = 0xfffffff0 }, { .ul = 0x10 }, { .ul = 8 } },
	{ PM_TYPE_U32, 1, 4, { .ul = 0xfffffff0 }, { .ul = 0x10 }, { .ul = 0xfffffff8 } },
	{ PM_TYPE_U32, HALF, { .ul = 10 }, { .ul = 20 }, { .ul = 15 } },
	{ PM_TYPE_32,  HALF, { .l = INT32_MAX }, { .l = INT32_MIN + 1 }, { .l = INT32_MIN } },
	{ PM_TYPE_U64, HALF, { .ull = 3ULL << 62 }, { .ull = 1ULL << 62 }, { .ull = 0 } },
	{ PM_TYPE_64,  HALF, { .ll = 3LL << 61 }, { .ll = -(3LL << 61) }, { .ll = INT64_MIN } },
	{ PM_TYPE_DOUBLE, HALF, { .d = 2 }, { .d = 1 }, { .d = 1.5 } },
};
/* clang-format on */

static bool is_same(int type, const pmAtomValue *a, const pmAtomValue *b)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		return a->ul == b->ul;
	case PM_TYPE_FLOAT:
		return a->f == b->f;
	case PM_TYPE_DOUBLE:
		return a->d == b->d;
	default:
		return a->ull == b->ull;
	}
}

static void check(const struct row *rows, size_t n, bool wrap)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		const struct interp_way way = {r->done, r->all, wrap};
		pmAtomValue v = interpolate(r->type, &way, &r->from, &r->to);

		if (!is_same(r->type, &v, &r->expected))
			fail_msg("row %zu: %#llx, not %#llx", i, (unsigned long long)v.ull,
				 (unsigned long long)r->expected.ull);
	}
}

static void test_straight(void **state)
{
	check(straight, sizeof(straight) / sizeof(straight[0]), false);
}

static void test_round_once(void **state)
{
	check(round_once, sizeof(round_once) / sizeof(round_once[0]), true);
}

/* The value is between both ends, and never decreases on the way. */
static void test_order(void **state)
{
	unsigned int seed = 7;

	for (int i = 0; i < 10000; i++) {
		pmAtomValue from = {.ull =
					((uint64_t)rand_r(&seed) << 32) | (unsigned)rand_r(&seed)};
		pmAtomValue to = {.ull = from.ull + (uint64_t)rand_r(&seed)};
		pmAtomValue before = from;

		for (int k = 0; k <= 8; k++) {
			const struct interp_way way = {k, 8, false};
			pmAtomValue v = interpolate(PM_TYPE_U64, &way, &from, &to);

			/* 53 bits of a double: that much to the side at the ends. */
			assert_true(v.ull + 2048 >= before.ull && v.ull <= to.ull + 2048);
			before = v;
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_straight),
	    cmocka_unit_test(test_round_once),
	    cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
