/*
 * afevent - work at intervals, done in a handler of SIGALRM: docs/spec/pmapi.md 24.
 *
 * One timer of the process is set for the task that is due first. The handler never waits and never
 * allocates: if another thread, or the code that it interrupted, holds the list, it runs again a
 * little later; a task that was removed keeps its memory for the next one.
 *
 * Written by   tasks   the holder of the list: a caller, or the handler (list_try)
 *              late    the handler, when a due task could not run because the list was held
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <pcp/libpcp.h>

enum {
	AF_SECOND_US = 1000000,
	AF_RETRY_US = 10000, /* when the list is held */
};

struct task {
	struct task *next;
	int id; /* 0: removed */
	int64_t due_us, delta_us;
	void *data;
	void (*func)(int id, void *data);
};

static struct task *tasks;
static int last_id;
static atomic_flag held = ATOMIC_FLAG_INIT;
static atomic_bool blocked, late;
static pthread_t handling; /* the thread in the handler, valid with in_handler */
static atomic_bool in_handler;

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * AF_SECOND_US + ts.tv_nsec / 1000;
}

static int64_t timeval_us(const struct timeval *t)
{
	return (int64_t)t->tv_sec * AF_SECOND_US + t->tv_usec;
}

/* Sets the timer to expire once, after so many microseconds; 0 stops it. */
static void timer_set(int64_t us)
{
	const struct itimerval when = {
	    .it_value = {.tv_sec = us / AF_SECOND_US, .tv_usec = us % AF_SECOND_US}};

	setitimer(ITIMER_REAL, &when, NULL);
}

static struct task *first_due(void)
{
	struct task *first = NULL;

	for (struct task *t = tasks; t != NULL; t = t->next) {
		if (t->id != 0 && (first == NULL || t->due_us < first->due_us))
			first = t;
	}
	return first;
}

static void timer_set_first(void)
{
	const struct task *first = first_due();
	int64_t wait_us = first != NULL ? first->due_us - now_us() : 0;

	timer_set(first == NULL ? 0 : wait_us > 0 ? wait_us : 1);
}

/* Runs each due task once, even if several of its times have passed. */
static void run_due(void)
{
	int64_t now = now_us();
	struct task *t;

	while ((t = first_due()) != NULL && t->due_us <= now) {
		t->due_us += ((now - t->due_us) / t->delta_us + 1) * t->delta_us;
		t->func(t->id, t->data);
	}
}

static void on_alarm(int signal)
{
	int error = errno;

	if (atomic_load(&blocked)) {
		atomic_store(&late, true);
	} else if (atomic_flag_test_and_set(&held)) {
		timer_set(AF_RETRY_US);
	} else {
		handling = pthread_self();
		atomic_store(&in_handler, true);
		run_due();
		atomic_store(&in_handler, false);
		timer_set_first();
		atomic_flag_clear(&held);
	}
	errno = error;
}

/* True if the list was locked here and must be unlocked; false in a task, which has it locked. */
static bool list_hold(void)
{
	if (atomic_load(&in_handler) && pthread_equal(handling, pthread_self()))
		return false;
	while (atomic_flag_test_and_set(&held))
		sched_yield();
	return true;
}

static void list_release(bool taken)
{
	if (!taken)
		return;
	timer_set_first();
	atomic_flag_clear(&held);
}

static int handler_install(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	return sigaction(SIGALRM, &action, NULL) < 0 ? -errno : 0;
}

/* A task that is no longer in use, or a new one. */
static struct task *task_get(void)
{
	struct task *t = tasks;

	while (t != NULL && t->id != 0)
		t = t->next;
	if (t != NULL)
		return t;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->next = tasks;
	tasks = t;
	return t;
}

int __pmAFsetup(const struct timeval *start, const struct timeval *delta, void *data,
		void (*func)(int id, void *data))
{
	int64_t delta_us = timeval_us(delta);
	struct task *t;
	int r = -EINVAL;
	bool taken;

	if (delta_us <= 0)
		return r;
	taken = list_hold();
	t = task_get();
	r = t == NULL ? -ENOMEM : handler_install();
	if (r == 0) {
		t->due_us = now_us() + (start != NULL ? timeval_us(start) : delta_us);
		t->delta_us = delta_us;
		t->data = data;
		t->func = func;
		r = t->id = ++last_id;
	}
	list_release(taken);
	return r;
}

int __pmAFregister(const struct timeval *delta, void *data, void (*func)(int id, void *data))
{
	return __pmAFsetup(NULL, delta, data, func);
}

int __pmAFunregister(int id)
{
	bool taken = list_hold();
	struct task *t = tasks;

	while (t != NULL && (id <= 0 || t->id != id))
		t = t->next;
	if (t != NULL)
		t->id = 0;
	list_release(taken);
	return t != NULL ? 0 : -1;
}

void __pmAFblock(void)
{
	atomic_store(&blocked, true);
}

void __pmAFunblock(void)
{
	atomic_store(&blocked, false);
	if (atomic_exchange(&late, false))
		timer_set(1);
}

int __pmAFisempty(void)
{
	bool taken = list_hold();
	bool empty = first_due() == NULL;

	list_release(taken);
	return empty;
}
