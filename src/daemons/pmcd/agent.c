/* agent - see agent.h. */
#include "daemons/pmcd/agent.h"

#include <errno.h>
#include <stdlib.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/client_table.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"

struct agent *agent_new(struct server *server, const struct config_agent *config,
			const struct agent_ops *ops)
{
	struct agent *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return NULL;
	a->server = server;
	a->config = config;
	a->ops = ops;
	list_init(&a->calls);
	return a;
}

void agent_free(struct agent *a)
{
	if (a == NULL)
		return;
	if (a->state != AGENT_DOWN)
		a->ops->stop(a);
	profile_put(&a->server->profiles, a->profile);
	notices_done(&a->notices);
	free(a);
}

void agent_start(struct agent *a)
{
	int r;

	a->state = AGENT_STARTING;
	a->status = 0;
	a->fenced = false;
	a->foreign_logged = false;
	a->wants_restart = false;
	a->exited = false;
	a->started_ms = loop_run_ms(&a->server->loop);
	a->heard_ms = a->started_ms;
	r = a->ops->start(a);
	if (r < 0)
		agent_fail(a, AGENT_END_NOSTART, r, "terminated");
}

static void tell_all_attributes(struct agent *a)
{
	struct server *server = a->server;

	for (unsigned int i = 0; a->attributes && i < server->clients.nslot; i++) {
		if (server->clients.all[i] != NULL)
			agent_tell_attributes(a, server->clients.all[i]);
	}
}

void agent_up(struct agent *a, bool notready)
{
	struct server *server = a->server;

	a->state = notready ? AGENT_NOTREADY : AGENT_READY;
	a->record.starts++;
	a->record.up_ms = loop_now_ms(&server->loop);
	trace_conn(&server->trace, TRACE_NEW_AGENT, -1, (int)a->config->domain);
	server->counts.seqnum++;
	client_table_change_all(server, PMCD_ADD_AGENT);
	tell_all_attributes(a);
}

/* An agent may change its state a thousand times a second: it is logged once a minute. */
static bool may_say(struct agent *a, enum agent_saying what)
{
	uint64_t now_ms = loop_now_ms(&a->server->loop);

	if (a->said_ms[what] != 0 && now_ms - a->said_ms[what] < AGENT_SAY_MS)
		return false;
	a->said_ms[what] = now_ms;
	return true;
}

static void say_readiness(struct agent *a, bool ready)
{
	if (may_say(a, ready ? AGENT_SAYS_READY : AGENT_SAYS_NOTREADY))
		log_info("Agent \"%s\" (dom %u) is %s", a->config->label, a->config->domain,
			 ready ? "ready" : "not ready");
}

void agent_ready(struct agent *a, bool ready)
{
	a->state = ready ? AGENT_READY : AGENT_NOTREADY;
	say_readiness(a, ready);
	if (!ready)
		return;
	a->server->agents.ready(a->server);
	/* Clients that came meanwhile: the agent must not take one for its predecessor. */
	tell_all_attributes(a);
}

/* Every call is answered exactly once; the queue is emptied first, because an answer may add
 * calls. */
static void fail_calls(struct agent *a, int code)
{
	struct answer answer = {.status = code};
	struct list mine;

	list_init(&mine);
	LIST_FOR_EACH (pos, &a->calls) {
		list_del(pos);
		list_add_tail(&mine, pos);
	}
	a->ncall = 0;
	a->nlate = 0;
	a->nheavy = 0;
	LIST_FOR_EACH (pos, &mine) {
		struct call *call = LIST_ENTRY(pos, struct call, node);

		list_del(pos);
		if (call->request != NULL)
			call_answer(call, &answer);
		free(call);
	}
}

static const char *end_text(enum agent_end end, int code)
{
	if (end == AGENT_END_NOSTART)
		return "could not be started";
	if (end != AGENT_END_PROTOCOL)
		return "ended";
	return code == PM_ERR_TIMEOUT ? "was silent for too long, and was ended"
				      : "broke the protocol";
}

void agent_fail(struct agent *a, enum agent_end end, int code, const char *what)
{
	struct server *server = a->server;
	bool was_up = a->state != AGENT_STARTING;

	if (a->state == AGENT_DOWN)
		return;
	a->state = AGENT_DOWN;
	a->status = (int)end;
	a->attributes = false;
	notices_done(&a->notices);
	trace_conn(&server->trace, TRACE_END_AGENT, -1, (int)a->config->domain);
	if (server->trace.mask != 0)
		trace_dump(&server->trace);
	profile_put(&server->profiles, a->profile);
	a->profile = NULL;
	agent_record_end(&a->record, loop_now_ms(&server->loop), end_text(end, code), code, a->pid,
			 a->exited ? &a->wait_status : NULL);
	leavers_add(&server->agents.leavers, a, what);
	a->ops->stop(a);
	if (was_up)
		client_table_change_all(server, PMCD_DROP_AGENT);
	a->wants_restart = true;
	loop_want_tick(&server->loop);
	fail_calls(a, code);
}

void agent_check_domain(struct agent *a, pmID pmid)
{
	if (pmID_domain(pmid) == a->config->domain || a->foreign_logged)
		return;
	a->foreign_logged = true;
	log_error("Agent \"%s\" (dom %u) has metrics of domain %u: its line in the configuration and "
		  "the agent (option -d) must have the same domain",
		  a->config->label, a->config->domain, pmID_domain(pmid));
}

static size_t backlog(const struct agent *a)
{
	return a->ops->backlog != NULL && a->impl != NULL ? a->ops->backlog(a) : 0;
}

int agent_refusal(const struct agent *a)
{
	if (a->state == AGENT_DOWN)
		return PM_ERR_NOAGENT;
	if (a->fenced)
		return PM_ERR_PMDAFENCED;
	if (a->state != AGENT_READY || a->nlate > 0 || backlog(a) > AGENT_BACKLOG_MAX)
		return PM_ERR_AGAIN;
	return 0;
}

void agent_note_use(const struct agent *a, struct client *c)
{
	if (c != NULL)
		c->used_agents |= UINT64_C(1) << (a->index & 63);
}

static int tell_attribute(struct agent *a, struct client *c, int32_t key, const char *value)
{
	union pdu_body body;

	/* Towards an agent the terminating NUL is counted (docs/spec/pdu.md 5.14). */
	body.attr.key = key;
	body.attr.value.s = value;
	body.attr.value.len = (uint32_t)strlen(value) + 1;
	return a->ops->tell(a, c->index, PDU_ATTR, &body);
}

static int tell_number(struct agent *a, struct client *c, int32_t key, unsigned long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lu", value);
	return tell_attribute(a, c, key, text);
}

static int tell_attributes(struct agent *a, struct client *c)
{
	int r = 0;

	if (c->account.known) {
		r = tell_number(a, c, PDU_ATTR_USERID, c->account.uid);
		if (r == 0)
			r = tell_number(a, c, PDU_ATTR_GROUPID, c->account.gid);
		if (r == 0)
			r = tell_number(a, c, PDU_ATTR_PROCESSID, (unsigned long)c->pid);
	}
	if (r == 0 && c->container != NULL)
		r = tell_attribute(a, c, PDU_ATTR_CONTAINER, c->container);
	return r;
}

static int tell_gone(struct agent *a, unsigned int ctx)
{
	union pdu_body body = {.error = {.code = PM_ERR_NOTCONN}};

	return a->ops->tell(a, ctx, PDU_ERROR, &body);
}

/* An agent that cannot be informed of its clients must not answer any more. */
static void owe_news(struct agent *a, unsigned int ctx, unsigned int bits)
{
	if (notices_note(&a->notices, ctx, bits) == 0)
		return;
	log_often("No memory to tell agents of their clients");
	agent_fail(a, AGENT_END_PROTOCOL, PM_ERR_IPC, "terminated");
}

/* 0, or -ENOMEM: the rest is sent later. */
static int send_notices_of(struct agent *a, unsigned int ctx)
{
	unsigned int bits = notices_take(&a->notices, ctx);
	struct client *c = ctx < a->server->clients.nslot ? a->server->clients.all[ctx] : NULL;
	int r = 0;

	if ((bits & NOTICES_GONE) != 0)
		r = tell_gone(a, ctx);
	if (r == 0)
		bits &= ~(unsigned int)NOTICES_GONE;
	if (r == 0 && (bits & NOTICES_ATTRIBUTES) != 0 && c != NULL)
		r = tell_attributes(a, c);
	if (r < 0)
		owe_news(a, ctx, bits);
	return r;
}

/* It is informed of clients when it has read more, or is asked for the client in question. */
static bool is_behind(const struct agent *a)
{
	return backlog(a) > AGENT_NOTICES_MAX;
}

void agent_send_notices(struct agent *a)
{
	long ctx = 0;

	while (!is_behind(a) && (ctx = notices_next(&a->notices, (unsigned int)ctx)) >= 0) {
		if (send_notices_of(a, (unsigned int)ctx) < 0)
			return;
	}
}

void agent_tell_attributes(struct agent *a, struct client *c)
{
	if (!a->attributes || a->state != AGENT_READY || c->state != CLIENT_SERVED)
		return;
	agent_note_use(a, c);
	if (is_behind(a) || send_notices_of(a, c->index) < 0 || tell_attributes(a, c) < 0)
		owe_news(a, c->index, NOTICES_ATTRIBUTES);
}

void agent_forget_client(struct agent *a, unsigned int ctx)
{
	if (a->state < AGENT_NOTREADY)
		return;
	notices_take(&a->notices, ctx); /* its pending notices have no meaning any more */
	if (is_behind(a) || tell_gone(a, ctx) < 0)
		owe_news(a, ctx, NOTICES_GONE);
}

int agent_ask(struct agent *a, struct request *req, unsigned int part, const struct question *q)
{
	const struct call call = {.request = req,
				  .part = part,
				  .answered = req->answer,
				  .want = q->want,
				  .heavy = req->heavy};
	int r;

	if (backlog(a) > AGENT_BACKLOG_MAX)
		return PM_ERR_AGAIN;
	r = send_notices_of(a, req->ctx);
	if (r < 0)
		return r;
	agent_note_use(a, req->client);
	a->record.asked++;
	req->pending++;
	r = a->ops->ask(a, &call, q);
	if (r < 0)
		req->pending--;
	return r;
}

int agent_use_profile(struct agent *a, unsigned int ctx, int32_t slot, struct profile *profile)
{
	static pmProfile everything = {.state = PM_PROFILE_INCLUDE};
	struct profile_pool *pool = &a->server->profiles;
	struct profile *old;
	union pdu_body body;
	int r;

	if (profile == NULL)
		profile = profile_get(pool, &everything);
	else
		profile_hold(profile);
	if (profile == NULL || profile == a->profile) {
		profile_put(pool, profile);
		return profile == NULL ? -ENOMEM : 0;
	}
	r = send_notices_of(a, ctx);
	if (r < 0) {
		profile_put(pool, profile);
		return r;
	}
	body.profile.slot = slot;
	body.profile.profile = profile->p;
	/* An agent in this process keeps a pointer to it: the old one goes last. */
	old = a->profile;
	a->profile = profile;
	r = a->ops->tell(a, ctx, PDU_PROFILE, &body);
	if (r < 0)
		a->profile = old;
	profile_put(pool, r < 0 ? profile : old);
	return r;
}

int agent_call_add(struct agent *a, const struct call *asked)
{
	struct call *call;

	if (a->ncall == AGENT_CALLS_MAX)
		return PM_ERR_AGAIN;
	call = malloc(sizeof(*call));
	if (call == NULL)
		return -ENOMEM;
	*call = *asked;
	call->sent_ms = loop_run_ms(&a->server->loop);
	call->sent_idle_ns = uv_metrics_idle_time(&a->server->loop.uv);
	a->nheavy += call->heavy;
	list_add_tail(&a->calls, &call->node);
	a->ncall++;
	loop_want_tick(&a->server->loop);
	return 0;
}

/* Nobody waits for it any more, or it is answered. */
static void forget_heavy(struct agent *a, struct call *call)
{
	a->nheavy -= call->heavy;
	call->heavy = false;
}

/*
 * A process answers one call after the other: it began with this one when it had answered the one before. Only the
 * time counts in which the loop was idle: an answer also waits while the collector serves others, and a light client
 * beside many heavy ones must not be taken for a heavy one for that.
 */
static void measure(struct agent *a, struct call *call)
{
	uint64_t begun_ns = a->answered_idle_ns > call->sent_idle_ns ? a->answered_idle_ns : call->sent_idle_ns;
	uint64_t idle_ns = uv_metrics_idle_time(&a->server->loop.uv);

	if (call->request != NULL)
		call->request->agent_ns += idle_ns - begun_ns;
	a->answered_idle_ns = idle_ns;
}

struct call *agent_call_take(struct agent *a)
{
	struct call *call;

	if (list_empty(&a->calls))
		return NULL;
	call = LIST_ENTRY(a->calls.next, struct call, node);
	list_del(&call->node);
	a->ncall--;
	measure(a, call);
	if (call->request == NULL)
		a->nlate--;
	forget_heavy(a, call);
	return call;
}

void agent_call_undo(struct agent *a)
{
	struct call *call = LIST_ENTRY(a->calls.prev, struct call, node);

	list_del(&call->node);
	a->ncall--;
	forget_heavy(a, call);
	free(call);
}

void agent_call_free(struct agent *a, struct call *call)
{
	free(call);
}

/* A request that waits too long is answered; the call keeps its place for the answer that is still
 * owed. */
static void expire_calls(struct agent *a, uint64_t now_ms)
{
	uint64_t timeout_ms = server_timeout_ms(a->server);
	struct answer answer = {.status = PM_ERR_TIMEOUT};

	if (timeout_ms == 0)
		return;
	LIST_FOR_EACH (pos, &a->calls) {
		struct call *call = LIST_ENTRY(pos, struct call, node);
		struct call late = *call;

		if (call->request == NULL)
			continue;
		if (now_ms - call->sent_ms < timeout_ms)
			break;
		if (a->nlate == 0 && may_say(a, AGENT_SAYS_LATE))
			log_error("Agent \"%s\" (dom %u) has not answered within %u s",
				  a->config->label, a->config->domain, a->server->timeout_s);
		call->request = NULL;
		forget_heavy(a, call);
		a->nlate++;
		agent_record_timeout(&a->record, loop_now_ms(&a->server->loop));
		call_answer(&late, &answer);
		/* An answer may end its client, and if memory for that notice is short, the
		 * agent. */
		if (a->state == AGENT_DOWN)
			return;
	}
}

static bool is_silent(const struct agent *a, uint64_t now_ms)
{
	const struct call *oldest;
	uint64_t since;

	if (a->nlate == 0 || a->server->silence_ms == 0)
		return false;
	oldest = LIST_ENTRY(a->calls.next, struct call, node);
	since = a->heard_ms > oldest->sent_ms ? a->heard_ms : oldest->sent_ms;
	return now_ms - since >= a->server->silence_ms;
}

bool agent_tick(struct agent *a, uint64_t now_ms)
{
	bool more = a->ops->tick != NULL && a->ops->tick(a, now_ms);

	expire_calls(a, now_ms);
	if (is_silent(a, now_ms)) {
		log_error("Agent \"%s\" (dom %u) was silent for %u s: ended", a->config->label,
			  a->config->domain, (unsigned int)(a->server->silence_ms / 1000));
		if (a->pid > 0)
			kill(a->pid, SIGKILL);
		agent_fail(a, AGENT_END_PROTOCOL, PM_ERR_TIMEOUT, "terminated");
	}
	return more || a->ncall > 0;
}
