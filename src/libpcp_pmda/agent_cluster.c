#include "agent_cluster.h"

#include <errno.h>
#include <string.h>

#include "libbase/clock.h"

/* Into the spare sample; in the helper thread if the cluster is a slow one. */
static void refresh_run(void *arg)
{
	struct cluster_state *c = arg;
	struct sample *s = c->spare;
	uint64_t start = clock_mono_ns();

	sample_reset(s, c->def, &c->blank);
	c->refresh.sample = s;
	s->status = c->def->refresh(&c->refresh, s->snapshot);
	s->took_ns = clock_mono_ns() - start;
	s->done_ms = (start + s->took_ns) / 1000000u;
}

int cluster_init(struct cluster_state *c, const struct agent_cluster *def,
		 struct agent_state *state, const struct refresh_root *root)
{
	int nsamples = def->wait_ms != 0 ? 2 : 1;
	int r;

	c->def = def;
	c->refresh.state = state;
	c->refresh.root = root;
	r = sample_blank_init(&c->blank, def);
	for (int i = 0; r == 0 && i < nsamples; i++)
		r = sample_init(&c->samples[i], def, &c->blank);
	if (r == 0 && def->wait_ms != 0)
		r = slow_init(&c->slow, refresh_run, c);
	c->spare = &c->samples[0];
	c->threaded = def->wait_ms != 0 && def->may_hang;
	return r;
}

void cluster_done(struct cluster_state *c)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++)
		inst_map_done(&c->maps[i]);
	sample_done(&c->samples[0]);
	sample_done(&c->samples[1]);
	sample_blank_done(&c->blank);
	refresh_done(&c->refresh);
}

/* The spare sample is complete: it is what fetches read from now on. */
static void publish(struct cluster_state *c)
{
	struct sample *s = c->spare;

	if (c->def->wait_ms != 0)
		c->spare = s == &c->samples[0] ? &c->samples[1] : &c->samples[0];
	c->current = s;
	c->stats.count++;
	c->stats.took_ns += s->took_ns;
	c->stats.last_ns = s->took_ns;
	if (s->status < 0) {
		c->stats.failures++;
		c->stats.last_error = s->status;
	}
}

static void need_slow(struct cluster_state *c)
{
	/* Who took longer than we may wait will do so again: serve what there is, at once. */
	bool patient = c->current == NULL || c->stats.last_ns < c->def->wait_ms * 1000000ull;
	bool fresh;

	if (slow_take(&c->slow))
		publish(c);
	fresh = slow_ask(&c->slow) && patient && slow_wait(&c->slow, c->def->wait_ms);
	if (fresh)
		publish(c);
	else
		c->stats.stale++;
}

void cluster_need(struct cluster_state *c, uint64_t seq)
{
	if (c->seq == seq)
		return;
	c->seq = seq;
	if (c->def->max_age_ms != 0 && c->current != NULL &&
	    clock_mono_ms() - c->current->done_ms < c->def->max_age_ms)
		return;
	if (c->threaded) {
		need_slow(c);
		return;
	}
	refresh_run(c);
	publish(c);
	c->threaded = c->def->wait_ms != 0 && c->stats.last_ns > c->def->wait_ms * 1000000ull;
}

void cluster_sync(struct cluster_state *c, int i)
{
	int r;

	if (c->current == NULL)
		return;
	/* A failed refresh says nothing about which instances there are. */
	r = inst_map_sync(&c->maps[i], c->indoms[i], &c->current->tables[i],
			  c->def->fills[i].defines && c->current->status == 0);
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
	const struct sample *s = c->current;
	const void *base;
	long index;

	if (s == NULL)
		return PM_ERR_AGAIN;
	base = s->snapshot;
	if (fill >= 0) {
		index = inst_map_find(&c->maps[fill], inst);
		if (index < 0)
			return absent_code(m, s->status);
		base = s->tables[fill].data + (size_t)index * s->tables[fill].fill->size;
	}
	return sample_value(m, base, ret_atom) ? 1 : absent_code(m, s->status);
}
