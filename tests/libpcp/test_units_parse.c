/* test_units_parse - units from text: docs/spec/pmapi.md 14. */
#include <math.h>

#include "pcp_test.h"

static const struct {
	const char *text;
	int dim[3]; /* space, time, count */
	int scale[3];
	double mult;
} right[] = {
    {"", {0, 0, 0}, {0, 0, 0}, 1},
    {"10 sec", {0, 1, 0}, {0, 3, 0}, 0.1},
    {"2 bytes / 5 sec", {1, -1, 0}, {0, 3, 0}, 2.5},
    {"sec / hour", {0, 0, 0}, {0, 0, 0}, 3600},
    {"Kbyte / Mbyte", {0, 0, 0}, {0, 0, 0}, 1024},
    {"1/2", {0, 0, 0}, {0, 0, 0}, 2},
    {"MEGABYTES^2", {2, 0, 0}, {2, 0, 0}, 1},
    {"count x 10^-3^-2", {0, 0, -2}, {0, 0, -3}, 1},
    {"/ ms", {0, -1, 0}, {0, 2, 0}, 1},
    {"space-12 time-9", {1, 1, 0}, {12, 9, 0}, 1},
};

static const struct {
	const char *text;
	const char *error;
} wrong[] = {
    {"foo", "unrecognized or duplicate base unit"},
    {"byte Kbyte", "unrecognized or duplicate base unit"},
    {"byte^16", "unrecognized or duplicate base unit"},
    {"byte^", "unrecognized or duplicate base unit"},
    {"time-7 / time-9", "unrecognized or duplicate base unit"},
    {"-", "invalid floating point literal"},
    {"1e400 sec", "invalid floating point literal"},
    {"byte^8", "space dimension out of bounds"},
    {"sec^7 / sec^-7", "time dimension out of bounds"},
    {"count^-8 / count", "count dimension out of bounds"},
};

static void accepted(void **state)
{
	char *msg = NULL;
	double mult;
	pmUnits u;

	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		assert_int_equal(pmParseUnitsStr(right[i].text, &u, &mult, &msg), 0);
		assert_int_equal(u.dimSpace, right[i].dim[0]);
		assert_int_equal(u.dimTime, right[i].dim[1]);
		assert_int_equal(u.dimCount, right[i].dim[2]);
		assert_int_equal(u.scaleSpace, right[i].scale[0]);
		assert_int_equal(u.scaleTime, right[i].scale[1]);
		assert_int_equal(u.scaleCount, right[i].scale[2]);
		assert_true(fabs(mult - right[i].mult) <= 1e-12 * right[i].mult);
	}
}

static void refused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		char *msg = NULL;
		double mult = 7;
		pmUnits u = {.dimSpace = 3};

		assert_int_equal(pmParseUnitsStr(wrong[i].text, &u, &mult, &msg), PM_ERR_CONV);
		assert_string_equal(msg, wrong[i].error);
		assert_true(mult == 1 && u.dimSpace == 0);
		free(msg);
	}
}

/* The output of pmUnitsStr can be parsed. */
static void round_trip(void **state)
{
	char buf[60], *msg = NULL;

	for (int d = 0; d < 16 * 16 * 16; d++) {
		pmUnits u = {.dimSpace = (d & 15) - 8,
			     .dimTime = (d >> 4 & 15) - 8,
			     .dimCount = (d >> 8) - 8};
		pmUnits back;
		double mult;

		if (u.dimSpace != 0)
			u.scaleSpace = (unsigned int)d % 9;
		if (u.dimTime != 0)
			u.scaleTime = (unsigned int)d % 6;
		if (u.dimCount != 0)
			u.scaleCount = d % 16 - 8;
		if (u.scaleCount == 1)
			u.scaleCount = 0; /* "count x 10^7" could be the power or the dimension */
		pmUnitsStr_r(&u, buf, sizeof(buf));
		assert_int_equal(pmParseUnitsStr(buf, &back, &mult, &msg), 0);
		assert_memory_equal(&u, &back, sizeof(u));
		assert_true(mult == 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accepted),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
