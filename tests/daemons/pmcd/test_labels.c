/* test_labels - sets of labels as they travel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemons/pmcd/labels.h"
#include "libbase/cleanup.h"

static void check_json(const struct wire_labelset *set, const char *json)
{
	assert_int_equal(set->json.len, strlen(json));
	assert_memory_equal(set->json.s, json, set->json.len);
}

static void test_order_and_index(void **state)
{
	static struct labels l;
	struct arena mem = ARENA_INIT;
	struct wire_labelset set;

	assert_int_equal(labels_add(&l, "b", "\"two\"", PM_LABEL_CONTEXT), 0);
	assert_int_equal(labels_add(&l, "c", "3", PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL), 0);
	assert_int_equal(labels_add(&l, "a", "true", PM_LABEL_CONTEXT), 0);
	assert_int_equal(labels_add(&l, "b", "\"2\"", PM_LABEL_CONTEXT), 0);
	assert_int_equal(labels_to_wire(&l, &mem, &set), 0);
	check_json(&set, "{\"a\":true,\"b\":\"2\",\"c\":3}");
	assert_int_equal(set.nlabels, 3);
	assert_int_equal(set.labels[1].name, 11);
	assert_int_equal(set.labels[1].namelen, 1);
	assert_int_equal(set.labels[1].value, 14);
	assert_int_equal(set.labels[1].valuelen, 3);
	assert_int_equal(set.labels[2].flags, PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL);
	arena_done(&mem);
	labels_done(&l);
}

static void test_none(void **state)
{
	static struct labels l;
	struct arena mem = ARENA_INIT;
	struct wire_labelset set;

	assert_int_equal(labels_to_wire(&l, &mem, &set), 0);
	assert_int_equal(set.nlabels, 0);
	arena_done(&mem);
}

static void test_too_many(void **state)
{
	static struct labels l;
	static char names[LABELS_MAX + 1][8];

	for (unsigned int i = 0; i <= LABELS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "n%u", i);
		assert_int_equal(labels_add(&l, names[i], "1", PM_LABEL_CONTEXT),
				 i < LABELS_MAX ? 0 : -E2BIG);
	}
	labels_done(&l);
}

static void test_name_of_agent(void **state)
{
	static const struct {
		const char *label, *json;
	} cases[] = {
	    {"sample", "{\"agent\":\"sample\"}"},
	    {"pmdasample", "{\"agent\":\"sample\"}"},
	    {"pmdasample DSO", "{\"agent\":\"sample\"}"},
	    {"a\"b\\c", "{\"agent\":\"a\\\"b\\\\c\"}"},
	    {"pmda", "{\"agent\":\"\"}"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena mem = ARENA_INIT;
		struct pdu_label label = {0};

		assert_int_equal(labels_of_agent(cases[i].label, &mem, &label), 0);
		assert_int_equal(label.numset, 1);
		check_json(&label.sets[0], cases[i].json);
		assert_int_equal(label.sets[0].labels[0].flags, PM_LABEL_DOMAIN);
		assert_int_equal(label.sets[0].labels[0].name, 2);
		assert_int_equal(label.sets[0].labels[0].value, 9);
		arena_done(&mem);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order_and_index),
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_too_many),
	    cmocka_unit_test(test_name_of_agent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
