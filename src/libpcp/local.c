/*
 * local - see local.h. This file opens and closes contexts, and changes the list of agents as
 * options want it (docs/spec/pmapi.md 3.5): clear | add,domain,path,init | del,[domain][,path].
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

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/list.h"
#include "libpcp/local_agent.h"
#include "libpcp/namespace.h"

struct local {
	struct list node; /* in open_contexts */
	int handle;
};

/* Guarded by the rule of one thread, as the agents are. */
static struct list open_contexts = {&open_contexts, &open_contexts};

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
static void local_end_all(void)
{
	if (local_agent_thread() < 0)
		return;
	LIST_FOR_EACH (pos, &open_contexts)
		tell_all_of_end(LIST_ENTRY(pos, struct local, node)->handle);
}

static void end_at_exit(void)
{
	atexit(local_end_all);
}

static void local_close(struct context *ctx)
{
	struct local *local = ctx->source;

	/* Another thread must not call the agents: they are informed when the process ends. */
	if (local == NULL || local_agent_thread() < 0)
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
	int r = local_agent_thread();

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
	/* Registered after the exit functions of the agents, so that it runs before them. */
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

/* ---- pmSpecLocalPMDA ------------------------------------------------------------------------ */

enum { DOMAIN_MAX = 510 };

/* The text of a code, valid until the next one. */
static const char *spec_failed(int r)
{
	static char text[PM_MAXERRMSGLEN + 32];
	char why[PM_MAXERRMSGLEN];

	if (r >= 0)
		return NULL;
	pmsprintf(text, sizeof(text), "__pmLocalPMDA: %s", pmErrStr_r(r, why, sizeof(why)));
	return text;
}

/* The domain at *p, which may be missing (-1); *p moves to the text after it. */
static const char *take_domain(const char **p, int *ret_domain)
{
	char *end;
	long domain = strtol(*p, &end, 10);

	*ret_domain = end == *p ? -1 : (int)domain;
	if ((end != *p && (domain < 0 || domain > DOMAIN_MAX)) || (*end != ',' && *end != '\0'))
		return "bad domain in spec";
	*p = end;
	return NULL;
}

static const char *spec_add(const char *rest)
{
	AUTO_FREE char *path = NULL;
	const char *comma;
	const char *why;
	int domain;

	why =
	    *rest == '\0' || *rest == ',' ? "missing domain in spec" : take_domain(&rest, &domain);
	if (why != NULL)
		return why;
	if (*rest == '\0' || rest[1] == '\0' || rest[1] == ',')
		return "missing dso-path in spec";
	comma = strchr(++rest, ',');
	if (comma == NULL || comma[1] == '\0')
		return "missing init-routine in spec";
	path = strndup(rest, (size_t)(comma - rest));
	if (path == NULL)
		return "strdup failed";
	return spec_failed(local_agent_add(path, domain, path, comma + 1));
}

static const char *spec_del(const char *rest)
{
	const char *path = NULL;
	const char *why;
	int domain = -1;

	why = *rest == '\0' ? "missing domain in spec" : take_domain(&rest, &domain);
	if (why != NULL)
		return why;
	if (domain < 0 && *rest == ',' && rest[1] != '\0')
		path = rest + 1;
	if (domain < 0 && path == NULL)
		return "missing domain and dso-path in spec";
	return spec_failed(local_agent_del(domain, path));
}

static const char *spec_clear(const char *rest)
{
	if (*rest != '\0')
		return "unexpected text after clear op in spec";
	local_agent_clear();
	return NULL;
}

/* clang-format off */
static const struct {
	const char *word;
	bool more; /* a comma and arguments follow */
	const char *(*run)(const char *rest);
} spec_ops[] = {
	{ "clear", false, spec_clear },
	{ "add",   true,  spec_add },
	{ "del",   true,  spec_del },
};
/* clang-format on */

static const char *spec_run(const char *spec)
{
	for (size_t i = 0; i < ARRAY_SIZE(spec_ops); i++) {
		size_t len = strlen(spec_ops[i].word);

		if (strncmp(spec, spec_ops[i].word, len) != 0)
			continue;
		if (spec_ops[i].more && spec[len] != ',')
			return "expected , after op in spec";
		return spec_ops[i].run(spec + len + spec_ops[i].more);
	}
	return "bad op in spec";
}

char *pmSpecLocalPMDA(const char *spec)
{
	int r = local_agent_thread();

	if (r == 0)
		r = local_agent_configure();
	/* Without a configuration the list begins empty; the context will return the reason. */
	return (char *)(r == PM_ERR_THREAD ? spec_failed(r) : spec_run(spec));
}
