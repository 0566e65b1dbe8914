/* serve - see serve.h. */
#include "libpcp_pmda/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libpcp_pmda/ext.h"
#include "libpcp_pmda/fetch.h"
#include "libwire/host_agent.h"
#include "libwire/result.h"
#include "libwire/result_pdu.h"

/* Terminated copy of a name; NULL without memory. */
static char *request_str(struct request *rq, const struct wire_str *s)
{
	return arena_strndup(rq->mem, s->s, s->len);
}

/* ---- no answer ------------------------------------------------------------------------------ */

int serve_error(struct request *rq)
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

int serve_profile(struct request *rq)
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

int serve_attr(struct request *rq)
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

int serve_fetch(struct request *rq)
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

int serve_store(struct request *rq)
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

int serve_pmns_names(struct request *rq)
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

int serve_pmns_children(struct request *rq)
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

int serve_pmns_ids(struct request *rq)
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

int serve_desc(struct request *rq)
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

int serve_instance(struct request *rq)
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

int serve_text(struct request *rq)
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

int serve_label(struct request *rq)
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
