/*
 * local_agent - the agents that are loaded into this process for contexts of type PM_CONTEXT_LOCAL
 * (docs/spec/pmapi.md 3.5, docs/spec/pmda.md 9.5).
 *
 * pmcd's configuration has the list; pmSpecLocalPMDA changes it. They are loaded when the first
 * context is made, and stay: an agent may have threads and files open, so one that is taken out of
 * the list is no longer asked, but remains in the process.
 *
 * Agents are not thread-safe: the thread that comes first owns them, and every other one is refused
 * (local_agent_thread). This file takes no lock, so that an agent may call this library.
 */
#ifndef LIBPCP_LOCAL_AGENT_H
#define LIBPCP_LOCAL_AGENT_H

#include <stdbool.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libpcp/context.h"

struct local_agent {
	struct local_agent *next;
	char *label; /* its name in the configuration */
	char *path;
	char *init;
	int domain;
	bool tried; /* to load it */
	bool up;
	int profile_of;         /* the context whose profile it has; -1: none */
	pmdaInterface dispatch; /* its address is known to the agent: it never moves */
};

/* 0, or PM_ERR_THREAD in another thread than the first. */
int local_agent_thread(void);

/*
 * Reads the configuration, once, and loads the agents that are not loaded yet. One that cannot be
 * loaded is reported and left out. 0, -errno for a configuration that cannot be read,
 * PM_ERR_GENERIC where it has no place.
 */
int local_agent_load_all(void);

/* The list, to be walked. */
struct local_agent *local_agent_first(void);

/* The agent of a domain that answers; NULL: PM_ERR_NOAGENT. */
struct local_agent *local_agent_find(unsigned int domain);

/* True if the agent has the methods of an interface version; and its state, which may be NULL. */
static inline bool local_agent_has(const struct local_agent *agent, unsigned int version)
{
	return agent->dispatch.comm.pmda_interface >= version;
}

static inline pmdaExt *local_agent_ext(const struct local_agent *agent)
{
	return agent->dispatch.version.any.ext;
}

/*
 * The agent of a domain, made ready for calls on behalf of ctx. 0, PM_ERR_THREAD, PM_ERR_NOAGENT.
 */
int local_agent_for(const struct context *ctx, unsigned int domain, struct local_agent **ret_agent);

/* Gives the agent the context's profile, if it has another. 0, or the agent's error. */
int local_agent_give_profile(struct context *ctx, struct local_agent *agent);

/* Says which context the next calls are for. */
void local_agent_set_context(struct local_agent *agent, int handle);

/* Adds an entry at the end. 0 or -ENOMEM. */
int local_agent_add(const char *label, int domain, const char *path, const char *init);

/* Takes out all entries of a domain (-1: of any) with this path (NULL: any). 0 or PM_ERR_INDOM. */
int local_agent_del(int domain, const char *path);

void local_agent_clear(void);

/* Reads the configuration, if that was not done. As local_agent_load_all. */
int local_agent_configure(void);

#endif
