/* collector - see collector.h. Static: the lock. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "collector.h"

enum {
	SLICE_FIRST = 64, /* events of each stream, for a request */
	GUEST_MS = 30,    /* that a request waits for a command, in pmcd's process */
};

struct collector collector = {
    .budget = {.queue = 1 << 20, .memory = 64 << 20}, .linger_s = 60, .patience_ms = GUEST_MS};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint waiting; /* requests that want the lock */

uint64_t collector_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

uint64_t collector_spent_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

struct timespec collector_after_ms(uint64_t ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += (time_t)(ms / 1000);
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

void collector_lock(void)
{
	atomic_fetch_add(&waiting, 1);
	pthread_mutex_lock(&lock);
	atomic_fetch_sub(&waiting, 1);
}

void collector_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void collector_hold(void)
{
	pthread_mutex_lock(&lock);
}

int collector_wait(pthread_cond_t *cond, const struct timespec *until)
{
	return pthread_cond_timedwait(cond, &lock, until);
}

void collector_step_back(void)
{
	const struct timespec moment = {0, 50000};

	pthread_mutex_unlock(&lock);
	while (atomic_load(&waiting) > 0)
		nanosleep(&moment, NULL);
	pthread_mutex_lock(&lock);
}

void collector_failed(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(collector.last_error, sizeof(collector.last_error), format, args);
	va_end(args);
}

bool collector_permits(uid_t who, uid_t owner)
{
	return who == 0 || who == owner;
}

/* A slice of each stream that has not had enough: whether there is one left. */
static bool drain_round(unsigned int slice, uint64_t until_us)
{
	bool more = false;

	for (struct stream *s = collector.streams; s != NULL; s = s->next) {
		if (s->taken >= s->enough || collector_spent_us() > until_us)
			continue;
		if (stream_take(s, slice, &collector.budget) == 0)
			s->enough = s->taken;
		more = more || s->taken < s->enough;
	}
	return more;
}

/* Of what comes meanwhile nothing is owed. Those with little come first: a busy process must not
 * take the time of the others. */
void collector_drain(unsigned int ms)
{
	uint64_t until = collector_spent_us() + (uint64_t)ms * 1000;

	for (struct stream *s = collector.streams; s != NULL; s = s->next) {
		stream_look(s);
		s->enough = s->taken + (s->live ? stream_unread(s) : 0);
	}
	if (drain_round(SLICE_FIRST, UINT64_MAX))
		while (collector_spent_us() <= until && drain_round(COLLECTOR_SLICE, until))
			;
}
