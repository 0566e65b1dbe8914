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
static int may_control(const struct agent_call *call)
{
	const struct client *c = builtin_request(call)->client;

	return c != NULL && client_is_trusted(c) ? 0 : PM_ERR_PERMISSION;
}

CONTROL(timeout)
{
	int r = may_control(call);

	if (r < 0)
		return r;
	if (value->l < 0)
		return PM_ERR_SIGN;
	builtin_server(call)->timeout_s = value->ul;
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
	if (call->inst < 0 || call->inst >= REGISTERS)
		return PM_ERR_INST;
	builtin_registers[call->inst] = value->l;
	return 0;
}

/* arg is the bit. */
CONTROL(trace_bit)
{
	struct trace *t = &builtin_server(call)->trace;
	unsigned int bit = (unsigned int)call->metric->value.arg;
	int r = may_control(call);

	if (r < 0)
		return r;
	if (value->l != 0 && value->l != 1)
		return PM_ERR_BADSTORE;
	t->mask = value->l != 0 ? t->mask | bit : t->mask & ~bit;
	return 0;
}

CONTROL(tracebufs)
{
	int r = may_control(call);

	return r < 0 ? r : trace_resize(&builtin_server(call)->trace, value->l);
}

CONTROL(dumptrace)
{
	int r = may_control(call);

	if (r == 0)
		trace_dump(&builtin_server(call)->trace);
	return r;
}

CONTROL(dumpconn)
{
	int r = may_control(call);

	if (r == 0)
		clients_log(builtin_server(call));
	return r;
}

CONTROL(sighup)
{
	int r = may_control(call);

	if (r == 0)
		builtin_server(call)->reconfigure = true;
	return r;
}

CONTROL(seqnum)
{
	int r = may_control(call);

	if (r == 0)
		builtin_server(call)->counts.seqnum++;
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
	struct server *server = builtin_server(call);
	const struct client *c = builtin_request(call)->client;
	struct agent *a;

	if (c == NULL || !c->account.known || c->account.uid != 0)
		return PM_ERR_PERMISSION;
	if (value->l != 0 && value->l != 1)
		return PM_ERR_BADSTORE;
	if (call->inst == (int)PM_IN_NULL) {
		for (unsigned int i = 0; i < server->agents.count; i++)
			fence(server->agents.all[i], value->l != 0);
		return 0;
	}
	a = call->inst >= 0 ? server_agent(server, (unsigned int)call->inst) : NULL;
	if (a == NULL)
		return PM_ERR_INST;
	fence(a, value->l != 0);
	return 0;
}

CONTROL(ignored)
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
	struct client *c = builtin_request(call)->client;

	return c != NULL ? set_own_text(&c->whoami, value->cp) : 0;
}

CONTROL(container)
{
	struct client *c = builtin_request(call)->client;
	int r;

	if (c == NULL)
		return 0;
	r = set_own_text(&c->container, value->cp);
	if (r == 0)
		c->attributes_changed = true;
	return r;
}
