/*
 * mainloop - an agent's answers to its collector (docs/spec/pmda.md 9).
 *
 * Each PDU that a collector sends is one row of a table: its handler (serve.c) and its answer. A
 * handler encodes its answer and returns 0 or more, or returns a negative code, which is then the
 * answer. A failure to send does not end the loop; the end of the input does.
 */
#include <stdio.h>

#include <pcp/libpcp.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libpcp_pmda/channel.h"
#include "libpcp_pmda/ext.h"
#include "libpcp_pmda/serve.h"
#include "libwire/host_agent.h"

enum answer {
	ANSWER_NEVER,  /* what cannot be decoded is ignored */
	ANSWER_ALWAYS, /* the handler's PDU, or its error code */
};

static const struct verb {
	uint32_t type;
	const char *name;
	enum answer answer;
	int (*serve)(struct request *rq); /* NULL: read and forgotten */
	const char *sent;
} verbs[] = {
    /* clang-format off */
	{ PDU_ERROR,         "ERROR",         ANSWER_NEVER,  serve_error,         NULL },
	{ PDU_PROFILE,       "PROFILE",       ANSWER_NEVER,  serve_profile,       NULL },
	{ PDU_FETCH,         "FETCH",         ANSWER_ALWAYS, serve_fetch,         "__pmSendResult(%d,...) failed: %s" },
	{ PDU_PMNS_NAMES,    "PMNS_NAMES",    ANSWER_ALWAYS, serve_pmns_names,    "__pmSendIDList(%d,...) failed: %s" },
	{ PDU_PMNS_CHILD,    "PMNS_CHILD",    ANSWER_ALWAYS, serve_pmns_children, "__pmSendNameList(%d,...) PMNS_CHILD failed: %s" },
	{ PDU_PMNS_TRAVERSE, "PMNS_TRAVERSE", ANSWER_ALWAYS, serve_pmns_children, "__pmSendNameList(%d,...) PMNS_TRAVERSE failed: %s" },
	{ PDU_PMNS_IDS,      "PMNS_IDS",      ANSWER_ALWAYS, serve_pmns_ids,      "__pmSendNameList(%d,...) PMNS_IDS failed: %s" },
	{ PDU_DESC_REQ,      "DESC_REQ",      ANSWER_ALWAYS, serve_desc,          "__pmSendDesc(%d,...) failed: %s" },
	{ PDU_LABEL_REQ,     "LABEL_REQ",     ANSWER_ALWAYS, serve_label,         "__pmSendLabel(%d,...) failed: %s" },
	{ PDU_INSTANCE_REQ,  "INSTANCE_REQ",  ANSWER_ALWAYS, serve_instance,      "__pmSendInstance(%d,...) failed: %s" },
	{ PDU_TEXT_REQ,      "TEXT_REQ",      ANSWER_ALWAYS, serve_text,          "__pmSendText(%d,...) failed: %s" },
	{ PDU_RESULT,        "RESULT",        ANSWER_ALWAYS, serve_store,         "__pmSendError(%d,...) RESULT failed: %s" },
	{ PDU_CONTROL_REQ,   "CONTROL_REQ",   ANSWER_NEVER,  NULL,                NULL },
	{ PDU_ATTR,          "ATTR",          ANSWER_NEVER,  serve_attr,          NULL },
    /* clang-format on */
};

static const struct verb *verb_of(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (verbs[i].type == type)
			return &verbs[i];
	}
	return NULL;
}

static void send_out(struct request *rq, const char *failed_fmt)
{
	char errmsg[PM_MAXERRMSGLEN], text[160 + PM_MAXERRMSGLEN];
	int r = channel_send(&ext_of(rq->ext)->channel, rq->ext->e_outfd);

	if (r >= 0 || failed_fmt == NULL)
		return;
	snprintf(text, sizeof(text), failed_fmt, rq->ext->e_outfd,
		 pmErrStr_r(r, errmsg, sizeof(errmsg)));
	pmNotifyErr(LOG_DEBUG, "%s", text);
}

static void send_error(struct request *rq, const char *name, int code)
{
	char errmsg[PM_MAXERRMSGLEN];
	int r = channel_send_error(rq->ext->e_outfd, code);

	if (r < 0)
		pmNotifyErr(LOG_DEBUG, "__pmSendError(%d,...,%d) %s failed: %s", rq->ext->e_outfd,
			    code, name, pmErrStr_r(r, errmsg, sizeof(errmsg)));
}

static void serve(struct request *rq)
{
	const struct verb *verb = verb_of(rq->header.type);
	char name[40];
	int r;

	if (verb == NULL) {
		pmNotifyErr(LOG_ERR, "%s: Unrecognised pdu type: %s?", rq->ext->e_name,
			    pdu_name_r(rq->header.type, name, sizeof(name)));
		return;
	}
	if (pmDebugOptions.libpmda && verb->type != PDU_ERROR)
		pmNotifyErr(LOG_DEBUG, "Received PDU_%s", verb->name);
	if (verb->serve == NULL)
		return;
	r = pdu_decode(rq->pdu, rq->header.len, rq->mem, &rq->body);
	if (r >= 0)
		r = verb->serve(rq);
	if (verb->answer == ANSWER_NEVER)
		return;
	if (r < 0)
		send_error(rq, verb->name, r);
	else
		send_out(rq, verb->sent);
}

/* The agent decides whether it serves at all: false if it refused, and the refusal was sent. */
static bool mainloop_check(struct request *rq)
{
	int r;

	if (rq->ext->e_checkCallBack == NULL)
		return true;
	r = rq->ext->e_checkCallBack();
	if (r >= 0)
		return true;
	if (rq->header.type != PDU_PROFILE && rq->header.type != PDU_ATTR)
		send_error(rq, "ACK", r);
	return false;
}

static int serve_one(pmdaInterface *dispatch)
{
	struct ext *own = ext_of(dispatch->version.any.ext);
	struct request rq = {
	    .dispatch = dispatch,
	    .ext = dispatch->version.any.ext,
	    .version = dispatch->comm.pmda_interface,
	    .out = &own->channel.out,
	    .mem = &own->mem,
	};
	char text[PM_MAXERRMSGLEN];
	int r = channel_get(&own->channel, rq.ext->e_infd, &rq.pdu, &rq.header);

	if (r == 0)
		return PM_ERR_EOF;
	if (r < 0) {
		pmNotifyErr(LOG_ERR, "IPC Error: %s", pmErrStr_r(r, text, sizeof(text)));
		return r;
	}
	if (pmDebugOptions.pdu && pmDebugOptions.desperate)
		fprintf(stderr, "__pmdaMainPDU: got PDU type %s from pmcd\n",
			pdu_name_r(rq.header.type, text, sizeof(text)));
	if (rq.version >= PMDA_INTERFACE_5)
		rq.ext->e_context = rq.header.from;
	/* Removes the rest of an answer that failed for want of memory. */
	buffer_reset(rq.out);
	if (mainloop_check(&rq)) {
		serve(&rq);
		if (rq.ext->e_doneCallBack != NULL)
			rq.ext->e_doneCallBack();
	}
	channel_drop(&own->channel, &rq.header);
	arena_reset(rq.mem);
	return 0;
}

static int first_call(pmdaInterface *dispatch)
{
	if (dispatch->status != 0 || dispatch->version.any.ext == NULL) {
		pmNotifyErr(LOG_ERR, "PMDA Initialisation Failed");
		return -1;
	}
	if (!interface_supported(dispatch->comm.pmda_interface)) {
		pmNotifyErr(LOG_CRIT, "PMDA interface version %d not supported",
			    dispatch->comm.pmda_interface);
		return -1;
	}
	dispatch->comm.pmapi_version = 2;
	(void)host_agent_complete(dispatch);
	return 0;
}

/*
 * Serves all PDUs that one read brought. So an agent with a select of its own (__pmdaInFd), which
 * calls this each time the descriptor becomes readable, never waits while a request is in the
 * buffer. Check and done callbacks run once for each PDU.
 */
int __pmdaMainPDU(pmdaInterface *dispatch)
{
	static bool serving; /* one daemon's interface a process */
	int r;

	if (!serving && first_call(dispatch) < 0)
		return -1;
	serving = true;
	do {
		r = serve_one(dispatch);
	} while (r >= 0 && channel_pending(&ext_of(dispatch->version.any.ext)->channel));
	return r;
}

void pmdaMain(pmdaInterface *dispatch)
{
	while (__pmdaMainPDU(dispatch) >= 0)
		;
}

int __pmdaInFd(pmdaInterface *dispatch)
{
	const pmdaExt *ext = dispatch->version.any.ext;

	if (interface_supported(dispatch->comm.pmda_interface))
		return ext == NULL ? -1 : ext->e_infd;
	pmNotifyErr(LOG_CRIT, "PMDA interface version %d not supported",
		    dispatch->comm.pmda_interface);
	return -1;
}

void pmdaSendError(pmdaInterface *dispatch, int error)
{
	const pmdaExt *ext = dispatch->version.any.ext;

	if (ext != NULL)
		(void)channel_send_error(ext->e_outfd, error);
}
