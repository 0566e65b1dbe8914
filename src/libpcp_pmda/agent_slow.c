#include "libpcp_pmda/agent_slow.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

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
	do { /* what it was started for is done, also if it is given up before it runs */
		while (s->state != SLOW_ASKED)
			pthread_cond_wait(&s->change, &s->lock);
		pthread_mutex_unlock(&s->lock);
		s->work(s->arg);
		pthread_mutex_lock(&s->lock);
		s->state = SLOW_DONE;
		pthread_cond_broadcast(&s->change);
	} while (!s->abandoned);
	pthread_mutex_unlock(&s->lock); /* the last touch: s may be freed now */
	return NULL;
}

/* The process's signals are none of the helper's business. */
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
