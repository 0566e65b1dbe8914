/* test_print - values for people: docs/spec/pmapi.md 12. */
#include "pcp_test.h"

static void check(int valfmt, int type, const pmValue *v, int width, const char *expected)
{
	struct printed p;

	pmPrintValue(printed_open(&p)->f, valfmt, type, v, width);
	printed_is(&p, expected);
}

static void numbers(void **state)
{
	union test_block u;
	pmValue v = {.value.lval = -7};

	check(PM_VAL_INSITU, PM_TYPE_32, &v, 5, "   -7");
	check(PM_VAL_INSITU, PM_TYPE_U32, &v, 0, "4294967289");
	v.value.pval = test_block(&u, &(double){1.0 / 3}, 8, PM_TYPE_DOUBLE);
	check(PM_VAL_DPTR, PM_TYPE_DOUBLE, &v, 20, "  0.3333333333333333");
	v.value.pval = test_block(&u, &(float){0.1f}, 4, PM_TYPE_FLOAT);
	check(PM_VAL_DPTR, PM_TYPE_FLOAT, &v, 0, "0.1");
	v.value.pval = test_block(&u, &(uint64_t){1ull << 40}, 8, PM_TYPE_U64);
	check(PM_VAL_DPTR, PM_TYPE_U64, &v, 15, "  1099511627776");
}

static void texts(void **state)
{
	union test_block u;
	pmValue v = {.value.pval = test_block(&u, "text", 5, PM_TYPE_STRING)};

	check(PM_VAL_DPTR, PM_TYPE_STRING, &v, 0, "\"text\"");
	check(PM_VAL_DPTR, PM_TYPE_STRING, &v, 9, "   \"text\"");
	/* no NUL: the block is the end */
	test_block(&u, "text", 4, PM_TYPE_STRING);
	u.bytes[8] = 'x';
	check(PM_VAL_DPTR, PM_TYPE_STRING, &v, 0, "\"text\"");
}

static void bytes(void **state)
{
	union test_block u;
	pmValue v = {.value.pval = test_block(&u, "hullo world!", 12, PM_TYPE_AGGREGATE)};

	check(PM_VAL_DPTR, PM_TYPE_AGGREGATE, &v, 0, "\"hullo world!\" [68756c6c6f20776f726c6421]");
	test_block(&u, &(double){1.0 / 3}, 8, PM_TYPE_UNKNOWN);
	check(PM_VAL_DPTR, PM_TYPE_UNKNOWN, &v, 0,
	      "4599676419421066581 0.3333333333333333 [555555555555d53f]");
	test_block(&u, "", 0, PM_TYPE_AGGREGATE);
	check(PM_VAL_DPTR, PM_TYPE_AGGREGATE, &v, 0, "\"\" []");
	v.value.lval = 1;
	check(PM_VAL_INSITU, PM_TYPE_UNKNOWN, &v, 0, "1 1.4012985e-45 0x1");
	check(9, PM_TYPE_UNKNOWN, &v, 0, "pmPrintValue: bad valfmt (9)?\n");
}

static void control_word(void **state)
{
	pmValue v = {.value.lval = 0};

	check(PM_VAL_INSITU, PM_TYPE_EVENT, &v, 0, "[pmlc control adv off nl 0]");
	v.value.lval = 0xf | 1000 << 4;
	check(PM_VAL_INSITU, PM_TYPE_EVENT, &v, 0, "[pmlc control mand on  1000]");
}

static void events(void **state)
{
	const struct {
		int nrecords;
		pmTimeval stamp;
		unsigned int flags;
		int missed;
	} one = {1, {3661, 5000}, PM_EVENT_FLAG_MISSED, 7};
	union test_block u;
	pmValue v = {.value.pval = test_block(&u, &one, sizeof(one), PM_TYPE_EVENT)};

	setenv("TZ", "UTC", 1);
	check(PM_VAL_SPTR, PM_TYPE_EVENT, &v, 0,
	      "[1 event record (7 missed) timestamp 01:01:01.005]");
	test_block(&u, "\0\0\0\0", 4, PM_TYPE_EVENT);
	check(PM_VAL_SPTR, PM_TYPE_EVENT, &v, 0, "[0 event records]");
	/* more records than there are bytes for */
	test_block(&u, "\377\377\377\177", 4, PM_TYPE_EVENT);
	check(PM_VAL_SPTR, PM_TYPE_EVENT, &v, 0, "[2147483647 event records]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers),      cmocka_unit_test(texts),  cmocka_unit_test(bytes),
	    cmocka_unit_test(control_word), cmocka_unit_test(events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
