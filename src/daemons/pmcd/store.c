/* store - values that a client sets (docs/spec/pmcd.md 9.2): split by agent, one status back. */
#include "daemons/pmcd/request.h"

#include <errno.h>

#include "daemons/pmcd/server.h"

/* Ranks of failures: the highest is replied, the last of equals. */
enum {
	STORE_PLAIN = 1,
	STORE_AGAIN,
	STORE_NOAGENT,
	STORE_IPC,
};

struct store {
	int32_t status;
	int rank;
	struct wire_vset *vsets; /* those of the domain that is being asked */
};

static int rank_of(int32_t status)
{
	switch (status) {
	case PM_ERR_IPC:
	case PM_ERR_TIMEOUT:
		return STORE_IPC;
	case PM_ERR_NOAGENT:
		return STORE_NOAGENT;
	case PM_ERR_AGAIN:
		return STORE_AGAIN;
	default:
		return STORE_PLAIN;
	}
}

static void store_failed(struct store *s, int32_t status)
{
	int rank = rank_of(status);

	if (rank < s->rank)
		return;
	s->rank = rank;
	s->status = status;
}

static void store_answered(struct request *req, unsigned int part, const struct answer *answer)
{
	if (answer->status < 0)
		store_failed(req->parts, answer->status);
}

static int store_finish(struct request *req)
{
	const struct store *s = req->parts;
	union pdu_body ok = {.error = {.code = 0}};

	return s->status < 0 ? s->status : request_reply(req, PDU_ERROR, &ok);
}

static unsigned int vset_domain(const struct wire_vset *v)
{
	return v->pmid >> 22 & 0x1ff;
}

/* The sets of one domain, in their order. A fence does not keep values from being stored. */
static int store_domain(struct request *req, unsigned int domain, unsigned int part)
{
	const struct pdu_result *all = &req->body.result;
	struct wire_vset *mine = ((struct store *)req->parts)->vsets;
	union pdu_body body = {.result = {.vsets = mine}};
	struct question q = {.type = PDU_RESULT, .body = &body, .want = PDU_ERROR};
	struct agent *a = server_agent(req->server, domain);

	if (a == NULL || a->state == AGENT_DOWN)
		return PM_ERR_NOAGENT;
	if (a->state != AGENT_READY || a->nlate > 0)
		return PM_ERR_AGAIN;
	for (uint32_t i = 0; i < all->numpmid; i++) {
		if (vset_domain(&all->vsets[i]) == domain)
			mine[body.result.numpmid++] = all->vsets[i];
	}
	return agent_ask(a, req, part, &q);
}

int store_start(struct request *req)
{
	const struct pdu_result *all = &req->body.result;
	bool done[AGENTS_DOMAINS] = {false};
	struct store *s = arena_calloc(&req->mem, 1, sizeof(*s));
	unsigned int part = 0;

	if (s == NULL)
		return -ENOMEM;
	s->vsets = arena_alloc(&req->mem, all->numpmid * sizeof(*s->vsets));
	if (s->vsets == NULL)
		return -ENOMEM;
	req->parts = s;
	req->answered = store_answered;
	req->finish = store_finish;
	for (uint32_t i = 0; i < all->numpmid; i++) {
		unsigned int domain = vset_domain(&all->vsets[i]);
		int r;

		if (done[domain])
			continue;
		done[domain] = true;
		r = store_domain(req, domain, part++);
		if (r < 0)
			store_failed(s, r);
	}
	return 0;
}
