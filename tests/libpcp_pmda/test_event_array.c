/* Tests of event_array.c: cases that the reference does not cover (parity_event.c has the
 * bytes). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libpcp_pmda/event_array.h"
#include "starve.h"

static struct timeval stamp = {1000, 2000};

/* The example of the specification (13). */
static void test_bytes(void **state)
{
	static const unsigned char expected[] = {
	    0x54, 0x00, 0x00, 0x09, 0x02, 0x00, 0x00, 0x00, 0xe8, 0x03, 0x00, 0x00, 0xd0, 0x07,
	    0x00, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x04, 0x03, 0x02, 0x01,
	    0x08, 0x00, 0x00, 0x01, 0x07, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x09, 0x00,
	    0x00, 0x06, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
	    0x0c, 0x00, 0x00, 0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe8, 0x03,
	    0x00, 0x00, 0xd0, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x2a, 0x00, 0x00, 0x00,
	};
	pmAtomValue number = {.ul = 7}, text = {.cp = "hello"}, large = {.ll = -1};
	int a = pmdaEventNewArray();

	assert_int_equal(pmdaEventAddRecord(a, &stamp, PM_EVENT_FLAG_START | PM_EVENT_FLAG_ID), 0);
	assert_int_equal(pmdaEventAddParam(a, 0x01020304, PM_TYPE_U32, &number), 0);
	assert_int_equal(pmdaEventAddParam(a, 2, PM_TYPE_STRING, &text), 0);
	assert_int_equal(pmdaEventAddParam(a, 3, PM_TYPE_64, &large), 0);
	assert_int_equal(pmdaEventAddMissedRecord(a, &stamp, 42), 0);
	assert_memory_equal(pmdaEventGetAddr(a), expected, sizeof(expected));
	assert_int_equal(pmdaEventReleaseArray(a), 0);
	assert_null(pmdaEventGetAddr(a));
}

static void test_refused(void **state)
{
	pmAtomValue number = {.ul = 7}, none = {.cp = NULL};
	pmValueBlock headless = {.vlen = 3};
	int a = pmdaEventNewArray();

	/* Without a record, or after one that has a count instead of nparams. */
	assert_int_equal(pmdaEventAddParam(a, 1, PM_TYPE_U32, &number), -EINVAL);
	assert_int_equal(pmdaEventAddMissedRecord(a, &stamp, 1), 0);
	assert_int_equal(pmdaEventAddParam(a, 1, PM_TYPE_U32, &number), -EINVAL);
	assert_int_equal(pmdaEventAddRecord(a, &stamp, PM_EVENT_FLAG_POINT), 0);
	assert_int_equal(pmdaEventAddParam(a, 1, PM_TYPE_STRING, &none), PM_ERR_CONV);
	assert_int_equal(pmdaEventAddParam(a, 1, PM_TYPE_AGGREGATE, &none), PM_ERR_CONV);
	none.vbp = &headless;
	assert_int_equal(pmdaEventAddParam(a, 1, PM_TYPE_AGGREGATE, &none), PM_ERR_CONV);
	assert_int_equal(pmdaEventGetAddr(a)->ea_len, 8 + 2 * 16);
	pmdaEventReleaseArray(a);
}

/* Up to the largest length that can be stored, and not a byte more. */
static void test_longest(void **state)
{
	const size_t len = EVENT_ARRAY_LEN_MAX - 8 - 16 - 8 - 3; /* a multiple of 4 */
	pmValueBlock *block = calloc(1, PM_VAL_HDR_SIZE + len);
	pmAtomValue atom = {.vbp = block}, number = {.ul = 1};
	int a = pmdaEventNewArray();
	struct event_mark mark;

	assert_non_null(block);
	assert_int_equal(len % 4, 0);
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0xffffff;
	assert_int_equal(pmdaEventAddRecord(a, &stamp, PM_EVENT_FLAG_POINT), 0);
	mark = event_array_mark(event_array_of(a));
	assert_int_equal(pmdaEventAddParam(a, 1, PM_TYPE_AGGREGATE, &atom), 0);
	assert_int_equal(event_array_of(a)->err, 0);
	assert_int_equal(pmdaEventAddParam(a, 1, PM_TYPE_U32, &number), -E2BIG);
	assert_int_equal(pmdaEventAddRecord(a, &stamp, PM_EVENT_FLAG_POINT), -E2BIG);
	assert_int_equal(event_array_of(a)->err, -E2BIG);
	assert_int_equal(pmdaEventGetAddr(a)->ea_len, EVENT_ARRAY_LEN_MAX - 3);
	event_array_rollback(event_array_of(a), &mark);
	assert_int_equal(pmdaEventGetAddr(a)->ea_len, 8 + 16);
	assert_int_equal(pmdaEventGetAddr(a)->ea_record[0].er_nparams, 0);
	pmdaEventReleaseArray(a);
	free(block);
}

static void test_rollback(void **state)
{
	pmAtomValue number = {.ul = 7};
	int a = pmdaEventNewArray();
	struct event_mark mark;
	unsigned char before[8 + 16 + 12];

	pmdaEventAddRecord(a, &stamp, PM_EVENT_FLAG_POINT);
	pmdaEventAddParam(a, 1, PM_TYPE_U32, &number);
	memcpy(before, pmdaEventGetAddr(a), sizeof(before));
	mark = event_array_mark(event_array_of(a));
	/* A parameter more for the record that was there, and records after it. */
	pmdaEventAddParam(a, 2, PM_TYPE_U32, &number);
	for (int i = 0; i < 100; i++)
		pmdaEventAddRecord(a, &stamp, PM_EVENT_FLAG_POINT);
	event_array_rollback(event_array_of(a), &mark);
	assert_int_equal(event_array_of(a)->nrecords, 1);
	assert_memory_equal(pmdaEventGetAddr(a), before, sizeof(before));
	pmdaEventReleaseArray(a);
	assert_null(event_array_of(a));
}

/* Without memory each call says so, and the array is what it was. */
static void test_starved(void **state)
{
	static char text[700];
	pmAtomValue atom = {.cp = text};
	int failed = 0, a;

	memset(text, 'x', sizeof(text) - 1);
	for (long n = 0;; n++) {
		starve_left = n;
		a = pmdaEventNewArray();
		if (starve_left >= 0)
			break;
		assert_int_equal(a, -ENOMEM);
	}
	starve_left = -1;
	assert_int_equal(pmdaEventAddRecord(a, &stamp, PM_EVENT_FLAG_POINT), 0);
	for (int i = 0; i < 50; i++) {
		unsigned int len = pmdaEventGetAddr(a)->ea_len;
		int r;

		starve_left = 0;
		r = pmdaEventAddParam(a, 1, PM_TYPE_STRING, &atom);
		starve_left = -1;
		if (r == 0)
			continue;
		failed++;
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(pmdaEventGetAddr(a)->ea_len, len);
		assert_int_equal(pmdaEventAddParam(a, 1, PM_TYPE_STRING, &atom), 0);
	}
	assert_in_range(failed, 3, 49);
	assert_int_equal(pmdaEventGetAddr(a)->ea_record[0].er_nparams, 50);
	pmdaEventReleaseArray(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bytes),   cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_longest), cmocka_unit_test(test_rollback),
	    cmocka_unit_test(test_starved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
