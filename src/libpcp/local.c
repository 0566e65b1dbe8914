/*
 * local - see local.h. This file opens and closes.
 *
 * A context is a client of its agents: those that ask for it are sent the client's identity, and
 * all are informed when it ends, at the latest with the process.
 */
#include "libpcp/local.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libbase/list.h"
#include "libpcp/local_agent.h"
#include "libpcp/namespace.h"

struct local {
	struct list node; /* in open_contexts */
	int handle;
};

/* Guarded by the rule of one thread, as the agents are. */
static struct list open_contexts = {&open_contexts, &open_contexts};

int local_begin(void)
{
	return local_agent_thread();
}

int local_agent_for(const struct context *ctx, unsigned int domain, struct local_agent **ret_agent)
{
	struct local_agent *agent;
	int r = local_begin();

	if (r < 0)
		return r;
	agent = local_agent_find(domain);
	if (agent == NULL)
		return PM_ERR_NOAGENT;
	local_agent_set_context(agent, ctx->handle);
	*ret_agent = agent;
	return 0;
}

int local_give_profile(struct context *ctx, struct local_agent *agent)
{
	int r;

	if (!ctx->profile_sent) {
		for (struct local_agent *a = local_agent_first(); a != NULL; a = a->next)
			a->profile_of = a->profile_of == ctx->handle ? -1 : a->profile_of;
		ctx->profile_sent = true;
	}
	if (agent->profile_of == ctx->handle)
		return 0;
	r = agent->dispatch.version.any.profile(&ctx->profile, local_agent_ext(agent));
	if (r < 0)
		return r;
	agent->profile_of = ctx->handle;
	return 0;
}

static void tell_attribute(struct local_agent *agent, int handle, int key, const char *value)
{
	int len = value == NULL ? 0 : (int)strlen(value) + 1;

	agent->dispatch.version.six.attribute(handle, key, value, len, local_agent_ext(agent));
}

static void tell_number(struct local_agent *agent, int handle, int key, unsigned int number)
{
	char text[16];

	pmsprintf(text, sizeof(text), "%u", number);
	tell_attribute(agent, handle, key, text);
}

/* The identity of the client: this process. */
static void tell_client(struct local_agent *agent, int handle)
{
	unsigned int flags = agent->dispatch.comm.flags;
	const char *container = getenv("PCP_CONTAINER");

	if (!local_agent_has(agent, PMDA_INTERFACE_6))
		return;
	local_agent_set_context(agent, handle);
	if (container != NULL && (flags & (PMDA_FLAG_CONTAINER | PMDA_FLAG_AUTHORIZE)) != 0)
		tell_attribute(agent, handle, PMDA_ATTR_CONTAINER, container);
	if ((flags & PMDA_FLAG_AUTHORIZE) == 0)
		return;
	tell_number(agent, handle, PMDA_ATTR_USERID, getuid());
	tell_number(agent, handle, PMDA_ATTR_GROUPID, getgid());
	tell_number(agent, handle, PMDA_ATTR_PROCESSID, (unsigned int)getpid());
}

/* The context is gone, and its profile with it. */
static void tell_end(struct local_agent *agent, int handle)
{
	pmdaExt *ext = local_agent_ext(agent);

	if (agent->profile_of == handle) {
		agent->profile_of = -1;
		if (ext != NULL)
			ext->e_prof = NULL;
	}
	local_agent_set_context(agent, handle);
	if (local_agent_has(agent, PMDA_INTERFACE_5) && ext != NULL && ext->e_endCallBack != NULL)
		ext->e_endCallBack(handle);
}

static void tell_all_of_end(int handle)
{
	for (struct local_agent *a = local_agent_first(); a != NULL; a = a->next) {
		if (a->up)
			tell_end(a, handle);
	}
}

/* For contexts that are open at the end of the process. Its memory is left alone. */
static void end_all(void)
{
	if (local_begin() < 0)
		return;
	LIST_FOR_EACH (pos, &open_contexts)
		tell_all_of_end(LIST_ENTRY(pos, struct local, node)->handle);
}

static void end_at_exit(void)
{
	atexit(end_all);
}

static void local_close(struct context *ctx)
{
	struct local *local = ctx->source;

	/* Another thread can't call the agents: they learn of it with the process. */
	if (local == NULL || local_begin() < 0)
		return;
	tell_all_of_end(ctx->handle);
	list_del(&local->node);
	free(local);
	ctx->source = NULL;
}

static int local_open(struct context *ctx, const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct local *local;
	int r = local_begin();

	if (r == 0)
		r = local_agent_load_all();
	if (r < 0)
		return r;
	local = malloc(sizeof(*local));
	if (local == NULL)
		return -ENOMEM;
	local->handle = ctx->handle;
	list_add_tail(&open_contexts, &local->node);
	ctx->source = local;
	for (struct local_agent *a = local_agent_first(); a != NULL; a = a->next) {
		if (a->up)
			tell_client(a, ctx->handle);
	}
	/* After the agents' own, which they registered when they were loaded. */
	pthread_once(&once, end_at_exit);
	return 0;
}

static int local_dup(struct context *ctx, const struct context *from)
{
	return local_open(ctx, NULL);
}

static int local_reconnect(struct context *ctx)
{
	return 0;
}

static int local_set_mode(struct context *ctx, int mode, const struct timespec *when,
			  const struct timespec *delta)
{
	return PM_ERR_MODE;
}

static int local_host_name(struct context *ctx, char *buf, size_t size)
{
	return gethostname(buf, size) < 0 ? -errno : 0;
}

const struct context_ops local_ops = {
    .open = local_open,
    .dup = local_dup,
    .reconnect = local_reconnect,
    .close = local_close,
    .set_mode = local_set_mode,
    .host_name = local_host_name,
    .location = local_location,
    .lookup_names = local_lookup_names,
    .name_all = local_name_all,
    .children = local_children,
    .traverse = local_traverse,
    .desc = local_desc,
    .descs = local_descs,
    .instances = local_instances,
    .text = local_text,
    .labels = local_labels,
    .fetch = local_fetch,
    .store = local_store,
};
