/* link_fetch - see link_fetch.h. */
#include "daemons/pmlogger/link_fetch.h"

#include <pcp/libpcp.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "libbase/cleanup.h"

/*
 * The context gets the profile of a group. A group that wants some instances has one of its own;
 * all others share that of all instances, so that in the common case none is ever sent again.
 */
static int set_profile(struct pmcd_link *link, const struct fetch_group *g)
{
	uint64_t owner = g->nwant > 0 ? g->id : 0;
	int r;

	if (pmcd_link_profile(link) == owner)
		return 0;
	r = pmAddProfile(PM_INDOM_NULL, 0, NULL);
	for (size_t i = 0; i < g->nwant && r >= 0; i++) {
		r = pmDelProfile(g->wants[i].indom, 0, NULL);
		if (r >= 0)
			r = pmAddProfile(g->wants[i].indom, (int)g->wants[i].n, g->wants[i].insts);
	}
	pmcd_link_set_profile(link,
			      r < 0 ? UINT64_MAX : owner); /* half a profile must not be used */
	return r;
}

/* An answer to what was asked, in its order. */
static bool is_answer(const struct fetch_group *g, const pmHighResResult *result)
{
	if ((size_t)result->numpmid != g->n)
		return false;
	for (size_t i = 0; i < g->n; i++) {
		if (result->vset[i]->pmid != g->pmids[i])
			return false;
	}
	return true;
}

/* 0; PM_ERR_IPC, and there is no result. */
static int result_check(struct link_fetch *f)
{
	if (is_answer(f->group, f->result))
		return 0;
	pmFreeHighResResult(TAKE(f->result));
	return PM_ERR_IPC;
}

static int link_fetch_run(struct link_job *job, struct pmcd_link *link)
{
	struct link_fetch *f = CONTAINER_OF(job, struct link_fetch, job);
	int r = pmcd_link_ready(link);

	f->result = NULL;
	f->changes = 0;
	f->lost = r < 0;
	f->link_reconnects = pmcd_link_reconnects(link);
	f->reconnects = f->line_reconnects + f->link_reconnects;
	if (r < 0)
		return r;
	r = set_profile(link, f->group);
	if (r >= 0)
		r = pmFetchHighRes((int)f->group->n, f->group->pmids, &f->result);
	if (r < 0) {
		f->lost = pmcd_link_lost(link, r);
		f->result = NULL;
		return r;
	}
	f->changes = (unsigned int)r;
	return result_check(f);
}

/*
 * By the line
 */

static void over(struct link_fetch *f, int err)
{
	f->job.err = err;
	f->job.done(&f->job);
}

static void link_fetch_on_ready(struct fetch_line *line, int err)
{
	struct link_fetch *f = CONTAINER_OF(line, struct link_fetch, line);

	f->lost = err < 0;
	if (err == 0) {
		fetch_line_send(line, f->group);
	} else if (line->opened == 0 && (err == PM_ERR_CONNLIMIT || err == PM_ERR_PERMISSION)) {
		f->by_line = false; /* one connection is all that we may have */
		pmcd_link_post(f->link, &f->job);
	} else {
		over(f, err);
	}
}

static void on_answered(struct fetch_line *line, const struct line_reply *reply)
{
	struct link_fetch *f = CONTAINER_OF(line, struct link_fetch, line);

	f->pdu = reply->pdu;
	f->len = reply->len;
	f->changes = reply->changes;
	f->line_reconnects = line->opened - 1;
	f->reconnects = f->line_reconnects + f->link_reconnects;
	f->lost = reply->lost;
	over(f, reply->err);
}

static void link_fetch_on_hung_up(struct fetch_line *line, int err)
{
	struct link_fetch *f = CONTAINER_OF(line, struct link_fetch, line);

	f->hung_up(f, err);
}

int link_fetch_decode(struct link_fetch *f)
{
	int r = pitot_result_decode(f->pdu, f->len, &f->result);

	f->pdu = NULL;
	if (r < 0)
		f->result = NULL;
	else
		r = result_check(f);
	if (r == PM_ERR_IPC)
		link_fetch_lose(f);
	f->lost = r == PM_ERR_IPC;
	return r;
}

/*
 * Either way
 */

/* The ids of derived metrics are the highest, and come first. */
static bool has_derived(const struct fetch_group *g)
{
	return g->n > 0 && IS_DERIVED(g->pmids[0]);
}

void link_fetch_start(struct link_fetch *f)
{
	f->pdu = NULL;
	f->result = NULL;
	f->changes = 0;
	if (!f->by_line || has_derived(f->group))
		pmcd_link_post(f->link, &f->job);
	else if (fetch_line_is_open(&f->line))
		fetch_line_send(&f->line, f->group);
	else
		fetch_line_open(&f->line);
}

void link_fetch_lose(struct link_fetch *f)
{
	if (f->by_line)
		fetch_line_close(&f->line);
}

void link_fetch_init(struct link_fetch *f, uv_loop_t *loop, struct pmcd_link *link, bool local,
		     void (*done)(struct link_job *job),
		     void (*hung_up)(struct link_fetch *f, int err))
{
	*f = (struct link_fetch){.link = link, .by_line = !local, .hung_up = hung_up};
	f->job = (struct link_job){.run = link_fetch_run, .done = done};
	fetch_line_init(&f->line, loop, link);
	f->line.ready = link_fetch_on_ready;
	f->line.answered = on_answered;
	f->line.hung_up = link_fetch_on_hung_up;
}

void link_fetch_done(struct link_fetch *f)
{
	fetch_line_done(&f->line);
}
