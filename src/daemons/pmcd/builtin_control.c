/* builtin_control - see builtin_rows.h. */
#include "daemons/pmcd/builtin_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/server.h"

static int debug_bits;

int control_debug_bits(void)
{
	return debug_bits;
}

/* The clients that may change how the collector works (docs/design.md, differences). */
static int may_control(const struct builtin_call *call)
{
	return call->client != NULL && client_is_trusted(call->client) ? 0 : PM_ERR_PERMISSION;
}

CONTROL(timeout)
{
	int r = may_control(call);

	if (r < 0)
		return r;
	if (value->l < 0)
		return PM_ERR_SIGN;
	call->server->timeout_s = value->ul;
	return 0;
}

/* The bits are numbers to pmSetDebug too; all that were set before are off then. */
CONTROL(debug)
{
	char bits[16];
	int r = may_control(call);

	if (r < 0)
		return r;
	snprintf(bits, sizeof(bits), "%u", value->ul);
	pmClearDebug("all");
	r = value->l != 0 ? pmSetDebug(bits) : 0;
	if (r == 0)
		debug_bits = value->l;
	return r;
}

CONTROL(register)
{
	int r = may_control(call);

	if (r < 0)
		return r;
	if (inst < 0 || inst >= REGISTERS)
		return PM_ERR_INST;
	builtin_registers[inst] = value->l;
	return 0;
}

static int control_set_trace(const struct builtin_call *call, unsigned int bit,
			     const pmAtomValue *value)
{
	struct trace *t = &call->server->trace;
	int r = may_control(call);

	if (r < 0)
		return r;
	if (value->l != 0 && value->l != 1)
		return PM_ERR_BADSTORE;
	t->mask = value->l != 0 ? t->mask | bit : t->mask & ~bit;
	return 0;
}

CONTROL(traceconn)
{
	return control_set_trace(call, TRACE_CONNECTIONS, value);
}

CONTROL(tracepdu)
{
	return control_set_trace(call, TRACE_PDUS, value);
}

CONTROL(tracenobuf)
{
	return control_set_trace(call, TRACE_UNBUFFERED, value);
}

CONTROL(tracebufs)
{
	int r = may_control(call);

	return r < 0 ? r : trace_resize(&call->server->trace, value->l);
}

CONTROL(dumptrace)
{
	int r = may_control(call);

	if (r == 0)
		trace_dump(&call->server->trace);
	return r;
}

CONTROL(dumpconn)
{
	int r = may_control(call);

	if (r == 0)
		clients_log(call->server);
	return r;
}

CONTROL(sighup)
{
	int r = may_control(call);

	if (r == 0)
		call->server->reconfigure = true;
	return r;
}

CONTROL(seqnum)
{
	int r = may_control(call);

	if (r == 0)
		call->server->counts.seqnum++;
	return r;
}

static void fence(struct agent *a, bool on)
{
	if (!a->ops->own)
		a->fenced = on;
}

/* One agent, or with the null instance all of them; the collector's own can't be fenced. */
CONTROL(fenced)
{
	struct server *server = call->server;
	struct agent *a;

	if (call->client == NULL || !call->client->account.known || call->client->account.uid != 0)
		return PM_ERR_PERMISSION;
	if (value->l != 0 && value->l != 1)
		return PM_ERR_BADSTORE;
	if (inst == (int)PM_IN_NULL) {
		for (unsigned int i = 0; i < server->agents.count; i++)
			fence(server->agents.all[i], value->l != 0);
		return 0;
	}
	a = inst >= 0 ? server_agent(server, (unsigned int)inst) : NULL;
	if (a == NULL)
		return PM_ERR_INST;
	fence(a, value->l != 0);
	return 0;
}

int builtin_set_ignored(const struct builtin_call *call, const struct builtin_metric *m, int inst,
			const pmAtomValue *value)
{
	return 0;
}

static int set_own_text(char **to, const char *value)
{
	char *copy;

	if (strlen(value) > CLIENT_TEXT_MAX)
		return PM_ERR_TOOBIG;
	copy = strdup(value);
	if (copy == NULL)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

CONTROL(whoami)
{
	return call->client != NULL ? set_own_text(&call->client->whoami, value->cp) : 0;
}

CONTROL(container)
{
	int r;

	if (call->client == NULL)
		return 0;
	r = set_own_text(&call->client->container, value->cp);
	if (r == 0)
		call->client->attributes_changed = true;
	return r;
}
