/* test_stuff - values for results, and from text: docs/spec/pmapi.md 24. */
#include <limits.h>

#include "pcp_test.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(in_place),  cmocka_unit_test(in_blocks),
	    cmocka_unit_test(from_text), cmocka_unit_test(strings_are_copied),
	    cmocka_unit_test(freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
