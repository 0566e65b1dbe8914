/* test_condition - conditions on fields: their text, and comparing numbers and texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "tools/pmevent/pmevent.h"

static void test_text(void **state)
{
	static const char *const wrong[] = {"",    "a",    "=",     "=1", "a!1",
					    "a 1", " a=1", "a-b=1", "<a", "~"};
	struct condition c;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(condition_parse(wrong[i], &c), -EINVAL);
	assert_int_equal(condition_parse("a.b_C9<==x", &c), 0);
	assert_string_equal(c.name, "a.b_C9");
	assert_string_equal(c.value, "=x");
	condition_done(&c);
	assert_int_equal(condition_parse("a==", &c), 0);
	assert_string_equal(c.value, "");
	condition_done(&c);
}

static void test_name(void **state)
{
	struct field f = {.name = "ms", .metric = "tracing.field.done.ms", .type = PM_TYPE_32};
	struct condition c;
	static const struct {
		const char *text;
		bool on;
	} rows[] = {
	    {"ms=0", true},
	    {"tracing.field.done.ms=0", true},
	    {"m=0", false},
	    {"done.ms=0", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(condition_parse(rows[i].text, &c), 0);
		assert_int_equal(condition_is_on(&c, &f), rows[i].on);
		condition_done(&c);
	}
}

static bool holds(const char *text, struct field f)
{
	struct condition c;
	bool result;

	f.name = f.metric = "x";
	assert_int_equal(condition_parse(text, &c), 0);
	result = condition_holds(&c, &f);
	condition_done(&c);
	return result;
}

#define INT(n)    ((struct field){.type = PM_TYPE_32, .value.l = (n)})
#define LONG(n)   ((struct field){.type = PM_TYPE_64, .value.ll = (n)})
#define ULONG(n)  ((struct field){.type = PM_TYPE_U64, .value.ull = (n)})
#define FLOAT(n)  ((struct field){.type = PM_TYPE_FLOAT, .value.f = (n)})
#define DOUBLE(n) ((struct field){.type = PM_TYPE_DOUBLE, .value.d = (n)})
#define TEXT(s)   ((struct field){.type = PM_TYPE_STRING, .value.cp = (char *)(s)})

static void test_values(void **state)
{
	/* clang-format off */
	const struct {
		const char *text;
		struct field field;
		bool holds;
	} rows[] = {
		{"x=4", INT(4), true}, {"x==4", INT(4), true}, {"x!=4", INT(4), false}, {"x=0x4", INT(4), true},
		{"x=+4", INT(4), true}, {"x=04", INT(4), true}, {"x=4.0", INT(4), true}, {"x=4e0", INT(4), true},
		{"x<5", INT(4), true}, {"x<4", INT(4), false}, {"x<=4", INT(4), true}, {"x>=4", INT(4), true},
		{"x>4", INT(4), false}, {"x>-5", INT(-4), true}, {"x<-3", INT(-4), true}, {"x>-4", INT(-5), false},
		{"x<0", INT(-1), true}, {"x=-0", INT(0), true}, {"x=-0x5", INT(-5), true},
		/* text that is not a number does not equal any number */
		{"x=four", INT(4), false}, {"x!=four", INT(4), true}, {"x<four", INT(4), false}, {"x= 4", INT(4), false},
		{"x=4 ", INT(4), false}, {"x=", INT(0), false}, {"x=nan", DOUBLE(NAN), false}, {"x!=1", DOUBLE(NAN), true},
		{"x>0", DOUBLE(INFINITY), true}, {"x=inf", DOUBLE(INFINITY), false},
		/* all digits are significant */
		{"x=18446744073709551615", ULONG(UINT64_MAX), true},
		{"x=18446744073709551614", ULONG(UINT64_MAX), false},
		{"x<18446744073709551615", ULONG(UINT64_MAX - 1), true},
		{"x>-1", ULONG(UINT64_MAX), true}, {"x>9223372036854775806", LONG(INT64_MAX), true},
		{"x=-9223372036854775808", LONG(INT64_MIN), true}, {"x>-9223372036854775808", LONG(INT64_MIN + 1), true},
		{"x>99999999999999999999", ULONG(UINT64_MAX), false},
		/* except for a float, which has few */
		{"x=0.1", FLOAT(0.1f), true}, {"x=0.1", DOUBLE(0.1), true}, {"x=0.1", DOUBLE(0.1f), false},
		{"x>1.5", FLOAT(1.25f), false}, {"x=2", DOUBLE(2), true}, {"x=.5", DOUBLE(0.5), true},
		/* texts */
		{"x=a b", TEXT("a b"), true}, {"x=a", TEXT("a b"), false}, {"x!=a", TEXT("b"), true}, {"x=", TEXT(""), true},
		{"x<b", TEXT("a"), true}, {"x>b", TEXT("a"), false}, {"x>9", TEXT("10"), false}, {"x=1", TEXT("1"), true},
		/* patterns */
		{"x~a*", TEXT("abc"), true}, {"x~b*", TEXT("abc"), false}, {"x~", TEXT(""), true}, {"x~[", TEXT("["), true},
		{"x~4?", INT(42), true}, {"x~4?", INT(4), false}, {"x~0.1", FLOAT(0.1f), true},
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (holds(rows[i].text, rows[i].field) != rows[i].holds)
			fail_msg("%s (row %zu)", rows[i].text, i);
}

static void test_aggregate(void **state)
{
	struct {
		pmValueBlock block;
		char more[8];
	} room = {.block = {.vtype = PM_TYPE_AGGREGATE, .vlen = PM_VAL_HDR_SIZE + 3}};
	struct field f = {.type = PM_TYPE_AGGREGATE, .value.vbp = &room.block};

	memcpy(room.block.vbuf, "\x01\xfe\x7f", 3);
	assert_true(holds("x=01fe7f", f));
	assert_true(holds("x~01*", f));
	assert_false(holds("x=01fe", f));
}

static void test_shortest_numbers(void **state)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {{0.1, "0.1"},
		    {-9, "-9"},
		    {1.0 / 3, "0.3333333333333333"},
		    {1e300, "1e+300"},
		    {0.1f, "0.10000000149011612"}};
	char buf[FIELD_NUMBER];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(field_number(&DOUBLE(rows[i].value), buf), rows[i].text);
	assert_string_equal(field_number(&FLOAT(0.1f), buf), "0.1");
	assert_string_equal(field_number(&FLOAT(16777216.0f), buf), "16777216");
	assert_string_equal(field_number(&DOUBLE(INFINITY), buf), "inf");
	assert_string_equal(field_number(&ULONG(UINT64_MAX), buf), "18446744073709551615");
	assert_string_equal(field_number(&LONG(INT64_MIN), buf), "-9223372036854775808");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_name),
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_aggregate),
	    cmocka_unit_test(test_shortest_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
