/*
 * agent_table - the rows of an agent, compiled: what libpcp_pmda needs (pmdaMetric, pmdaIndom), and
 * the way from a PMID to its row, cluster and instance map. One agent a process image at most is
 * usual, but nothing here is static.
 */
#ifndef LIBPCP_PMDA_AGENT_TABLE_H
#define LIBPCP_PMDA_AGENT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <pitot/agent.h>

#include "libbase/buffer.h"
#include "libbase/hash.h"
#include "libpcp_pmda/agent_cluster.h"
#include "libpcp_pmda/agent_refresh.h"

/* ---- The agent's own metrics ---------------------------------------------------------------- */

/* The agent's metrics about itself: NAME.refresh.*, one instance a cluster. */
enum { SELF_NROWS = 7 };

struct self_rows {
	struct agent_metric rows[SELF_NROWS];
	struct agent_cluster cluster;
	char names[SELF_NROWS][96];
};

/* The cluster of an agent of this name; it points into ret_rows. */
void self_init(struct self_rows *ret_rows, const char *agent_name);

/* ---- The table ------------------------------------------------------------------------------ */

struct agent_row {
	const struct agent_metric *metric;
	struct cluster_state *cluster; /* NULL: the agent's hook has made the row */
	bool plain;                    /* the value is a field of the cluster's structs */
	bool alone;                    /* a call-back computes it, and gets no struct */
	struct agent_call
	    call; /* for that call-back: making it for each call would cost as much as the call */
	struct cluster_state *definer; /* of its instance domain; NULL: none, fixed, or itself */
	int definer_fill;              /* the domain's index in definer->def->fills */
	int fill;                      /* in cluster->def->fills; -1: no instances */
	pmID pmid;                     /* with the domain number */
	char *name;                    /* in the name space; owned */
	uint64_t seq;                  /* the fetch that asked for it last */
};

struct agent_state {
	const struct agent *agent;
	int domain;
	struct agent_row *rows;
	unsigned int nrows;
	pmdaMetric *metrics;              /* one a row, m_user is the row */
	struct hash by_pmid;              /* rows, by PMID without domain */
	const struct agent_row **by_name; /* sorted by name */
	struct indom_state *indoms;
	pmdaIndom *indom_table;
	unsigned int nindoms;
	struct cluster_state *clusters; /* the agent's, and its own metrics' last */
	unsigned int nclusters;
	struct refresh_root root;
	uint64_t seq;       /* fetches */
	struct buffer text; /* the help text given last */
	char dso_name[80];
	char label[64]; /* root of dynamic names, as asked last (agent_names) */
	struct self_rows self;
	const struct agent_hooks *hooks; /* never NULL */
	pmdaExt *ext;
	unsigned int depth;  /* requests that are being served, one inside the other */
	bool stores;         /* a row takes values */
	pmdaNameSpace *tree; /* made by the hook "names"; NULL: not yet, or out of date */
};

/*
 * Compiles the agent's rows for a domain number. Failure: -errno, or -EINVAL after the log
 * lines of agent_check (AGENT_STATIC_ONLY: for the names and texts alone, nothing is opened).
 */
enum { AGENT_STATIC_ONLY = 1u << 0 };
int agent_state_new(const struct agent *agent, int domain, unsigned int flags,
		    struct agent_state **ret_state);
void agent_state_free(struct agent_state *s);

/* The row of a PMID (its domain does not count); NULL if none. */
struct agent_row *agent_row_find(const struct agent_state *s, pmID pmid);

/* Whether the agent's hook has a row for a PMID that is in no table. ret_row is then valid until
 * the next call. */
bool agent_row_make(const struct agent_state *s, pmID pmid, struct agent_row *ret_row);

/* The descriptor of a row of the agent, as in pmdaMetric: the domain's serial is not an identifier
 * yet. */
pmDesc agent_row_desc(const struct agent_row *row);

/* Marks the row as asked for in this fetch (s->seq), and refreshes the cluster that defines its
 * instance domain, once a fetch. */
void agent_row_define(struct agent_state *s, struct agent_row *row);

/* Refreshes the row's own cluster, once a fetch, after agent_row_define of all rows. */
void agent_row_need(struct agent_state *s, struct agent_row *row);

/* ---- Checks (agent_check.c) ----------------------------------------------------------------- */

/*
 * Checks the agent's tables and the metrics that the framework adds (self), for a domain number.
 * 0, -ENOMEM, or -EINVAL after one log line for each fault: the row, what it has, and what was
 * expected. So a faulty row is found at the start, and not as a wrong value or a crash later; the
 * rest of the framework trusts the tables.
 */
int agent_check(const struct agent *agent, const struct agent_cluster *self, int domain);

#endif
