/*
 * name_request - PMNS_NAMES, PMNS_IDS, PMNS_CHILD, PMNS_TRAVERSE (docs/spec/pmcd.md 9.4).
 *
 * The static name space answers what it knows; names below a dynamic root are asked of its agent,
 * several agents of one request at the same time.
 */
#include "daemons/pmcd/request.h"

#include <errno.h>
#include <string.h>

#include "daemons/pmcd/names.h"
#include "daemons/pmcd/server.h"
#include "libpmns/pmns.h"

static const struct pmns *name_space(const struct request *req)
{
	return req->server->names != NULL ? req->server->names->ns : NULL;
}

/* A name that is a dynamic root or below one: its agent. */
static int route_name(struct request *req, const struct wire_str *name, struct agent **ret_agent)
{
	const struct pmns *ns = name_space(req);
	struct pmns_entry e;
	int r;

	if (ns == NULL)
		return PM_ERR_NOPMNS;
	r = pmns_lookup_dynamic(ns, name->s, name->len, &e);
	if (r < 0)
		return r;
	return request_route(req, pmns_dynamic_domain(e.pmid), PM_ERR_NOAGENT, ret_agent);
}

/*
 * A growing list of names, in the request's arena
 */

struct name_list {
	struct arena *mem;
	struct wire_str *names;
	uint32_t count, cap;
};

static int list_add(struct name_list *l, struct wire_str name)
{
	uint32_t cap = l->cap < 16 ? 16 : l->cap * 2;
	struct wire_str *more;

	if (l->count == l->cap) {
		more = arena_alloc(l->mem, (size_t)cap * sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		if (l->count > 0)
			memcpy(more, l->names, l->count * sizeof(*more));
		l->names = more;
		l->cap = cap;
	}
	l->names[l->count++] = name;
	return 0;
}

static int visit_name(void *arg, const struct pmns_entry *e)
{
	return list_add(arg, (struct wire_str){.s = e->name, .len = e->name_len});
}

static int reply_names(struct request *req, const struct name_list *l, const int32_t *status)
{
	union pdu_body reply = {
	    .pmns_names = {.numname = l->count, .names = l->names, .status = status}};

	return request_reply(req, PDU_PMNS_NAMES, &reply);
}

/*
 * PMNS_NAMES: a PMID for each name
 */

struct lookup {
	pmID *pmids;
	int32_t *status;   /* of each name: 0 or why there is no PMID */
	uint16_t *domains; /* of the agents that are asked */
};

static int lookup_finish(struct request *req)
{
	const struct lookup *l = req->parts;
	uint32_t n = req->body.pmns_names.numname;
	union pdu_body reply = {.pmns_ids = {.numpmid = n, .pmids = l->pmids}};

	for (uint32_t i = 0; i < n; i++) {
		int32_t s = l->status[i];

		if (s == 0)
			reply.pmns_ids.status += l->pmids[i] != PM_ID_NULL;
		else if (n == 1 || (s != PM_ERR_NAME && s != PM_ERR_NOAGENT && s != PM_ERR_NONLEAF))
			return s;
	}
	return request_reply(req, PDU_PMNS_IDS, &reply);
}

static bool lookup_fits(const struct request *req, unsigned int part, const struct answer *answer)
{
	return answer->body.pmns_ids.numpmid == 1;
}

static void lookup_answered(struct request *req, unsigned int part, const struct answer *answer)
{
	struct lookup *l = req->parts;
	const struct pdu_pmns_ids *ids = &answer->body.pmns_ids;
	struct agent *a;

	l->status[part] = answer->status < 0 ? answer->status : ids->status;
	if (l->status[part] < 0)
		return;
	l->status[part] = 0;
	l->pmids[part] = ids->pmids[0];
	a = server_agent(req->server, l->domains[part]);
	if (a != NULL)
		agent_check_domain(a, ids->pmids[0]);
}

static int name_request_ask_name(struct request *req, unsigned int i, struct wire_str *name)
{
	union pdu_body body = {.pmns_names = {.numname = 1, .names = name}};
	struct question q = {.type = PDU_PMNS_NAMES, .body = &body, .want = PDU_PMNS_IDS};
	struct agent *a;
	int r = route_name(req, name, &a);

	if (r < 0)
		return r;
	((struct lookup *)req->parts)->domains[i] = (uint16_t)a->config->domain;
	return agent_ask(a, req, i, &q);
}

static int lookup_pmid(struct request *req, struct lookup *l, unsigned int i)
{
	const struct pmns *ns = name_space(req);
	struct wire_str name = req->body.pmns_names.names[i];
	struct pmns_entry e;

	if (ns == NULL)
		return PM_ERR_NOPMNS;
	if (pmns_lookup(ns, name.s, name.len, &e) < 0 || e.kind == PMNS_DYNAMIC)
		return name_request_ask_name(req, i, &name);
	if (e.kind == PMNS_NONLEAF)
		return PM_ERR_NONLEAF;
	l->pmids[i] = e.pmid;
	return 0;
}

static void name_request_lookup_one(struct request *req, unsigned int i)
{
	struct lookup *l = req->parts;
	int r = lookup_pmid(req, l, i);

	if (r < 0)
		l->status[i] = r;
}

/* Names that will be asked for later must outlive the client's PDU. */
static int keep_names(struct request *req)
{
	uint32_t n = req->body.pmns_names.numname;
	struct wire_str *kept = arena_alloc(&req->mem, n * sizeof(*kept));

	if (kept == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		kept[i] = req->body.pmns_names.names[i];
		if (i >= req->asked)
			kept[i].s = arena_strndup(&req->mem, kept[i].s, kept[i].len);
		if (kept[i].s == NULL)
			return -ENOMEM;
	}
	req->body.pmns_names.names = kept;
	return 0;
}

int name_names_start(struct request *req)
{
	uint32_t n = req->body.pmns_names.numname;
	struct lookup *l = arena_alloc(&req->mem, sizeof(*l));

	if (n == 0)
		return PM_ERR_TOOSMALL;
	if (l == NULL)
		return -ENOMEM;
	l->pmids = arena_alloc(&req->mem, n * sizeof(*l->pmids));
	l->status = arena_calloc(&req->mem, n, sizeof(*l->status));
	l->domains = arena_calloc(&req->mem, n, sizeof(*l->domains));
	if (l->pmids == NULL || l->status == NULL || l->domains == NULL)
		return -ENOMEM;
	memset(l->pmids, 0xff, n * sizeof(*l->pmids));
	req->parts = l;
	req->fits = lookup_fits;
	req->answered = lookup_answered;
	req->finish = lookup_finish;
	req->ask_next = name_request_lookup_one;
	req->total = n;
	request_pump(req);
	if (req->asked == n || keep_names(req) == 0)
		return 0;
	/* Nothing more can be asked; what is out comes in first. */
	for (uint32_t i = req->asked; i < n; i++)
		l->status[i] = -ENOMEM;
	req->total = req->asked;
	return -ENOMEM;
}

/*
 * PMNS_IDS: all names of a PMID
 */

int name_ids_start(struct request *req)
{
	struct name_list l = {.mem = &req->mem};
	pmID pmid;
	int r = PM_ERR_PMID;

	if (req->body.pmns_ids.numpmid != 1)
		return PM_ERR_IPC;
	pmid = req->body.pmns_ids.pmids[0];
	/* Roots of dynamic names are not metrics. */
	if (name_space(req) != NULL && !pmns_pmid_is_dynamic(pmid))
		r = pmns_names(name_space(req), pmid, visit_name, &l);
	if (r > 0)
		return reply_names(req, &l, NULL);
	return single_ask(req, pmid >> 22 & 0x1ff, PM_ERR_NOAGENT, PDU_PMNS_NAMES);
}

/*
 * PMNS_CHILD
 */

struct child_list {
	struct name_list names;
	int32_t *status;
	uint32_t count;
};

static int visit_child(void *arg, const struct pmns_entry *e)
{
	struct child_list *l = arg;

	if (l->status != NULL)
		l->status[l->count++] = pmns_status(e);
	return list_add(&l->names, (struct wire_str){.s = e->base, .len = e->base_len});
}

static int reply_children(struct request *req, const struct pmns *ns)
{
	const struct pdu_pmns_child *ask = &req->body.pmns_child;
	struct child_list l = {.names = {.mem = &req->mem}};
	int n = pmns_children(ns, ask->name.s, ask->name.len, NULL, NULL);

	if (n > 0 && ask->subtype != 0) {
		l.status = arena_alloc(&req->mem, (size_t)n * sizeof(*l.status));
		if (l.status == NULL)
			return -ENOMEM;
	}
	if (n > 0)
		n = pmns_children(ns, ask->name.s, ask->name.len, visit_child, &l);
	return n < 0 ? n : reply_names(req, &l.names, l.status);
}

int name_child_start(struct request *req)
{
	const struct pmns *ns = name_space(req);
	const struct wire_str *name = &req->body.pmns_child.name;
	struct pmns_entry e;
	struct agent *a;
	int r;

	if (ns == NULL)
		return PM_ERR_NOPMNS;
	if (pmns_lookup(ns, name->s, name->len, &e) == 0 && e.kind != PMNS_DYNAMIC)
		return reply_children(req, ns);
	r = route_name(req, name, &a);
	return r < 0 ? r : single_ask_agent(req, a, PDU_PMNS_NAMES);
}

/*
 * PMNS_TRAVERSE: the static leaves, each dynamic root replaced in place by the names that its agent
 * reports
 */

struct branch {
	uint32_t at;   /* place of the dynamic root in the list */
	bool answered; /* or else the root's own name stays */
	uint32_t count;
	struct wire_str *names;
};

struct traverse {
	struct name_list names;
	struct branch *branches;
	uint32_t nbranch, cap;
	struct names *source; /* held: the names in the list are borrowed from it */
};

static int branch_add(struct traverse *t)
{
	uint32_t cap = t->cap < 8 ? 8 : t->cap * 2;
	struct branch *more;

	if (t->nbranch == t->cap) {
		more = arena_calloc(t->names.mem, cap, sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		if (t->nbranch > 0)
			memcpy(more, t->branches, t->nbranch * sizeof(*more));
		t->branches = more;
		t->cap = cap;
	}
	t->branches[t->nbranch++].at = t->names.count;
	return 0;
}

static int visit_leaf(void *arg, const struct pmns_entry *e)
{
	struct traverse *t = arg;

	if (e->kind == PMNS_DYNAMIC && branch_add(t) < 0)
		return -ENOMEM;
	return visit_name(&t->names, e);
}

/* An agent in this process frees its strings when the answer was used: they are copied. */
static void traverse_answered(struct request *req, unsigned int part, const struct answer *answer)
{
	struct branch *b = &((struct traverse *)req->parts)->branches[part];
	const struct pdu_pmns_names *names = &answer->body.pmns_names;

	if (answer->status < 0)
		return;
	b->names = arena_calloc(&req->mem, names->numname, sizeof(*b->names));
	for (uint32_t i = 0; b->names != NULL && i < names->numname; i++) {
		b->names[i] = names->names[i];
		if (answer->bytes == NULL)
			b->names[i].s =
			    arena_strndup(&req->mem, names->names[i].s, names->names[i].len);
		if (b->names[i].s == NULL)
			return;
	}
	/* A root without any name below it keeps its own. */
	b->answered = b->names != NULL && names->numname > 0;
	b->count = names->numname;
}

static int merge_branches(const struct traverse *t, struct name_list *all)
{
	uint32_t next = 0;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < t->names.count; i++) {
		const struct branch *b = next < t->nbranch ? &t->branches[next] : NULL;
		bool here = b != NULL && b->at == i;

		if (here)
			next++;
		if (!here || !b->answered)
			r = list_add(all, t->names.names[i]);
		for (uint32_t j = 0; here && b->answered && r == 0 && j < b->count; j++)
			r = list_add(all, b->names[j]);
	}
	return r;
}

static int traverse_finish(struct request *req)
{
	struct traverse *t = req->parts;
	struct name_list all = {.mem = &req->mem};
	int r;

	if (req->client == NULL)
		return 0;
	if (t->nbranch == 0)
		return reply_names(req, &t->names, NULL);
	r = merge_branches(t, &all);
	return r < 0 ? r : reply_names(req, &all, NULL);
}

static void traverse_done(struct request *req)
{
	struct traverse *t = req->parts;

	names_put(t->source);
}

/* An agent that can't be asked keeps its root's name in the list. */
static void ask_branch(struct request *req, unsigned int i, const struct wire_str *name)
{
	union pdu_body body = {.pmns_child = {.name = *name}};
	struct question q = {.type = PDU_PMNS_TRAVERSE, .body = &body, .want = PDU_PMNS_NAMES};
	struct agent *a;

	if (route_name(req, name, &a) == 0)
		agent_ask(a, req, i, &q);
}

static int traverse_static(struct request *req, struct traverse *t)
{
	t->source = names_hold(req->server->names);
	req->parts = t;
	req->answered = traverse_answered;
	req->finish = traverse_finish;
	req->done = traverse_done;
	for (uint32_t i = 0; i < t->nbranch; i++)
		ask_branch(req, i, &t->names.names[t->branches[i].at]);
	return 0;
}

/*
 * Below the root of an agent that cannot be asked there is nothing, and any error of the agent
 * means that there is no such name. Only an agent that is not ready leaves it open
 * (docs/spec/pmcd.md 9.4).
 */
static int below_error(int r)
{
	if (r >= 0)
		return 0;
	return r == PM_ERR_AGAIN ? PM_ERR_AGAIN : PM_ERR_NAME;
}

static int traverse_below_finish(struct request *req)
{
	return below_error(single_finish(req));
}

int name_traverse_start(struct request *req)
{
	const struct pmns *ns = name_space(req);
	const struct wire_str *name = &req->body.pmns_child.name;
	struct traverse *t;
	struct agent *a;
	int r;

	if (ns == NULL)
		return PM_ERR_NOPMNS;
	t = arena_calloc(&req->mem, 1, sizeof(*t));
	if (t == NULL)
		return -ENOMEM;
	t->names.mem = &req->mem;
	r = pmns_traverse(ns, name->s, name->len, visit_leaf, t);
	if (r >= 0)
		return traverse_static(req, t);
	if (r != PM_ERR_NAME)
		return r;
	r = route_name(req, name, &a);
	if (r < 0)
		return below_error(r);
	r = single_ask_agent(req, a, PDU_PMNS_NAMES);
	req->finish = traverse_below_finish;
	return below_error(r);
}
