#include "libpcp_pmda/agent_cluster.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "libbase/clock.h"

#include "libpcp_pmda/agent_table.h"

int cluster_init(struct cluster_state *c, const struct agent_cluster *def,
		 struct agent_state *state, const struct refresh_root *root)
{
	int r;

	c->def = def;
	c->state = state;
	c->root = root;
	c->threaded = def->wait_ms != 0 && def->may_hang;
	pthread_mutex_init(&c->stuck_lock, NULL);
	r = sample_blank_init(&c->blank, def);
	if (r == 0)
		r = sample_init(&c->sample, def, &c->blank);
	if (r == 0)
		r = worker_new(c, &c->worker);
	return r;
}

void cluster_done(struct cluster_state *c)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++)
		inst_map_done(&c->maps[i]);
	worker_free(c->worker);
	sample_done(&c->sample);
	sample_blank_done(&c->blank);
	pthread_mutex_destroy(&c->stuck_lock);
}

/* Clients see the error of a source that may not be read, or that hangs; others they see as values
 * that are missing. */
static bool is_worth_a_line(const struct cluster_state *c, int status)
{
	switch (status) {
	case -EACCES:
	case -EPERM:
	case -EAGAIN:
		return false;
	case -ENOENT:
		return !c->def->optional;
	default:
		return status < 0;
	}
}

static void log_failure(struct cluster_state *c, const struct agent_refresh *r, int status)
{
	const char *agent = c->state->agent->name;

	if (status == c->logged || !is_worth_a_line(c, status))
		return;
	c->logged = status;
	if (r->failed == status)
		pmNotifyErr(LOG_WARNING, "agent %s: cluster %s: Cannot read: path=\"%s/%s\", error=%s",
			    agent, c->def->name, c->root->path, r->failed_path, strerror(-status));
	else
		pmNotifyErr(LOG_WARNING, "agent %s: cluster %s: Cannot refresh: error=%s", agent,
			    c->def->name, strerror(-status));
}

/* The worker's sample is complete: it is what fetches read from now on. */
static void publish(struct cluster_state *c)
{
	struct sample old = c->sample;

	c->sample = c->worker->sample;
	c->worker->sample = old;
	c->published = true;
	c->stats.count++;
	c->stats.took_ns += c->sample.took_ns;
	c->stats.last_ns = c->sample.took_ns;
	if (c->sample.status < 0) {
		c->stats.failures++;
		c->stats.last_error = c->sample.status;
		log_failure(c, &c->worker->refresh, c->sample.status);
	}
}

/* Another worker takes the place of the one that hangs. */
static void abandon(struct cluster_state *c)
{
	struct worker *next;

	if (c->nstuck == WORKER_MAX_STUCK || worker_new(c, &next) < 0)
		return;
	if (!slow_abandon(&c->worker->slow)) {
		worker_free(next);
		return;
	}
	pthread_mutex_lock(&c->stuck_lock);
	c->worker->next = c->stuck;
	c->stuck = c->worker;
	pthread_mutex_unlock(&c->stuck_lock);
	c->worker = next;
	c->nstuck++;
	c->stats.hangs++;
}

/* Abandoned workers that have come back. */
static void reap(struct cluster_state *c)
{
	for (struct worker **at = &c->stuck; *at != NULL;) {
		struct worker *w = *at;

		if (slow_busy(&w->slow)) {
			at = &w->next;
			continue;
		}
		pthread_mutex_lock(&c->stuck_lock);
		*at = w->next;
		pthread_mutex_unlock(&c->stuck_lock);
		worker_free(w);
		c->nstuck--;
	}
}

static void need_slow(struct cluster_state *c)
{
	/* A refresh that was late once will be late again: serve the last values at once. */
	bool patient = !c->published || c->stats.last_ns < c->def->wait_ms * 1000000ull;

	reap(c);
	if (slow_take(&c->worker->slow))
		publish(c);
	else if (c->def->may_hang && worker_hangs(c->worker))
		abandon(c);
	if (worker_ask(c->worker) && patient && slow_wait(&c->worker->slow, c->def->wait_ms))
		publish(c);
	else
		c->stats.stale++;
}

void cluster_need(struct cluster_state *c, uint64_t seq)
{
	if (c->seq == seq)
		return;
	c->seq = seq;
	if (c->def->max_age_ms != 0 && c->published &&
	    clock_mono_ms() - c->sample.done_ms < c->def->max_age_ms)
		return;
	if (c->threaded) {
		need_slow(c);
		return;
	}
	worker_run(c->worker);
	publish(c);
	c->threaded = c->def->wait_ms != 0 && c->stats.last_ns > c->def->wait_ms * 1000000ull;
}

void cluster_sync(struct cluster_state *c, int i)
{
	int r;

	if (!c->published)
		return;
	/* A failed refresh says nothing about which instances there are. */
	r = inst_map_sync(&c->maps[i], c->indoms[i], &c->sample.tables[i],
			  c->def->fills[i].defines && c->sample.status == 0);
	if (r < 0)
		c->stats.last_error = r;
}

static int absent_code(const struct agent_metric *m, int status)
{
	switch (status) {
	case -EACCES:
	case -EPERM:
		return PM_ERR_PERMISSION;
	case -EAGAIN:
		return PM_ERR_AGAIN;
	default:
		return m->absent;
	}
}

int cluster_value(const struct cluster_state *c, const struct agent_metric *m, int fill, int inst,
		  pmAtomValue *ret_atom)
{
	const struct sample *s = &c->sample;
	const void *base = s->snapshot;
	long index;

	if (!c->published)
		return PM_ERR_AGAIN;
	if (fill >= 0) {
		index = inst_map_find(&c->maps[fill], inst);
		if (index < 0)
			return absent_code(m, s->status);
		base = s->tables[fill].data + (size_t)index * s->tables[fill].fill->size;
	}
	return sample_value(m, base, ret_atom) ? 1 : absent_code(m, s->status);
}
