/* test_label_text - labels in JSON text, read, written and printed. */
#include "libpcp/label.h"
#include "pcp_test.h"

/* ---- label_text ----------------------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *json;
	int n;
} right[] = {
    {"{}", "{}", 0},
    {" \n", "", 0},
    {" { \"b\" : 1 , \"a\" : \"x  y\" } ", "{\"b\":1,\"a\":\"x  y\"}", 2},
    {"{\"a\":{\"b\":{\"c\":true}},\"d\":null}", "{\"a.b.c\":true,\"d\":null}", 2},
    {"{\"a\":[1, {\"x\" : [ ] }, \"]\"]}", "{\"a\":[1,{\"x\":[]},\"]\"]}", 1},
    {"{\"a\":-1.5e+3,\"b\":0,\"c\":false}", "{\"a\":-1.5e+3,\"b\":0,\"c\":false}", 3},
    {"{\"a\":\"\\\"\\\\\"}", "{\"a\":\"\\\"\\\\\"}", 1},
};

static const char *const wrong[] = {"{",
				    "}",
				    "[]",
				    "1",
				    "{\"a\"}",
				    "{\"a\":}",
				    "{\"a\":1,}",
				    "{,}",
				    "{\"a\" 1}",
				    "{a:1}",
				    "{\"1a\":1}",
				    "{\"_a\":1}",
				    "{\"\":1}",
				    "{\"a b\":1}",
				    "{\"a\":1,\"a\":2}",
				    "{\"a\":1 \"b\":2}",
				    "{\"a\":1}}",
				    "{\"a\":01}",
				    "{\"a\":+1}",
				    "{\"a\":.5}",
				    "{\"a\":1.e}",
				    "{\"a\":tru}",
				    "{\"a\":[1,2}",
				    "{\"a\":\"x}",
				    "{\"a\":1",
				    "{\"a\":{\"b\":1}",
				    "{\"a\":\"x\ny\"}",
				    "{\"a\":\"\\",
				    "{\"a\":{\"b\":1},\"a.b\":2}"};

static void accepted(void **state)
{
	struct label_text *t = malloc(sizeof(*t));

	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		int n = label_text_read(t, right[i].text, strlen(right[i].text), PM_LABEL_OPTIONAL);

		assert_int_equal(n, right[i].n);
		if (right[i].json[0] != '\0')
			assert_string_equal(t->json, right[i].json);
		for (int j = 0; j < n; j++) {
			const pmLabel *l = &t->labels[j];

			assert_true(l->flags & PM_LABEL_OPTIONAL);
			assert_int_equal(t->json[l->name - 1], '"');
			assert_memory_equal(&t->json[l->name + l->namelen], "\":", 2);
			assert_int_equal(l->value, l->name + l->namelen + 2);
			assert_true(strchr(",}", t->json[l->value + l->valuelen]) != NULL);
		}
	}
	free(t);
}

static void refused(void **state)
{
	struct label_text *t = malloc(sizeof(*t));

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(label_text_read(t, wrong[i], strlen(wrong[i]), 0), -EINVAL);
	free(t);
}

/* Sorted by name, shorter first; compound names are marked. */
static void index_order(void **state)
{
	static const char text[] = "{\"ab\":1,\"b\":2,\"a\":{\"x\":3},\"a_\":4}";
	static const char *const names[] = {"a.x", "a_", "ab", "b"};
	struct label_text *t = malloc(sizeof(*t));

	assert_int_equal(label_text_read(t, text, strlen(text), 0), 4);
	for (int i = 0; i < 4; i++)
		assert_memory_equal(&t->json[t->labels[i].name], names[i], strlen(names[i]));
	assert_true(t->labels[0].flags & PM_LABEL_COMPOUND);
	assert_false(t->labels[1].flags & PM_LABEL_COMPOUND);
	free(t);
}

/* One label more than the maximum; nested deeper than the maximum; longer than the maximum. */
static void limits(void **state)
{
	struct label_text *t = malloc(sizeof(*t));
	char *text = calloc(1, 70000), *p = text;

	*p++ = '{';
	for (int i = 0; i < PM_MAXLABELS; i++)
		p += sprintf(p, "%s\"n%d\":1", i ? "," : "", i);
	strcpy(p, "}");
	assert_int_equal(label_text_read(t, text, strlen(text), 0), PM_MAXLABELS);
	strcpy(p, ",\"m\":1}");
	assert_int_equal(label_text_read(t, text, strlen(text), 0), -E2BIG);
	memset(text, '[', 60000);
	memcpy(text, "{\"a\":", 5);
	assert_int_equal(label_text_read(t, text, 60000, 0), -E2BIG);
	memset(text, 'x', 70000);
	memcpy(text, "{\"a\":\"", 6);
	memcpy(text + 69990, "\"}", 2);
	assert_int_equal(label_text_read(t, text, 69992, 0), -E2BIG);
	memset(text, 'n', 300);
	memcpy(text, "{\"", 2);
	memcpy(text + 2 + 255, "\":1}", 4);
	assert_int_equal(label_text_read(t, text, 2 + 255 + 4, 0), -EINVAL);
	memcpy(text + 2 + 254, "\":1}", 4);
	assert_int_equal(label_text_read(t, text, 2 + 254 + 4, 0), 1);
	free(text);
	free(t);
}

/* A text truncated anywhere is refused, and nothing after its end is read. */
static void cut(void **state)
{
	static const char text[] = "{\"a\":{\"b\":[1,\"x\",true]},\"c\":-1.5e3,\"d\":\"\\\"\"}";
	struct label_text *t = malloc(sizeof(*t));

	for (size_t len = 1; len < strlen(text); len++) {
		char *copy = malloc(len);

		memcpy(copy, text, len);
		assert_int_equal(label_text_read(t, copy, len, 0), -EINVAL);
		free(copy);
	}
	free(t);
}

/* ---- label_print ---------------------------------------------------------------------------- */

static void idents(void **state)
{
	static const struct {
		int ident, type;
		const char *text;
	} cases[] = {
	    {0, PM_LABEL_CONTEXT, "Context"},
	    {60, PM_LABEL_DOMAIN, "Domain 60"},
	    {0x00400002, PM_LABEL_INDOM, "InDom 1.2"},
	    {0x00400803, PM_LABEL_CLUSTER, "Cluster 1.2"},
	    {0x00400803, PM_LABEL_ITEM | PM_LABEL_OPTIONAL, "PMID 1.2.3"},
	};
	char buf[32];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(
		    __pmLabelIdentString(cases[i].ident, cases[i].type, buf, sizeof(buf)),
		    cases[i].text);
	assert_string_equal(__pmLabelTypeString(PM_LABEL_INDOM), "indom");
}

static void sets(void **state)
{
	pmLabelSet *set = NULL;
	struct printed p;

	__pmAddLabels(&set, "{\"a\":1,\"b\":{\"c\":2}}", PM_LABEL_INSTANCES | PM_LABEL_OPTIONAL);
	set->inst = 7;
	pmPrintLabelSets(printed_open(&p)->f, 0x00400002, PM_LABEL_INSTANCES, set, 1);
	printed_is(&p, "    InDom 1.2[7] labels (15 bytes): {\"a\":1,\"b.c\":2}\n"
		       "        [0] name(2,1) : value(5,1) [instances,optional]\n"
		       "        [1] name(8,3) : value(13,1) [instances,compound,optional]\n");
	pmFreeLabelSets(set, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accepted), cmocka_unit_test(refused), cmocka_unit_test(index_order),
	    cmocka_unit_test(limits),   cmocka_unit_test(cut),     cmocka_unit_test(idents),
	    cmocka_unit_test(sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
