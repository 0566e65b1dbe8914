/* agent_worker - see agent_worker.h. */
#include "libpcp_pmda/agent_worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libpcp_pmda/agent_cluster.h"

/* ---- A helper ------------------------------------------------------------------------------- */

int slow_init(struct slow *s, void (*work)(void *arg), void *arg)
{
	pthread_condattr_t attr;
	int r;

	s->state = SLOW_IDLE;
	s->started = false;
	s->abandoned = false;
	s->work = work;
	s->arg = arg;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	r = pthread_cond_init(&s->change, &attr);
	pthread_condattr_destroy(&attr);
	return -r;
}

static void *helper(void *arg)
{
	struct slow *s = arg;

	pthread_mutex_lock(&s->lock);
	do { /* the first work is done even if the helper is abandoned before it runs */
		while (s->state != SLOW_ASKED)
			pthread_cond_wait(&s->change, &s->lock);
		pthread_mutex_unlock(&s->lock);
		s->work(s->arg);
		pthread_mutex_lock(&s->lock);
		s->state = SLOW_DONE;
		pthread_cond_broadcast(&s->change);
	} while (!s->abandoned);
	pthread_mutex_unlock(&s->lock); /* the last use: s may be freed now */
	return NULL;
}

/* The helper blocks all signals: they are for the other threads of the process. */
static bool helper_start(struct slow *s)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;
	int r;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&thread, &attr, helper, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return r == 0;
}

static bool take_locked(struct slow *s)
{
	if (s->state != SLOW_DONE)
		return false;
	s->state = SLOW_IDLE;
	return true;
}

bool slow_take(struct slow *s)
{
	bool done;

	pthread_mutex_lock(&s->lock);
	done = take_locked(s);
	pthread_mutex_unlock(&s->lock);
	return done;
}

bool slow_ask(struct slow *s)
{
	bool asked = false;

	if (!s->started)
		s->started = helper_start(s);
	if (!s->started)
		return false;
	pthread_mutex_lock(&s->lock);
	if (s->state == SLOW_IDLE) {
		s->state = SLOW_ASKED;
		asked = true;
		pthread_cond_broadcast(&s->change);
	}
	pthread_mutex_unlock(&s->lock);
	return asked;
}

bool slow_busy(struct slow *s)
{
	bool busy;

	pthread_mutex_lock(&s->lock);
	busy = s->state == SLOW_ASKED;
	pthread_mutex_unlock(&s->lock);
	return busy;
}

bool slow_abandon(struct slow *s)
{
	bool abandoned;

	pthread_mutex_lock(&s->lock);
	abandoned = s->state == SLOW_ASKED;
	s->abandoned = abandoned;
	pthread_mutex_unlock(&s->lock);
	return abandoned;
}

bool slow_wait(struct slow *s, unsigned int wait_ms)
{
	struct timespec until;
	bool done;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += wait_ms / 1000;
	until.tv_nsec += (long)(wait_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&s->lock);
	while (s->state == SLOW_ASKED)
		if (pthread_cond_timedwait(&s->change, &s->lock, &until) == ETIMEDOUT)
			break;
	done = take_locked(s);
	pthread_mutex_unlock(&s->lock);
	return done;
}

/* ---- The worker ----------------------------------------------------------------------------- */

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
	w->refresh.reading = &w->reading;
	r = reading_init(&w->reading, c->def, &c->blank);
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
	reading_done(&w->reading);
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
	struct reading *s = &w->reading;
	uint64_t start = clock_mono_ns();

	reading_reset(s, c->def, &c->blank);
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
