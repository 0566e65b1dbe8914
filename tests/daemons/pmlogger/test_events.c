/* test_events - parameters are found in well-formed arrays; nothing is read beyond others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemons/pmlogger/events.h"

/* Two records, the first with two parameters, then one of missed events. */
static const uint32_t words[] = {
    3,    10, 20, PM_EVENT_FLAG_POINT, 2, 0x111, 0u << 24 | 8, 7,  0x222, 6u << 24 | 6,
    0x61, 11, 21, PM_EVENT_FLAG_POINT, 1, 0x333, 0u << 24 | 4, 12, 22,    PM_EVENT_FLAG_MISSED,
    5,
};

static void found(pmID pmid, void *arg)
{
	uint32_t *sum = arg;

	*sum = *sum * 31 + pmid;
}

static uint32_t walk(size_t bytes)
{
	pmValueBlock *block = malloc(PM_VAL_HDR_SIZE + bytes); /* exactly: a sanitizer sees more */
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_DPTR};
	uint32_t sum = 0;

	assert_non_null(block);
	block->vtype = PM_TYPE_EVENT;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + bytes);
	memcpy(block->vbuf, words, bytes);
	set.vlist[0].value.pval = block;
	event_params(&set, false, found, &sum);
	free(block);
	return sum;
}

static void all_are_found(void **state)
{
	assert_int_equal(walk(sizeof(words)), (0x111u * 31 + 0x222) * 31 + 0x333);
}

static void truncations_end(void **state)
{
	for (size_t n = 0; n < sizeof(words); n++)
		walk(n);
}

static void no_values(void **state)
{
	pmValueSet set = {.numval = PM_ERR_AGAIN};
	uint32_t sum = 0;

	event_params(&set, false, found, &sum);
	assert_int_equal(sum, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_are_found),
	    cmocka_unit_test(truncations_end),
	    cmocka_unit_test(no_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
