/*
 * agent_calls - questions to an agent: asking, the queue of calls that wait for an answer, and
 * their deadlines.
 */
#include "daemons/pmcd/agent.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"

int agent_ask(struct agent *a, struct request *req, unsigned int part, const struct question *q)
{
	const struct call call = {.request = req,
				  .part = part,
				  .answered = req->answer,
				  .want = q->want,
				  .heavy = req->heavy};
	int r;

	if (agent_backlog(a) > AGENT_BACKLOG_MAX)
		return PM_ERR_AGAIN;
	r = agent_send_notices_of(a, req->ctx);
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
	r = agent_send_notices_of(a, ctx);
	if (r < 0) {
		profile_put(pool, profile);
		return r;
	}
	body.profile.slot = slot;
	body.profile.profile = profile->p;
	/* An agent in this process keeps a pointer to it: the old one goes last. */
	old = a->profile;
	a->profile = profile;
	r = a->ops->notify(a, ctx, PDU_PROFILE, &body);
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
	call->sent_idle_ns = loop_idle_ns(&a->server->loop);
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
 * A process answers one call after the other: it began with this one when it had answered the one
 * before. Only the time counts in which the loop was idle: an answer also waits while the collector
 * serves others, and a light client beside many heavy ones must not be taken for a heavy one for
 * that.
 */
static void calls_measure(struct agent *a, struct call *call)
{
	uint64_t begun_ns =
	    a->answered_idle_ns > call->sent_idle_ns ? a->answered_idle_ns : call->sent_idle_ns;
	uint64_t idle_ns = loop_idle_ns(&a->server->loop);

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
	calls_measure(a, call);
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
		if (a->nlate == 0 && agent_may_log(a, AGENT_LOG_LATE))
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
	since = a->received_ms > oldest->sent_ms ? a->received_ms : oldest->sent_ms;
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
