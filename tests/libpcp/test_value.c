/* test_value - values taken out of results, made for results, and sorted. */
#include <limits.h>
#include <math.h>

#include "pcp_test.h"

/* ---- extract -------------------------------------------------------------------------------- */

#define TWO_63 9223372036854775808.0
#define TWO_64 18446744073709551616.0

static void check(int valfmt, const pmValue *v, int itype, int otype, int result,
		  pmAtomValue expected)
{
	pmAtomValue a;

	memset(&a, 0xff, sizeof(a));
	assert_int_equal(pmExtractValue(valfmt, v, itype, &a, otype), result);
	assert_int_equal(a.ull, result == 0 ? expected.ull : 0);
}

static void from_insitu(void **state)
{
	pmValue v = {.value.lval = -1};
	pmAtomValue all = {.ull = ~0ull}, word = {.ull = 0xffffffff};

	check(PM_VAL_INSITU, &v, PM_TYPE_32, PM_TYPE_32, 0, word);
	check(PM_VAL_INSITU, &v, PM_TYPE_UNKNOWN, PM_TYPE_64, 0, all);
	check(PM_VAL_INSITU, &v, PM_TYPE_32, PM_TYPE_U32, PM_ERR_SIGN, all);
	check(PM_VAL_INSITU, &v, PM_TYPE_32, PM_TYPE_U64, PM_ERR_SIGN, all);
	check(PM_VAL_INSITU, &v, PM_TYPE_U32, PM_TYPE_U64, 0, word);
	check(PM_VAL_INSITU, &v, PM_TYPE_U32, PM_TYPE_32, PM_ERR_TRUNC, all);
	check(PM_VAL_INSITU, &v, PM_TYPE_32, PM_TYPE_DOUBLE, 0, (pmAtomValue){.d = -1});
	check(PM_VAL_INSITU, &v, PM_TYPE_64, PM_TYPE_64, PM_ERR_CONV, all);
	check(PM_VAL_INSITU, &v, PM_TYPE_32, PM_TYPE_STRING, PM_ERR_CONV, all);
	check(7, &v, PM_TYPE_32, PM_TYPE_32, PM_ERR_CONV, all);
}

static void from_64(void **state)
{
	static const struct {
		int64_t in;
		int otype;
		int result;
		int64_t out;
	} cases[] = {
	    {INT32_MAX, PM_TYPE_32, 0, INT32_MAX},
	    {INT32_MAX + 1ll, PM_TYPE_32, PM_ERR_TRUNC, 0},
	    {-3000000000ll, PM_TYPE_32, 0, 1294967296}, /* no lower limit in the reference */
	    {UINT32_MAX, PM_TYPE_U32, 0, UINT32_MAX},
	    {UINT32_MAX + 1ll, PM_TYPE_U32, PM_ERR_TRUNC, 0},
	    {-1, PM_TYPE_U32, PM_ERR_SIGN, 0},
	    {-1, PM_TYPE_U64, PM_ERR_SIGN, 0},
	    {INT64_MIN, PM_TYPE_64, 0, INT64_MIN},
	};
	union test_block u;
	pmValue v = {.value.pval = &u.b};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_block(&u, &cases[i].in, sizeof(cases[i].in), PM_TYPE_64);
		check(PM_VAL_DPTR, &v, PM_TYPE_64, cases[i].otype, cases[i].result,
		      (pmAtomValue){.ll = cases[i].out});
	}
	test_block(&u, &(uint64_t){~0ull}, 8, PM_TYPE_U64);
	check(PM_VAL_SPTR, &v, PM_TYPE_U64, PM_TYPE_U64, 0, (pmAtomValue){.ull = ~0ull});
	check(PM_VAL_SPTR, &v, PM_TYPE_U64, PM_TYPE_64, PM_ERR_TRUNC, (pmAtomValue){.ull = 0});
}

static void from_reals(void **state)
{
	static const struct {
		double in;
		int otype;
		int result;
		int64_t out;
	} cases[] = {
	    {-1.9, PM_TYPE_32, 0, 0xffffffff},
	    {2147483646.9, PM_TYPE_32, 0, 2147483646},
	    {2147483647.0, PM_TYPE_32, PM_ERR_TRUNC, 0},
	    {-2147483647.0, PM_TYPE_32, PM_ERR_TRUNC, 0},
	    {4294967294.0, PM_TYPE_U32, 0, 4294967294},
	    {4294967295.0, PM_TYPE_U32, PM_ERR_TRUNC, 0},
	    {-0.1, PM_TYPE_U32, PM_ERR_SIGN, 0},
	    {TWO_63, PM_TYPE_64, PM_ERR_TRUNC, 0},
	    {-1e19, PM_TYPE_64, 0, INT64_MIN},
	    {TWO_63, PM_TYPE_U64, 0, INT64_MIN},
	    {TWO_64, PM_TYPE_U64, PM_ERR_TRUNC, 0},
	    {-1, PM_TYPE_U64, PM_ERR_SIGN, 0},
	    {NAN, PM_TYPE_64, 0, INT64_MIN},
	    {NAN, PM_TYPE_U32, 0, 0},
	};
	union test_block u;
	pmValue v = {.value.pval = &u.b};
	float f = 2147483647.0f; /* 2^31: what a float makes of it */

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_block(&u, &cases[i].in, sizeof(double), PM_TYPE_DOUBLE);
		check(PM_VAL_DPTR, &v, PM_TYPE_DOUBLE, cases[i].otype, cases[i].result,
		      (pmAtomValue){.ll = cases[i].out});
	}
	test_block(&u, &f, sizeof(f), PM_TYPE_FLOAT);
	check(PM_VAL_DPTR, &v, PM_TYPE_FLOAT, PM_TYPE_32, PM_ERR_TRUNC, (pmAtomValue){.ull = 0});
	check(PM_VAL_DPTR, &v, PM_TYPE_FLOAT, PM_TYPE_U32, 0, (pmAtomValue){.ul = 0x80000000});
}

/* Length and type of a block are believed only if they agree. */
static void bad_blocks(void **state)
{
	union test_block u;
	pmValue v = {.value.pval = &u.b};
	pmAtomValue none = {.ull = 0};

	test_block(&u, "12345678", 8, PM_TYPE_64);
	check(PM_VAL_DPTR, &v, PM_TYPE_U64, PM_TYPE_U64, PM_ERR_CONV, none);
	check(PM_VAL_DPTR, &v, PM_TYPE_32, PM_TYPE_32, PM_ERR_CONV, none);
	check(PM_VAL_DPTR, &v, PM_TYPE_EVENT, PM_TYPE_EVENT, PM_ERR_CONV, none);
	test_block(&u, "1234567", 7, PM_TYPE_64);
	check(PM_VAL_DPTR, &v, PM_TYPE_64, PM_TYPE_64, PM_ERR_CONV, none);
	test_block(&u, "1234", 4, PM_TYPE_STRING);
	u.b.vlen = 3;
	check(PM_VAL_DPTR, &v, PM_TYPE_STRING, PM_TYPE_STRING, PM_ERR_CONV, none);
}

static void copies(void **state)
{
	union test_block u;
	pmValue v = {.value.pval = test_block(&u, "text", 5, PM_TYPE_STRING)};
	pmAtomValue a;

	assert_int_equal(pmExtractValue(PM_VAL_DPTR, &v, PM_TYPE_STRING, &a, PM_TYPE_STRING), 0);
	assert_string_equal(a.cp, "text");
	free(a.cp);
	assert_int_equal(pmExtractValue(PM_VAL_DPTR, &v, PM_TYPE_STRING, &a, PM_TYPE_32),
			 PM_ERR_CONV);
	test_block(&u, "abc", 3, PM_TYPE_AGGREGATE);
	assert_int_equal(pmExtractValue(PM_VAL_DPTR, &v, PM_TYPE_AGGREGATE, &a, PM_TYPE_AGGREGATE),
			 0);
	assert_int_equal(a.vbp->vlen, 7);
	assert_memory_equal((char *)a.vbp + PM_VAL_HDR_SIZE, "abc", 3);
	free(a.vbp);
}

/* ---- stuff ---------------------------------------------------------------------------------- */

static void in_place(void **state)
{
	pmValue v;

	assert_int_equal(__pmStuffValue(&(pmAtomValue){.ul = 0xfffffffe}, &v, PM_TYPE_U32),
			 PM_VAL_INSITU);
	assert_int_equal(v.value.lval, -2);
	assert_int_equal(__pmStuffValue(&(pmAtomValue){.l = 1}, &v, PM_TYPE_NOSUPPORT),
			 PM_ERR_TYPE);
}

static void in_blocks(void **state)
{
	char text[] = "abc";
	union test_block u;
	pmValue v;

	assert_int_equal(__pmStuffValue(&(pmAtomValue){.f = 1.5f}, &v, PM_TYPE_FLOAT), PM_VAL_DPTR);
	assert_int_equal(v.value.pval->vlen, 8);
	assert_int_equal(v.value.pval->vtype, PM_TYPE_FLOAT);
	free(v.value.pval);
	assert_int_equal(__pmStuffValue(&(pmAtomValue){.cp = text}, &v, PM_TYPE_STRING),
			 PM_VAL_DPTR);
	assert_int_equal(v.value.pval->vlen, 8);
	assert_string_equal((char *)v.value.pval + PM_VAL_HDR_SIZE, "abc");
	free(v.value.pval);
	test_block(&u, "xyz", 3, PM_TYPE_AGGREGATE);
	assert_int_equal(__pmStuffValue(&(pmAtomValue){.vbp = &u.b}, &v, PM_TYPE_AGGREGATE),
			 PM_VAL_DPTR);
	assert_int_equal(v.value.pval->vlen, 7);
	assert_ptr_not_equal(v.value.pval, &u.b);
	free(v.value.pval);
	assert_int_equal(__pmStuffValue(&(pmAtomValue){.vbp = &u.b}, &v, PM_TYPE_EVENT),
			 PM_VAL_SPTR);
	assert_ptr_equal(v.value.pval, &u.b);
}

static void from_text(void **state)
{
	static const struct {
		const char *text;
		int type;
		int result;
		uint64_t bits;
	} cases[] = {
	    {"-5", PM_TYPE_32, 0, 0xfffffffb},
	    {"0x10", PM_TYPE_32, 0, 16},
	    {"-0x10", PM_TYPE_64, 0, (uint64_t)-16},
	    {"010", PM_TYPE_U32, 0, 10},
	    {"2147483648", PM_TYPE_32, -ERANGE, 0},
	    {"4294967296", PM_TYPE_U32, -ERANGE, 0},
	    {"-1", PM_TYPE_U32, -ERANGE, 0},
	    {"18446744073709551616", PM_TYPE_U64, -ERANGE, 0},
	    {"5x", PM_TYPE_32, PM_ERR_TYPE, 0},
	    {"1.5", PM_TYPE_64, PM_ERR_TYPE, 0},
	    {"1.5", PM_TYPE_DOUBLE, 0, 0x3ff8000000000000},
	    {"0x1", PM_TYPE_DOUBLE, PM_ERR_TYPE, 0},
	    {"1e39", PM_TYPE_FLOAT, -ERANGE, 0},
	    {"0", PM_TYPE_FLOAT, -ERANGE, 0},
	    {"1", PM_TYPE_AGGREGATE, PM_ERR_TYPE, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pmAtomValue a = {.ull = 0};

		assert_int_equal(__pmStringValue(cases[i].text, &a, cases[i].type),
				 cases[i].result);
		if (cases[i].result == 0)
			assert_int_equal(a.ull, cases[i].bits);
	}
}

static void strings_are_copied(void **state)
{
	pmAtomValue a;
	const char *text = "some text";

	assert_int_equal(__pmStringValue(text, &a, PM_TYPE_STRING), 0);
	assert_string_equal(a.cp, text);
	assert_ptr_not_equal(a.cp, text);
	free(a.cp);
}

/* Freed blocks and sets are the sanitizer's to check. */
static void freed(void **state)
{
	pmResult *r = calloc(1, sizeof(*r) + sizeof(pmValueSet *));
	pmInResult *in = calloc(1, sizeof(*in));

	r->numpmid = 2;
	(&r->vset[0])[0] = calloc(1, sizeof(pmValueSet));
	r->vset[0]->numval = 1;
	r->vset[0]->valfmt =
	    __pmStuffValue(&(pmAtomValue){.d = 1}, &r->vset[0]->vlist[0], PM_TYPE_DOUBLE);
	(&r->vset[0])[1] = calloc(1, sizeof(pmValueSet));
	(&r->vset[0])[1]->numval = PM_ERR_VALUE;
	__pmFreeResultValues(r);
	free(r);
	in->numinst = 1;
	in->instlist = calloc(1, sizeof(int));
	in->namelist = calloc(1, sizeof(char *));
	in->namelist[0] = strdup("name");
	__pmFreeInResult(in);
	__pmFreeInResult(NULL);
}

/* ---- sort ----------------------------------------------------------------------------------- */

static void sorted(void **state)
{
	static const int insts[] = {5, -1, INT_MAX, INT_MIN, 0};
	static const int expected[] = {INT_MIN, -1, 0, 5, INT_MAX};
	pmValueSet *set = calloc(1, sizeof(*set) + 5 * sizeof(pmValue));
	pmValueSet failed = {.numval = PM_ERR_VALUE};
	pmResult *result = calloc(1, sizeof(*result) + sizeof(set));
	pmValue *list = set->vlist;

	result->numpmid = 2;
	(&result->vset[0])[0] = set;
	(&result->vset[0])[1] = &failed;
	set->numval = 5;
	for (int i = 0; i < 5; i++)
		list[i].inst = insts[i];
	pmSortInstances(result);
	for (int i = 0; i < 5; i++)
		assert_int_equal(list[i].inst, expected[i]);
	pmSortHighResInstances((pmHighResResult *)result);
	assert_int_equal(list[0].inst, INT_MIN);
	free(set);
	free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(from_insitu),
	    cmocka_unit_test(from_64),
	    cmocka_unit_test(from_reals),
	    cmocka_unit_test(bad_blocks),
	    cmocka_unit_test(copies),
	    cmocka_unit_test(in_place),
	    cmocka_unit_test(in_blocks),
	    cmocka_unit_test(from_text),
	    cmocka_unit_test(strings_are_copied),
	    cmocka_unit_test(freed),
	    cmocka_unit_test(sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
