/* worker - see worker.h. */
#include "daemons/pmlogger/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

struct worker {
	pthread_t thread;
	pthread_mutex_t lock; /* of all that follows, up to the line */
	pthread_cond_t posted;
	pthread_cond_t finished;
	struct worker_job *first, **end;
	struct worker_job *over, **over_end; /* ran: done is to be called */
	bool ending, ended;
	/* ---- */
	uv_async_t async;

	/* The thread's own. */
	int context;
	bool lost;
	unsigned int reconnects;
	uint64_t profile;
};

static struct worker_job *worker_take(struct worker *worker)
{
	struct worker_job *job;

	while (worker->first == NULL && !worker->ending)
		pthread_cond_wait(&worker->posted, &worker->lock);
	if (worker->ending)
		return NULL;
	job = worker->first;
	worker->first = job->next;
	if (worker->first == NULL)
		worker->end = &worker->first;
	return job;
}

/* True if the loop is to be informed. */
static bool worker_give_back(struct worker *worker, struct worker_job *job)
{
	job->next = NULL;
	job->finished = true;
	if (job->waited_for) {
		pthread_cond_broadcast(&worker->finished);
		return false;
	}
	*worker->over_end = job;
	worker->over_end = &job->next;
	return true;
}

/* The lock is free when the other side is woken, which would wait for it at once. */
static void worker_finish(struct worker *worker, struct worker_job *job)
{
	bool tell;

	pthread_mutex_lock(&worker->lock);
	tell = worker_give_back(worker, job);
	pthread_mutex_unlock(&worker->lock);
	if (tell)
		uv_async_send(&worker->async);
	pthread_mutex_lock(&worker->lock);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct worker_job *job;

	pthread_mutex_lock(&worker->lock);
	while ((job = worker_take(worker)) != NULL) {
		pthread_mutex_unlock(&worker->lock);
		job->err = job->run(job, worker);
		worker_finish(worker, job);
	}
	worker->ended = true;
	pthread_cond_broadcast(&worker->finished);
	pthread_mutex_unlock(&worker->lock);
	if (worker->context >= 0)
		pmDestroyContext(worker->context);
	return NULL;
}

/* In the loop. */
static void on_async(uv_async_t *async)
{
	struct worker *worker = async->data;
	struct worker_job *job, *next;

	pthread_mutex_lock(&worker->lock);
	job = worker->over;
	worker->over = NULL;
	worker->over_end = &worker->over;
	pthread_mutex_unlock(&worker->lock);
	for (; job != NULL; job = next) {
		next = job->next;
		job->done(job);
	}
}

/* Signals are the loop's. */
static int worker_start_thread(struct worker *worker)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&worker->thread, NULL, worker_main, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

int worker_new(uv_loop_t *loop, struct worker **ret_worker)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	pthread_condattr_t attr;
	int r;

	if (worker == NULL)
		return -ENOMEM;
	worker->context = -1;
	worker->end = &worker->first;
	worker->over_end = &worker->over;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->posted, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&worker->finished, &attr);
	pthread_condattr_destroy(&attr);
	r = uv_async_init(loop, &worker->async, on_async);
	worker->async.data = worker;
	if (r == 0)
		r = worker_start_thread(worker);
	if (r < 0) {
		free(worker);
		return r;
	}
	*ret_worker = worker;
	return 0;
}

static void queue(struct worker *worker, struct worker_job *job)
{
	job->next = NULL;
	job->finished = false;
	*worker->end = job;
	worker->end = &job->next;
}

void worker_post(struct worker *worker, struct worker_job *job)
{
	pthread_mutex_lock(&worker->lock);
	job->waited_for = false;
	queue(worker, job);
	pthread_mutex_unlock(&worker->lock);
	pthread_cond_signal(&worker->posted);
}

static struct timespec in_ms(unsigned int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

/* Waits until *flag; 0 or -ETIMEDOUT. The lock is held. */
static int worker_wait_for(struct worker *worker, const bool *flag, unsigned int timeout_ms)
{
	struct timespec until = in_ms(timeout_ms);
	int r = 0;

	while (!*flag && r == 0) {
		if (timeout_ms == 0)
			r = pthread_cond_wait(&worker->finished, &worker->lock);
		else
			r = pthread_cond_timedwait(&worker->finished, &worker->lock, &until);
	}
	return *flag ? 0 : -r;
}

int worker_call(struct worker *worker, struct worker_job *job, unsigned int timeout_ms)
{
	int r;

	pthread_mutex_lock(&worker->lock);
	job->waited_for = true;
	queue(worker, job);
	pthread_cond_signal(&worker->posted);
	r = worker_wait_for(worker, &job->finished, timeout_ms);
	pthread_mutex_unlock(&worker->lock);
	return r < 0 ? r : job->err;
}

int worker_end(struct worker *worker, unsigned int timeout_ms)
{
	int r;

	pthread_mutex_lock(&worker->lock);
	worker->ending = true;
	pthread_cond_signal(&worker->posted);
	r = worker_wait_for(worker, &worker->ended, timeout_ms);
	pthread_mutex_unlock(&worker->lock);
	if (r < 0)
		return r;
	pthread_join(worker->thread, NULL);
	uv_close((uv_handle_t *)&worker->async, NULL);
	uv_run(worker->async.loop, UV_RUN_NOWAIT);
	pthread_mutex_destroy(&worker->lock);
	pthread_cond_destroy(&worker->posted);
	pthread_cond_destroy(&worker->finished);
	free(worker);
	return 0;
}

/*
 * For jobs
 */

int worker_open(struct worker *worker, int type, const char *name)
{
	int r = pmNewContext(type, name);

	if (r < 0)
		return r;
	worker->context = r;
	return 0;
}

int worker_ready(struct worker *worker)
{
	int r;

	if (worker->context < 0)
		return PM_ERR_NOCONTEXT;
	if (!worker->lost)
		return 0;
	r = pmReconnectContext(worker->context);
	if (r < 0)
		return r;
	worker->lost = false;
	worker->reconnects++;
	return 0;
}

int worker_renew(struct worker *worker)
{
	worker->lost = true;
	return worker_ready(worker);
}

bool worker_lost(struct worker *worker, int err)
{
	static const int losses[] = {
	    PM_ERR_IPC,  PM_ERR_TIMEOUT, PM_ERR_NOTCONN, -EPIPE,
	    -ECONNRESET, -ETIMEDOUT,     -EBADF,         -ENOTCONN,
	};

	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		if (err == losses[i]) {
			worker->lost = true;
			return true;
		}
	}
	return false;
}

unsigned int worker_reconnects(const struct worker *worker)
{
	return worker->reconnects;
}

uint64_t worker_profile(const struct worker *worker)
{
	return worker->profile;
}

void worker_set_profile(struct worker *worker, uint64_t owner)
{
	worker->profile = owner;
}

/*
 * The other end: the context is made, and what the collector says of itself (docs/spec/logger.md
 * A6)
 */

enum { DOMAIN_PMCD = 2, ITEM_PID = 23, ITEM_SEQNUM = 24 };

/* The value of an instance of a metric of strings; empty if there is none. */
static void fetch_text(const char *metric, int inst, char *buf, size_t size)
{
	pmHighResResult *result;
	pmValueSet *set;
	pmAtomValue atom;
	pmID pmid;

	buf[0] = '\0';
	if (pmLookupName(1, &metric, &pmid) < 0 || pmFetchHighRes(1, &pmid, &result) < 0)
		return;
	set = result->vset[0];
	for (int i = 0; i < set->numval; i++) {
		if (inst != (int)PM_IN_NULL && set->vlist[i].inst != inst)
			continue;
		if (pmExtractValue(set->valfmt, &set->vlist[i], PM_TYPE_STRING, &atom,
				   PM_TYPE_STRING) < 0)
			continue;
		snprintf(buf, size, "%s", atom.cp);
		free(atom.cp);
		break;
	}
	pmFreeHighResResult(result);
}

int worker_host_run(struct worker_job *job, struct worker *worker)
{
	struct worker_host *h = CONTAINER_OF(job, struct worker_host, job);
	int r = 0;

	for (unsigned int i = 0; i < h->nspec; i++) {
		char *message = pmSpecLocalPMDA(h->specs[i]);

		if (message == NULL)
			continue;
		fprintf(stderr, "%s: pmSpecLocalPMDA failed\n%s\n", pmGetProgname(), message);
		return -EINVAL;
	}
	r = worker_open(worker, h->type, h->name);
	if (r < 0)
		return r;
	fetch_text("pmcd.hostname", PM_IN_NULL, h->host, sizeof(h->host));
	if (h->host[0] == '\0')
		pmGetContextHostName_r(pmWhichContext(), h->host, sizeof(h->host));
	fetch_text("pmcd.timezone", PM_IN_NULL, h->timezone, sizeof(h->timezone));
	fetch_text("pmcd.zoneinfo", PM_IN_NULL, h->zoneinfo, sizeof(h->zoneinfo));
	return 0;
}

/*
 * Which run of the collector it is
 */

static uint64_t pulse_number(const pmValueSet *set, int type)
{
	pmAtomValue atom;

	if (set->numval != 1 ||
	    pmExtractValue(set->valfmt, &set->vlist[0], type, &atom, PM_TYPE_U64) < 0)
		return 0;
	return atom.ull;
}

int worker_pulse_run(struct worker_job *job, struct worker *worker)
{
	struct worker_pulse *p = CONTAINER_OF(job, struct worker_pulse, job);
	pmID pmids[] = {pmID_build(DOMAIN_PMCD, 0, ITEM_PID),
			pmID_build(DOMAIN_PMCD, 0, ITEM_SEQNUM)};
	pmHighResResult *result;
	int r = worker_ready(worker);

	if (r == 0)
		r = pmFetchHighRes(2, pmids, &result);
	if (r < 0) {
		worker_lost(worker, r);
		return r;
	}
	p->pid = pulse_number(result->vset[0], PM_TYPE_U64);
	p->seqnum = (uint32_t)pulse_number(result->vset[1], PM_TYPE_U32);
	p->stamp = result->timestamp;
	pmFreeHighResResult(result);
	return 0;
}
