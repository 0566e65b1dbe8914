/*
 * resolve - see resolve.h.
 *
 * The C library has no look-up with a deadline, and no way to cancel one. The look-up therefore
 * runs in a thread, and the caller waits for it up to its deadline. The one that finishes last,
 * caller or thread, frees the request.
 */
#include "libbase/resolve.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "libbase/timespec.h"

struct question {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	bool done;      /* the answer is there */
	bool abandoned; /* the caller has given up */
	int result;
	struct addrinfo *list;
	char name[];
};

static atomic_int late; /* requests whose callers have given up */

int resolve_host(const char *name, struct addrinfo **ret_list)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	int r = getaddrinfo(name, NULL, &hints, ret_list);

	/* Without a name, and not for listening, the answer is the loopback addresses. */
	if (r != 0 && strcmp(name, "localhost") == 0)
		r = getaddrinfo(NULL, "0", &hints, ret_list);
	return r;
}

static struct question *question_new(const char *name)
{
	size_t len = strlen(name) + 1;
	struct question *q = calloc(1, sizeof(*q) + len);
	pthread_condattr_t attr;

	if (q == NULL)
		return NULL;
	memcpy(q->name, name, len);
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->answered, &attr);
	pthread_condattr_destroy(&attr);
	return q;
}

static void question_free(struct question *q)
{
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->answered);
	free(q);
}

static void *ask(void *arg)
{
	struct question *q = arg;
	bool abandoned;

	q->result = resolve_host(q->name, &q->list);
	pthread_mutex_lock(&q->lock);
	q->done = true;
	abandoned = q->abandoned;
	pthread_cond_signal(&q->answered);
	pthread_mutex_unlock(&q->lock);
	if (!abandoned)
		return NULL;
	if (q->result == 0)
		freeaddrinfo(q->list);
	question_free(q);
	atomic_fetch_sub(&late, 1);
	return NULL;
}

/* The thread is none of the program's: it takes no signals. False if there is none. */
static bool start(struct question *q)
{
	pthread_attr_t attr;
	sigset_t all, own;
	pthread_t thread;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &own);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, ask, q);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &own, NULL);
	return r == 0;
}

static struct timespec deadline(int timeout_ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return timespec_add_ns(&ts, (int64_t)timeout_ms * TIMESPEC_NSEC_PER_MSEC);
}

/* True if the answer came; else the question is left to its thread. */
static bool wait_for(struct question *q, int timeout_ms)
{
	const struct timespec until = deadline(timeout_ms);
	bool done;
	int r = 0;

	pthread_mutex_lock(&q->lock);
	while (!q->done && r == 0)
		r = pthread_cond_timedwait(&q->answered, &q->lock, &until);
	done = q->done;
	q->abandoned = !done;
	if (!done)
		atomic_fetch_add(&late, 1);
	pthread_mutex_unlock(&q->lock);
	return done;
}

static int timed_out(void)
{
	errno = ETIMEDOUT;
	return EAI_SYSTEM;
}

static bool is_address(const char *name, struct addrinfo **ret_list)
{
	const struct addrinfo hints = {
	    .ai_flags = AI_NUMERICHOST, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};

	return getaddrinfo(name, NULL, &hints, ret_list) == 0;
}

int resolve_host_within(const char *name, int timeout_ms, struct addrinfo **ret_list)
{
	struct question *q;
	int r;

	if (timeout_ms == 0)
		return resolve_host(name, ret_list);
	if (is_address(name, ret_list))
		return 0;
	if (atomic_load(&late) >= RESOLVE_LATE_MAX)
		return timed_out();
	q = question_new(name);
	if (q == NULL)
		return EAI_MEMORY;
	if (!start(q)) {
		question_free(q);
		return EAI_AGAIN;
	}
	if (!wait_for(q, timeout_ms))
		return timed_out();
	r = q->result;
	if (r == 0)
		*ret_list = q->list;
	question_free(q);
	return r;
}
