/* logger_call - see logger_call.h. */
#include "libpcp/logger_call.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <syslog.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libpcp/logger_pdu.h"
#include "libpcp/pdu_io.h"
#include "libpcp/results.h"
#include "libwire/result.h"

enum { MS_PER_SEC = 1000, NSEC_PER_USEC = 1000 };

int __pmLoggerTimeout(void)
{
	const char *text = getenv("PMLOGGER_REQUEST_TIMEOUT");
	char *end;
	long sec;

	if (text == NULL || *text == '\0')
		return 0;
	errno = 0;
	sec = strtol(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || sec < 0 || sec > INT_MAX) {
		pmNotifyErr(LOG_WARNING, "ignored bad PMLOGGER_REQUEST_TIMEOUT = '%s'\n", text);
		return 0;
	}
	return (int)sec;
}

int logger_timeout_ms(void)
{
	int sec = __pmLoggerTimeout();

	return sec > INT_MAX / MS_PER_SEC ? INT_MAX : sec * MS_PER_SEC;
}

int logger_answer(int fd, struct buffer *pdu)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int type = pdu_io_receive(fd, PDU_PEER_MAX, logger_timeout_ms(), pdu);
	int r = type == 0 ? PM_ERR_IPC : type;

	if (type == PDU_ERROR) {
		r = pdu_decode(buffer_head(pdu), buffer_pending(pdu), &mem, &body);
		if (r == 0)
			r = body.error.code < 0 ? body.error.code : type;
	}
	arena_done(&mem);
	return r;
}

/* The answer to a LOG_REQUEST: a number, or a status. */
static int read_answer(int type, int request, const struct buffer *pdu, __pmLoggerStatus **ret_status)
{
	bool is_status = type == PDU_LOG_STATUS || type == PDU_LOG_STATUS_V2;
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r;

	if (request == LOG_REQUEST_STATUS ? !is_status : type != PDU_ERROR)
		return PM_ERR_IPC;
	r = pdu_decode(buffer_head(pdu), buffer_pending(pdu), &mem, &body);
	if (r == 0)
		r = is_status ? logger_pdu_status(&body.log_status, ret_status) : body.error.code;
	arena_done(&mem);
	return r;
}

int pitot_logger_request(int fd, int request, __pmLoggerStatus **status)
{
	const union pdu_body body = {.log_request = {request}};
	struct buffer pdu = BUFFER_INIT;
	int r = pdu_encode(&pdu, PDU_LOG_REQUEST, 0, &body);

	if (r == 0)
		r = pdu_io_send(fd, &pdu, logger_timeout_ms());
	buffer_reset(&pdu);
	if (r > 0)
		r = logger_answer(fd, &pdu);
	if (r > 0)
		r = read_answer(r, request, &pdu, status);
	buffer_done(&pdu);
	return r;
}

/* The bits of a result of ours, for pmFreeResult. */
static int take_result(const struct buffer *pdu, pmResult **ret_result)
{
	pmHighResResult *highres;
	long nsec;
	int r = result_decode(buffer_head(pdu), buffer_pending(pdu), &highres);

	if (r < 0)
		return r;
	r = results_add(highres);
	if (r < 0) {
		free(highres);
		return r;
	}
	nsec = highres->timestamp.tv_nsec;
	*ret_result = (pmResult *)highres;
	(*ret_result)->timestamp.tv_usec = nsec / NSEC_PER_USEC;
	return 0;
}

/* A request that no recorder could answer is not sent. */
static int check_request(const pmResult *request, int control, int state, int delta)
{
	if (request->numpmid < 1)
		return PM_ERR_TOOSMALL;
	if (delta < 0 || (control == PM_LOG_ADVISORY && state == PM_LOG_MAYBE))
		return -EINVAL;
	for (int i = 0; i < request->numpmid; i++) {
		if (request->vset[i]->numval < 0)
			return PM_ERR_VALUE;
	}
	return 0;
}

int __pmControlLog(int fd, const pmResult *request, int control, int state, int delta,
		   pmResult **status)
{
	struct buffer pdu = BUFFER_INIT;
	int r = check_request(request, control, state, delta);

	if (r == 0)
		r = logger_pdu_control(&pdu, request, control, state, delta);
	if (r == 0)
		r = pdu_io_send(fd, &pdu, logger_timeout_ms());
	buffer_reset(&pdu);
	if (r > 0)
		r = logger_answer(fd, &pdu);
	if (r > 0)
		r = r == PDU_RESULT ? take_result(&pdu, status) : PM_ERR_IPC;
	buffer_done(&pdu);
	return r;
}
