/* test_metricspec - "host:metric[inst]": docs/spec/pmapi.md 16. */
#include "pcp_test.h"

static const struct {
	const char *text;
	int isarch;
	const char *source, *metric;
	int ninst;
	const char *inst[3];
} right[] = {
    {"a.b", 9, "SOURCE", "a.b", 0, {NULL}},
    {"h:a.b", 0, "h", "a.b", 0, {NULL}},
    {"h:44321:a.b", 0, "h:44321", "a.b", 0, {NULL}},
    {"/arc/hive/a.b[x]", 1, "/arc/hive", "a.b", 1, {"x"}},
    {"@:a.b", 2, "@", "a.b", 0, {NULL}},
    {"a.b[]", 9, "SOURCE", "a.b", 0, {NULL}},
    {"a.b[x,y z]", 9, "SOURCE", "a.b", 3, {"x", "y", "z"}},
    {"a.b[\"x y\", z\\,z]", 9, "SOURCE", "a.b", 2, {"x y", "z,z"}},
    {" h : a.b [ x ] ", 0, "h", "a.b", 1, {"x"}},
};

static const struct {
	const char *text;
	const char *message;
} wrong[] = {
    {":a", ":a\n^ -- host name expected\n"},
    {"/a", "/a\n^ -- archive name expected\n"},
    {"a]", "a]\n ^ -- unexpected character in metric name\n"},
    {"h:", "h:\n  ^ -- performance metric name expected\n"},
    {"a[x", "a[x\n   ^ -- closing ] expected\n"},
    {"a[\"x", "a[\"x\n    ^ -- closing \" and ] expected\n"},
    {"a[x]y", "a[x]y\n    ^ -- unexpected extra characters\n"},
};

static void accepted(void **state)
{
	char source[] = "SOURCE";

	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		pmMetricSpec *spec;
		char *msg;

		assert_int_equal(pmParseMetricSpec(right[i].text, 9, source, &spec, &msg), 0);
		assert_int_equal(spec->isarch, right[i].isarch);
		assert_string_equal(spec->source, right[i].source);
		assert_string_equal(spec->metric, right[i].metric);
		assert_int_equal(spec->ninst, right[i].ninst);
		for (int j = 0; j < spec->ninst; j++)
			assert_string_equal(((char **)&spec->inst)[j], right[i].inst[j]);
		pmFreeMetricSpec(spec);
	}
}

static void refused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		pmMetricSpec *spec;
		char *msg;

		assert_int_equal(pmParseMetricSpec(wrong[i].text, 0, NULL, &spec, &msg),
				 PM_ERR_GENERIC);
		assert_string_equal(msg, wrong[i].message);
		free(msg);
	}
}

/* The maximum number of instances for the length of the text. */
static void most_instances(void **state)
{
	char text[1024] = "a[";
	pmMetricSpec *spec;
	char *msg;

	for (int i = 0; i < 500; i++)
		strcat(text, "x ");
	strcat(text, "]");
	assert_int_equal(pmParseMetricSpec(text, 0, NULL, &spec, &msg), 0);
	assert_int_equal(spec->ninst, 500);
	pmFreeMetricSpec(spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accepted),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(most_instances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
