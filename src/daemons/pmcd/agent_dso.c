/*
 * agent_dso - agents that are loaded into this process (docs/spec/pmda.md 3, 9.5, 10).
 *
 * A question is a call through the interface structure; what it returns is put into the form of a
 * PDU's body, so that the rest of the collector sees no difference. Values alone stay in host form
 * (fetch), because the reply is encoded from them directly. The agent's methods are trusted not to
 * block.
 */
#include "daemons/pmcd/agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmda.h>

#include "daemons/pmcd/log.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libwire/host_agent.h"
#include "libwire/result.h"
#include "libwire/result_sink.h"

enum {
	DSO_ANY_INTERFACE = 0xff, /* what the agent is challenged with */
	DSO_PMAPI_CHALLENGE = 253,
	DSO_PMAPI_VERSION = 2,
};

/* The interface version from which on a method is there. */
enum {
	DSO_HAS_NAMES = PMDA_INTERFACE_4,
	DSO_HAS_CONTEXT = PMDA_INTERFACE_5,
	DSO_HAS_ATTRIBUTES = PMDA_INTERFACE_6,
	DSO_HAS_LABELS = PMDA_INTERFACE_7,
};

/*
 * Values straight into the answer: what our libpcp_pmda brings along for us
 * (libpcp_pmda/fetch.h). 1, or as the agent's fetch method.
 */
typedef int (*dso_fetch_sink)(pmdaInterface *dispatch, int numpmid, pmID *pmids,
			      struct result_sink *sink, pmResult **ret_result,
			      unsigned char *ret_changes);

struct dso {
	struct list node; /* in server->agents.parked, or nowhere */
	char *path, *entry;
	void *handle;
	dso_fetch_sink fetch_sink; /* NULL: its library has no such thing */
	bool up;                   /* its entry point has succeeded */
	pmdaInterface dispatch;    /* its address is known to the agent: it never moves */
};

/* A host result is stored through the same bytes as a high-resolution one. */
_Static_assert(sizeof(struct timeval) == sizeof(struct timespec), "layout of a result");
_Static_assert(offsetof(pmResult, vset) == offsetof(pmHighResResult, vset), "layout of a result");

static bool dso_has(const struct dso *d, unsigned int version)
{
	return d->dispatch.comm.pmda_interface >= version;
}

static pmdaExt *dso_ext(struct dso *d)
{
	return d->dispatch.version.any.ext;
}

static void dso_set_context(struct dso *d, unsigned int ctx)
{
	if (dso_has(d, DSO_HAS_CONTEXT) && dso_ext(d) != NULL)
		dso_ext(d)->e_context = (int)ctx;
}

/*
 * Starting and stopping
 */

static int dso_check(const struct agent *a, const pmdaInterface *dispatch)
{
	if (dispatch->status != 0)
		log_error("Agent \"%s\": entry point failed: %d", a->config->label,
			  dispatch->status);
	else if (dispatch->comm.pmda_interface < PMDA_INTERFACE_2 ||
		 dispatch->comm.pmda_interface > PMDA_INTERFACE_LATEST)
		log_error("Agent \"%s\": unknown interface version %u", a->config->label,
			  dispatch->comm.pmda_interface);
	else if (dispatch->comm.pmapi_version != DSO_PMAPI_VERSION)
		log_error("Agent \"%s\": unknown PMAPI version %u", a->config->label,
			  dispatch->comm.pmapi_version);
	else
		return 0;
	return dispatch->status < 0 ? dispatch->status : PM_ERR_GENERIC;
}

static int dso_load(struct agent *a, struct dso *d)
{
	void (*init)(pmdaInterface *);
	int missing, r;

	/* Now, not lazily: a symbol that is missing must not end the collector when it is needed.
	 */
	d->handle = pitot_dso_open(a->config->path);
	if (d->handle == NULL) {
		log_error("Cannot load agent \"%s\": %s", a->config->label, dlerror());
		return PM_ERR_NOAGENT;
	}
	*(void **)&init = dlsym(d->handle, a->config->entry);
	if (init == NULL) {
		log_error("Agent \"%s\": no entry point \"%s\" in %s", a->config->label,
			  a->config->entry, a->config->path);
		return PM_ERR_NOAGENT;
	}
	*(void **)&d->fetch_sink = dlsym(d->handle, "pitot_fetch_sink");
	d->dispatch.domain = (int)a->config->domain;
	d->dispatch.comm.pmda_interface = DSO_ANY_INTERFACE;
	d->dispatch.comm.pmapi_version = DSO_PMAPI_CHALLENGE;
	init(&d->dispatch);
	r = dso_check(a, &d->dispatch);
	missing = r < 0 ? 0 : host_agent_complete(&d->dispatch);
	if (missing > 0)
		log_error("Agent \"%s\": it lacks %d methods: what needs them is answered with an "
			  "error",
			  a->config->label, missing);
	return r;
}

static void dso_free(struct dso *d)
{
	free(d->path);
	free(d->entry);
	free(d);
}

static bool dso_fits(const struct dso *d, const struct config_agent *config)
{
	return d->dispatch.domain == (int)config->domain && strcmp(d->path, config->path) == 0 &&
	       strcmp(d->entry, config->entry) == 0;
}

/* An object that was initialised before continues with its state. */
static struct dso *dso_unpark(struct agent *a)
{
	LIST_FOR_EACH (pos, &a->server->agents.parked) {
		struct dso *d = LIST_ENTRY(pos, struct dso, node);

		if (!dso_fits(d, a->config))
			continue;
		list_del(pos);
		if (dso_ext(d) != NULL)
			dso_ext(d)->e_prof = NULL; /* it went with the last stop */
		return d;
	}
	return NULL;
}

static struct dso *dso_new(const struct config_agent *config)
{
	struct dso *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	list_init(&d->node);
	d->path = strdup(config->path);
	d->entry = strdup(config->entry);
	if (d->path == NULL || d->entry == NULL) {
		dso_free(d);
		return NULL;
	}
	return d;
}

static int dso_start(struct agent *a)
{
	struct dso *d = dso_unpark(a);
	int r = 0;

	a->impl = d;
	if (d == NULL) {
		d = dso_new(a->config);
		if (d == NULL)
			return -ENOMEM;
		a->impl = d;
		r = dso_load(a, d);
	}
	if (r < 0)
		return r;
	d->up = true;
	a->attributes = dso_has(d, DSO_HAS_ATTRIBUTES) &&
			(d->dispatch.comm.flags & (PMDA_FLAG_AUTHORIZE | PMDA_FLAG_CONTAINER)) != 0;
	agent_up(a, false);
	return 0;
}

static void dso_end_context(struct dso *d, unsigned int ctx)
{
	dso_set_context(d, ctx);
	if (dso_has(d, DSO_HAS_CONTEXT) && dso_ext(d) != NULL && dso_ext(d)->e_endCallBack != NULL)
		dso_ext(d)->e_endCallBack((int)ctx);
}

/*
 * An agent in this process cannot be unloaded: it may have threads, and there is no call to make it
 * close its files. It is parked, without clients, until it is configured again.
 */
static void dso_stop(struct agent *a)
{
	struct server *server = a->server;
	struct dso *d = a->impl;

	a->impl = NULL;
	if (d == NULL)
		return;
	if (!d->up) {
		if (d->handle != NULL)
			dlclose(d->handle);
		dso_free(d);
		return;
	}
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		if (server->clients.all[i] != NULL)
			dso_end_context(d, i);
	}
	list_add_tail(&server->agents.parked, &d->node);
}

void agent_dso_done(struct server *server)
{
	LIST_FOR_EACH (pos, &server->agents.parked)
		dso_free(LIST_ENTRY(pos, struct dso, node));
}

/*
 * Values
 */

static void dso_fetch_done(struct agent *a, pmResult *result)
{
	pmdaExt *ext = dso_ext(a->impl);

	/* The skeleton stays the agent's, the values are given back as it wishes. */
	if (ext != NULL && ext->e_resultCallBack != NULL)
		ext->e_resultCallBack(result);
}

static bool result_is_whole(const pmResult *result)
{
	for (int i = 0; i < result->numpmid; i++) {
		if (!host_agent_values(result->vset[i]))
			return false;
	}
	return true;
}

static int dso_fetch(struct agent *a, struct request *req, const struct fetch_ask *ask,
		     struct result_sink *sink, pmResult **ret_result, unsigned char *ret_changes)
{
	struct dso *d = a->impl;
	pmResult *result = NULL;
	int r;

	dso_set_context(d, req->ctx);
	if (sink != NULL && d->fetch_sink != NULL)
		r = d->fetch_sink(&d->dispatch, (int)ask->n, (pmID *)ask->pmids, sink, &result,
				  ret_changes);
	else
		r = d->dispatch.version.any.fetch((int)ask->n, (pmID *)ask->pmids, &result,
						  dso_ext(d));
	if (r < 0 || result == NULL)
		return r != 0 ? r : PM_ERR_VALUE;
	if (!result_is_whole(result)) {
		dso_fetch_done(a, result);
		return PM_ERR_GENERIC;
	}
	/* The mask is the first byte of the stamp, whatever the byte order. */
	memcpy(ret_changes, &result->timestamp, 1);
	*ret_result = result;
	return 0;
}

/*
 * Questions: each fills answer->body and returns 0, or returns an error. Memory that must be freed
 * after the answer was used is left in the scratch.
 */

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

static int dso_ask(struct agent *a, const struct call *call, const struct question *q)
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

static int dso_tell(struct agent *a, unsigned int ctx, enum pdu_type type,
		    const union pdu_body *body)
{
	struct dso *d = a->impl;
	const struct pdu_attr *attr = &body->attr;

	dso_set_context(d, ctx);
	if (type == PDU_PROFILE)
		d->dispatch.version.any.profile((pmProfile *)&a->profile->p, dso_ext(d));
	else if (type == PDU_ATTR && dso_has(d, DSO_HAS_ATTRIBUTES))
		d->dispatch.version.six.attribute((int)ctx, attr->key, attr->value.s,
						  (int)attr->value.len, dso_ext(d));
	else if (type == PDU_ERROR)
		dso_end_context(d, ctx);
	return 0;
}

static void dso_describe(const struct agent *a, struct buffer *out)
{
	const struct dso *d = a->impl;

	buffer_printf(out, " %5s %3s %3s %3d dso i:%u  lib=%s entry=%s", "", "", "", PDU_VERSION,
		      d->dispatch.comm.pmda_interface, a->config->path, a->config->entry);
}

const struct agent_ops agent_dso_ops = {
    .kind = "dso",
    .type = 0,
    .start = dso_start,
    .stop = dso_stop,
    .ask = dso_ask,
    .tell = dso_tell,
    .fetch = dso_fetch,
    .fetch_done = dso_fetch_done,
    .describe = dso_describe,
};
