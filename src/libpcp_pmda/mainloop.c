/*
 * mainloop - an agent's answers to its collector (docs/spec/pmda.md 9).
 *
 * Each PDU that a collector sends is one row of a table: its decoder, its method, its answer. A
 * handler encodes its answer and returns 0 or more, or returns a negative code, which is then the
 * answer. A failure to send does not end the loop; the end of the input does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libpcp_pmda/channel.h"
#include "libpcp_pmda/ext.h"
#include "libpcp_pmda/fetch.h"
#include "libwire/result_pdu.h"
#include "libwire/host_agent.h"
#include "libwire/result.h"

/* One request being served. */
struct request {
	pmdaInterface *dispatch;
	pmdaExt *ext;
	int version; /* of the agent's interface */
	struct buffer *out;
	struct arena *mem;
	const uint8_t *pdu;
	struct pdu_header header;
	union pdu_body body;
};

/* Terminated copy of a name; NULL without memory. */
static char *request_str(struct request *rq, const struct wire_str *s)
{
	return arena_strndup(rq->mem, s->s, s->len);
}

/* ---- no answer ------------------------------------------------------------------------------ */

static int serve_error(struct request *rq)
{
	char errmsg[PM_MAXERRMSGLEN];
	int code = rq->body.error.code;

	if (code != PM_ERR_NOTCONN) {
		pmNotifyErr(LOG_ERR, "%s: unexpected error pdu from pmcd: %s?", rq->ext->e_name,
			    pmErrStr_r(code, errmsg, sizeof(errmsg)));
		return 0;
	}
	if (rq->version < PMDA_INTERFACE_5)
		return 0;
	if (pmDebugOptions.context)
		pmNotifyErr(LOG_DEBUG, "Received PDU_ERROR (end context %d)", rq->ext->e_context);
	if (rq->ext->e_endCallBack != NULL)
		rq->ext->e_endCallBack(rq->ext->e_context);
	return 0;
}

/* One block of memory holds the profile, its entries and their lists. */
static pmProfile *profile_copy(const pmProfile *from)
{
	size_t entries = (size_t)from->profile_len, insts = 0;
	pmProfile *to;
	int *list;

	for (size_t i = 0; i < entries; i++)
		insts += (size_t)from->profile[i].instances_len;
	to = malloc(sizeof(*to) + entries * sizeof(*to->profile) + insts * sizeof(*list));
	if (to == NULL)
		return NULL;
	*to = *from;
	to->profile = (pmInDomProfile *)(to + 1);
	list = (int *)(to->profile + entries);
	for (size_t i = 0; i < entries; i++) {
		to->profile[i] = from->profile[i];
		to->profile[i].instances = list;
		if (from->profile[i].instances_len > 0)
			memcpy(list, from->profile[i].instances,
			       (size_t)from->profile[i].instances_len * sizeof(*list));
		list += from->profile[i].instances_len;
	}
	return to;
}

static int serve_profile(struct request *rq)
{
	pmProfile *profile = profile_copy(&rq->body.profile.profile);
	struct ext *own = ext_of(rq->ext);

	if (profile == NULL)
		return 0;
	if (rq->dispatch->version.any.profile(profile, rq->ext) < 0) {
		free(profile);
		return 0;
	}
	free(own->profile);
	own->profile = profile;
	return 0;
}

static int serve_attr(struct request *rq)
{
	const struct pdu_attr *attr = &rq->body.attr;
	char errmsg[PM_MAXERRMSGLEN];
	char *value = NULL; /* and stays NULL for an attribute without a value (9.5) */
	int r;

	if (rq->version < PMDA_INTERFACE_6)
		return 0;
	if (attr->value.len > 0) {
		value = request_str(rq, &attr->value);
		if (value == NULL)
			return 0;
	}
	r = rq->dispatch->version.six.attribute(rq->ext->e_context, attr->key, value,
						(int)attr->value.len, rq->ext);
	if (r < 0)
		pmNotifyErr(LOG_ERR, "%s: Failed to set attribute: %s", rq->ext->e_name,
			    pmErrStr_r(r, errmsg, sizeof(errmsg)));
	return 0;
}

/* ---- values --------------------------------------------------------------------------------- */

static int encode_values(struct request *rq, const pmResult *result)
{
	struct result_source *sources =
	    arena_alloc(rq->mem, (size_t)result->numpmid * sizeof(*sources));

	if (sources == NULL)
		return -ENOMEM;
	for (int i = 0; i < result->numpmid; i++) {
		const pmValueSet *vset = result->vset[i];

		if (!host_agent_values(vset))
			return PM_ERR_GENERIC;
		sources[i].kind = RESULT_HOST;
		sources[i].pmid = vset->pmid;
		sources[i].host = vset;
	}
	/* The seconds are a mask, not a time: changes of labels and names (10.2). */
	return result_encode(rq->out, PDU_RESULT, 0, result->timestamp.tv_sec, 0, sources,
			     (size_t)result->numpmid);
}

/* The values that a method gave as a pmResult. */
static int answer_result(struct request *rq, pmResult *result)
{
	int r;

	if (result == NULL || result->numpmid < 0)
		return PM_ERR_GENERIC;
	r = encode_values(rq, result);
	if (rq->ext->e_resultCallBack != NULL)
		rq->ext->e_resultCallBack(result);
	return r;
}

static int serve_fetch(struct request *rq)
{
	const struct pdu_fetch *fetch = &rq->body.fetch;
	unsigned char changes = 0;
	pmResult *result = NULL;
	struct result_pdu pdu;
	int r;

	result_pdu_begin(&pdu, rq->out, PDU_RESULT, 0, fetch->numpmid);
	/* The agent may change the list: the PDU was decoded for this call only. */
	r = pitot_fetch_sink(rq->dispatch, (int)fetch->numpmid, (pmID *)fetch->pmids, &pdu.sink,
			     &result, &changes);
	if (r > 0)
		return result_pdu_end(&pdu, changes, 0);
	result_pdu_cancel(&pdu);
	return r < 0 ? r : answer_result(rq, result);
}

/* A pmHighResResult differs from a pmResult by the unit of its timestamp alone. */
_Static_assert(offsetof(pmHighResResult, numpmid) == offsetof(pmResult, numpmid) &&
		   offsetof(pmHighResResult, vset) == offsetof(pmResult, vset),
	       "one may be handed out as the other");

static int serve_store(struct request *rq)
{
	pmHighResResult *result;
	pmResult *view;
	int r = result_to_host(&rq->body.result, false, &result);

	if (r >= 0) {
		view = (pmResult *)result;
		view->timestamp.tv_usec /= 1000;
		r = rq->dispatch->version.any.store(view, rq->ext);
		free(result);
	}
	/* An acknowledgement whether it went well or not. */
	return pdu_encode_error(rq->out, 0, r < 0 ? r : 0);
}

/* ---- names ---------------------------------------------------------------------------------- */

static int encode_names(struct request *rq, char **names, const int *status, int n)
{
	struct wire_str *list = arena_alloc(rq->mem, (size_t)n * sizeof(*list));
	union pdu_body body;

	if (list == NULL)
		return -ENOMEM;
	if (!host_agent_names(names, n))
		return PM_ERR_GENERIC;
	for (int i = 0; i < n; i++) {
		list[i].s = names[i];
		list[i].len = (uint32_t)strlen(names[i]);
	}
	body.pmns_names.numname = (uint32_t)n;
	body.pmns_names.names = list;
	body.pmns_names.status = status;
	return pdu_encode(rq->out, PDU_PMNS_NAMES, 0, &body);
}

static int serve_pmns_names(struct request *rq)
{
	const struct pdu_pmns_names *names = &rq->body.pmns_names;
	union pdu_body body;
	pmID pmid = PM_ID_NULL;
	char *name;
	int r;

	if (rq->version < PMDA_INTERFACE_4)
		return PM_ERR_NAME;
	if (names->numname != 1)
		return PM_ERR_IPC;
	name = request_str(rq, &names->names[0]);
	if (name == NULL)
		return -ENOMEM;
	r = rq->dispatch->version.four.pmid(name, &pmid, rq->ext);
	if (r < 0)
		return r;
	body.pmns_ids.status = r;
	body.pmns_ids.numpmid = 1;
	body.pmns_ids.pmids = &pmid;
	return pdu_encode(rq->out, PDU_PMNS_IDS, 0, &body);
}

static int serve_pmns_children(struct request *rq)
{
	bool traverse = rq->header.type == PDU_PMNS_TRAVERSE;
	char **offspring = NULL;
	int *status = NULL;
	char *name;
	int n, r;

	if (rq->version < PMDA_INTERFACE_4)
		return PM_ERR_NAME;
	name = request_str(rq, &rq->body.pmns_child.name);
	if (name == NULL)
		return -ENOMEM;
	n = rq->dispatch->version.four.children(name, traverse, &offspring, &status, rq->ext);
	if (n < 0)
		return n;
	r = encode_names(rq, offspring,
			 traverse || rq->body.pmns_child.subtype == 0 ? NULL : status, n);
	free(offspring);
	free(status);
	return r;
}

static int serve_pmns_ids(struct request *rq)
{
	const struct pdu_pmns_ids *ids = &rq->body.pmns_ids;
	char **names = NULL;
	int n, r;

	if (ids->status < 0)
		return ids->status;
	if (ids->numpmid != 1)
		return PM_ERR_IPC;
	if (rq->version < PMDA_INTERFACE_4)
		return PM_ERR_PMID;
	n = rq->dispatch->version.four.name(ids->pmids[0], &names, rq->ext);
	if (n < 0)
		return n;
	r = encode_names(rq, names, NULL, n);
	free(names);
	return r;
}

/* ---- metadata ------------------------------------------------------------------------------- */

static int serve_desc(struct request *rq)
{
	union pdu_body body;
	int r = rq->dispatch->version.any.desc(rq->body.desc_req.pmid, &body.desc.desc, rq->ext);

	return r < 0 ? r : pdu_encode(rq->out, PDU_DESC, 0, &body);
}

static int encode_instances(struct request *rq, const pmInResult *result)
{
	struct wire_inst *insts = arena_calloc(rq->mem, (size_t)result->numinst, sizeof(*insts));
	union pdu_body body;

	if (insts == NULL)
		return -ENOMEM;
	for (int i = 0; i < result->numinst; i++) {
		insts[i].inst = result->instlist == NULL ? -1 : result->instlist[i];
		if (result->namelist == NULL)
			continue;
		insts[i].name.s = result->namelist[i];
		insts[i].name.len = (uint32_t)strlen(result->namelist[i]);
	}
	body.instance.indom = result->indom;
	body.instance.numinst = (uint32_t)result->numinst;
	body.instance.insts = insts;
	return pdu_encode(rq->out, PDU_INSTANCE, 0, &body);
}

static int serve_instance(struct request *rq)
{
	const struct pdu_instance_req *req = &rq->body.instance_req;
	pmInResult *result = NULL;
	char *name = NULL;
	int r;

	if (req->name.len > 0) {
		name = request_str(rq, &req->name);
		if (name == NULL)
			return -ENOMEM;
	}
	r = rq->dispatch->version.any.instance(req->indom, req->inst, name, &result, rq->ext);
	if (r < 0)
		return r;
	if (result == NULL)
		return PM_ERR_GENERIC;
	r = host_agent_insts(result) ? encode_instances(rq, result) : PM_ERR_GENERIC;
	__pmFreeInResult(result);
	return r;
}

static int serve_text(struct request *rq)
{
	const struct pdu_text_req *req = &rq->body.text_req;
	union pdu_body body;
	char *text = NULL;
	int r;

	r = rq->dispatch->version.any.text((int)req->ident, req->type, &text, rq->ext);
	if (r < 0)
		return r;
	body.text.ident = req->ident;
	body.text.text.s = text;
	body.text.text.len = text == NULL ? 0 : (uint32_t)strlen(text);
	return pdu_encode(rq->out, PDU_TEXT, 0, &body);
}

static int encode_labels(struct request *rq, const pmLabelSet *sets, int n)
{
	struct wire_labelset *list = arena_calloc(rq->mem, (size_t)n, sizeof(*list));
	union pdu_body body;

	if (list == NULL)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		list[i].inst = (int32_t)sets[i].inst;
		list[i].nlabels = sets[i].nlabels;
		if (sets[i].nlabels <= 0)
			continue;
		list[i].json.s = sets[i].json;
		list[i].json.len = sets[i].jsonlen;
		list[i].labels = sets[i].labels;
	}
	body.label.ident = rq->body.label_req.ident;
	body.label.type = rq->body.label_req.type;
	body.label.numset = (uint32_t)n;
	body.label.sets = list;
	return pdu_encode(rq->out, PDU_LABEL, 0, &body);
}

static int serve_label(struct request *rq)
{
	const struct pdu_label_req *req = &rq->body.label_req;
	pmLabelSet *sets = NULL;
	int made = 0, n, r;

	if (rq->version >= PMDA_INTERFACE_7)
		made =
		    rq->dispatch->version.seven.label((int)req->ident, req->type, &sets, rq->ext);
	if (made < 0)
		return made;
	if (sets == NULL)
		made = 0;
	/* Only instances have a set each (9.2); an agent that made more gets all of them freed. */
	n = made > 0 && !(req->type & PM_LABEL_INSTANCES) ? 1 : made;
	r = host_agent_labels(sets, n) ? encode_labels(rq, sets, n) : PM_ERR_GENERIC;
	if (made > 0)
		pmFreeLabelSets(sets, made);
	return r;
}

/* ---- the table ------------------------------------------------------------------------------ */

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
