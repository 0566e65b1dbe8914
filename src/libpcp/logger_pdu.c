/* logger_pdu - see logger_pdu.h; layouts: docs/spec/logger.md B3 to B5. */
#include "libpcp/logger_pdu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp/pdu_io.h"

enum { VERSION_WITH_NANOSECONDS = 3 };

/* ---- LOG_CONTROL ---------------------------------------------------------------------------- */

/* One set of a request; the instances into the next of a list that has room for them. */
static size_t take_set(const pmValueSet *vset, struct wire_control_set *set,
		       struct wire_control_inst *insts)
{
	set->pmid = vset->pmid;
	set->numval = vset->numval;
	set->insts = insts;
	for (int i = 0; i < vset->numval; i++)
		insts[i] = (struct wire_control_inst){.inst = vset->vlist[i].inst};
	return vset->numval > 0 ? (size_t)vset->numval : 0;
}

static size_t count_insts(const pmResult *request)
{
	size_t n = 0;

	for (int i = 0; i < request->numpmid; i++)
		n += request->vset[i]->numval > 0 ? (size_t)request->vset[i]->numval : 0;
	return n;
}

int logger_pdu_control(struct buffer *out, const pmResult *request, int control, int state,
		       int delta_ms)
{
	size_t n = request->numpmid > 0 ? (size_t)request->numpmid : 0;
	AUTO_FREE struct wire_control_set *sets = calloc(n + 1, sizeof(sets[0]));
	AUTO_FREE struct wire_control_inst *insts =
	    calloc(count_insts(request) + 1, sizeof(insts[0]));
	struct wire_control_inst *next = insts;
	const union pdu_body body = {
	    .log_control = {control, state, delta_ms, (uint32_t)n, sets},
	};

	if (sets == NULL || insts == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		next += take_set(request->vset[i], &sets[i], next);
	return pdu_encode(out, PDU_LOG_CONTROL, 0, &body);
}

/* Sends the one PDU of a buffer and gives back its memory. */
static int send_and_done(int fd, struct buffer *out, int r)
{
	if (r == 0)
		r = pdu_io_send(fd, out, 0);
	buffer_done(out);
	return r;
}

int __pmSendLogControl(int fd, const pmResult *request, int control, int state, int delta)
{
	struct buffer out = BUFFER_INIT;

	return send_and_done(fd, &out, logger_pdu_control(&out, request, control, state, delta));
}

static pmValueSet *make_set(const struct wire_control_set *set)
{
	size_t n = set->numval > 0 ? (size_t)set->numval : 0;
	pmValueSet *vset = calloc(1, sizeof(*vset) + n * sizeof(vset->vlist[0]));

	if (vset == NULL)
		return NULL;
	vset->pmid = set->pmid;
	vset->numval = set->numval;
	vset->valfmt = PM_VAL_INSITU;
	for (size_t i = 0; i < n; i++) {
		vset->vlist[i].inst = set->insts[i].inst;
		vset->vlist[i].value.lval = set->insts[i].value;
	}
	return vset;
}

static int make_request(const struct pdu_log_control *body, pmResult **ret_request)
{
	pmResult *request = __pmAllocResult((int)body->numpmid);

	if (request == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < body->numpmid; i++) {
		pmValueSet *vset = make_set(&body->sets[i]);

		if (vset == NULL) {
			pmFreeResult(request);
			return -ENOMEM;
		}
		request->vset[request->numpmid++] = vset;
	}
	*ret_request = request;
	return 0;
}

int __pmDecodeLogControl(const __pmPDU *pdu, pmResult **request, int *control, int *state,
			 int *delta)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_LOG_CONTROL, &mem, &body);

	if (r == 0)
		r = make_request(&body.log_control, request);
	if (r == 0) {
		*control = body.log_control.control;
		*state = body.log_control.state;
		*delta = body.log_control.delta_ms;
	}
	arena_done(&mem);
	return r;
}

/* ---- LOG_REQUEST ---------------------------------------------------------------------------- */

int __pmSendLogRequest(int fd, int request)
{
	const union pdu_body body = {.log_request = {request}};
	struct buffer out = BUFFER_INIT;

	return send_and_done(fd, &out, pdu_encode(&out, PDU_LOG_REQUEST, 0, &body));
}

int __pmDecodeLogRequest(const __pmPDU *pdu, int *request)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_LOG_REQUEST, &mem, &body);

	if (r == 0)
		*request = body.log_request.request;
	arena_done(&mem);
	return r;
}

/* ---- LOG_STATUS ----------------------------------------------------------------------------- */

static struct wire_str text(const char *s)
{
	return (struct wire_str){s, s == NULL ? 0 : (uint32_t)strlen(s)};
}

int __pmSendLogStatus(int fd, const __pmLoggerStatus *status)
{
	const union pdu_body body = {
	    .log_status =
		{
		    .start_sec = status->start.sec,
		    .start_nsec = status->start.nsec,
		    .last_sec = status->last.sec,
		    .last_nsec = status->last.nsec,
		    .now_sec = status->now.sec,
		    .now_nsec = status->now.nsec,
		    .state = status->state,
		    .volume = status->vol,
		    .size = status->size,
		    .pmcd_host = text(status->pmcd.hostname),
		    .fqdn = text(status->pmcd.fqdn),
		    .pmcd_tz = text(status->pmcd.timezone),
		    .pmcd_zoneinfo = text(status->pmcd.zoneinfo),
		    .logger_tz = text(status->pmlogger.timezone),
		    .logger_zoneinfo = text(status->pmlogger.zoneinfo),
		},
	};
	struct buffer out = BUFFER_INIT;
	bool old = __pmVersionIPC(fd) > 0 && __pmVersionIPC(fd) < VERSION_WITH_NANOSECONDS;

	return send_and_done(fd, &out,
			     pdu_encode(&out, old ? PDU_LOG_STATUS_V2 : PDU_LOG_STATUS, 0, &body));
}

/* NULL for an empty text; *failed if memory was short. */
static char *copy(struct wire_str str, bool *failed)
{
	char *s = str.len == 0 ? NULL : strndup(str.s, str.len);

	*failed = *failed || (s == NULL && str.len > 0);
	return s;
}

int logger_pdu_status(const struct pdu_log_status *body, __pmLoggerStatus **ret_status)
{
	__pmLoggerStatus *status = calloc(1, sizeof(*status));
	bool failed = status == NULL;

	if (failed)
		return -ENOMEM;
	status->start = (__pmTimestamp){body->start_sec, body->start_nsec};
	status->last = (__pmTimestamp){body->last_sec, body->last_nsec};
	status->now = (__pmTimestamp){body->now_sec, body->now_nsec};
	status->state = body->state;
	status->vol = body->volume;
	status->size = body->size;
	status->pmcd.hostname = copy(body->pmcd_host, &failed);
	status->pmcd.fqdn = copy(body->fqdn, &failed);
	status->pmcd.timezone = copy(body->pmcd_tz, &failed);
	status->pmcd.zoneinfo = copy(body->pmcd_zoneinfo, &failed);
	status->pmlogger.timezone = copy(body->logger_tz, &failed);
	status->pmlogger.zoneinfo = copy(body->logger_zoneinfo, &failed);
	if (failed) {
		__pmFreeLogStatus(status, 1);
		return -ENOMEM;
	}
	*ret_status = status;
	return 0;
}

/* The version 2 form is another PDU with the same contents. */
int __pmDecodeLogStatus(const __pmPDU *pdu, __pmLoggerStatus **status)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_LOG_STATUS, &mem, &body);

	if (r == PM_ERR_IPC) {
		memset(&body, 0, sizeof(body));
		r = pdu_buffer_decode(pdu, PDU_LOG_STATUS_V2, &mem, &body);
	}
	if (r == 0)
		r = logger_pdu_status(&body.log_status, status);
	arena_done(&mem);
	return r;
}

void __pmFreeLogStatus(__pmLoggerStatus *status, int whole)
{
	if (status == NULL)
		return;
	free(status->pmcd.hostname);
	free(status->pmcd.fqdn);
	free(status->pmcd.timezone);
	free(status->pmcd.zoneinfo);
	free(status->pmlogger.timezone);
	free(status->pmlogger.zoneinfo);
	memset(&status->pmcd, 0, sizeof(status->pmcd));
	memset(&status->pmlogger, 0, sizeof(status->pmlogger));
	if (whole != 0)
		free(status);
}
