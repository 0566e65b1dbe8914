/* crowd - see crowd.h. */
#include "crowd.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

enum { NTHREAD = 16, NSHARED = 4, CALLS_EACH = 150, CALLS_BEFORE = 300 };

static const struct crowd *crowd;
static _Atomic int shared[NSHARED];
static atomic_int done;        /* calls */
static atomic_int right;       /* those that gave an answer */
static atomic_int wrong;       /* the code of what may not be */
static atomic_int reconnected; /* contexts that were broken */
static atomic_bool stopping;

bool crowd_is_gone(int error)
{
	static const int gone[] = {PM_ERR_IPC,    PM_ERR_TIMEOUT,  PM_ERR_NOCONTEXT, PM_ERR_NOPMNS,
				   -ECONNREFUSED, -ENOENT,         -ECONNRESET,      -ETIMEDOUT,
				   -EPIPE,        PM_ERR_CONNLIMIT};

	for (size_t i = 0; i < ARRAY_SIZE(gone); i++) {
		if (error == gone[i])
			return true;
	}
	return false;
}

/* True if it gave an answer. */
static bool judge(int r)
{
	if (r < 0 && !crowd_is_gone(r))
		atomic_store(&wrong, r);
	return r >= 0;
}

static void breathe(void)
{
	nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static int new_context(bool own)
{
	int ctx = pmNewContext(PM_CONTEXT_HOST, crowd->spec);

	if (judge(ctx) && own && crowd->prepare != NULL)
		judge(crowd->prepare());
	return ctx;
}

static bool reconnect(int ctx)
{
	int r = pmReconnectContext(ctx);

	if (judge(r))
		atomic_fetch_add(&reconnected, 1);
	return r == ctx;
}

/* The thread's own context again; the patient keep theirs, and get it back with all that it had. */
static void renew(int *own, bool patient)
{
	breathe();
	if (*own >= 0 && patient) {
		reconnect(*own);
		return;
	}
	pmDestroyContext(*own);
	*own = new_context(true);
}

/* Removes a shared context while other threads may use it, and gives them another one. */
static void replace_shared(unsigned int i)
{
	int fresh = new_context(false);

	if (fresh >= 0)
		pmDestroyContext(atomic_exchange(&shared[i % NSHARED], fresh));
}

static void use(int ctx, unsigned int which, bool own)
{
	int r = pmUseContext(ctx);

	if (r == 0)
		r = crowd->ask(which, own);
	if (judge(r))
		atomic_fetch_add(&right, 1);
	atomic_fetch_add(&done, 1);
}

static void *work(void *arg)
{
	unsigned int number = (unsigned int)(uintptr_t)arg;
	unsigned int seed = number * 7919 + 1;
	int own = new_context(true);

	for (unsigned int turn = 0; turn < CALLS_EACH || !atomic_load(&stopping); turn++) {
		int common;

		seed = seed * 1103515245 + 12345;
		use(own, seed >> 8, true);
		if (pmGetPMNSLocation() < 0)
			renew(&own, number % 2 == 0);
		common = atomic_load(&shared[(seed >> 4) % NSHARED]);
		use(common, seed >> 16, false);
		if ((pmGetPMNSLocation() < 0 && !reconnect(common)) || seed >> 25 == 0)
			replace_shared(seed >> 4);
	}
	pmDestroyContext(own);
	return NULL;
}

static void wait_for(atomic_int *count, int more)
{
	int until = atomic_load(count) + more;

	while (atomic_load(count) < until)
		breathe();
}

/* After it is back, the next crash waits for right answers: a thread must have reached it. */
static void crash(void)
{
	wait_for(&right, CALLS_BEFORE);
	crowd->crash();
	wait_for(&done, NTHREAD);
	crowd->revive();
	wait_for(&reconnected, 1);
}

void crowd_run(const struct crowd *what)
{
	pthread_t threads[NTHREAD];

	crowd = what;
	alarm(crowd->deadline_s);
	for (int i = 0; i < NSHARED; i++) {
		shared[i] = new_context(false);
		assert_true(shared[i] >= 0);
	}
	for (size_t i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
	for (int i = 0; i < crowd->crashes; i++)
		crash();
	wait_for(&right, CALLS_BEFORE);
	atomic_store(&stopping, true);
	for (size_t i = 0; i < NTHREAD; i++)
		pthread_join(threads[i], NULL);
	alarm(0);
	for (int i = 0; i < NSHARED; i++)
		pmDestroyContext(shared[i]);
	print_message("%d calls, %d answered, %d reconnected\n", done, right, reconnected);
	assert_int_equal(wrong, 0);
}
