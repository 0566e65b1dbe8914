/* test_send - PDUs that an agent sends itself: docs/spec/pmapi.md 24. */
#include "pcp_test.h"

static void error_pdu(void **state)
{
	static const uint8_t expected[] = {0, 0, 0, 16, 0,    0,    0x70, 0,
					   0, 0, 0, 3,  0xff, 0xff, 0xcf, 0xba};
	unsigned int before = __pmPDUCntOut[0];
	uint8_t got[32];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(__pmSendError(fds[1], 3, PM_ERR_PMID), sizeof(expected));
	assert_int_equal(read(fds[0], got, sizeof(got)), sizeof(expected));
	assert_memory_equal(got, expected, sizeof(expected));
	assert_int_equal(__pmPDUCntOut[0], before + 1);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(__pmSendError(-1, 0, 0), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(error_pdu)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
