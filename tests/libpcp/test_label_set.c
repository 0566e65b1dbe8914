/* test_label_set - sets: added to, copied, merged: docs/spec/pmapi.md 20, docs/spec/pmda.md 11.3.
 */
#include "pcp_test.h"

/* The example of pmda.md 11.3. */
static void added(void **state)
{
	pmLabelSet *set = NULL;

	assert_int_equal(__pmAddLabels(&set, "{\"b\":1,\"a\":\"q\"}", 0), 2);
	assert_int_equal(set->inst, PM_IN_NULL);
	assert_string_equal(set->json, "{\"b\":1,\"a\":\"q\"}");
	assert_int_equal(__pmAddLabels(&set, "{\"a\":2}", PM_LABEL_OPTIONAL), 2);
	assert_string_equal(set->json, "{\"a\":2,\"b\":1}");
	assert_int_equal(set->jsonlen, 13);
	assert_int_equal(set->labels[0].flags, PM_LABEL_OPTIONAL);
	assert_int_equal(set->labels[1].flags, 0);
	assert_int_equal(__pmAddLabels(&set, "nonsense", 0), -EINVAL);
	assert_int_equal(set->nlabels, 2);
	pmFreeLabelSets(set, 1);
}

static void parsed(void **state)
{
	static const char json[] = "{\"a\":{\"b\":1}}";
	pmLabelSet *set = NULL, *copy;

	assert_int_equal(__pmParseLabelSet(json, (int)strlen(json), PM_LABEL_ITEM, &set), 1);
	assert_string_equal(set->json, "{\"a.b\":1}");
	assert_int_equal(set->compound, 1);
	assert_int_equal(set->labels[0].flags, PM_LABEL_ITEM | PM_LABEL_COMPOUND);
	copy = __pmDupLabelSets(set, 1);
	assert_string_equal(copy->json, set->json);
	assert_ptr_not_equal(copy->json, set->json);
	pmFreeLabelSets(copy, 1);
	pmFreeLabelSets(set, 1);
	assert_int_equal(__pmParseLabelSet("{}", 2, 0, &set), 0);
	/* A NUL is not part of a number, nor of an escape sequence. */
	set = NULL;
	assert_int_equal(__pmParseLabelSet("{\"a\":1\0}", 8, 0, &set), -EINVAL);
	assert_int_equal(__pmParseLabelSet("{\"a\":\"\\\0\"}", 10, 0, &set), -EINVAL);
	assert_null(set);
}

static void merged_texts(void **state)
{
	char *texts[] = {(char *)"{\"b\":1,\"a\":2}", NULL,
			 (char *)"{\"b\":\"y\",\"c\":{\"e\":true}}"};
	char buf[64];

	assert_int_equal(pmMergeLabels(texts, 3, buf, sizeof(buf)), 26);
	assert_string_equal(buf, "{\"a\":2,\"b\":\"y\",\"c.e\":true}");
	assert_int_equal(pmMergeLabels(texts, 3, buf, 26), -E2BIG);
	assert_int_equal(pmMergeLabels(texts, 3, buf, 27), 26);
	assert_int_equal(pmMergeLabels(texts, 0, buf, sizeof(buf)), -EINVAL);
	texts[0] = (char *)"{";
	assert_int_equal(pmMergeLabels(texts, 1, buf, sizeof(buf)), -EINVAL);
}

static int only_named(const pmLabel *label, const char *json, void *name)
{
	return strncmp(json + label->name, name, label->namelen) == 0;
}

static void merged_sets(void **state)
{
	pmLabelSet *sets[4] = {NULL}, failed = {.nlabels = PM_ERR_NOAGENT};
	char buf[64], name[] = "b";

	__pmAddLabels(&sets[0], "{\"b\":1,\"a\":2}", 0);
	__pmAddLabels(&sets[2], "{\"b\":3}", 0);
	sets[3] = &failed;
	assert_int_equal(pmMergeLabelSets(sets, 4, buf, sizeof(buf), NULL, NULL), 13);
	assert_string_equal(buf, "{\"a\":2,\"b\":3}");
	assert_int_equal(pmMergeLabelSets(sets, 4, buf, sizeof(buf), only_named, name), 7);
	assert_string_equal(buf, "{\"b\":3}");
	/* a label that points out of its text */
	sets[0]->labels[0].value = 1000;
	assert_int_equal(pmMergeLabelSets(sets, 4, buf, sizeof(buf), NULL, NULL), -EINVAL);
	pmFreeLabelSets(sets[0], 1);
	pmFreeLabelSets(sets[2], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(added),
	    cmocka_unit_test(parsed),
	    cmocka_unit_test(merged_texts),
	    cmocka_unit_test(merged_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
