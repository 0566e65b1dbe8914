/* fetch - see fetch.h. */
#include "daemons/pmcd/fetch.h"

#include <errno.h>
#include <string.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libbase/clock.h"
#include "libbase/hash.h"
#include "libwire/result.h"

enum {
	FETCH_REPEATED_MIN = 32,        /* a shorter list is asked for as it is */
	FETCH_REPEATED_BYTES = 8 << 20, /* of a reply, for PMIDs that were asked for before */
};

/* What one agent is asked. */
struct fetch_part {
	unsigned int domain; /* not the agent: it may be replaced while others are waited for */
	uint32_t n;
	const pmID *pmids;
	const uint32_t *places; /* of each in the reply; NULL: 0, 1, 2, ... */
	pmResult *host;         /* to be given back to the agent */
	bool local;             /* the agent is in this process and is asked at the end */
};

struct fetch {
	struct result_source *sources; /* one a PMID of the request */
	uint32_t *first;        /* place of the first mention of each PMID; NULL: all differ */
	uint32_t n;             /* PMIDs that differ */
	const pmID *pmids;      /* these, in order */
	const uint32_t *places; /* of each in the reply; NULL: 0, 1, 2, ... */
	struct fetch_part *parts;
	uint32_t npart;
	struct profile *profile; /* held */
	int32_t slot;
};

static uint32_t place_of(const struct fetch_part *p, uint32_t i)
{
	return p->places != NULL ? p->places[i] : i;
}

static unsigned int pmid_domain(pmID pmid)
{
	return pmid >> 22 & 0x1ff;
}

/* Every metric of a part has this error (0: no values). */
static void part_error(struct fetch *f, const struct fetch_part *p, int32_t error)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct result_source *s = &f->sources[place_of(p, i)];

		s->kind = RESULT_ERROR;
		s->error = error;
	}
}

/*
 * Splitting
 */

static bool is_ascending(const struct pdu_fetch *ask)
{
	for (uint32_t i = 1; i < ask->numpmid; i++) {
		if (ask->pmids[i] <= ask->pmids[i - 1])
			return false;
	}
	return true;
}

/* Fills first[] and the list of PMIDs that differ, with a table of places (0: free). */
static void mark_repeated(const struct pdu_fetch *ask, struct fetch *f, uint32_t *table,
			  uint32_t mask, pmID *pmids, uint32_t *places)
{
	for (uint32_t i = 0; i < ask->numpmid; i++) {
		uint32_t at = (uint32_t)hash_u64(ask->pmids[i]) & mask;

		while (table[at] != 0 && ask->pmids[table[at] - 1] != ask->pmids[i])
			at = (at + 1) & mask;
		if (table[at] == 0) {
			table[at] = i + 1;
			pmids[f->n] = ask->pmids[i];
			places[f->n++] = i;
		}
		f->first[i] = table[at] - 1;
	}
}

/*
 * A PMID that is asked for again and again is asked for once: a small request must not make an
 * agent work for seconds. A few repetitions are cheaper than looking for them.
 */
static int drop_repeated(struct request *req, struct fetch *f)
{
	const struct pdu_fetch *ask = &req->body.fetch;
	uint32_t n = ask->numpmid, size = 2;
	uint32_t *table, *places;
	pmID *pmids;

	f->n = n;
	f->pmids = ask->pmids;
	if (n < FETCH_REPEATED_MIN || is_ascending(ask))
		return 0;
	while (size < 2 * n)
		size *= 2;
	table = arena_calloc(&req->mem, size, sizeof(*table));
	f->first = arena_alloc(&req->mem, n * sizeof(*f->first));
	pmids = arena_alloc(&req->mem, n * sizeof(*pmids));
	places = arena_alloc(&req->mem, n * sizeof(*places));
	if (table == NULL || f->first == NULL || pmids == NULL || places == NULL)
		return -ENOMEM;
	f->n = 0;
	mark_repeated(ask, f, table, size - 1, pmids, places);
	f->pmids = pmids;
	f->places = places;
	return 0;
}

/* All PMIDs are of one domain: the usual case, and nothing need be copied. */
static bool is_uniform(const struct fetch *f)
{
	for (uint32_t i = 1; i < f->n; i++) {
		if (pmid_domain(f->pmids[i]) != pmid_domain(f->pmids[0]))
			return false;
	}
	return true;
}

static int split_uniform(struct request *req, struct fetch *f)
{
	f->parts = arena_calloc(&req->mem, 1, sizeof(*f->parts));
	if (f->parts == NULL)
		return -ENOMEM;
	f->parts[0].domain = pmid_domain(f->pmids[0]);
	f->parts[0].n = f->n;
	f->parts[0].pmids = f->pmids;
	f->parts[0].places = f->places;
	f->npart = 1;
	return 0;
}

/* A counting sort by domain; within a domain the order is the client's. */
static int split_mixed(struct request *req, struct fetch *f)
{
	uint32_t counts[SERVER_DOMAINS] = {0};
	uint32_t starts[SERVER_DOMAINS];
	uint32_t at = 0, part = 0;
	pmID *pmids = arena_alloc(&req->mem, f->n * sizeof(*pmids));
	uint32_t *places = arena_alloc(&req->mem, f->n * sizeof(*places));

	for (uint32_t i = 0; i < f->n; i++)
		f->npart += counts[pmid_domain(f->pmids[i])]++ == 0;
	f->parts = arena_calloc(&req->mem, f->npart, sizeof(*f->parts));
	if (pmids == NULL || places == NULL || f->parts == NULL)
		return -ENOMEM;
	for (unsigned int d = 0; d < SERVER_DOMAINS; d++) {
		starts[d] = at;
		if (counts[d] > 0)
			f->parts[part++] = (struct fetch_part){.domain = d,
							       .n = counts[d],
							       .pmids = pmids + at,
							       .places = places + at};
		at += counts[d];
	}
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t to = starts[pmid_domain(f->pmids[i])]++;

		pmids[to] = f->pmids[i];
		places[to] = f->places != NULL ? f->places[i] : i;
	}
	return 0;
}

/*
 * Processes
 */

static void take_flags(struct request *req, unsigned int flags)
{
	if (flags != 0)
		client_change_all(req->server, flags);
}

static int fetch_answered(struct request *req, unsigned int part, const struct answer *answer)
{
	struct fetch *f = req->parts;
	struct fetch_part *p = &f->parts[part];
	const struct pdu_result *result = &answer->body.result;

	if (answer->status < 0) {
		part_error(f, p, answer->status);
		return 0;
	}
	if (result->numpmid != p->n) {
		part_error(f, p, PM_ERR_IPC);
		return PM_ERR_IPC;
	}
	/* The stamp of an agent is no time but a mask (docs/spec/pdu.md 10.4). */
	take_flags(req, (unsigned int)result->sec & 0xff);
	for (uint32_t i = 0; i < p->n; i++) {
		struct result_source *s = &f->sources[place_of(p, i)];

		s->kind = RESULT_WIRE;
		s->wire = &result->vsets[i];
	}
	return 0;
}

static int ask_part(struct request *req, struct fetch *f, unsigned int i, struct agent *a)
{
	const struct fetch_part *p = &f->parts[i];
	union pdu_body body = {.fetch = {.slot = f->slot, .numpmid = p->n, .pmids = p->pmids}};
	struct question q = {.type = PDU_FETCH, .body = &body, .want = PDU_RESULT};

	agent_use_profile(a, req->ctx, f->slot, f->profile);
	return agent_ask(a, req, i, &q);
}

static int start_part(struct request *req, struct fetch *f, unsigned int i)
{
	struct agent *a = server_agent(req->server, f->parts[i].domain);
	int r;

	if (a == NULL)
		return PM_ERR_NOAGENT;
	r = agent_refusal(a);
	/* A fence does not keep an agent in this process from giving values
	 * (docs/spec/pmcd.md 8.4). */
	if (agent_is_local(a) && (r == 0 || r == PM_ERR_PMDAFENCED)) {
		f->parts[i].local = true;
		return 0;
	}
	return r < 0 ? r : ask_part(req, f, i, a);
}

/*
 * Agents in this process
 */

static void take_host(struct fetch *f, const struct fetch_part *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct result_source *s = &f->sources[place_of(p, i)];

		s->kind = RESULT_HOST;
		s->host = p->host->vset[i];
	}
}

/* A failure of the whole call gives no values rather than errors (docs/spec/pmcd.md 9.1). */
static void fetch_local(struct request *req, struct fetch *f, struct fetch_part *p)
{
	struct agent *a = server_agent(req->server, p->domain);
	unsigned char flags;

	if (a == NULL || !agent_is_local(a) || a->state != AGENT_READY) {
		part_error(f, p, PM_ERR_NOAGENT);
		return;
	}
	agent_note_use(a, req->client);
	agent_use_profile(a, req->ctx, f->slot, f->profile);
	a->record.asked++;
	if (a->ops->fetch(a, req, p->n, p->pmids, &p->host) < 0 || p->host->numpmid != (int)p->n) {
		part_error(f, p, 0);
		return;
	}
	/* The mask is the first byte of the stamp, whatever the byte order. */
	memcpy(&flags, &p->host->timestamp, 1);
	take_flags(req, flags);
	take_host(f, p);
}

static void give_back(struct request *req, struct fetch *f)
{
	for (uint32_t i = 0; i < f->npart; i++) {
		struct agent *a = server_agent(req->server, f->parts[i].domain);

		if (f->parts[i].host != NULL)
			a->ops->fetch_done(a, f->parts[i].host);
	}
}

/*
 * The reply
 */

/* Of a value in the reply, with its block. */
static uint64_t host_size(const pmValueSet *v, int i)
{
	return v->valfmt == PM_VAL_INSITU ? 8 : 8 + (uint64_t)v->vlist[i].value.pval->vlen + 3;
}

static uint64_t wire_size(const struct wire_vset *v, int i)
{
	return v->valfmt == PM_VAL_INSITU ? 8 : 8 + (uint64_t)v->values[i].block_len + 3;
}

/* Bytes of a source in the reply, or a bit more; not much beyond max is looked at. */
static uint64_t source_size(const struct result_source *s, uint64_t max)
{
	uint64_t size = 12;

	if (s->kind == RESULT_WIRE)
		for (int i = 0; i < s->wire->numval && size <= max; i++)
			size += wire_size(s->wire, i);
	else if (s->kind == RESULT_HOST)
		for (int i = 0; i < s->host->numval && size <= max; i++)
			size += host_size(s->host, i);
	return size;
}

/* Repetitions get what the first one got, as long as they do not make a small request a large
 * reply. */
static int repeat(struct request *req, struct fetch *f)
{
	uint64_t size = 0;

	for (uint32_t i = 0; f->first != NULL && i < req->body.fetch.numpmid; i++) {
		if (f->first[i] == i)
			continue;
		f->sources[i] = f->sources[f->first[i]];
		size += source_size(&f->sources[i], FETCH_REPEATED_BYTES);
		if (size > FETCH_REPEATED_BYTES)
			return PM_ERR_TOOBIG;
	}
	return 0;
}

/* A pending change of state goes first (docs/spec/pdu.md 13). */
static int reply(struct request *req, struct fetch *f)
{
	bool highres = req->type == PDU_HIGHRES_FETCH;
	enum pdu_type type = highres ? PDU_HIGHRES_RESULT : PDU_RESULT;
	struct timespec now = clock_now();
	struct client *c = req->client;
	int r;

	if (c->changes != 0)
		client_error(c, (int)c->changes);
	c->changes = 0;
	r = result_encode(client_out(c), type, 0, now.tv_sec,
			  highres ? now.tv_nsec : now.tv_nsec / 1000, f->sources,
			  req->body.fetch.numpmid);
	if (r == 0)
		request_sent(req, type);
	return r;
}

static int fetch_finish(struct request *req)
{
	struct fetch *f = req->parts;
	int r;

	if (req->client == NULL)
		return 0;
	for (uint32_t i = 0; i < f->npart; i++) {
		if (f->parts[i].local)
			fetch_local(req, f, &f->parts[i]);
	}
	r = repeat(req, f);
	if (r == 0)
		r = reply(req, f);
	give_back(req, f);
	return r;
}

static void fetch_done(struct request *req)
{
	struct fetch *f = req->parts;

	profile_put(&req->server->profiles, f->profile);
}

static struct fetch *fetch_new(struct request *req)
{
	const struct pdu_fetch *ask = &req->body.fetch;
	struct fetch *f = arena_calloc(&req->mem, 1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->slot = ask->slot;
	f->sources = arena_alloc(&req->mem, ask->numpmid * sizeof(*f->sources));
	if (f->sources == NULL)
		return NULL;
	for (uint32_t i = 0; i < ask->numpmid; i++)
		f->sources[i].pmid = ask->pmids[i];
	return f;
}

int fetch_start(struct request *req)
{
	const struct pdu_fetch *ask = &req->body.fetch;
	struct profile *profile = profile_slots_find(&req->client->profiles, ask->slot);
	struct fetch *f;
	int r;

	if (profile == NULL)
		return PM_ERR_NOPROFILE;
	f = fetch_new(req);
	if (f == NULL)
		return -ENOMEM;
	r = drop_repeated(req, f);
	if (r == 0)
		r = is_uniform(f) ? split_uniform(req, f) : split_mixed(req, f);
	if (r < 0)
		return r;
	f->profile = profile_hold(profile);
	req->parts = f;
	req->answered = fetch_answered;
	req->finish = fetch_finish;
	req->done = fetch_done;
	for (uint32_t i = 0; i < f->npart; i++) {
		r = start_part(req, f, i);
		if (r < 0)
			part_error(f, &f->parts[i], r);
	}
	return 0;
}
