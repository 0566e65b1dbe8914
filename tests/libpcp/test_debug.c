/* test_debug - the -D options: docs/spec/pmapi.md 22. */
#include <pcp/deprecated.h>

#include "pcp_test.h"

static int nothing_before(void **state)
{
	pmClearDebug("all");
	return 0;
}

static void by_name(void **state)
{
	assert_int_equal(pmSetDebug("pdu,FETCH"), 0);
	assert_true(pmDebugOptions.pdu && pmDebugOptions.fetch && !pmDebugOptions.profile);
	assert_int_equal(pmDebug, DBG_TRACE_PDU | DBG_TRACE_FETCH);
	assert_int_equal(pmSetDebug("tls"), 0);
	assert_int_equal(pmDebug, DBG_TRACE_PDU | DBG_TRACE_FETCH); /* has no bit */
	assert_int_equal(pmClearDebug("pdu"), 0);
	assert_true(!pmDebugOptions.pdu && pmDebugOptions.fetch && pmDebugOptions.tls);
}

static void by_bits(void **state)
{
	assert_int_equal(pmSetDebug("3"), 0);
	assert_true(pmDebugOptions.pdu && pmDebugOptions.fetch);
	assert_int_equal(pmSetDebug("-1"), 0);
	assert_true(pmDebugOptions.http && pmDebugOptions.desperate && !pmDebugOptions.deprecated);
	__pmSetDebugBits(DBG_TRACE_DESPERATE);
	assert_int_equal(pmDebug, DBG_TRACE_DESPERATE);
	assert_true(pmDebugOptions.desperate && !pmDebugOptions.pdu);
}

static void mistakes(void **state)
{
	assert_int_equal(pmSetDebug("pdu,nonsense"), PM_ERR_CONV);
	assert_false(pmDebugOptions.pdu);
	assert_int_equal(pmSetDebug("0x10"), PM_ERR_CONV);
	assert_int_equal(pmSetDebug(""), 0);
	assert_int_equal(__pmParseDebug("pdu,fetch"), 3);
	assert_int_equal(__pmParseDebug("nonsense"), PM_ERR_CONV);
	assert_int_equal(pmDebug, 0);
}

static void dumped(void **state)
{
	struct printed p;

	pmSetDebug("pdu,tls");
	__pmDumpDebug(printed_open(&p)->f);
	printed_is(&p, "pmDebugOptions: pdu, tls\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(by_name, nothing_before),
	    cmocka_unit_test_setup(by_bits, nothing_before),
	    cmocka_unit_test_setup(mistakes, nothing_before),
	    cmocka_unit_test_setup(dumped, nothing_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
