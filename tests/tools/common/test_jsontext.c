/*
 * test_jsontext - the JSON of numbers, texts, times and values of metrics.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/libpcp.h>

#include "tools/common/jsontext.h"

/* A text in memory. */
static struct {
	struct jsontext j;
	char *text;
	size_t len;
} t;

static struct jsontext *start(void)
{
	memset(&t, 0, sizeof(t));
	t.j.out = open_memstream(&t.text, &t.len);
	assert_non_null(t.j.out);
	return &t.j;
}

static void expect(const char *text)
{
	fclose(t.j.out);
	assert_string_equal(t.text, text);
	free(t.text);
}

static void structure(void **state)
{
	struct jsontext *j = start();

	(void)state;
	jsontext_begin(j, NULL, '{');
	jsontext_begin(j, "none", '[');
	jsontext_end(j, ']');
	jsontext_begin(j, "some", '[');
	jsontext_line(j);
	jsontext_integer(j, NULL, 1);
	jsontext_line(j);
	jsontext_null(j, NULL);
	jsontext_line(j);
	jsontext_end(j, ']');
	jsontext_bool(j, "yes", true);
	jsontext_raw(j, "raw", "{\"a\":1}");
	jsontext_end(j, '}');
	expect("{\"none\":[],\"some\":[\n1,\nnull\n],\"yes\":true,\"raw\":{\"a\":1}}");
}

static void numbers(void **state)
{
	struct jsontext *j = start();

	(void)state;
	jsontext_begin(j, NULL, '[');
	jsontext_integer(j, NULL, INT64_MIN);
	jsontext_float(j, NULL, 0.1f);
	jsontext_float(j, NULL, 2);
	jsontext_double(j, NULL, 1e300);
	jsontext_double(j, NULL, -0.25);
	jsontext_double(j, NULL, NAN);
	jsontext_float(j, NULL, -INFINITY);
	jsontext_end(j, ']');
	expect("[-9223372036854775808,0.1,2.0,1e+300,-0.25,null,null]");
}

static void texts(void **state)
{
	struct jsontext *j = start();

	(void)state;
	jsontext_begin(j, NULL, '[');
	jsontext_text(j, NULL, "a\"\\\n\xc3\xa9");
	jsontext_text(j, NULL,
		      "\xff"
		      "b");
	jsontext_text(j, NULL, NULL);
	jsontext_end(j, ']');
	expect("[\"a\\\"\\\\\\u000a\xc3\xa9\",\"\\ufffdb\",null]");
}

static void times(void **state)
{
	struct jsontext *j = start();
	const struct timespec when = {1795517419, 40}, before = {-1, 999999999};
	int zone = pmNewZone("AAA+3:30");

	(void)state;
	assert_true(zone >= 0);
	jsontext_begin(j, NULL, '{');
	jsontext_time(j, &when);
	jsontext_end(j, '}');
	assert_true(pmNewZone("UTC") >= 0);
	jsontext_begin(j, NULL, '{');
	jsontext_time(j, &before);
	jsontext_end(j, '}');
	expect(
	    "{\"time\":\"2026-11-24T07:20:19.000000040-03:30\",\"seconds\":1795517419.000000040},"
	    "{\"time\":\"1969-12-31T23:59:59.999999999+00:00\",\"seconds\":-0.000000001}");
}

static void put_one(struct jsontext *j, const pmAtomValue *atom, int type)
{
	pmValueSet set = {.numval = 1};

	set.valfmt = __pmStuffValue(atom, &set.vlist[0], type);
	assert_true(set.valfmt >= 0);
	jsontext_value(j, NULL, &set, 0, type, false);
	if (set.valfmt != PM_VAL_INSITU)
		free(set.vlist[0].value.pval);
}

static void values(void **state)
{
	static char text[] = "say \"x\"";
	struct {
		uint32_t head; /* the type and the length */
		char bytes[3];
	} block;
	struct jsontext *j = start();
	pmAtomValue atom = {0};
	pmValueBlock *bytes = (pmValueBlock *)&block;

	(void)state;
	jsontext_begin(j, NULL, '[');
	atom.l = -1;
	put_one(j, &atom, PM_TYPE_32);
	put_one(j, &atom, PM_TYPE_U32);
	atom.ll = -1;
	put_one(j, &atom, PM_TYPE_64);
	put_one(j, &atom, PM_TYPE_U64);
	atom.f = 0.3f;
	put_one(j, &atom, PM_TYPE_FLOAT);
	atom.d = INFINITY;
	put_one(j, &atom, PM_TYPE_DOUBLE);
	atom.cp = text;
	put_one(j, &atom, PM_TYPE_STRING);
	bytes->vtype = PM_TYPE_AGGREGATE;
	bytes->vlen = PM_VAL_HDR_SIZE + 3;
	memcpy(block.bytes, "\x01\xfe\0", 3);
	atom.vbp = bytes;
	put_one(j, &atom, PM_TYPE_AGGREGATE);
	jsontext_end(j, ']');
	expect("[-1,4294967295,-1,18446744073709551615,0.3,null,\"say \\\"x\\\"\",\"01fe00\"]");
}

static void unknown_type(void **state)
{
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_INSITU};
	struct jsontext *j = start();

	(void)state;
	jsontext_value(j, NULL, &set, 0, PM_TYPE_UNKNOWN, false);
	fclose(t.j.out);
	assert_non_null(strstr(t.text, "{\"error\":\""));
	assert_non_null(strstr(t.text, "\"code\":-12397}"));
	free(t.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(structure), cmocka_unit_test(numbers), cmocka_unit_test(texts),
	    cmocka_unit_test(times),     cmocka_unit_test(values),  cmocka_unit_test(unknown_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
