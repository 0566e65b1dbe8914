/*
 * agent_dso - an agent that is loaded into this process: what its two files share.
 *
 * agent_dso.c loads, starts and stops the object and takes its values; agent_dso_ask.c asks it all
 * other questions.
 */
#ifndef PMCD_AGENT_DSO_H
#define PMCD_AGENT_DSO_H

#include <stdbool.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libbase/list.h"

struct agent;
struct call;
struct question;
struct result_sink;

/* The interface version from which on a method is there. */
enum {
	DSO_HAS_NAMES = PMDA_INTERFACE_4,
	DSO_HAS_CONTEXT = PMDA_INTERFACE_5,
	DSO_HAS_ATTRIBUTES = PMDA_INTERFACE_6,
	DSO_HAS_LABELS = PMDA_INTERFACE_7,
};

/*
 * Values straight into the answer: what our libpcp_pmda brings along for us
 * (libpcp_pmda/fetch.h). 1, or as the agent's fetch method.
 */
typedef int (*dso_fetch_sink)(pmdaInterface *dispatch, int numpmid, pmID *pmids,
			      struct result_sink *sink, pmResult **ret_result,
			      unsigned char *ret_changes);

struct dso {
	struct list node; /* in server->agents.parked, or nowhere */
	char *path, *entry;
	void *handle;
	dso_fetch_sink fetch_sink; /* NULL: its library has no such thing */
	bool up;                   /* its entry point has succeeded */
	pmdaInterface dispatch;    /* its address is known to the agent: it never moves */
};

/* A host result is stored through the same bytes as a high-resolution one. */
_Static_assert(sizeof(struct timeval) == sizeof(struct timespec), "layout of a result");
_Static_assert(offsetof(pmResult, vset) == offsetof(pmHighResResult, vset), "layout of a result");

static inline bool dso_has(const struct dso *d, unsigned int version)
{
	return d->dispatch.comm.pmda_interface >= version;
}

static inline pmdaExt *dso_ext(struct dso *d)
{
	return d->dispatch.version.any.ext;
}

static inline void dso_set_context(struct dso *d, unsigned int ctx)
{
	if (dso_has(d, DSO_HAS_CONTEXT) && dso_ext(d) != NULL)
		dso_ext(d)->e_context = (int)ctx;
}

/* Of struct agent_ops: asks, and answers at once. */
int dso_ask(struct agent *a, const struct call *call, const struct question *q);

#endif
