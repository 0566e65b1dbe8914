/*
 * pmcd_link - a thread for what may wait: connecting, questions about metadata, and all that is
 * asked of agents in our own process (-o). Values come by a line of the loop's own (fetch_line.h).
 *
 *     loop                        link's thread
 *     link_post(job)  ---------->  job->run()      may wait for the collector: PMCD_REQUEST_TIMEOUT
 *     job->done()     <----------
 *
 * Jobs run one after the other, in the order in which they were posted. A stuck collector holds up
 * this thread and nothing else. While a job runs, what it points to is the thread's.
 */
#ifndef PMLOGGER_PMCD_LINK_H
#define PMLOGGER_PMCD_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <uv.h>

struct pmcd_link;

struct link_job {
	struct link_job *next;
	/* In the thread; what it returns is err. */
	int (*run)(struct link_job *job, struct pmcd_link *link);
	/* In the loop; the job is the caller's again. */
	void (*done)(struct link_job *job);
	int err;
	bool waited_for;
	bool finished;
};

/* A link without a context. 0 or -errno. The loop must outlive it. */
int pmcd_link_new(uv_loop_t *loop, struct pmcd_link **ret_link);

/* Queues a job. After pmcd_link_end none is run any more. */
void pmcd_link_post(struct pmcd_link *link, struct link_job *job);

/* Queues a job and waits for its end, at most timeout_ms (0: as long as it takes): its err;
 * -ETIMEDOUT, and then the job must stay where it is for ever. done is not called. */
int pmcd_link_call(struct pmcd_link *link, struct link_job *job, unsigned int timeout_ms);

/*
 * Ends the thread, frees the link. A thread that is stuck is left alone (-ETIMEDOUT): the process
 * is about to end. Jobs that did not run are dropped.
 */
int pmcd_link_end(struct pmcd_link *link, unsigned int timeout_ms);

/*
 * For jobs.
 */

/* Makes the context: type and name as of pmNewContext. 0 or its error. */
int pmcd_link_open(struct pmcd_link *link, int type, const char *name);

/*
 * The context is the thread's, and connected: after a loss a new connection is tried, not more
 * often than the library's back-off allows. 0; -ETIMEDOUT.
 */
int pmcd_link_ready(struct pmcd_link *link);

/* The same for a connection that may be lost, although no request has failed yet: it is made
 * again. */
int pmcd_link_renew(struct pmcd_link *link);

/* True if an error of the library means that the connection is gone; remembers it then. */
bool pmcd_link_lost(struct pmcd_link *link, int err);

/* How many times the connection was made again. */
unsigned int pmcd_link_reconnects(const struct pmcd_link *link);

/* Whose profile the context has, by a number of its owner; 0: all instances of all domains. */
uint64_t pmcd_link_profile(const struct pmcd_link *link);
void pmcd_link_set_profile(struct pmcd_link *link, uint64_t owner);

/*
 * The other end: the context is made, and what the collector says of itself (docs/spec/logger.md
 * A6)
 */

enum { LINK_HOST_TEXT = 256 };

struct link_host {
	struct link_job job;
	int type;         /* of pmNewContext */
	const char *name; /* its name */
	/* For PM_CONTEXT_LOCAL: agents are the thread's that first spoke of them. */
	const char *const *specs;
	unsigned int nspec;
	/* The result. */
	char host[LINK_HOST_TEXT];     /* as the collector calls itself */
	char timezone[LINK_HOST_TEXT]; /* empty: unknown */
	char zoneinfo[LINK_HOST_TEXT];
};

/* A job: 0, or why there is no context. Fields that the collector does not report are empty. */
int link_host_run(struct link_job *job, struct pmcd_link *link);

/* Which run of the collector it is, and its time: for the first and the last record. */
struct link_pulse {
	struct link_job job;
	uint64_t pid; /* pmcd.pid and pmcd.seqnum; 0: unknown */
	uint32_t seqnum;
	struct timespec stamp;
};

/* A job: 0, or why nothing came. */
int link_pulse_run(struct link_job *job, struct pmcd_link *link);

#endif
