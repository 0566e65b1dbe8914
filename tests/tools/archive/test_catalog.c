/*
 * test_catalog - the places of descriptors, labels and texts in a .meta, and which of them is valid
 * at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libdisk/log_label.h"
#include "metadata_of.h"
#include "tools/archive/metadata.h"

enum { METRIC = 60 << 22, MANY = 200000 };

/* The size of the file's label, which is not read. */
static void start(struct buffer *records)
{
	static const char zeros[LOG_LABEL_LEN_V3];

	buffer_put(records, zeros, sizeof(zeros));
}

static void put_labels(struct buffer *records, time_t when, int type, uint32_t ident)
{
	const struct wire_labelset none = {(int32_t)PM_IN_NULL, 0, {"{}", 2}, NULL};
	const union meta_body body = {.label = {{when, 0}, (uint32_t)type, ident, 1, &none}};

	assert_int_equal(meta_encode(records, META_LABEL, &body), 0);
}

static void put_text(struct buffer *records, uint32_t type, uint32_t ident)
{
	const union meta_body body = {.text = {type, ident, {"text", 4}}};

	assert_int_equal(meta_encode(records, META_TEXT, &body), 0);
}

static const struct catalog_entry *reach(struct catalog_subject *s, time_t when)
{
	const struct timespec t = {when, 0};

	return catalog_reach(s, &t);
}

static void test_places(void **state)
{
	enum { HELP = PM_TEXT_HELP | PM_TEXT_PMID, LINE = PM_TEXT_ONELINE | PM_TEXT_PMID };
	struct buffer records = BUFFER_INIT;
	struct catalog c = {0};
	uint64_t desc_at, help_at;
	struct member *m;

	start(&records);
	put_labels(&records, 5, PM_LABEL_CONTEXT, PM_ID_NULL);
	desc_at = buffer_pending(&records);
	put_metric(&records, METRIC, "m");
	help_at = buffer_pending(&records);
	put_text(&records, HELP, METRIC);
	m = member_of(&records);
	assert_int_equal(catalog_load(&c, m, 3), 0);
	member_close(m);
	assert_int_equal(catalog_desc(&c, METRIC)->entries[0].offset, desc_at);
	assert_int_equal(catalog_text(&c, HELP, METRIC)->entries[0].offset, help_at);
	assert_int_equal(catalog_labels(&c, PM_LABEL_CONTEXT, PM_ID_NULL)->entries[0].offset,
			 LOG_LABEL_LEN_V3);
	assert_null(catalog_desc(&c, METRIC + 1));
	assert_null(catalog_text(&c, LINE, METRIC));
	assert_null(catalog_labels(&c, PM_LABEL_DOMAIN, PM_ID_NULL));
	/* Records without a time are valid from the start, and are returned once. */
	assert_non_null(reach(catalog_desc(&c, METRIC), 1));
	assert_null(reach(catalog_desc(&c, METRIC), 1000));
	catalog_done(&c);
	buffer_done(&records);
}

/*
 * Labels of a domain, stored in any order: each is returned at its time; replaced ones are skipped.
 */
static void test_times(void **state)
{
	static const time_t stored[] = {20, 10, 40, 30};
	struct buffer records = BUFFER_INIT;
	uint64_t offsets[50] = {0};
	struct catalog c = {0};
	struct catalog_subject *s;
	struct member *m;

	start(&records);
	for (size_t i = 0; i < 4; i++) {
		offsets[stored[i]] = buffer_pending(&records);
		put_labels(&records, stored[i], PM_LABEL_DOMAIN, 60);
		put_labels(&records, stored[i], PM_LABEL_DOMAIN, 61);
	}
	m = member_of(&records);
	assert_int_equal(catalog_load(&c, m, 3), 0);
	member_close(m);
	s = catalog_labels(&c, PM_LABEL_DOMAIN, 60);
	assert_int_equal(s->n, 4);
	for (size_t i = 1; i < 4; i++)
		assert_true(s->entries[i - 1].stamp.tv_sec < s->entries[i].stamp.tv_sec);
	assert_null(reach(s, 9));
	assert_int_equal(reach(s, 10)->offset, offsets[10]);
	assert_null(reach(s, 19));
	assert_int_equal(reach(s, 35)->offset, offsets[30]);
	assert_int_equal(reach(s, 99)->offset, offsets[40]);
	assert_null(reach(s, 100));
	assert_int_equal(reach(catalog_labels(&c, PM_LABEL_DOMAIN, 61), 20)->stamp.tv_sec, 20);
	catalog_done(&c);
	buffer_done(&records);
}

/* Of several with the same time, the last one counts. Time may go backward in the file. */
static void test_backward(void **state)
{
	struct buffer records = BUFFER_INIT;
	struct catalog c = {0};
	struct catalog_subject *s;
	uint64_t last = 0;
	struct member *m;

	start(&records);
	for (time_t t = MANY; t > 0; t--) {
		put_labels(&records, t, PM_LABEL_DOMAIN, 60);
		last = buffer_pending(&records);
		put_labels(&records, t, PM_LABEL_DOMAIN, 60);
	}
	m = member_of(&records);
	assert_int_equal(catalog_load(&c, m, 3), 0);
	member_close(m);
	s = catalog_labels(&c, PM_LABEL_DOMAIN, 60);
	assert_int_equal(s->n, 2 * MANY);
	assert_int_equal(reach(s, 1)->offset, last);
	assert_int_equal(reach(s, MANY)->stamp.tv_sec, MANY);
	catalog_done(&c);
	buffer_done(&records);
}

/* A torn end is ignored; an invalid record is an error. */
static void test_damage(void **state)
{
	struct buffer records = BUFFER_INIT;
	struct catalog c = {0};
	struct member *m;

	start(&records);
	put_metric(&records, METRIC, "m");
	buffer_put(&records, "\0\0\1\0\0\0\0\1torn", 12);
	m = member_of(&records);
	assert_int_equal(catalog_load(&c, m, 3), 0);
	assert_non_null(catalog_desc(&c, METRIC));
	member_close(m);
	catalog_done(&c);
	c = (struct catalog){0};
	buffer_put(&records, "\0\0\0\4", 4);
	for (int i = 0; i < 100; i++)
		buffer_put(&records, "\377\377\377\377", 4);
	m = member_of(&records);
	assert_int_equal(catalog_load(&c, m, 3), PM_ERR_LOGREC);
	member_close(m);
	catalog_done(&c);
	buffer_done(&records);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_places),
	    cmocka_unit_test(test_times),
	    cmocka_unit_test(test_backward),
	    cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
