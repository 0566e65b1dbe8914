/* group_fetch - see group_fetch.h. */
#include "daemons/pmlogger/group_fetch.h"

#include <pcp/libpcp.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "libbase/cleanup.h"

/*
 * The context gets the profile of a group. A group that wants some instances has one of its own;
 * all others share that of all instances, so that in the common case none is ever sent again.
 */
static int set_profile(struct worker *worker, const struct fetch_group *g)
{
	uint64_t owner = g->nwant > 0 ? g->id : 0;
	int r;

	if (worker_profile(worker) == owner)
		return 0;
	r = pmAddProfile(PM_INDOM_NULL, 0, NULL);
	for (size_t i = 0; i < g->nwant && r >= 0; i++) {
		r = pmDelProfile(g->wants[i].indom, 0, NULL);
		if (r >= 0)
			r = pmAddProfile(g->wants[i].indom, (int)g->wants[i].n, g->wants[i].insts);
	}
	worker_set_profile(worker,
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
static int result_check(struct group_fetch *f)
{
	if (is_answer(f->group, f->result))
		return 0;
	pmFreeHighResResult(TAKE(f->result));
	return PM_ERR_IPC;
}

static int group_fetch_run(struct worker_job *job, struct worker *worker)
{
	struct group_fetch *f = CONTAINER_OF(job, struct group_fetch, job);
	int r = worker_ready(worker);

	f->result = NULL;
	f->changes = 0;
	f->lost = r < 0;
	f->link_reconnects = worker_reconnects(worker);
	f->reconnects = f->line_reconnects + f->link_reconnects;
	if (r < 0)
		return r;
	r = set_profile(worker, f->group);
	if (r >= 0)
		r = pmFetchHighRes((int)f->group->n, f->group->pmids, &f->result);
	if (r < 0) {
		f->lost = worker_lost(worker, r);
		f->result = NULL;
		return r;
	}
	f->changes = (unsigned int)r;
	return result_check(f);
}

/*
 * Over the connection
 */

static void over(struct group_fetch *f, int err)
{
	f->job.err = err;
	f->job.done(&f->job);
}

static void group_fetch_on_ready(struct fetch_conn *conn, int err)
{
	struct group_fetch *f = CONTAINER_OF(conn, struct group_fetch, conn);

	f->lost = err < 0;
	if (err == 0) {
		fetch_conn_send(conn, f->group);
	} else if (conn->opened == 0 && (err == PM_ERR_CONNLIMIT || err == PM_ERR_PERMISSION)) {
		f->by_conn = false; /* one connection is all that we may have */
		worker_post(f->worker, &f->job);
	} else {
		over(f, err);
	}
}

static void on_answered(struct fetch_conn *conn, const struct fetch_reply *reply)
{
	struct group_fetch *f = CONTAINER_OF(conn, struct group_fetch, conn);

	f->pdu = reply->pdu;
	f->len = reply->len;
	f->changes = reply->changes;
	f->line_reconnects = conn->opened - 1;
	f->reconnects = f->line_reconnects + f->link_reconnects;
	f->lost = reply->lost;
	over(f, reply->err);
}

static void group_fetch_on_hung_up(struct fetch_conn *conn, int err)
{
	struct group_fetch *f = CONTAINER_OF(conn, struct group_fetch, conn);

	f->hung_up(f, err);
}

int group_fetch_decode(struct group_fetch *f)
{
	int r = pitot_result_decode(f->pdu, f->len, &f->result);

	f->pdu = NULL;
	if (r < 0)
		f->result = NULL;
	else
		r = result_check(f);
	if (r == PM_ERR_IPC)
		group_fetch_lose(f);
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

void group_fetch_start(struct group_fetch *f)
{
	f->pdu = NULL;
	f->result = NULL;
	f->changes = 0;
	if (!f->by_conn || has_derived(f->group))
		worker_post(f->worker, &f->job);
	else if (fetch_conn_is_open(&f->conn))
		fetch_conn_send(&f->conn, f->group);
	else
		fetch_conn_open(&f->conn);
}

void group_fetch_lose(struct group_fetch *f)
{
	if (f->by_conn)
		fetch_conn_close(&f->conn);
}

void group_fetch_init(struct group_fetch *f, uv_loop_t *loop, struct worker *worker, bool local,
		      void (*done)(struct worker_job *job),
		      void (*hung_up)(struct group_fetch *f, int err))
{
	*f = (struct group_fetch){.worker = worker, .by_conn = !local, .hung_up = hung_up};
	f->job = (struct worker_job){.run = group_fetch_run, .done = done};
	fetch_conn_init(&f->conn, loop, worker);
	f->conn.ready = group_fetch_on_ready;
	f->conn.answered = on_answered;
	f->conn.hung_up = group_fetch_on_hung_up;
}

void group_fetch_done(struct group_fetch *f)
{
	fetch_conn_done(&f->conn);
}
