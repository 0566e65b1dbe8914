/*
 * link_fetch - the values of a group of metrics, with its profile: over a line that the loop serves
 * by itself, or as a job of the link where there is none (fetch_line.h), and for a group with
 * derived metrics: the library computes these in the context of the link.
 */
#ifndef PMLOGGER_LINK_FETCH_H
#define PMLOGGER_LINK_FETCH_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/fetch_line.h"
#include "daemons/pmlogger/pmcd_link.h"

struct fetch_group;

struct link_fetch {
	struct link_job job;
	struct pmcd_link *link;
	struct fetch_line line;
	bool by_line;
	const struct fetch_group *group;
	/* The result. */
	const uint8_t
	    *pdu; /* the reply as it is, borrowed for the call of done; NULL: see result */
	size_t len;
	pmHighResResult *result; /* owned by the caller; NULL after an error */
	unsigned int changes;    /* PMCD_* bits */
	unsigned int reconnects; /* of both connections */
	unsigned int line_reconnects;
	unsigned int link_reconnects;
	bool lost; /* the error is that of a connection which is gone */
	void (*hung_up)(struct link_fetch *f, int err); /* while nothing was asked for */
};

/* done as of a job, with err 0 or why there is no result; local: of agents in our own process. */
void link_fetch_init(struct link_fetch *f, uv_loop_t *loop, struct pmcd_link *link, bool local,
		     void (*done)(struct link_job *job),
		     void (*hung_up)(struct link_fetch *f, int err));

/* Fetches f->group, and connects before that if need be. */
void link_fetch_start(struct link_fetch *f);

/* Makes f->result from what came as bytes. 0; PM_ERR_IPC, and then it is lost. */
int link_fetch_decode(struct link_fetch *f);

/* The connection of the link was lost: so is this one. */
void link_fetch_lose(struct link_fetch *f);

/* At the end of the loop. */
void link_fetch_done(struct link_fetch *f);

#endif
