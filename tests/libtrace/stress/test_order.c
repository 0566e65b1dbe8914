/*
 * test_order - an event that happens before another one is reported before it, whatever orders
 * them (docs/spec/trace-design.md 6): plain atomics in strict mode, the rest in both.
 */
#include "load.h"
#include "skew.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#define TURNS_LEAST 200

static trace_event_id_t id;
static struct skew skew; /* for the message of a failure */

/* How a turn passes from one side to the other; shared, so that a side may be a process. */
struct table {
	atomic_uint turn;
	sem_t sems[2];
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int pipes[2][2];
	int events[2];
	uint64_t count; /* changed by the thread whose turn it is */
	int64_t end;
};

static struct table *table;

static void spin_wait(unsigned me)
{
	for (unsigned i = 0; atomic_load_explicit(&table->turn, memory_order_acquire) != me; i++)
		if (i % 4096 == 4095)
			sched_yield();
}

static void spin_pass(unsigned to)
{
	atomic_store_explicit(&table->turn, to, memory_order_release);
}

static void sem_take(unsigned me)
{
	while (sem_wait(&table->sems[me]) != 0)
		continue;
}

static void sem_give(unsigned to)
{
	CHECK(sem_post(&table->sems[to]) == 0);
}

static void mutex_wait(unsigned me)
{
	OK(pthread_mutex_lock(&table->mutex));
	while (atomic_load_explicit(&table->turn, memory_order_relaxed) != me)
		OK(pthread_cond_wait(&table->cond, &table->mutex));
	OK(pthread_mutex_unlock(&table->mutex));
}

static void mutex_pass(unsigned to)
{
	OK(pthread_mutex_lock(&table->mutex));
	atomic_store_explicit(&table->turn, to, memory_order_relaxed);
	OK(pthread_cond_broadcast(&table->cond));
	OK(pthread_mutex_unlock(&table->mutex));
}

static void futex_wait(unsigned me)
{
	/* A locked read: what the C library's locks do, too. */
	while (atomic_fetch_add(&table->turn, 0) != me)
		syscall(SYS_futex, &table->turn, FUTEX_WAIT, 1 - me, NULL, NULL, 0);
}

static void futex_pass(unsigned to)
{
	atomic_store(&table->turn, to);
	syscall(SYS_futex, &table->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void pipe_wait(unsigned me)
{
	char c;

	EQ(read(table->pipes[me][0], &c, 1), 1);
}

static void pipe_pass(unsigned to)
{
	EQ(write(table->pipes[to][1], "", 1), 1);
}

static void eventfd_wait(unsigned me)
{
	uint64_t value;

	EQ(read(table->events[me], &value, sizeof(value)), (long)sizeof(value));
}

static void eventfd_pass(unsigned to)
{
	uint64_t one = 1;

	EQ(write(table->events[to], &one, sizeof(one)), (long)sizeof(one));
}

struct way {
	const char *name;
	void (*wait)(unsigned me);
	void (*pass)(unsigned to);
	uint64_t turns;
	bool strict_alone;
};

static const struct way ways[] = {
    {"plain atomics", spin_wait, spin_pass, 200000, true},
    {"semaphores", sem_take, sem_give, 20000, false},
    {"mutex and condition", mutex_wait, mutex_pass, 20000, false},
    {"futex", futex_wait, futex_pass, 20000, false},
    {"pipes", pipe_wait, pipe_pass, 20000, false},
    {"eventfd", eventfd_wait, eventfd_pass, 20000, false},
};

static const struct way *way;

/* Every second number is this side's. Where others want the processors too, a turn may take as long
 * as theirs: no more are taken then than in some seconds. */
static void take_turns(unsigned me)
{
	bool over = false;

	for (uint64_t n = me; !over; n += 2) {
		way->wait(me);
		if (n < table->count) {
			tool_emit(id, n);
			if (n % 100 == 0 && n >= TURNS_LEAST &&
			    tool_ns(tool_now(CLOCK_MONOTONIC)) > table->end)
				table->count = n + 1;
		}
		over = n >= table->count;
		way->pass(1 - me);
	}
}

static void *second_thread(void *arg)
{
	take_turns(1);
	return arg;
}

static void second_process(void *arg)
{
	(void)arg;
	take_turns(1);
}

static void set_table(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;

	table = tool_shared(sizeof(*table));
	OK(pthread_mutexattr_init(&mutex));
	OK(pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED));
	OK(pthread_mutex_init(&table->mutex, &mutex));
	OK(pthread_condattr_init(&cond));
	OK(pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED));
	OK(pthread_cond_init(&table->cond, &cond));
	for (unsigned i = 0; i < 2; i++) {
		CHECK(sem_init(&table->sems[i], 1, i == 0) == 0);
		CHECK(pipe(table->pipes[i]) == 0);
		table->events[i] = eventfd(i == 0, EFD_CLOEXEC);
		CHECK(table->events[i] >= 0);
	}
	pipe_pass(0);
}

static void in_order(int clock, bool processes)
{
	trace_attr_t attr;
	struct event event;
	trace_id_t trid;
	uint64_t due = 0;

	set_table();
	table->count = load_times(way->turns);
	table->end = tool_ns(tool_now(CLOCK_MONOTONIC)) + (int64_t)load_times(5) * 1000000000;
	id = tool_id("order");
	tool_attr(&(struct want){.size = load_room(table->count),
				 .inherited = true,
				 .policy = POSIX_TRACE_UNTIL_FULL},
		  &attr);
	OK(posix_trace_attr_setclock_np(&attr, clock));
	OK(posix_trace_create(0, &attr, &trid));
	OK(posix_trace_start(trid));
	if (processes) {
		pid_t pid = tool_fork(second_process, NULL);

		take_turns(0);
		runner_reap(pid);
	} else {
		pthread_t thread = tool_thread(second_thread, NULL);

		take_turns(0);
		tool_join(thread);
	}
	while (tool_next(trid, &event)) {
		if (event.info.posix_event_id != id)
			continue;
		if (tool_number(&event) != due)
			FAIL("%s, clock %d, %s: number %llu where %llu was due; %s", way->name,
			     clock, processes ? "processes" : "threads",
			     (unsigned long long)tool_number(&event), (unsigned long long)due,
			     skew.text);
		due++;
	}
	EQ(due, table->count);
	OK(posix_trace_shutdown(trid));
}

static void every_way(int clock, bool processes)
{
	skew = skew_measure();
	if (skew.low > skew.high)
		FAIL("%s: the distances changed while they were measured", skew.text);
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		way = &ways[i];
		if (clock == POSIX_TRACE_CLOCK_STRICT_NP || !way->strict_alone)
			in_order(clock, processes);
	}
}

TEST_WITHIN(S_ORDER_ADAPTIVE, LOAD_S)
{
	every_way(POSIX_TRACE_CLOCK_ADAPTIVE_NP, false);
}

TEST_WITHIN(S_ORDER_ADAPTIVE_PROCESSES, LOAD_S)
{
	every_way(POSIX_TRACE_CLOCK_ADAPTIVE_NP, true);
}

TEST_WITHIN(S_ORDER_STRICT, LOAD_S)
{
	every_way(POSIX_TRACE_CLOCK_STRICT_NP, false);
}

TEST_WITHIN(S_ORDER_STRICT_PROCESSES, LOAD_S)
{
	every_way(POSIX_TRACE_CLOCK_STRICT_NP, true);
}
