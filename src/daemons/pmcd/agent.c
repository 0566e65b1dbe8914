/* agent - see agent.h. */
#include "daemons/pmcd/agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"

/*
 * Notices that were not sent yet
 */

enum {
	NOTICES_SIZE_MIN = 64,
};

static int notices_grow(struct notices *n, unsigned int index)
{
	unsigned int size = n->size < NOTICES_SIZE_MIN ? NOTICES_SIZE_MIN : n->size;
	unsigned char *of;

	while (size <= index)
		size *= 2;
	of = realloc(n->of, size);
	if (of == NULL)
		return -ENOMEM;
	memset(of + n->size, 0, size - n->size);
	n->of = of;
	n->size = size;
	return 0;
}

/* Notes bits for an index. 0, or -ENOMEM: they have to be sent at once. */
static int notices_note(struct notices *n, unsigned int index, unsigned int bits)
{
	if (index >= n->size && notices_grow(n, index) < 0)
		return -ENOMEM;
	n->count += n->of[index] == 0;
	n->of[index] |= (unsigned char)bits;
	return 0;
}

/* Takes what there is for an index; 0: nothing. */
static unsigned int notices_take(struct notices *n, unsigned int index)
{
	unsigned int bits = index < n->size ? n->of[index] : 0;

	if (bits != 0) {
		n->of[index] = 0;
		n->count--;
	}
	return bits;
}

/* An index at or after from with any notice, -1 if there is none. */
static long notices_next(const struct notices *n, unsigned int from)
{
	for (unsigned int i = from; n->count > 0 && i < n->size; i++) {
		if (n->of[i] != 0)
			return (long)i;
	}
	return -1;
}

/* Forgets everything. */
static void notices_done(struct notices *n)
{
	free(n->of);
	*n = (struct notices){0};
}

/*
 * Life
 */

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
	a->received_ms = a->started_ms;
	r = a->ops->start(a);
	if (r < 0)
		agent_fail(a, AGENT_END_NOSTART, r, "terminated");
}

static void send_all_attributes(struct agent *a)
{
	struct server *server = a->server;

	for (unsigned int i = 0; a->attributes && i < server->clients.nslot; i++) {
		if (server->clients.all[i] != NULL)
			agent_send_attributes(a, server->clients.all[i]);
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
	clients_change_all(server, PMCD_ADD_AGENT);
	send_all_attributes(a);
}

bool agent_may_log(struct agent *a, enum agent_log what)
{
	uint64_t now_ms = loop_now_ms(&a->server->loop);

	if (a->logged_ms[what] != 0 && now_ms - a->logged_ms[what] < AGENT_LOG_MS)
		return false;
	a->logged_ms[what] = now_ms;
	return true;
}

static void log_readiness(struct agent *a, bool ready)
{
	if (agent_may_log(a, ready ? AGENT_LOG_READY : AGENT_LOG_NOTREADY))
		log_info("Agent \"%s\" (dom %u) is %s", a->config->label, a->config->domain,
			 ready ? "ready" : "not ready");
}

void agent_ready(struct agent *a, bool ready)
{
	a->state = ready ? AGENT_READY : AGENT_NOTREADY;
	log_readiness(a, ready);
	if (!ready)
		return;
	a->server->agents.ready(a->server);
	/* Clients that came meanwhile: the agent must not take one for its predecessor. */
	send_all_attributes(a);
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
	endings_add(&server->agents.endings, a, what);
	a->ops->stop(a);
	if (was_up)
		clients_change_all(server, PMCD_DROP_AGENT);
	a->wants_restart = true;
	loop_want_tick(&server->loop);
	fail_calls(a, code);
}

void agent_check_domain(struct agent *a, pmID pmid)
{
	if (pmID_domain(pmid) == a->config->domain || a->foreign_logged)
		return;
	a->foreign_logged = true;
	log_error(
	    "Agent \"%s\" (dom %u) has metrics of domain %u: its line in the configuration and "
	    "the agent (option -d) must have the same domain",
	    a->config->label, a->config->domain, pmID_domain(pmid));
}

size_t agent_backlog(const struct agent *a)
{
	return a->ops->backlog != NULL && a->impl != NULL ? a->ops->backlog(a) : 0;
}

int agent_refusal(const struct agent *a)
{
	if (a->state == AGENT_DOWN)
		return PM_ERR_NOAGENT;
	if (a->fenced)
		return PM_ERR_PMDAFENCED;
	if (a->state != AGENT_READY || a->nlate > 0 || agent_backlog(a) > AGENT_BACKLOG_MAX)
		return PM_ERR_AGAIN;
	return 0;
}

void agent_note_use(const struct agent *a, struct client *c)
{
	if (c != NULL)
		c->used_agents |= UINT64_C(1) << (a->index & 63);
}

static int send_attribute(struct agent *a, struct client *c, int32_t key, const char *value)
{
	union pdu_body body;

	/* Towards an agent the terminating NUL is counted (docs/spec/pdu.md 5.14). */
	body.attr.key = key;
	body.attr.value.s = value;
	body.attr.value.len = (uint32_t)strlen(value) + 1;
	return a->ops->notify(a, c->index, PDU_ATTR, &body);
}

static int send_number(struct agent *a, struct client *c, int32_t key, unsigned long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lu", value);
	return send_attribute(a, c, key, text);
}

static int send_attributes(struct agent *a, struct client *c)
{
	int r = 0;

	if (c->account.known) {
		r = send_number(a, c, PDU_ATTR_USERID, c->account.uid);
		if (r == 0)
			r = send_number(a, c, PDU_ATTR_GROUPID, c->account.gid);
		if (r == 0)
			r = send_number(a, c, PDU_ATTR_PROCESSID, (unsigned long)c->pid);
	}
	if (r == 0 && c->container != NULL)
		r = send_attribute(a, c, PDU_ATTR_CONTAINER, c->container);
	return r;
}

static int send_gone(struct agent *a, unsigned int ctx)
{
	union pdu_body body = {.error = {.code = PM_ERR_NOTCONN}};

	return a->ops->notify(a, ctx, PDU_ERROR, &body);
}

/* An agent that cannot be informed of its clients must not answer any more. */
static void defer_notices(struct agent *a, unsigned int ctx, unsigned int bits)
{
	if (notices_note(&a->notices, ctx, bits) == 0)
		return;
	log_often("No memory to tell agents of their clients");
	agent_fail(a, AGENT_END_PROTOCOL, PM_ERR_IPC, "terminated");
}

int agent_send_notices_of(struct agent *a, unsigned int ctx)
{
	unsigned int bits = notices_take(&a->notices, ctx);
	struct client *c = ctx < a->server->clients.nslot ? a->server->clients.all[ctx] : NULL;
	int r = 0;

	if ((bits & NOTICES_GONE) != 0)
		r = send_gone(a, ctx);
	if (r == 0)
		bits &= ~(unsigned int)NOTICES_GONE;
	if (r == 0 && (bits & NOTICES_ATTRIBUTES) != 0 && c != NULL)
		r = send_attributes(a, c);
	if (r < 0)
		defer_notices(a, ctx, bits);
	return r;
}

/* It is informed of clients when it has read more, or is asked for the client in question. */
static bool has_backlog(const struct agent *a)
{
	return agent_backlog(a) > AGENT_NOTICES_MAX;
}

void agent_send_notices(struct agent *a)
{
	long ctx = 0;

	while (!has_backlog(a) && (ctx = notices_next(&a->notices, (unsigned int)ctx)) >= 0) {
		if (agent_send_notices_of(a, (unsigned int)ctx) < 0)
			return;
	}
}

void agent_send_attributes(struct agent *a, struct client *c)
{
	if (!a->attributes || a->state != AGENT_READY || c->state != CLIENT_SERVED)
		return;
	agent_note_use(a, c);
	if (has_backlog(a) || agent_send_notices_of(a, c->index) < 0 || send_attributes(a, c) < 0)
		defer_notices(a, c->index, NOTICES_ATTRIBUTES);
}

void agent_forget_client(struct agent *a, unsigned int ctx)
{
	if (a->state < AGENT_NOTREADY)
		return;
	notices_take(&a->notices, ctx); /* its pending notices have no meaning any more */
	if (has_backlog(a) || send_gone(a, ctx) < 0)
		defer_notices(a, ctx, NOTICES_GONE);
}

void agents_dump(struct server *server, struct buffer *out)
{
	buffer_printf(out, "\nactive agent dom   pid  in out ver protocol parameters\n"
			   "============ === ===== === === === ======== ==========\n");
	for (unsigned int i = 0; i < server->agents.count; i++) {
		const struct agent *a = server->agents.all[i];

		if (a->state == AGENT_DOWN)
			continue;
		buffer_printf(out, "%-12s %3u", a->config->label, a->config->domain);
		a->ops->describe(a, out);
		buffer_printf(out, "\n");
	}
	buffer_printf(out, "\n");
}
