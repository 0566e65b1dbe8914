/*
 * fetch - values (docs/spec/pmcd.md 9.1).
 *
 * The PMIDs are split by agent. Processes are asked first, all at once; agents in this process give
 * their values when the last process has answered or its deadline has passed, just before the one
 * reply is written. Values of processes are copied into it as they came.
 */
#include "daemons/pmcd/request.h"

#include <errno.h>
#include <string.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/fetch_parts.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/server.h"
#include "libbase/clock.h"
#include "libbase/endian_be.h"
#include "libwire/result.h"
#include "libwire/result_pdu.h"

enum { FETCH_REPEATED_BYTES = 8 << 20 }; /* of a reply, for PMIDs that were asked for before */

/* Every metric of a part has this error (0: no values). */
static void part_error(struct fetch *f, const struct fetch_part *p, int32_t error)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct result_source *s = &f->sources[fetch_place_of(p, i)];

		s->kind = RESULT_ERROR;
		s->error = error;
	}
}

/*
 * Processes
 */

static void take_flags(struct request *req, unsigned int flags)
{
	flags &= CLIENT_CHANGES;
	if (flags != 0)
		clients_change_all(req->server, flags);
}

static bool fetch_fits(const struct request *req, unsigned int part, const struct answer *answer)
{
	const struct fetch *f = req->parts;

	return f->replied || answer->body.result.numpmid == f->parts[part].n;
}

static void fetch_answered(struct request *req, unsigned int part, const struct answer *answer)
{
	struct fetch *f = req->parts;
	struct fetch_part *p = &f->parts[part];
	const struct pdu_result *result = &answer->body.result;

	if (f->replied)
		return;
	if (answer->status < 0) {
		part_error(f, p, answer->status);
		return;
	}
	/* An agent's timestamp holds a change mask, not a time (docs/spec/pdu.md 10.4). */
	take_flags(req, (unsigned int)result->sec);
	for (uint32_t i = 0; i < p->n; i++) {
		struct result_source *s = &f->sources[fetch_place_of(p, i)];

		/* An agent that mixes them up must not give one metric the values of another. */
		s->pmid = result->vsets[i].pmid;
		s->kind = RESULT_WIRE;
		s->wire = &result->vsets[i];
	}
}

static int ask_part(struct request *req, struct fetch *f, unsigned int i, struct agent *a)
{
	const struct fetch_part *p = &f->parts[i];
	union pdu_body body = {.fetch = {.slot = f->slot, .numpmid = p->n, .pmids = p->pmids}};
	struct question q = {.type = PDU_FETCH, .body = &body, .want = PDU_RESULT};
	int r = agent_use_profile(a, req->ctx, f->slot, f->profile);

	return r < 0 ? r : agent_ask(a, req, i, &q);
}

/* A fence does not keep an agent in this process from giving values (docs/spec/pmcd.md 8.4). */
static bool may_give(int refusal)
{
	return refusal == 0 || refusal == PM_ERR_PMDAFENCED;
}

static int start_part(struct request *req, struct fetch *f, unsigned int i)
{
	struct agent *a = server_agent(req->server, f->parts[i].domain);
	int r;

	if (a == NULL)
		return PM_ERR_NOAGENT;
	r = agent_refusal(a);
	if (agent_is_local(a) && may_give(r)) {
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
		struct result_source *s = &f->sources[fetch_place_of(p, i)];

		s->kind = RESULT_HOST;
		s->host = p->host->vset[i];
	}
}

/*
 * Asks for the values of a part. 1: they are in the sink (which may be NULL); 0: they are in
 * p->host; or -1 and the error of each metric in *ret_error. A failure of the whole call
 * gives no values rather than errors (docs/spec/pmcd.md 9.1).
 */
static int ask_local(struct request *req, struct fetch *f, struct fetch_part *p,
		     struct result_sink *sink, int32_t *ret_error)
{
	struct agent *a = server_agent(req->server, p->domain);
	const struct fetch_ask ask = {p->n, p->pmids};
	unsigned char changes = 0;
	int r;

	*ret_error = PM_ERR_NOAGENT;
	if (a == NULL || !agent_is_local(a) || a->state != AGENT_READY)
		return -1;
	agent_note_use(a, req->client);
	*ret_error = agent_use_profile(a, req->ctx, f->slot, f->profile);
	if (*ret_error < 0)
		return -1; /* it would give the instances of another client's choice */
	a->record.asked++;
	r = a->ops->fetch(a, req, &ask, sink, &p->host, &changes);
	*ret_error = 0;
	if (r < 0 || (r == 0 && p->host->numpmid != (int)p->n))
		return -1;
	take_flags(req, changes);
	return r;
}

static void fetch_local(struct request *req, struct fetch *f, struct fetch_part *p)
{
	int32_t error;

	if (ask_local(req, f, p, NULL, &error) == 0)
		take_host(f, p);
	else
		part_error(f, p, error);
}

static void fetch_give_back(struct request *req, struct fetch *f)
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

static enum pdu_type reply_type(const struct request *req)
{
	return req->type == PDU_HIGHRES_FETCH ? PDU_HIGHRES_RESULT : PDU_RESULT;
}

/* The time's second part in the unit of the reply. */
static int64_t reply_frac(const struct request *req, const struct timespec *t)
{
	return req->type == PDU_HIGHRES_FETCH ? t->tv_nsec : t->tv_nsec / 1000;
}

/* A pending change of state goes first (docs/spec/pdu.md 13). */
static void put_changes(struct client *c)
{
	if (c->changes != 0)
		client_error(c, (int)c->changes);
	c->changes = 0;
}

/* The same when the reply, the last len bytes of out, was written before. */
static void put_changes_before(struct client *c, struct buffer *out, size_t len)
{
	size_t before = buffer_pending(out), more;
	uint8_t notice[64], *at;

	if (c->changes == 0)
		return;
	put_changes(c);
	more = buffer_pending(out) - before;
	if (more > sizeof(notice))
		return;
	at = out->data + out->len - more - len;
	memcpy(notice, at + len, more);
	memmove(at + more, at, len);
	memcpy(at, notice, more);
}

/* The values of the only agent that was asked become the reply as they are. */
static bool fetch_take(struct request *req, const uint8_t *bytes, uint32_t len)
{
	struct fetch *f = req->parts;
	struct timespec now = clock_now();

	if (req->client == NULL || !result_relay_fits(bytes, len, f->pmids, f->n))
		return false;
	take_flags(req, load_be32(bytes + PDU_HEADER_LEN));
	put_changes(req->client);
	f->status = result_relay_put(client_out(req->client), reply_type(req), now.tv_sec,
				     reply_frac(req, &now), bytes, len);
	if (f->status == 0)
		request_sent(req, reply_type(req));
	f->replied = true;
	return true;
}

static int reply(struct request *req, struct fetch *f)
{
	struct timespec now = clock_now();
	struct client *c = req->client;
	int r;

	put_changes(c);
	r = result_encode(client_out(c), reply_type(req), 0, now.tv_sec, reply_frac(req, &now),
			  f->sources, req->body.fetch.numpmid);
	if (r == 0)
		request_sent(req, reply_type(req));
	return r;
}

/* Memory for what the reply is made of, unless the one agent that is asked writes it itself. */
static int need_sources(struct request *req, struct fetch *f)
{
	const struct pdu_fetch *ask = &req->body.fetch;

	if (f->sources != NULL)
		return 0;
	f->sources = arena_alloc(&req->mem, ask->numpmid * sizeof(*f->sources));
	if (f->sources == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < ask->numpmid; i++)
		f->sources[i].pmid = ask->pmids[i];
	return 0;
}

/* The reply is the values of one agent in this process, which may write them into it itself. */
static int reply_straight(struct request *req, struct fetch *f)
{
	struct fetch_part *p = &f->parts[0];
	struct buffer *b = client_out(req->client);
	size_t before = buffer_pending(b);
	struct result_pdu pdu;
	struct timespec now;
	int32_t error;
	int r;

	result_pdu_begin(&pdu, b, reply_type(req), 0, p->n);
	r = ask_local(req, f, p, &pdu.sink, &error);
	if (r == 1) {
		now = clock_now();
		r = result_pdu_end(&pdu, now.tv_sec, reply_frac(req, &now));
		if (r < 0)
			return r;
		put_changes_before(req->client, b, buffer_pending(b) - before);
		request_sent(req, reply_type(req));
		return 0;
	}
	result_pdu_cancel(&pdu);
	if (pdu.err < 0 || need_sources(req, f) < 0)
		return pdu.err < 0 ? pdu.err : -ENOMEM;
	if (r == 0)
		take_host(f, p);
	else
		part_error(f, p, error);
	return reply(req, f);
}

/* Everything is in: asks the agents in this process, and joins their values with the rest.
 */
static int fetch_gather(struct request *req, struct fetch *f)
{
	int r;

	for (uint32_t i = 0; i < f->npart; i++) {
		if (f->parts[i].local)
			fetch_local(req, f, &f->parts[i]);
	}
	r = repeat(req, f);
	return r < 0 ? r : reply(req, f);
}

static int fetch_finish(struct request *req)
{
	struct fetch *f = req->parts;
	int r;

	if (req->client == NULL || f->replied)
		return f->status;
	r = f->sources == NULL ? reply_straight(req, f) : fetch_gather(req, f);
	fetch_give_back(req, f);
	return r;
}

static void fetch_done(struct request *req)
{
	struct fetch *f = req->parts;

	profile_put(&req->server->profiles, f->profile);
}

/* True if the whole reply can be left to one agent in this process. */
static bool is_straight(struct request *req, const struct fetch *f)
{
	struct agent *a = server_agent(req->server, f->parts[0].domain);

	return f->npart == 1 && f->places == NULL && a != NULL && agent_is_local(a) &&
	       may_give(agent_refusal(a));
}

int fetch_start(struct request *req)
{
	int32_t slot = req->body.fetch.slot;
	struct profile *profile = profile_slots_find(&req->client->profiles, slot);
	struct fetch *f;
	int r;

	if (profile == NULL)
		return PM_ERR_NOPROFILE;
	f = arena_calloc(&req->mem, 1, sizeof(*f));
	if (f == NULL)
		return -ENOMEM;
	f->slot = slot;
	r = fetch_parts_split(req, f);
	if (r == 0 && !is_straight(req, f))
		r = need_sources(req, f);
	if (r < 0)
		return r;
	f->profile = profile_hold(profile);
	req->parts = f;
	req->fits = fetch_fits;
	req->answered = fetch_answered;
	req->finish = fetch_finish;
	req->done = fetch_done;
	if (f->npart == 1 && f->places == NULL)
		req->take = fetch_take;
	for (uint32_t i = 0; i < f->npart; i++) {
		r = start_part(req, f, i);
		if (r < 0)
			part_error(f, &f->parts[i], r);
	}
	return 0;
}
