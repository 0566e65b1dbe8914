/* fake_link - see fake_link.h. */
#include "fake_link.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/link_fetch.h"
#include "daemons/pmlogger/link_meta.h"
#include "daemons/pmlogger/link_names.h"
#include "daemons/pmlogger/pmcd_link.h"
#include "daemons/pmlogger/timing.h"
#include "fake_timing.h"
#include "libbase/cleanup.h"

struct fake_link fake_link;

static uint64_t began_ms, answer_ms;
static struct link_fetch *fetching; /* NULL: no fetch is under way */
static struct link_job *jobs;       /* the newest last */

void fake_link_begin(void)
{
	fake_link = (struct fake_link){.delay_ms = 0};
	began_ms = timing_boot_ms();
	fetching = NULL;
	jobs = NULL;
}

/*
 * link_fetch.h
 */

void link_fetch_init(struct link_fetch *f, uv_loop_t *loop, struct pmcd_link *link, bool local,
		     void (*done)(struct link_job *job),
		     void (*hung_up)(struct link_fetch *f, int err))
{
	*f = (struct link_fetch){.job = {.done = done}, .hung_up = hung_up};
}

void link_fetch_start(struct link_fetch *f)
{
	assert(fetching == NULL && fake_link.nfetch < FAKE_FETCHES_MAX);
	fake_link.fetches_ms[fake_link.nfetch++] = timing_boot_ms() - began_ms;
	for (size_t i = 0; i < f->group->n; i++)
		fake_link.asked[f->group->pmids[i] % FAKE_METRICS]++;
	fetching = f;
	answer_ms = timing_boot_ms() + fake_link.delay_ms;
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
	struct link_fetch *f = TAKE(fetching);

	f->job.err = fake_link.err;
	f->lost = fake_link.err < 0 && fake_link.lost;
	f->changes = fake_link.changes;
	f->reconnects = fake_link.reconnects;
	f->result = fake_link.err < 0 ? NULL : values_of(f->group);
	f->job.done(&f->job);
}

int link_fetch_decode(struct link_fetch *f)
{
	return 0;
}

void link_fetch_lose(struct link_fetch *f)
{
	f->lost = true;
}

void link_fetch_done(struct link_fetch *f)
{
	f->group = NULL;
}

/*
 * pmcd_link.h
 */

void pmcd_link_post(struct pmcd_link *link, struct link_job *job)
{
	struct link_job **end = &jobs;

	while (*end != NULL)
		end = &(*end)->next;
	job->next = NULL;
	*end = job;
}

static void answer_job(void)
{
	struct link_job *job = jobs;

	jobs = job->next;
	job->err = 0;
	if (job->run == link_meta_run) {
		struct link_meta *meta = CONTAINER_OF(job, struct link_meta, job);

		for (size_t i = 0; i < meta->n; i++) {
			if (meta->items[i].kind != LINK_META_KNOWN)
				meta->items[i].err = PM_ERR_TEXT;
		}
		fake_link.questions++;
	}
	fake_link.checks += job->run == link_names_check;
	job->done(job);
}

int link_pulse_run(struct link_job *job, struct pmcd_link *link)
{
	return 0;
}

/* The rest is for jobs that run in the thread, which there is not. */

int pmcd_link_call(struct pmcd_link *link, struct link_job *job, unsigned int timeout_ms)
{
	abort();
}

int pmcd_link_ready(struct pmcd_link *link)
{
	abort();
}

int pmcd_link_renew(struct pmcd_link *link)
{
	abort();
}

bool pmcd_link_lost(struct pmcd_link *link, int err)
{
	abort();
}

unsigned int pmcd_link_reconnects(const struct pmcd_link *link)
{
	abort();
}

uint64_t pmcd_link_profile(const struct pmcd_link *link)
{
	abort();
}

void pmcd_link_set_profile(struct pmcd_link *link, uint64_t owner)
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

void fake_link_pass(uint64_t ms)
{
	fake_timing_pass(0); /* what is due already */
	answer_all();
	while (ms-- > 0) {
		fake_timing_pass(1);
		answer_all();
	}
}
