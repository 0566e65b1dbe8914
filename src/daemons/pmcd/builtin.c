/* builtin - see builtin.h. */
#include "daemons/pmcd/builtin.h"

#include <errno.h>
#include <string.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/builtin_rows.h"
#include "daemons/pmcd/labels.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libpmns/pmns.h"
#include "libwire/result.h"

static pmID metric_pmid(const struct agent_metric *m)
{
	return pmID_build(BUILTIN_DOMAIN, m->cluster, m->item);
}

static const struct agent_metric *metric_find(pmID pmid)
{
	for (unsigned int i = 0; i < builtin_nmetric; i++) {
		if (metric_pmid(&builtin_metrics[i]) == pmid)
			return &builtin_metrics[i];
	}
	for (unsigned int i = 0; i < builtin_nown_metric; i++) {
		if (metric_pmid(&builtin_own_metrics[i]) == pmid)
			return &builtin_own_metrics[i];
	}
	return NULL;
}

static pmInDom metric_indom(const struct agent_metric *m)
{
	return m->indom == NULL ? PM_INDOM_NULL : pmInDom_build(BUILTIN_DOMAIN, m->indom->serial);
}

/* A name that exists already, whatever it means, is the site's choice. */
static int builtin_add_rows(struct pmns *ns, const struct agent_metric *rows, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (pmns_add(ns, rows[i].name, strlen(rows[i].name), metric_pmid(&rows[i])) ==
		    -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

int builtin_add_names(struct pmns *ns)
{
	int r = builtin_add_rows(ns, builtin_metrics, builtin_nmetric);

	return r < 0 ? r : builtin_add_rows(ns, builtin_own_metrics, builtin_nown_metric);
}

/*
 * Values
 */

static int builtin_put_block(struct arena *mem, int type, const void *value, size_t len,
			     pmValue *ret)
{
	pmValueBlock *block = arena_alloc(mem, PM_VAL_HDR_SIZE + len);

	if (block == NULL)
		return -ENOMEM;
	block->vtype = (unsigned int)type;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	memcpy(block->vbuf, value, len);
	ret->value.pval = block;
	return PM_VAL_DPTR;
}

static int builtin_put_value(struct arena *mem, int type, const pmAtomValue *v, pmValue *ret)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		ret->value.lval = v->l;
		return PM_VAL_INSITU;
	case PM_TYPE_FLOAT:
		return builtin_put_block(mem, type, &v->f, sizeof(v->f), ret);
	case PM_TYPE_STRING:
		return builtin_put_block(mem, type, v->cp, strlen(v->cp) + 1, ret);
	default:
		return builtin_put_block(mem, type, &v->ull, sizeof(v->ull), ret);
	}
}

static pmValueSet *vset_new(struct arena *mem, pmID pmid, int room)
{
	size_t size = offsetof(pmValueSet, vlist) + (size_t)room * sizeof(pmValue);
	pmValueSet *v = arena_calloc(mem, 1, size);

	if (v != NULL)
		v->pmid = pmid;
	return v;
}

static pmValueSet *vset_error(struct arena *mem, pmID pmid, int error)
{
	pmValueSet *v = vset_new(mem, pmid, 0);

	if (v != NULL)
		v->numval = error;
	return v;
}

static int metric_value(const struct agent_call *call, pmAtomValue *ret)
{
	const struct agent_field *f = &call->metric->value;

	if (f->get != NULL)
		return f->get(call, ret);
	memcpy(ret, (const char *)call->from + f->offset, f->width);
	return 1;
}

/* Adds a value; a failure counts only when there is no value in the end. */
static void vset_add(const struct agent_call *call, pmValueSet *v, int *error)
{
	pmAtomValue atom = {.ull = 0};
	int r = metric_value(call, &atom);

	if (r > 0) {
		pmValue *to = &v->vlist[v->numval];

		r = builtin_put_value(&builtin_request(call)->mem, call->metric->type, &atom, to);
		if (r >= 0) {
			to->inst = call->inst;
			v->valfmt = r;
			v->numval++;
			return;
		}
	}
	*error = r;
}

static pmValueSet *metric_fetch(struct request *req, const struct profile *f, pmID pmid)
{
	const struct agent_metric *m = metric_find(pmid);
	struct agent_call call = {m, (int)PM_IN_NULL, req->server, NULL, req};
	struct builtin_inst *insts = NULL;
	const pmInDomProfile *entry;
	pmValueSet *v;
	int n = 1, error = 0;

	if (m == NULL)
		return vset_error(&req->mem, pmid, PM_ERR_PMID);
	if (m->indom != NULL)
		n = builtin_instances(req, m->indom->serial, &insts);
	if (n <= 0)
		return vset_error(&req->mem, pmid, n);
	v = vset_new(&req->mem, pmid, n);
	if (v == NULL)
		return NULL;
	entry = insts == NULL ? NULL : profile_entry(f, metric_indom(m));
	for (int i = 0; i < n; i++) {
		if (insts != NULL) {
			if (!profile_wants(f, entry, insts[i].id))
				continue;
			call.inst = insts[i].id;
			call.from = insts[i].of;
		}
		vset_add(&call, v, &error);
	}
	if (v->numval == 0)
		v->numval = error;
	return v;
}

static int builtin_fetch(struct agent *a, struct request *req, const struct fetch_ask *ask,
			 struct result_sink *sink, pmResult **ret_result,
			 unsigned char *ret_changes)
{
	pmResult *result;

	result = arena_calloc(&req->mem, 1, sizeof(*result) + ask->n * sizeof(pmValueSet *));
	if (result == NULL)
		return -ENOMEM;
	result->numpmid = (int)ask->n;
	for (unsigned int i = 0; i < ask->n; i++) {
		result->vset[i] = metric_fetch(req, a->profile, ask->pmids[i]);
		if (result->vset[i] == NULL)
			return -ENOMEM;
	}
	*ret_result = result;
	*ret_changes = 0;
	return 0;
}

/* All of it is in the request's arena. */
static void builtin_fetch_done(struct agent *a, pmResult *result)
{
}

/*
 * Questions
 */

static int answer_desc(struct request *req, const union pdu_body *q, union pdu_body *ret)
{
	const struct agent_metric *m = metric_find(q->desc_req.pmid);

	if (m == NULL)
		return PM_ERR_PMID;
	ret->desc.desc = (pmDesc){.pmid = metric_pmid(m),
				  .type = m->type,
				  .indom = metric_indom(m),
				  .sem = m->sem,
				  .units = m->units};
	return 0;
}

static bool name_is(const struct wire_str *want, const char *name)
{
	return strlen(name) == want->len && memcmp(name, want->s, want->len) == 0;
}

/* docs/spec/pdu.md 5.8: all, the name of one, or the id of one. */
static int answer_instance(struct request *req, const union pdu_body *q, union pdu_body *ret)
{
	const struct pdu_instance_req *ask = &q->instance_req;
	bool by_name = ask->name.len > 0;
	bool by_id = !by_name && ask->inst != (int)PM_IN_NULL;
	struct builtin_inst *insts;
	struct wire_inst *out;
	uint32_t found = 0;
	int n = builtin_instances(req, pmInDom_serial(ask->indom), &insts);

	if (n < 0)
		return n;
	out = arena_calloc(&req->mem, (size_t)n, sizeof(*out));
	if (out == NULL)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		if ((by_id && insts[i].id != ask->inst) ||
		    (by_name && !name_is(&ask->name, insts[i].name)))
			continue;
		out[found].inst = by_id ? (int)PM_IN_NULL : insts[i].id;
		if (!by_name)
			out[found].name =
			    (struct wire_str){insts[i].name, (uint32_t)strlen(insts[i].name)};
		found++;
	}
	if (found == 0 && (by_id || by_name))
		return PM_ERR_INST;
	ret->instance.indom = ask->indom;
	ret->instance.numinst = found;
	ret->instance.insts = out;
	return 0;
}

static int answer_text(struct request *req, const union pdu_body *q, union pdu_body *ret)
{
	const struct agent_metric *m;
	const char *text = NULL;

	if ((q->text_req.type & PM_TEXT_PMID) != 0) {
		m = metric_find(q->text_req.ident);
		text = m != NULL ? m->oneline : NULL;
	} else if (pmInDom_serial(q->text_req.ident) < BUILTIN_INDOMS) {
		text = builtin_indoms[pmInDom_serial(q->text_req.ident)].oneline;
	}
	if (text == NULL || (q->text_req.type & PM_TEXT_ONELINE) == 0)
		return PM_ERR_TEXT;
	ret->text.ident = q->text_req.ident;
	ret->text.text = (struct wire_str){text, (uint32_t)strlen(text)};
	return 0;
}

static int answer_label(struct request *req, const union pdu_body *q, union pdu_body *ret)
{
	ret->label = (struct pdu_label){.ident = q->label_req.ident, .type = q->label_req.type};
	if (q->label_req.type != PM_LABEL_DOMAIN)
		return 0;
	return labels_of_agent("pmcd", &req->mem, &ret->label);
}

/* The value of a store in the type of the metric. */
static int get_stored(const struct agent_metric *m, const pmValueSet *v, int i, struct arena *mem,
		      pmAtomValue *ret)
{
	const pmValueBlock *block;

	if (m->type != PM_TYPE_STRING) {
		if (v->valfmt != PM_VAL_INSITU)
			return PM_ERR_CONV;
		ret->l = v->vlist[i].value.lval;
		return 0;
	}
	if (v->valfmt == PM_VAL_INSITU)
		return PM_ERR_CONV;
	block = v->vlist[i].value.pval;
	if (block->vtype != PM_TYPE_STRING)
		return PM_ERR_CONV;
	ret->cp =
	    arena_strndup(mem, block->vbuf, strnlen(block->vbuf, block->vlen - PM_VAL_HDR_SIZE));
	return ret->cp != NULL ? 0 : -ENOMEM;
}

static int metric_store(struct request *req, const pmValueSet *v)
{
	const struct agent_metric *m = metric_find(v->pmid);
	struct agent_call call = {.metric = m, .data = req};
	int r = 0;

	if (m == NULL || m->value.store == NULL)
		return PM_ERR_PMID;
	/* A client's own row takes exactly one value, under any instance (docs/spec/pmcd.md 11). */
	if (m->indom == &builtin_indoms[BUILTIN_CLIENTS] && v->numval != 1)
		return PM_ERR_INST;
	if (m->value.store == set_ignored)
		return 0;
	for (int i = 0; r >= 0 && i < v->numval; i++) {
		pmAtomValue atom = {.ull = 0};

		r = get_stored(m, v, i, &req->mem, &atom);
		call.inst = v->vlist[i].inst;
		if (r >= 0)
			r = m->value.store(&call, &atom);
	}
	return r;
}

static int answer_store(struct request *req, const union pdu_body *q, union pdu_body *ret)
{
	pmHighResResult *result;
	int r = result_to_host(&q->result, false, &result);

	if (r < 0)
		return r;
	for (int i = 0; r >= 0 && i < result->numpmid; i++)
		r = metric_store(req, result->vset[i]);
	free(result);
	ret->error.code = 0;
	return r < 0 ? r : 0;
}

/* clang-format off */
static const struct {
	enum pdu_type type;
	int (*answer)(struct request *req, const union pdu_body *q, union pdu_body *ret);
	int otherwise; /* without answer: the answer of an agent without dynamic names */
} answers[] = {
	{ PDU_DESC_REQ,      answer_desc,     0 },
	{ PDU_INSTANCE_REQ,  answer_instance, 0 },
	{ PDU_TEXT_REQ,      answer_text,     0 },
	{ PDU_LABEL_REQ,     answer_label,    0 },
	{ PDU_RESULT,        answer_store,    0 },
	{ PDU_PMNS_NAMES,    NULL,            PM_ERR_NAME },
	{ PDU_PMNS_IDS,      NULL,            PM_ERR_PMID },
	{ PDU_PMNS_CHILD,    NULL,            PM_ERR_NAME },
	{ PDU_PMNS_TRAVERSE, NULL,            PM_ERR_NAME },
};
/* clang-format on */

static int builtin_ask(struct agent *a, const struct call *asked, const struct question *q)
{
	struct answer answer = {.type = q->want, .status = PM_ERR_IPC};

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		if (answers[i].type != q->type)
			continue;
		answer.status = answers[i].otherwise;
		if (answers[i].answer != NULL)
			answer.status = answers[i].answer(asked->request, q->body, &answer.body);
	}
	call_answer(asked, &answer);
	return 0;
}

static int builtin_notify(struct agent *a, unsigned int ctx, enum pdu_type type,
			  const union pdu_body *body)
{
	return 0;
}

static int builtin_start(struct agent *a)
{
	agent_up(a, false);
	return 0;
}

static void builtin_stop(struct agent *a)
{
}

static void builtin_describe(const struct agent *a, struct buffer *out)
{
	buffer_printf(out, " %5s %3s %3s %3d dso i:6  lib=%s entry=%s", "", "", "", PDU_VERSION,
		      a->config->path != NULL ? a->config->path : "(built in)", "pmcd_init");
}

const struct agent_ops agent_builtin_ops = {
    .kind = "dso",
    .own = true,
    .type = 0,
    .start = builtin_start,
    .stop = builtin_stop,
    .ask = builtin_ask,
    .notify = builtin_notify,
    .fetch = builtin_fetch,
    .fetch_done = builtin_fetch_done,
    .describe = builtin_describe,
};
