/* test_forks - a storm of forks of a traced process with threads. */
#include "load.h"

#include <stdatomic.h>

#define CHILDREN 400
#define EACH     50

static trace_event_id_t id;
static atomic_bool over;
static uint32_t child_number;

static void *record_on(void *arg)
{
	uint32_t who = (uint32_t)(uintptr_t)arg;
	uint32_t n = 0;

	while (!atomic_load(&over)) {
		for (int i = 0; i < 20; i++)
			load_emit(id, who, n++);
		tool_sleep_ms(1);
	}
	return (void *)(uintptr_t)n;
}

static void record_and_fork(void *arg)
{
	(void)arg;
	for (uint32_t n = 0; n < EACH; n++)
		load_emit(id, child_number, n);
	/* Every fourth has a child of its own, which goes on with its numbers. */
	if (child_number % 4 == 0) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0) {
			for (uint32_t n = EACH; n < 2 * EACH; n++)
				load_emit(id, child_number, n);
			_exit(0);
		}
		runner_reap(pid);
	}
}

/* Children in groups of ten at once, while two threads record; gives how many events they made. */
static uint64_t storm(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < CHILDREN; i += 10) {
		pid_t pids[10];

		for (uint32_t k = 0; k < 10; k++) {
			child_number = 100 + i + k;
			pids[k] = tool_fork(record_and_fork, NULL);
			sum += child_number % 4 == 0 ? 2 * EACH : EACH;
		}
		for (uint32_t k = 0; k < 10; k++)
			runner_reap(pids[k]);
	}
	return sum;
}

static void run(int inherited)
{
	static struct load_seen seen;
	pthread_t threads[2];
	uint64_t own = 0;
	uint64_t children;
	trace_id_t trid;

	id = tool_id("forks");
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL, .size = 32 * MIB, .inherited = inherited);
	for (size_t i = 0; i < 2; i++)
		threads[i] = tool_thread(record_on, (void *)(uintptr_t)i);
	children = storm();
	atomic_store(&over, true);
	for (size_t i = 0; i < 2; i++)
		own += (uintptr_t)tool_join(threads[i]);
	load_drain(trid, id, &seen);
	EQ(seen.count, own + (inherited ? children : 0));
	EQ(load_counts(trid).lost_attach + load_counts(trid).lost_full, 0);
	OK(posix_trace_shutdown(trid));
}

TEST_WITHIN(S_FORKS_INHERITED, LOAD_S)
{
	run(POSIX_TRACE_INHERITED);
}

TEST_WITHIN(S_FORKS_CLOSED, LOAD_S)
{
	run(POSIX_TRACE_CLOSE_FOR_CHILD);
}
