/*
 * ext - the library's data for one agent, at pmdaExt.e_ext (docs/spec/pmda.md 3.2).
 *
 * Made by pmdaDaemon or pmdaDSO, never freed: an agent lives as long as its process or its loader.
 */
#ifndef LIBPCP_PMDA_EXT_H
#define LIBPCP_PMDA_EXT_H

#include <stdbool.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libbase/arena.h"
#include "libpcp_pmda/channel.h"
#include "libpcp_pmda/dynamic.h"
#include "libpcp_pmda/fetch_report.h"
#include "libpcp_pmda/iterate.h"
#include "libpcp_pmda/lookup.h"
#include "libpcp_pmda/values.h"

enum { EXT_SETS_LEN = 16 };

struct ext {
	pmdaInterface *dispatch; /* back pointer; pmdaInterfaceMoved keeps it true */
	pmdaExt *public;         /* the part that agents see */
	struct ext *next;        /* in the list of all agents of the process */
	pmResult *result;        /* the skeleton that pmdaFetch returns */
	int result_cap;          /* pmids it has room for */
	struct pmid_map hashed;  /* PMDA_EXT_FLAG_HASHED: what the last rehash saw */
	struct pmid_map linear;  /* speeds up the linear search, which stays the judge */
	struct values values;    /* memory of value sets and value blocks */
	int (*refresh)(int numpmid, pmID *pmids, pmdaExt *ext); /* agent_set_refresh; or NULL */
	uint32_t sets_len[EXT_SETS_LEN]; /* bytes of sets in answers, by request; 0: unknown */
	struct channel channel;          /* to the collector of a daemon */
	struct arena mem;                /* of the request being served */
	pmProfile *profile;              /* last one received by the main loop */
	struct iterate walk;             /* of __pmdaStartInst and __pmdaNextInst */
	pmdaIndom walk_indom;            /* what e_idp shows while a cache is walked */
	struct dynamic_list dynamic;     /* names and metrics that the agent makes */
	bool describing;                 /* a fetch asks the method for a descriptor */
	struct logged logged;            /* the messages about fetches that were logged */
	bool foreign_logged;             /* the log says that another domain is asked for */
	pmdaMetric *generated;           /* the table with them, or NULL; never the agent's own */
	void *data;                      /* the agent's: pmdaSetData */
};

static inline struct ext *ext_of(const pmdaExt *ext)
{
	return ext->e_ext;
}

/* The interface version of the agent that owns ext. */
static inline int ext_version(const pmdaExt *ext)
{
	return ext_of(ext)->dispatch->comm.pmda_interface;
}

static inline bool interface_supported(int version)
{
	return version >= PMDA_INTERFACE_2 && version <= PMDA_INTERFACE_LATEST;
}

/* A metric's row by the agent's strategy (7.7); NULL if its table has no such metric. */
static inline pmdaMetric *lookup_metric(pmdaExt *ext, pmID pmid)
{
	if (ext->e_flags & PMDA_EXT_FLAG_HASHED)
		return pmid_map_find(&ext_of(ext)->hashed, pmid);
	return ext->e_direct ? lookup_direct(ext, pmid)
			     : lookup_linear(ext, &ext_of(ext)->linear, pmid);
}

/* agent_set_refresh() (setup.c), for the table framework: agent_request.c declares it as weak. */
void setup_set_refresh(pmdaInterface *dispatch,
		       int (*refresh)(int numpmid, pmID *pmids, pmdaExt *));

/* Makes the context of the request known to pmdaGetContext, from interface 5 on (9.3). */
void ext_set_context(const pmdaExt *ext);

/* The commonest end of a set-up function: a critical message and a bad status. */
#define DISPATCH_FAIL(dispatch, ...)                                                               \
	do {                                                                                       \
		pmNotifyErr(LOG_CRIT, __VA_ARGS__);                                                \
		(dispatch)->status = PM_ERR_GENERIC;                                               \
	} while (0)

#endif
