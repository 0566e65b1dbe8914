/* builtin - see builtin.h. */
#include "daemons/pmcd/builtin.h"

#include <errno.h>
#include <string.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/labels.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libpmns/pmns.h"
#include "libwire/result.h"

static pmID metric_pmid(const struct builtin_metric *m)
{
	return pmID_build(BUILTIN_DOMAIN, m->cluster, m->item);
}

static const struct builtin_metric *metric_find(pmID pmid)
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

static pmInDom metric_indom(const struct builtin_metric *m)
{
	return m->indom == BUILTIN_NO_INDOM ? PM_INDOM_NULL
					    : pmInDom_build(BUILTIN_DOMAIN, (unsigned int)m->indom);
}

/* A name that exists already, whatever it means, is the site's choice. */
static int builtin_add_rows(struct pmns *ns, const struct builtin_metric *rows, unsigned int n)
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

static struct builtin_call call_for(struct request *req)
{
	return (struct builtin_call){
	    .server = req->server, .client = req->client, .mem = &req->mem};
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

/* Adds a value; a failure counts only when there is no value in the end. */
static void vset_add(const struct builtin_call *call, const struct builtin_metric *m,
		     const struct builtin_inst *inst, pmValueSet *v, int *error)
{
	pmAtomValue atom = {.ull = 0};
	int r = m->get(call, m, inst, &atom);

	if (r > 0) {
		pmValue *to = &v->vlist[v->numval];

		r = builtin_put_value(call->mem, m->type, &atom, to);
		if (r >= 0) {
			to->inst = inst != NULL ? inst->id : (int)PM_IN_NULL;
			v->valfmt = r;
			v->numval++;
			return;
		}
	}
	*error = r;
}

static pmValueSet *metric_fetch(const struct builtin_call *call, const struct profile *f, pmID pmid)
{
	const struct builtin_metric *m = metric_find(pmid);
	struct builtin_inst *insts = NULL;
	const pmInDomProfile *entry;
	pmValueSet *v;
	int n = 1, error = 0;

	if (m == NULL)
		return vset_error(call->mem, pmid, PM_ERR_PMID);
	if (m->indom != BUILTIN_NO_INDOM)
		n = builtin_instances(call, m->indom, &insts);
	if (n <= 0)
		return vset_error(call->mem, pmid, n);
	v = vset_new(call->mem, pmid, n);
	if (v == NULL)
		return NULL;
	entry = insts == NULL ? NULL : profile_entry(f, metric_indom(m));
	for (int i = 0; i < n; i++) {
		if (insts == NULL)
			vset_add(call, m, NULL, v, &error);
		else if (profile_wants(f, entry, insts[i].id))
			vset_add(call, m, &insts[i], v, &error);
	}
	if (v->numval == 0)
		v->numval = error;
	return v;
}

static int builtin_fetch(struct agent *a, struct request *req, const struct fetch_ask *ask,
			 struct result_sink *sink, pmResult **ret_result,
			 unsigned char *ret_changes)
{
	struct builtin_call call = call_for(req);
	pmResult *result;

	result = arena_calloc(&req->mem, 1, sizeof(*result) + ask->n * sizeof(pmValueSet *));
	if (result == NULL)
		return -ENOMEM;
	result->numpmid = (int)ask->n;
	for (unsigned int i = 0; i < ask->n; i++) {
		result->vset[i] = metric_fetch(&call, a->profile, ask->pmids[i]);
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

static int answer_desc(const struct builtin_call *call, const union pdu_body *q,
		       union pdu_body *ret)
{
	const struct builtin_metric *m = metric_find(q->desc_req.pmid);

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
static int answer_instance(const struct builtin_call *call, const union pdu_body *q,
			   union pdu_body *ret)
{
	const struct pdu_instance_req *ask = &q->instance_req;
	bool by_name = ask->name.len > 0;
	bool by_id = !by_name && ask->inst != (int)PM_IN_NULL;
	struct builtin_inst *insts;
	struct wire_inst *out;
	uint32_t found = 0;
	int n = builtin_instances(call, (int)pmInDom_serial(ask->indom), &insts);

	if (n < 0)
		return n;
	out = arena_calloc(call->mem, (size_t)n, sizeof(*out));
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

static int answer_text(const struct builtin_call *call, const union pdu_body *q,
		       union pdu_body *ret)
{
	static const char *const indoms[] = {
	    [BUILTIN_PMLOGGERS] = "pmlogger processes on this host",
	    [BUILTIN_REGISTERS] = "scratch registers",
	    [BUILTIN_AGENTS] = "configured agents, by domain",
	    [BUILTIN_PMIES] = "pmie processes on this host",
	    [BUILTIN_BUFFERS] = "sizes of PDU buffers",
	    [BUILTIN_CLIENTS] = "clients, in the order of their arrival",
	    [BUILTIN_LISTENERS] = "where the collector listens, as a host specification",
	};
	const struct builtin_metric *m;
	const char *text = NULL;

	if ((q->text_req.type & PM_TEXT_PMID) != 0) {
		m = metric_find(q->text_req.ident);
		text = m != NULL ? m->help : NULL;
	} else if (pmInDom_serial(q->text_req.ident) < ARRAY_SIZE(indoms)) {
		text = indoms[pmInDom_serial(q->text_req.ident)];
	}
	if (text == NULL || (q->text_req.type & PM_TEXT_ONELINE) == 0)
		return PM_ERR_TEXT;
	ret->text.ident = q->text_req.ident;
	ret->text.text = (struct wire_str){text, (uint32_t)strlen(text)};
	return 0;
}

static int answer_label(const struct builtin_call *call, const union pdu_body *q,
			union pdu_body *ret)
{
	ret->label = (struct pdu_label){.ident = q->label_req.ident, .type = q->label_req.type};
	if (q->label_req.type != PM_LABEL_DOMAIN)
		return 0;
	return labels_of_agent("pmcd", call->mem, &ret->label);
}

/* The value of a store in the type of the metric. */
static int get_stored(const struct builtin_metric *m, const pmValueSet *v, int i, struct arena *mem,
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

static int metric_store(const struct builtin_call *call, const pmValueSet *v)
{
	const struct builtin_metric *m = metric_find(v->pmid);
	int r = 0;

	if (m == NULL || m->set == NULL)
		return PM_ERR_PMID;
	/* A client's own row takes exactly one value, under any instance (docs/spec/pmcd.md 11). */
	if (m->indom == BUILTIN_CLIENTS && v->numval != 1)
		return PM_ERR_INST;
	if (m->set == builtin_set_ignored)
		return 0;
	for (int i = 0; r >= 0 && i < v->numval; i++) {
		pmAtomValue atom = {.ull = 0};

		r = get_stored(m, v, i, call->mem, &atom);
		if (r >= 0)
			r = m->set(call, m, v->vlist[i].inst, &atom);
	}
	return r;
}

static int answer_store(const struct builtin_call *call, const union pdu_body *q,
			union pdu_body *ret)
{
	pmHighResResult *result;
	int r = result_to_host(&q->result, false, &result);

	if (r < 0)
		return r;
	for (int i = 0; r >= 0 && i < result->numpmid; i++)
		r = metric_store(call, result->vset[i]);
	free(result);
	ret->error.code = 0;
	return r < 0 ? r : 0;
}

/* clang-format off */
static const struct {
	enum pdu_type type;
	int (*answer)(const struct builtin_call *call, const union pdu_body *q, union pdu_body *ret);
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
	struct builtin_call call = call_for(asked->request);
	struct answer answer = {.type = q->want, .status = PM_ERR_IPC};

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		if (answers[i].type != q->type)
			continue;
		answer.status = answers[i].otherwise;
		if (answers[i].answer != NULL)
			answer.status = answers[i].answer(&call, q->body, &answer.body);
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
