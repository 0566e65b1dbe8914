/* turn - see turn.h. */
#include "daemons/pmlogger/turn.h"

#include <errno.h>
#include <stdio.h>

#include "daemons/pmlogger/bounds.h"
#include "daemons/pmlogger/events.h"
#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/options.h"
#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/task_clock.h"
#include "daemons/pmlogger/timing.h"
#include "daemons/pmlogger/worker.h"

enum {
	FIRST_DELAY_MS = 20,     /* of repeating tasks */
	ONCE_RETRY_MS = 1000,    /* what is wanted once is wanted until it is there */
	LABELS_PAUSE_MS = 10000, /* between two questions for all labels */
	FINISH_MS = 2000,        /* what an end waits for the turn in hand */
};

static void next_turn(struct turn *t);
static void next_group(struct turn *t);

/*
 * Clocks
 */

static void turn_on_due(void *arg)
{
	next_turn(arg);
}

void turn_repeat_once(struct turn *t)
{
	LIST_FOR_EACH (node, &t->logging->tasks) {
		struct logging_task *task = LIST_ENTRY(node, struct logging_task, in_tasks);

		if (task->delta_ms == 0 && task->configured && task->owned != NULL &&
		    task->owned != t->clock)
			task_clock_again(task->owned, 0);
	}
}

static int clock_start(struct turn *t, struct logging_task *task, bool first)
{
	return task_clock_start(t->loop, task, first && task->delta_ms > 0 ? FIRST_DELAY_MS : 0,
				turn_on_due, t);
}

static void task_end(struct turn *t, struct logging_task *task)
{
	struct task_clock *c = task->owned;

	if (c != NULL && c == t->clock)
		return; /* when its turn is over */
	if (c != NULL)
		task_clock_close(c);
	logging_task_free(task);
}

void turn_sync(struct turn *t, bool first)
{
	LIST_FOR_EACH (node, &t->logging->tasks) {
		struct logging_task *task = LIST_ENTRY(node, struct logging_task, in_tasks);
		struct task_clock *c = task->owned;

		if (task->nitem == 0)
			task_end(t, task);
		else if (c == NULL && clock_start(t, task, first) < 0)
			pmNotifyErr(LOG_ERR, "Cannot start a task: error=%s", pmErrStr(-ENOMEM));
	}
}

/*
 * A turn
 */

static void turn_over(struct turn *t)
{
	struct task_clock *c = t->clock;

	t->clock = NULL;
	meta_query_done(&t->meta);
	if (c != NULL && c->task != NULL)
		bounds_count_sample(t->bounds);
	turn_sync(t, false);
	next_turn(t);
}

/*
 * 1 if the task is to wait: one that begins has all its metrics from its first record on. To one
 * that goes on they come when they can. 0; -ENOMEM.
 */
static int make_plan(struct turn *t, struct task_clock *c)
{
	struct fetch_plan plan;
	int r;

	if (c->planned && !c->task->changed)
		return 0;
	r = prepare_task(&t->prepare, &t->logging->tasks, c->task);
	c->awaiting = r > 0;
	c->held = r > 0 && !c->planned;
	if (c->held)
		return 1;
	r = fetch_plan_make(c->task, &plan);
	if (r < 0)
		return r;
	fetch_plan_done(&c->plan);
	c->plan = plan;
	c->planned = true;
	c->task->changed = false;
	return 0;
}

/* Metrics need not wait any more. */
static void on_prepared(struct prepare *p, bool lost)
{
	struct turn *t = CONTAINER_OF(p, struct turn, prepare);

	if (t->bounds->ending)
		return;
	LIST_FOR_EACH (node, &t->logging->tasks) {
		struct task_clock *c = LIST_ENTRY(node, struct logging_task, in_tasks)->owned;

		if (c == NULL || !c->awaiting)
			continue;
		c->awaiting = false;
		c->task->changed = true;
		c->due |= c->held && !lost;
		if (c->held && lost)
			task_clock_again(c, ONCE_RETRY_MS);
		c->held = false;
	}
	next_turn(t);
}

static struct fetch_group *group_in_hand(struct turn *t)
{
	return &t->clock->plan.groups[t->group];
}

/* -r: what a record of this group takes. */
static void turn_report(struct turn *t, uint64_t bytes)
{
	struct fetch_group *g = group_in_hand(t);
	uint32_t delta = t->clock->task != NULL ? t->clock->task->delta_ms : 0;

	if (!t->options->report || g->reported)
		return;
	g->reported = true;
	if (g->n > 1) {
		printf("\nGroup [%zu metrics] {\n", g->n);
		for (size_t i = 0; i < g->n; i++)
			printf("\t%s\n", g->metrics[i].metric->names[0]);
		printf("}");
	} else {
		printf("\nMetric %s", g->metrics[0].metric->names[0]);
	}
	if (delta == 0)
		printf(" logged once: %llu bytes\n", (unsigned long long)bytes);
	else
		printf(" logged every %g sec: %llu bytes or %.2f Mbytes/day\n", delta / 1000.0,
		       (unsigned long long)bytes,
		       (double)bytes * 86400000.0 / delta / (1024.0 * 1024.0));
	fflush(stdout);
}

static void write_result(struct turn *t)
{
	uint64_t before = recorder_state(t->recorder).data_size;
	pmHighResResult *result = t->fetch.result;

	t->fetch.result = NULL;
	if (recorder_write(t->recorder, group_in_hand(t), t->clock->task, result, &t->meta) == 0)
		turn_report(t, recorder_state(t->recorder).data_size - before);
	meta_query_done(&t->meta);
	t->labels_changed = t->labels_changed && !t->labels_asked;
	next_group(t);
}

static void say_lost(struct turn *t, int err)
{
	if (!t->lost)
		pmNotifyErr(LOG_INFO, "Lost connection to PMCD: host=\"%s\", error=%s",
			    t->host->host, pmErrStr(err));
	t->lost = true;
}

/* There is no collector for the rest of the turn. */
static void turn_lose(struct turn *t, int err)
{
	if (t->fetch.result != NULL)
		pmFreeHighResResult(t->fetch.result);
	t->fetch.result = NULL;
	metadata_forget(&t->recorder->metadata, &t->meta);
	group_fetch_lose(&t->fetch);
	say_lost(t, err);
	if (t->clock->task->delta_ms == 0)
		task_clock_again(t->clock, ONCE_RETRY_MS);
	turn_over(t);
}

static void turn_on_answers(struct worker_job *job)
{
	struct turn *t = CONTAINER_OF(job, struct turn, meta.job);

	if (t->over)
		return;
	if (t->meta.lost)
		turn_lose(t, job->err);
	else if (job->err > 0)
		worker_post(t->worker, job);
	else
		write_result(t);
}

/* Limits how often labels are requested again: an agent may report a label change with each answer.
 */
static bool labels_are_due(struct turn *t)
{
	uint64_t now = timing_loop_ms(t->loop);

	if (t->labels_ms != 0 && now - t->labels_ms < LABELS_PAUSE_MS)
		return false;
	t->labels_ms = now;
	return true;
}

static void turn_ask(struct turn *t)
{
	struct recorder *r = t->recorder;
	int err;

	if (recorder_turn_over(r, &t->fetch.result->timestamp))
		t->labels_changed = false; /* they will be asked for anyway */
	t->labels_asked = t->labels_changed && labels_are_due(t);
	err = r->w == NULL ? -ENOSPC
			   : metadata_questions(&r->metadata, r->w, group_in_hand(t),
						t->fetch.result, t->labels_asked, &t->meta);
	if (err < 0) {
		pmFreeHighResResult(t->fetch.result);
		t->fetch.result = NULL;
		turn_over(t);
	} else if (t->meta.nasked == 0) {
		write_result(t);
	} else {
		worker_post(t->worker, &t->meta.job);
	}
}

/* The archive does not describe the metric as it is now: 6.0.3 gives up here, and so do we. */
static bool still_the_same(struct turn *t)
{
	bool same = true;

	for (size_t i = 0; i < t->check.n; i++) {
		const struct queried_name *one = &t->check.names[i];

		if (one->changed != NULL)
			pmNotifyErr(LOG_ERR, "Metric \"%s\": its %s has changed", one->name,
				    one->changed);
		same = same && one->changed == NULL;
	}
	return same;
}

static void on_pulse(struct worker_job *job)
{
	struct turn *t = CONTAINER_OF(job, struct turn, pulse.job);

	if (t->over)
		return;
	if (job->err == 0) {
		t->recorder->who.pmcd_pid = t->pulse.pid;
		t->recorder->who.pmcd_seqnum = t->pulse.seqnum;
	}
	turn_ask(t);
}

static void on_checked(struct worker_job *job)
{
	struct turn *t = CONTAINER_OF(job, struct turn, check.job);
	bool same = still_the_same(t);

	name_query_done(&t->check);
	if (t->over)
		return;
	if (job->err < 0) {
		turn_lose(t, job->err);
		return;
	}
	if (!same) {
		pmFreeHighResResult(t->fetch.result);
		t->fetch.result = NULL;
		t->bounds->exit_status = 1;
		bounds_end(t->bounds, "Metrics have changed");
		turn_over(t);
		return;
	}
	worker_post(t->worker, &t->pulse.job);
}

/* The collector or an agent of it is another one: is all still what it was? */
static void check_all(struct turn *t)
{
	struct logging_metric *m;
	size_t pos = 0;

	recorder_mark(t->recorder);
	while ((m = hash_next(&t->logging->metrics, &pos)) != NULL) {
		if (name_query_add(&t->check, m->names[0]) < 0)
			break;
		t->check.names[t->check.n - 1].pmid = m->desc.pmid;
		t->check.names[t->check.n - 1].desc = m->desc;
	}
	worker_post(t->worker, &t->check.job);
}

static void on_fetched(struct worker_job *job)
{
	struct turn *t = CONTAINER_OF(job, struct turn, fetch.job);
	bool anew = t->fetch.reconnects != t->reconnects;
	bool agents = (t->fetch.changes & (PMCD_ADD_AGENT | PMCD_RESTART_AGENT)) != 0;

	if (t->over)
		return;
	if (job->err == 0 && t->fetch.pdu != NULL)
		job->err = group_fetch_decode(&t->fetch);
	if (job->err < 0 && t->fetch.lost) {
		turn_lose(t, job->err);
		return;
	}
	if (anew || t->lost)
		pmNotifyErr(LOG_INFO, "Connected to PMCD again: host=\"%s\"", t->host->host);
	t->lost = false;
	t->reconnects = t->fetch.reconnects;
	if (job->err < 0) {
		if (job->err != t->fetch_error)
			pmNotifyErr(LOG_ERR, "Cannot fetch: metric=\"%s\", error=%s",
				    group_in_hand(t)->metrics[0].metric->names[0],
				    pmErrStr(job->err));
		t->fetch_error = job->err;
		next_group(t);
		return;
	}
	t->fetch_error = 0;
	if (t->clock->task != NULL && t->clock->task->delta_ms > 0)
		event_hole_cut(group_in_hand(t), t->fetch.result);
	t->labels_changed |= (t->fetch.changes & PMCD_LABEL_CHANGE) != 0 || anew || agents;
	t->names_changed |= (t->fetch.changes & PMCD_NAMES_CHANGE) != 0 || anew || agents;
	if (anew || agents)
		check_all(t);
	else
		turn_ask(t);
}

/* The collector has gone between two fetches: the next one will try to find it again. */
static void turn_on_hung_up(struct group_fetch *f, int err)
{
	struct turn *t = CONTAINER_OF(f, struct turn, fetch);

	if (!t->bounds->ending)
		say_lost(t, err);
}

/* Newest group first (A4). */
static void next_group(struct turn *t)
{
	if (t->group == 0 || t->clock->task == NULL || t->bounds->ending) {
		turn_over(t);
		return;
	}
	t->group--;
	t->fetch.group = group_in_hand(t);
	group_fetch_start(&t->fetch);
}

/* A task that is due is in its turn, or waits for metadata until it is due again. */
static bool takes_turn(struct turn *t, struct task_clock *c)
{
	int r;

	c->due = false;
	task_clock_advance(c);
	r = c->held ? 1 : make_plan(t, c);
	if (r < 0)
		pmNotifyErr(LOG_ERR, "Cannot plan a task: error=%s", pmErrStr(r));
	return r == 0;
}

/* In the order of the state's list; begun: of those only that have recorded already. */
static struct task_clock *first_due(struct turn *t, bool begun)
{
	LIST_FOR_EACH (node, &t->logging->tasks) {
		struct task_clock *c = LIST_ENTRY(node, struct logging_task, in_tasks)->owned;

		if (c != NULL && c->due && (c->recorded || !begun) && takes_turn(t, c))
			return c;
	}
	return NULL;
}

/* Thousands of tasks that begin, as "once" makes them, hold up none that goes on. */
static void next_turn(struct turn *t)
{
	struct task_clock *c = NULL;

	if (t->clock != NULL || t->bounds->ending)
		return;
	if (t->names_changed) {
		t->names_changed = false;
		if (t->on_names != NULL)
			t->on_names(t->arg);
	}
	if (t->began)
		c = first_due(t, true);
	if (c == NULL)
		c = first_due(t, false);
	if (c == NULL)
		return;
	t->clock = c;
	t->began = !c->recorded;
	c->recorded = true;
	t->group = c->plan.ngroup;
	next_group(t);
}

void turn_init(struct turn *t, struct bounds *bounds, struct logging *logging,
	       const struct worker_host *host)
{
	*t = (struct turn){.options = bounds->options,
			   .loop = bounds->loop,
			   .bounds = bounds,
			   .recorder = bounds->recorder,
			   .logging = logging,
			   .host = host};
	t->meta.job = (struct worker_job){.run = meta_query_run, .done = turn_on_answers};
	t->check.job = (struct worker_job){.run = name_query_check, .done = on_checked};
	t->pulse.job = (struct worker_job){.run = worker_pulse_run, .done = on_pulse};
}

void turn_begin(struct turn *t, struct worker *worker)
{
	t->worker = worker;
	prepare_init(&t->prepare, worker, t->recorder, on_prepared);
	group_fetch_init(&t->fetch, t->loop, worker, t->options->local, on_fetched,
			 turn_on_hung_up);
}

static void turn_on_limit(uv_timer_t *timer)
{
	struct turn *t = timer->data;

	t->over = true;
}

static void turn_finish(struct turn *t)
{
	uv_timer_init(t->loop, &t->limit);
	t->limit.data = t;
	timing_arm(&t->limit, turn_on_limit, FINISH_MS, 0);
	while (t->clock != NULL && !t->over)
		uv_run(t->loop, UV_RUN_ONCE);
	t->over = true;
	timing_close(&t->limit, NULL);
}

void turn_stop(struct turn *t)
{
	LIST_FOR_EACH (node, &t->logging->tasks) {
		struct task_clock *c = LIST_ENTRY(node, struct logging_task, in_tasks)->owned;

		if (c != NULL)
			task_clock_stop(c);
	}
	turn_finish(t);
}

void turn_close(struct turn *t)
{
	group_fetch_done(&t->fetch);
}

void turn_done(struct turn *t)
{
	LIST_FOR_EACH (node, &t->logging->tasks) {
		struct logging_task *task = LIST_ENTRY(node, struct logging_task, in_tasks);

		if (task->owned != NULL)
			task_clock_close(task->owned);
		task->owned = NULL;
	}
	if (t->fetch.result != NULL)
		pmFreeHighResResult(t->fetch.result);
	meta_query_done(&t->meta);
	name_query_done(&t->check);
	prepare_done(&t->prepare);
}
