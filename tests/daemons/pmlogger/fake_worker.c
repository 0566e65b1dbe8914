/* fake_worker - see fake_worker.h. */
#include "fake_worker.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/group_fetch.h"
#include "daemons/pmlogger/meta_query.h"
#include "daemons/pmlogger/name_query.h"
#include "daemons/pmlogger/timing.h"
#include "daemons/pmlogger/worker.h"
#include "fake_timing.h"
#include "libbase/cleanup.h"

struct fake_worker fake_worker;

static uint64_t began_ms, answer_ms;
static struct group_fetch *fetching; /* NULL: no fetch is under way */
static struct worker_job *jobs;      /* the newest last */

void fake_worker_begin(void)
{
	fake_worker = (struct fake_worker){.delay_ms = 0};
	began_ms = timing_boot_ms();
	fetching = NULL;
	jobs = NULL;
}

/*
 * group_fetch.h
 */

void group_fetch_init(struct group_fetch *f, uv_loop_t *loop, struct worker *worker, bool local,
		      void (*done)(struct worker_job *job),
		      void (*hung_up)(struct group_fetch *f, int err))
{
	*f = (struct group_fetch){.job = {.done = done}, .hung_up = hung_up};
}

void group_fetch_start(struct group_fetch *f)
{
	assert(fetching == NULL && fake_worker.nfetch < FAKE_FETCHES_MAX);
	fake_worker.fetches_ms[fake_worker.nfetch++] = timing_boot_ms() - began_ms;
	for (size_t i = 0; i < f->group->n; i++)
		fake_worker.asked[f->group->pmids[i] % FAKE_METRICS]++;
	fetching = f;
	answer_ms = timing_boot_ms() + fake_worker.delay_ms;
}

static pmHighResResult *values_of(const struct fetch_group *g)
{
	pmHighResResult *result = calloc(1, sizeof(*result) + g->n * sizeof(pmValueSet *));

	assert(result != NULL);
	result->timestamp = timing_now();
	result->numpmid = (int)g->n;
	for (size_t i = 0; i < g->n; i++) {
		pmValueSet *set = calloc(1, sizeof(*set));

		assert(set != NULL);
		set->pmid = g->pmids[i];
		set->numval = 1;
		set->valfmt = PM_VAL_INSITU;
		set->vlist[0].inst = (int)PM_IN_NULL;
		result->vset[i] = set;
	}
	return result;
}

static void answer_fetch(void)
{
	struct group_fetch *f = TAKE(fetching);

	f->job.err = fake_worker.err;
	f->lost = fake_worker.err < 0 && fake_worker.lost;
	f->changes = fake_worker.changes;
	f->reconnects = fake_worker.reconnects;
	f->result = fake_worker.err < 0 ? NULL : values_of(f->group);
	f->job.done(&f->job);
}

int group_fetch_decode(struct group_fetch *f)
{
	return 0;
}

void group_fetch_lose(struct group_fetch *f)
{
	f->lost = true;
}

void group_fetch_done(struct group_fetch *f)
{
	f->group = NULL;
}

/*
 * worker.h
 */

void worker_post(struct worker *worker, struct worker_job *job)
{
	struct worker_job **end = &jobs;

	while (*end != NULL)
		end = &(*end)->next;
	job->next = NULL;
	*end = job;
}

static void answer_job(void)
{
	struct worker_job *job = jobs;

	jobs = job->next;
	job->err = 0;
	if (job->run == meta_query_run) {
		struct meta_query *meta = CONTAINER_OF(job, struct meta_query, job);

		for (size_t i = 0; i < meta->n; i++) {
			if (meta->items[i].kind != META_QUERY_KNOWN)
				meta->items[i].err = PM_ERR_TEXT;
		}
		fake_worker.questions++;
	}
	fake_worker.checks += job->run == name_query_check;
	job->done(job);
}

int worker_pulse_run(struct worker_job *job, struct worker *worker)
{
	return 0;
}

/* The rest is for jobs that run in the thread, which there is not. */

int worker_call(struct worker *worker, struct worker_job *job, unsigned int timeout_ms)
{
	abort();
}

int worker_ready(struct worker *worker)
{
	abort();
}

int worker_renew(struct worker *worker)
{
	abort();
}

bool worker_lost(struct worker *worker, int err)
{
	abort();
}

unsigned int worker_reconnects(const struct worker *worker)
{
	abort();
}

uint64_t worker_profile(const struct worker *worker)
{
	abort();
}

void worker_set_profile(struct worker *worker, uint64_t owner)
{
	abort();
}

static void answer_all(void)
{
	while (jobs != NULL || (fetching != NULL && timing_boot_ms() >= answer_ms)) {
		if (jobs != NULL)
			answer_job();
		else
			answer_fetch();
	}
}

void fake_worker_pass(uint64_t ms)
{
	fake_timing_pass(0); /* what is due already */
	answer_all();
	while (ms-- > 0) {
		fake_timing_pass(1);
		answer_all();
	}
}
