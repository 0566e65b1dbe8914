#include "libpcp_pmda/agent_worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"

#include "libpcp_pmda/agent_cluster.h"

static void run(void *arg)
{
	worker_run(arg);
}

int worker_new(struct cluster_state *c, struct worker **ret_worker)
{
	struct worker *w = calloc(1, sizeof(*w));
	int r;

	if (w == NULL)
		return -ENOMEM;
	w->refresh.cluster = c;
	w->refresh.root = c->root;
	w->refresh.state = c->state;
	w->refresh.sample = &w->sample;
	r = sample_init(&w->sample, c->def, &c->blank);
	if (r == 0)
		r = slow_init(&w->slow, run, w);
	if (r < 0) {
		worker_free(w);
		return r;
	}
	*ret_worker = w;
	return 0;
}

void worker_free(struct worker *w)
{
	if (w == NULL)
		return;
	sample_done(&w->sample);
	refresh_done(&w->refresh);
	free(w);
}

static void set_what(struct worker *w, const char *what)
{
	struct cluster_state *c = w->refresh.cluster;

	pthread_mutex_lock(&c->stuck_lock);
	snprintf(w->what, sizeof(w->what), "%s", what);
	pthread_mutex_unlock(&c->stuck_lock);
}

void worker_run(struct worker *w)
{
	const struct cluster_state *c = w->refresh.cluster;
	struct sample *s = &w->sample;
	uint64_t start = clock_mono_ns();

	sample_reset(s, c->def, &c->blank);
	w->refresh.failed = 0;
	s->status = c->def->refresh(&w->refresh, s->snapshot);
	s->took_ns = clock_mono_ns() - start;
	s->done_ms = (start + s->took_ns) / 1000000u;
	if (w->what[0] != '\0') /* written by this thread alone */
		set_what(w, "");
}

bool worker_ask(struct worker *w)
{
	bool asked = slow_ask(&w->slow);

	if (asked)
		w->asked_ms = clock_mono_ms();
	return asked;
}

bool worker_hangs(struct worker *w)
{
	return slow_busy(&w->slow) && clock_mono_ms() - w->asked_ms > WORKER_HANG_MS;
}

int agent_may_hang_on(struct agent_refresh *r, const char *what)
{
	struct worker *w = CONTAINER_OF(r, struct worker, refresh);
	struct cluster_state *c = r->cluster;
	bool stuck = false;

	pthread_mutex_lock(&c->stuck_lock);
	for (const struct worker *other = c->stuck; other != NULL; other = other->next)
		if (strncmp(other->what, what, sizeof(other->what) - 1) == 0)
			stuck = true;
	snprintf(w->what, sizeof(w->what), "%s", stuck ? "" : what);
	pthread_mutex_unlock(&c->stuck_lock);
	return stuck ? -EBUSY : 0;
}
