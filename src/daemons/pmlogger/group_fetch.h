/*
 * group_fetch - the values of a group of metrics, with its profile: over a connection that the loop
 * serves by itself, or as a job of the worker where there is none (fetch_conn.h), and for a group
 * with derived metrics: the library computes these in the context of the worker.
 */
#ifndef PMLOGGER_GROUP_FETCH_H
#define PMLOGGER_GROUP_FETCH_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/fetch_conn.h"
#include "daemons/pmlogger/worker.h"

struct fetch_group;

struct group_fetch {
	struct worker_job job;
	struct worker *worker;
	struct fetch_conn conn;
	bool by_conn;
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
	void (*hung_up)(struct group_fetch *f, int err); /* while nothing was asked for */
};

/* done as of a job, with err 0 or why there is no result; local: of agents in our own process. */
void group_fetch_init(struct group_fetch *f, uv_loop_t *loop, struct worker *worker, bool local,
		      void (*done)(struct worker_job *job),
		      void (*hung_up)(struct group_fetch *f, int err));

/* Fetches f->group, and connects before that if need be. */
void group_fetch_start(struct group_fetch *f);

/* Decodes the received bytes into f->result. 0, or PM_ERR_IPC: the connection is lost. */
int group_fetch_decode(struct group_fetch *f);

/* The connection of the worker was lost: so is this one. */
void group_fetch_lose(struct group_fetch *f);

/* At the end of the loop. */
void group_fetch_done(struct group_fetch *f);

#endif
