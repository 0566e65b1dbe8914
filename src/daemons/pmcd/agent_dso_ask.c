/*
 * agent_dso_ask - questions to an agent that is loaded into this process, but for those about
 * values.
 *
 * Each question fills the body of the answer and returns 0, or returns an error. Memory that must
 * be freed after the answer was used is left in the scratch.
 */
#include "daemons/pmcd/agent_dso.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libwire/host_agent.h"
#include "libwire/result.h"

struct scratch {
	pmInResult *in_result;
	char **strings; /* one block: pointers and texts */
	int *status;
	pmLabelSet *sets;
	int nset;
};

static void scratch_done(struct scratch *s)
{
	if (s->in_result != NULL) {
		pmInResult *in = s->in_result;

		for (int i = 0; in->namelist != NULL && i < in->numinst; i++)
			free(in->namelist[i]);
		free(in->namelist);
		free(in->instlist);
		free(in);
	}
	free(s->strings);
	free(s->status);
	if (s->sets != NULL)
		pmFreeLabelSets(s->sets, s->nset);
}

static struct wire_str dso_wire_str_of(const char *s)
{
	return (struct wire_str){.s = s, .len = (uint32_t)strlen(s)};
}

static char *request_strdup(struct request *req, const struct wire_str *s)
{
	return arena_strndup(&req->mem, s->s, s->len);
}

static int ask_desc(struct dso *d, struct request *req, const union pdu_body *q,
		    union pdu_body *ret, struct scratch *s)
{
	return d->dispatch.version.any.desc(q->desc_req.pmid, &ret->desc.desc, dso_ext(d));
}

static int ask_instance(struct dso *d, struct request *req, const union pdu_body *q,
			union pdu_body *ret, struct scratch *s)
{
	const struct pdu_instance_req *ask = &q->instance_req;
	char *name = ask->name.len > 0 ? request_strdup(req, &ask->name) : NULL;
	struct wire_inst *insts;
	pmInResult *in;
	int r;

	r = d->dispatch.version.any.instance(ask->indom, ask->inst, name, &s->in_result,
					     dso_ext(d));
	if (r < 0)
		return r;
	in = s->in_result;
	if (in == NULL)
		return PM_ERR_INDOM;
	if (!host_agent_insts(in))
		return PM_ERR_GENERIC;
	insts = arena_calloc(&req->mem, (size_t)in->numinst, sizeof(*insts));
	if (insts == NULL)
		return -ENOMEM;
	for (int i = 0; i < in->numinst; i++) {
		insts[i].inst = in->instlist != NULL ? in->instlist[i] : (int)PM_IN_NULL;
		if (in->namelist != NULL)
			insts[i].name = dso_wire_str_of(in->namelist[i]);
	}
	ret->instance.indom = ask->indom;
	ret->instance.numinst = (uint32_t)in->numinst;
	ret->instance.insts = insts;
	return 0;
}

static int ask_text(struct dso *d, struct request *req, const union pdu_body *q,
		    union pdu_body *ret, struct scratch *s)
{
	char *text = NULL;
	int r = d->dispatch.version.any.text((int)q->text_req.ident, q->text_req.type, &text,
					     dso_ext(d));

	if (r < 0)
		return r;
	ret->text.ident = q->text_req.ident;
	ret->text.text = dso_wire_str_of(text != NULL ? text : "");
	return 0;
}

static int ask_store(struct dso *d, struct request *req, const union pdu_body *q,
		     union pdu_body *ret, struct scratch *s)
{
	pmHighResResult *result;
	int r = result_to_host(&q->result, false, &result);

	if (r < 0)
		return r;
	r = d->dispatch.version.any.store((pmResult *)result, dso_ext(d));
	free(result);
	ret->error.code = 0;
	return r < 0 ? r : 0;
}

static int ask_pmid(struct dso *d, struct request *req, const union pdu_body *q,
		    union pdu_body *ret, struct scratch *s)
{
	pmID *pmid = arena_alloc(&req->mem, sizeof(*pmid));
	char *name = request_strdup(req, &q->pmns_names.names[0]);
	int r;

	if (!dso_has(d, DSO_HAS_NAMES))
		return PM_ERR_NAME;
	if (pmid == NULL || name == NULL)
		return -ENOMEM;
	r = d->dispatch.version.four.pmid(name, pmid, dso_ext(d));
	if (r < 0)
		return r;
	ret->pmns_ids.status = r;
	ret->pmns_ids.numpmid = 1;
	ret->pmns_ids.pmids = pmid;
	return 0;
}

/* count strings as the names of an answer. */
static int give_names(struct request *req, char **strings, int count, const int *status,
		      union pdu_body *ret)
{
	struct wire_str *names = arena_calloc(&req->mem, (size_t)count, sizeof(*names));

	if (!host_agent_names(strings, count))
		return PM_ERR_GENERIC;
	if (names == NULL)
		return -ENOMEM;
	for (int i = 0; i < count; i++)
		names[i] = dso_wire_str_of(strings[i]);
	ret->pmns_names.numname = (uint32_t)count;
	ret->pmns_names.names = names;
	ret->pmns_names.status = status;
	return 0;
}

static int dso_ask_name(struct dso *d, struct request *req, const union pdu_body *q,
			union pdu_body *ret, struct scratch *s)
{
	int r;

	if (!dso_has(d, DSO_HAS_NAMES))
		return PM_ERR_PMID;
	r = d->dispatch.version.four.name(q->pmns_ids.pmids[0], &s->strings, dso_ext(d));
	if (r < 0)
		return r;
	return give_names(req, s->strings, r, NULL, ret);
}

static int ask_children(struct dso *d, struct request *req, const union pdu_body *q,
			union pdu_body *ret, struct scratch *s, int traverse)
{
	char *name = request_strdup(req, &q->pmns_child.name);
	bool with_status = !traverse && q->pmns_child.subtype != 0;
	int r;

	if (!dso_has(d, DSO_HAS_NAMES))
		return PM_ERR_NAME;
	if (name == NULL)
		return -ENOMEM;
	r = d->dispatch.version.four.children(name, traverse, &s->strings, &s->status, dso_ext(d));
	if (r < 0)
		return r;
	return give_names(req, s->strings, r, with_status ? s->status : NULL, ret);
}

static int ask_child(struct dso *d, struct request *req, const union pdu_body *q,
		     union pdu_body *ret, struct scratch *s)
{
	return ask_children(d, req, q, ret, s, 0);
}

static int ask_traverse(struct dso *d, struct request *req, const union pdu_body *q,
			union pdu_body *ret, struct scratch *s)
{
	return ask_children(d, req, q, ret, s, 1);
}

/* An agent that knows no labels has its own name for one (docs/spec/pmcd.md 8.6). */
static int label_stand_in(const struct agent *a, struct request *req, union pdu_body *ret)
{
	if (ret->label.type != PM_LABEL_DOMAIN)
		return 0;
	return labels_of_agent(a->config->label, &req->mem, &ret->label);
}

static int ask_label(struct dso *d, struct request *req, const union pdu_body *q,
		     union pdu_body *ret, struct scratch *s)
{
	struct wire_labelset *sets;
	int r;

	r = d->dispatch.version.seven.label((int)q->label_req.ident, q->label_req.type, &s->sets,
					    dso_ext(d));
	if (r < 0)
		return r;
	s->nset = s->sets != NULL ? r : 0;
	if (!host_agent_labels(s->sets, s->nset))
		return PM_ERR_GENERIC;
	/* Other types have one set at most (docs/spec/pmcd.md 9.3). */
	ret->label.numset = (uint32_t)s->nset;
	if (q->label_req.type != PM_LABEL_INSTANCES && s->nset > 1)
		ret->label.numset = 1;
	sets = arena_calloc(&req->mem, ret->label.numset, sizeof(*sets));
	if (sets == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < ret->label.numset; i++) {
		sets[i].inst = (int32_t)s->sets[i].inst;
		sets[i].nlabels = s->sets[i].nlabels;
		sets[i].labels = s->sets[i].labels;
		if (s->sets[i].nlabels > 0)
			sets[i].json = (struct wire_str){s->sets[i].json, s->sets[i].jsonlen};
	}
	ret->label.sets = sets;
	return 0;
}

typedef int (*dso_method)(struct dso *d, struct request *req, const union pdu_body *q,
			  union pdu_body *ret, struct scratch *s);

/* clang-format off */
static const struct {
	enum pdu_type type;
	dso_method method;
} methods[] = {
	{ PDU_DESC_REQ,      ask_desc },
	{ PDU_INSTANCE_REQ,  ask_instance },
	{ PDU_TEXT_REQ,      ask_text },
	{ PDU_RESULT,        ask_store },
	{ PDU_PMNS_NAMES,    ask_pmid },
	{ PDU_PMNS_IDS,      dso_ask_name },
	{ PDU_PMNS_CHILD,    ask_child },
	{ PDU_PMNS_TRAVERSE, ask_traverse },
	{ PDU_LABEL_REQ,     ask_label },
};
/* clang-format on */

static dso_method method_for(enum pdu_type type)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		if (methods[i].type == type)
			return methods[i].method;
	}
	return NULL;
}

int dso_ask(struct agent *a, const struct call *call, const struct question *q)
{
	struct request *req = call->request;
	struct dso *d = a->impl;
	struct scratch scratch = {0};
	struct answer answer = {.type = q->want};
	dso_method method = method_for(q->type);

	if (method == NULL)
		return PM_ERR_IPC;
	dso_set_context(d, req->ctx);
	if (q->type == PDU_LABEL_REQ) {
		answer.body.label = (struct pdu_label){.ident = q->body->label_req.ident,
						       .type = q->body->label_req.type};
		if (!dso_has(d, DSO_HAS_LABELS))
			method = NULL;
	}
	answer.status = method != NULL ? method(d, req, q->body, &answer.body, &scratch)
				       : label_stand_in(a, req, &answer.body);
	if (answer.status > 0)
		answer.status = 0;
	call_answer(call, &answer);
	scratch_done(&scratch);
	return 0;
}
