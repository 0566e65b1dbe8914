/*
 * worker - a thread for work that may wait: it connects, asks for metadata, and asks agents in our
 * own process (-o). Values come over a connection that the loop serves (fetch_conn.h).
 *
 *     loop                         worker thread
 *     worker_post(job) --------->  job->run()      may wait for the collector: PMCD_REQUEST_TIMEOUT
 *     job->done()      <---------
 *
 * Jobs run one after the other, in the order in which they were posted. A stuck collector holds up
 * this thread and nothing else. While a job runs, what it points to is the thread's.
 */
#ifndef PMLOGGER_WORKER_H
#define PMLOGGER_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <uv.h>

struct worker;

struct worker_job {
	struct worker_job *next;
	/* In the thread; what it returns is err. */
	int (*run)(struct worker_job *job, struct worker *worker);
	/* In the loop; the job is the caller's again. */
	void (*done)(struct worker_job *job);
	int err;
	bool waited_for;
	bool finished;
};

/* A worker without a context. 0 or -errno. The loop must outlive it. */
int worker_new(uv_loop_t *loop, struct worker **ret_worker);

/* Queues a job. After worker_end none is run any more. */
void worker_post(struct worker *worker, struct worker_job *job);

/* Queues a job and waits for its end, at most timeout_ms (0: as long as it takes): its err;
 * -ETIMEDOUT, and then the job must stay where it is for ever. done is not called. */
int worker_call(struct worker *worker, struct worker_job *job, unsigned int timeout_ms);

/*
 * Ends the thread, frees the worker. A thread that is stuck is left alone (-ETIMEDOUT): the process
 * is about to end. Jobs that did not run are dropped.
 */
int worker_end(struct worker *worker, unsigned int timeout_ms);

/*
 * For jobs.
 */

/* Makes the context: type and name as of pmNewContext. 0 or its error. */
int worker_open(struct worker *worker, int type, const char *name);

/*
 * The context is the thread's, and connected: after a loss a new connection is tried, not more
 * often than the library's back-off allows. 0; -ETIMEDOUT.
 */
int worker_ready(struct worker *worker);

/* The same for a connection that may be lost, although no request has failed yet: it is made
 * again. */
int worker_renew(struct worker *worker);

/* True if an error of the library means that the connection is gone; remembers it then. */
bool worker_lost(struct worker *worker, int err);

/* How many times the connection was made again. */
unsigned int worker_reconnects(const struct worker *worker);

/* Whose profile the context has, by a number of its owner; 0: all instances of all domains. */
uint64_t worker_profile(const struct worker *worker);
void worker_set_profile(struct worker *worker, uint64_t owner);

/*
 * The other end: the context is made, and what the collector says of itself (docs/spec/logger.md
 * A6)
 */

enum { LINK_HOST_TEXT = 256 };

struct worker_host {
	struct worker_job job;
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
int worker_host_run(struct worker_job *job, struct worker *worker);

/* Which run of the collector it is, and its time: for the first and the last record. */
struct worker_pulse {
	struct worker_job job;
	uint64_t pid; /* pmcd.pid and pmcd.seqnum; 0: unknown */
	uint32_t seqnum;
	struct timespec stamp;
};

/* A job: 0, or why nothing came. */
int worker_pulse_run(struct worker_job *job, struct worker *worker);

#endif
