/*
 * test_logger_call - requests to a recorder and what may come back: docs/spec/logger.md B2 to B6.
 *
 * The recorder is the other end of a socket pair, which has the answer before the request is sent.
 */
#include <fcntl.h>
#include <sys/socket.h>

#include <pcp/impl.h>

#include "apart.h"
#include "libbase/buffer.h"
#include "libwire/pdu.h"

static int ends[2];

static int open_pair(void **state)
{
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int close_pair(void **state)
{
	close(ends[0]);
	close(ends[1]);
	unsetenv("PMLOGGER_REQUEST_TIMEOUT");
	return 0;
}

static void answer_with(enum pdu_type type, const union pdu_body *body)
{
	struct buffer out = BUFFER_INIT;

	assert_int_equal(pdu_encode(&out, type, 0, body), 0);
	assert_int_equal(send(ends[1], buffer_head(&out), buffer_pending(&out), 0),
			 buffer_pending(&out));
	buffer_done(&out);
}

static void answer_code(int code)
{
	const union pdu_body body = {.error = {.code = code}};

	answer_with(PDU_ERROR, &body);
}

/* The type of the sent PDU. */
static uint32_t asked(void)
{
	__pmPDU *pdu;
	int type = __pmGetPDU(ends[1], ANY_SIZE, 5, &pdu);

	assert_true(type > 0);
	assert_int_equal(__pmUnpinPDUBuf(pdu), 1);
	return (uint32_t)type;
}

static pmResult *request_of(int numval)
{
	static struct {
		pmValueSet set;
		pmValue more[2];
	} sets;
	pmResult *request = __pmAllocResult(1);

	request->numpmid = 1;
	sets.set = (pmValueSet){.pmid = 7, .numval = numval};
	request->vset[0] = &sets.set;
	return request;
}

static int control(int numval, int what, int how, int delta, pmResult **status)
{
	pmResult *request = request_of(numval);
	int r = __pmControlLog(ends[0], request, what, how, delta, status);

	free(request);
	return r;
}

static void answered(void **state)
{
	const struct wire_value value = {.inst = PM_IN_NULL, .insitu = 0x3e8f};
	const struct wire_vset vset = {7, 1, PM_VAL_INSITU, &value};
	const union pdu_body body = {.result = {.numpmid = 1, .vsets = &vset}};
	pmResult *status;

	answer_with(PDU_RESULT, &body);
	assert_int_equal(control(1, PM_LOG_ENQUIRE, 0, 0, &status), 0);
	assert_int_equal(asked(), PDU_LOG_CONTROL);
	assert_int_equal(status->numpmid, 1);
	assert_int_equal(PMLC_GET_DELTA(status->vset[0]->vlist[0].value.lval), 1000);
	assert_int_equal(PMLC_GET_STATE(status->vset[0]->vlist[0].value.lval), 0xf);
	pmFreeResult(status);
	answer_code(PM_ERR_PERMISSION);
	assert_int_equal(control(1, PM_LOG_MANDATORY, PM_LOG_ON, 5, &status), PM_ERR_PERMISSION);
	asked();
	/* An answer of another kind. */
	answer_code(0);
	assert_int_equal(control(1, PM_LOG_MANDATORY, PM_LOG_OFF, 0, &status), PM_ERR_IPC);
}

/* Requests that are refused before anything is sent. */
static void refused(void **state)
{
	static const struct {
		int numval, what, how, delta, result;
	} rows[] = {
	    {1, PM_LOG_MANDATORY, PM_LOG_ON, -1, -EINVAL},
	    {1, PM_LOG_ADVISORY, PM_LOG_MAYBE, 0, -EINVAL},
	    {-1, PM_LOG_ENQUIRE, 0, 0, PM_ERR_VALUE},
	};
	pmResult none = {.numpmid = 0};
	pmResult *status;
	char byte;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
		    control(rows[i].numval, rows[i].what, rows[i].how, rows[i].delta, &status),
		    rows[i].result);
	assert_int_equal(__pmControlLog(ends[0], &none, PM_LOG_ENQUIRE, 0, 0, &status),
			 PM_ERR_TOOSMALL);
	assert_int_equal(recv(ends[1], &byte, 1, MSG_DONTWAIT), -1);
}

static void numbers(void **state)
{
	__pmLoggerStatus *status;
	const union pdu_body body = {.log_status = {.volume = 3, .fqdn = {"local:", 6}}};

	answer_code(4);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_NEWVOLUME, NULL), 4);
	assert_int_equal(asked(), PDU_LOG_REQUEST);
	answer_with(PDU_LOG_STATUS, &body);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_STATUS, &status), 0);
	assert_int_equal(status->vol, 3);
	assert_null(status->pmcd.hostname);
	__pmFreeLogStatus(status, 1);
	answer_with(PDU_LOG_STATUS_V2, &body);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_STATUS, &status), 0);
	assert_string_equal(status->pmcd.fqdn, "local:");
	__pmFreeLogStatus(status, 1);
	__pmFreeLogStatus(NULL, 1);
	/* A status where a number belongs, and the other way. */
	answer_with(PDU_LOG_STATUS, &body);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_SYNC, NULL), PM_ERR_IPC);
	answer_code(0);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_STATUS, &status), PM_ERR_IPC);
}

/* Silence, half an answer, garbage, and no recorder. */
static void lost(void **state)
{
	setenv("PMLOGGER_REQUEST_TIMEOUT", "1", 1);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_SYNC, NULL), PM_ERR_TIMEOUT);
	assert_int_equal(send(ends[1], "\0\0\0\x10\0\0", 6, 0), 6);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_SYNC, NULL), PM_ERR_TIMEOUT);
	assert_int_equal(send(ends[1], "\0\0\0\x05\0\0\x70\0\0\0\0\0", 12, 0), 12);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_SYNC, NULL), PM_ERR_IPC);
	close(ends[1]);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_SYNC, NULL), -EPIPE);
	assert_int_equal(pitot_logger_request(-1, LOG_REQUEST_SYNC, NULL), -EBADF);
}

static void ended(void **state)
{
	shutdown(ends[1], SHUT_WR);
	assert_int_equal(pitot_logger_request(ends[0], LOG_REQUEST_SYNC, NULL), PM_ERR_IPC);
}

static void print_timeouts(void)
{
	fprintf(stderr, "%d", __pmLoggerTimeout());
	setenv("PMLOGGER_REQUEST_TIMEOUT", "12", 1);
	fprintf(stderr, " %d", __pmLoggerTimeout());
	setenv("PMLOGGER_REQUEST_TIMEOUT", "1x", 1);
	fprintf(stderr, " %d", __pmLoggerTimeout());
}

static void timeouts(void **state)
{
	char text[256];

	assert_int_equal(run_apart(print_timeouts, text, sizeof(text)), 0);
	assert_ptr_equal(strstr(text, "0 12"), text);
	assert_non_null(strstr(text, "ignored bad PMLOGGER_REQUEST_TIMEOUT = '1x'"));
}

/* The words of a PDU that state its length, at every length. */
static void truncated(void **state)
{
	const union pdu_body body = {.log_status = {.volume = 3, .fqdn = {"local:", 6}}};
	struct buffer out = BUFFER_INIT;
	__pmLoggerStatus *status;

	assert_int_equal(pdu_encode(&out, PDU_LOG_STATUS, 0, &body), 0);
	for (uint32_t len = PDU_HEADER_LEN; len <= buffer_pending(&out); len++) {
		uint8_t bytes[256];
		__pmPDU *pdu;
		int r;

		memcpy(bytes, buffer_head(&out), len);
		bytes[2] = (uint8_t)(len >> 8);
		bytes[3] = (uint8_t)len;
		assert_int_equal(send(ends[1], bytes, len, 0), len);
		assert_int_equal(__pmGetPDU(ends[0], ANY_SIZE, 5, &pdu), PDU_LOG_STATUS);
		r = __pmDecodeLogStatus(pdu, &status);
		assert_int_equal(r, len == buffer_pending(&out) ? 0 : PM_ERR_IPC);
		if (r == 0)
			__pmFreeLogStatus(status, 1);
		assert_int_equal(__pmUnpinPDUBuf(pdu), 1);
		assert_int_equal(__pmUnpinPDUBuf(pdu), 0);
	}
	buffer_done(&out);
}

static void versions(void **state)
{
	assert_int_equal(__pmVersionIPC(ends[0]), 0);
	assert_int_equal(__pmSetVersionIPC(ends[0], 3), 0);
	assert_int_equal(__pmVersionIPC(ends[0]), 3);
	assert_int_equal(__pmSetVersionIPC(5000, 2), 0);
	assert_int_equal(__pmVersionIPC(5000), 2);
	assert_int_equal(__pmVersionIPC(4999), 0);
	assert_int_equal(__pmSetVersionIPC(-1, 2), -EINVAL);
	assert_int_equal(__pmVersionIPC(-1), 0);
	__pmCloseSocket(ends[0]);
	assert_int_equal(__pmVersionIPC(ends[0]), 0);
	assert_int_equal(fcntl(ends[0], F_GETFD), -1);
	ends[0] = dup(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(answered, open_pair, close_pair),
	    cmocka_unit_test_setup_teardown(refused, open_pair, close_pair),
	    cmocka_unit_test_setup_teardown(numbers, open_pair, close_pair),
	    cmocka_unit_test_setup_teardown(lost, open_pair, close_pair),
	    cmocka_unit_test_setup_teardown(ended, open_pair, close_pair),
	    cmocka_unit_test_setup_teardown(timeouts, open_pair, close_pair),
	    cmocka_unit_test_setup_teardown(truncated, open_pair, close_pair),
	    cmocka_unit_test_setup_teardown(versions, open_pair, close_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
