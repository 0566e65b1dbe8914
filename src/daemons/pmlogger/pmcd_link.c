/* pmcd_link - see pmcd_link.h. */
#include "daemons/pmlogger/pmcd_link.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

struct pmcd_link {
	pthread_t thread;
	pthread_mutex_t lock; /* of all that follows, up to the line */
	pthread_cond_t posted;
	pthread_cond_t finished;
	struct link_job *first, **end;
	struct link_job *over, **over_end; /* ran: done is to be called */
	bool ending, ended;
	/* ---- */
	uv_async_t async;

	/* The thread's own. */
	int context;
	bool lost;
	unsigned int reconnects;
	uint64_t profile;
};

static struct link_job *pmcd_link_take(struct pmcd_link *link)
{
	struct link_job *job;

	while (link->first == NULL && !link->ending)
		pthread_cond_wait(&link->posted, &link->lock);
	if (link->ending)
		return NULL;
	job = link->first;
	link->first = job->next;
	if (link->first == NULL)
		link->end = &link->first;
	return job;
}

/* True if the loop is to be informed. */
static bool pmcd_link_give_back(struct pmcd_link *link, struct link_job *job)
{
	job->next = NULL;
	job->finished = true;
	if (job->waited_for) {
		pthread_cond_broadcast(&link->finished);
		return false;
	}
	*link->over_end = job;
	link->over_end = &job->next;
	return true;
}

/* The lock is free when the other side is woken, which would wait for it at once. */
static void pmcd_link_finish(struct pmcd_link *link, struct link_job *job)
{
	bool tell;

	pthread_mutex_lock(&link->lock);
	tell = pmcd_link_give_back(link, job);
	pthread_mutex_unlock(&link->lock);
	if (tell)
		uv_async_send(&link->async);
	pthread_mutex_lock(&link->lock);
}

static void *pmcd_link_work(void *arg)
{
	struct pmcd_link *link = arg;
	struct link_job *job;

	pthread_mutex_lock(&link->lock);
	while ((job = pmcd_link_take(link)) != NULL) {
		pthread_mutex_unlock(&link->lock);
		job->err = job->run(job, link);
		pmcd_link_finish(link, job);
	}
	link->ended = true;
	pthread_cond_broadcast(&link->finished);
	pthread_mutex_unlock(&link->lock);
	if (link->context >= 0)
		pmDestroyContext(link->context);
	return NULL;
}

/* In the loop. */
static void on_async(uv_async_t *async)
{
	struct pmcd_link *link = async->data;
	struct link_job *job, *next;

	pthread_mutex_lock(&link->lock);
	job = link->over;
	link->over = NULL;
	link->over_end = &link->over;
	pthread_mutex_unlock(&link->lock);
	for (; job != NULL; job = next) {
		next = job->next;
		job->done(job);
	}
}

/* Signals are the loop's. */
static int pmcd_link_start_thread(struct pmcd_link *link)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&link->thread, NULL, pmcd_link_work, link);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

int pmcd_link_new(uv_loop_t *loop, struct pmcd_link **ret_link)
{
	struct pmcd_link *link = calloc(1, sizeof(*link));
	pthread_condattr_t attr;
	int r;

	if (link == NULL)
		return -ENOMEM;
	link->context = -1;
	link->end = &link->first;
	link->over_end = &link->over;
	pthread_mutex_init(&link->lock, NULL);
	pthread_cond_init(&link->posted, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&link->finished, &attr);
	pthread_condattr_destroy(&attr);
	r = uv_async_init(loop, &link->async, on_async);
	link->async.data = link;
	if (r == 0)
		r = pmcd_link_start_thread(link);
	if (r < 0) {
		free(link);
		return r;
	}
	*ret_link = link;
	return 0;
}

static void queue(struct pmcd_link *link, struct link_job *job)
{
	job->next = NULL;
	job->finished = false;
	*link->end = job;
	link->end = &job->next;
}

void pmcd_link_post(struct pmcd_link *link, struct link_job *job)
{
	pthread_mutex_lock(&link->lock);
	job->waited_for = false;
	queue(link, job);
	pthread_mutex_unlock(&link->lock);
	pthread_cond_signal(&link->posted);
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
static int pmcd_link_wait_for(struct pmcd_link *link, const bool *flag, unsigned int timeout_ms)
{
	struct timespec until = in_ms(timeout_ms);
	int r = 0;

	while (!*flag && r == 0) {
		if (timeout_ms == 0)
			r = pthread_cond_wait(&link->finished, &link->lock);
		else
			r = pthread_cond_timedwait(&link->finished, &link->lock, &until);
	}
	return *flag ? 0 : -r;
}

int pmcd_link_call(struct pmcd_link *link, struct link_job *job, unsigned int timeout_ms)
{
	int r;

	pthread_mutex_lock(&link->lock);
	job->waited_for = true;
	queue(link, job);
	pthread_cond_signal(&link->posted);
	r = pmcd_link_wait_for(link, &job->finished, timeout_ms);
	pthread_mutex_unlock(&link->lock);
	return r < 0 ? r : job->err;
}

int pmcd_link_end(struct pmcd_link *link, unsigned int timeout_ms)
{
	int r;

	pthread_mutex_lock(&link->lock);
	link->ending = true;
	pthread_cond_signal(&link->posted);
	r = pmcd_link_wait_for(link, &link->ended, timeout_ms);
	pthread_mutex_unlock(&link->lock);
	if (r < 0)
		return r;
	pthread_join(link->thread, NULL);
	uv_close((uv_handle_t *)&link->async, NULL);
	uv_run(link->async.loop, UV_RUN_NOWAIT);
	pthread_mutex_destroy(&link->lock);
	pthread_cond_destroy(&link->posted);
	pthread_cond_destroy(&link->finished);
	free(link);
	return 0;
}

/*
 * For jobs
 */

int pmcd_link_open(struct pmcd_link *link, int type, const char *name)
{
	int r = pmNewContext(type, name);

	if (r < 0)
		return r;
	link->context = r;
	return 0;
}

int pmcd_link_ready(struct pmcd_link *link)
{
	int r;

	if (link->context < 0)
		return PM_ERR_NOCONTEXT;
	if (!link->lost)
		return 0;
	r = pmReconnectContext(link->context);
	if (r < 0)
		return r;
	link->lost = false;
	link->reconnects++;
	return 0;
}

int pmcd_link_renew(struct pmcd_link *link)
{
	link->lost = true;
	return pmcd_link_ready(link);
}

bool pmcd_link_lost(struct pmcd_link *link, int err)
{
	static const int losses[] = {
	    PM_ERR_IPC,  PM_ERR_TIMEOUT, PM_ERR_NOTCONN, -EPIPE,
	    -ECONNRESET, -ETIMEDOUT,     -EBADF,         -ENOTCONN,
	};

	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		if (err == losses[i]) {
			link->lost = true;
			return true;
		}
	}
	return false;
}

unsigned int pmcd_link_reconnects(const struct pmcd_link *link)
{
	return link->reconnects;
}

uint64_t pmcd_link_profile(const struct pmcd_link *link)
{
	return link->profile;
}

void pmcd_link_set_profile(struct pmcd_link *link, uint64_t owner)
{
	link->profile = owner;
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

int link_host_run(struct link_job *job, struct pmcd_link *link)
{
	struct link_host *h = CONTAINER_OF(job, struct link_host, job);
	int r = 0;

	for (unsigned int i = 0; i < h->nspec; i++) {
		char *message = pmSpecLocalPMDA(h->specs[i]);

		if (message == NULL)
			continue;
		fprintf(stderr, "%s: pmSpecLocalPMDA failed\n%s\n", pmGetProgname(), message);
		return -EINVAL;
	}
	r = pmcd_link_open(link, h->type, h->name);
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

int link_pulse_run(struct link_job *job, struct pmcd_link *link)
{
	struct link_pulse *p = CONTAINER_OF(job, struct link_pulse, job);
	pmID pmids[] = {pmID_build(DOMAIN_PMCD, 0, ITEM_PID),
			pmID_build(DOMAIN_PMCD, 0, ITEM_SEQNUM)};
	pmHighResResult *result;
	int r = pmcd_link_ready(link);

	if (r == 0)
		r = pmFetchHighRes(2, pmids, &result);
	if (r < 0) {
		pmcd_link_lost(link, r);
		return r;
	}
	p->pid = pulse_number(result->vset[0], PM_TYPE_U64);
	p->seqnum = (uint32_t)pulse_number(result->vset[1], PM_TYPE_U32);
	p->stamp = result->timestamp;
	pmFreeHighResResult(result);
	return 0;
}
