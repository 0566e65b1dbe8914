/* test_shutdown - streams end (docs/spec/posix-trace.md 10.5). */
#include "tool.h"

#include <stdatomic.h>

static trace_event_id_t id;

TEST(T_SHUT_01)
{
	OK(posix_trace_shutdown(STREAM()));
	OK(posix_trace_shutdown(STREAM(.policy = POSIX_TRACE_UNTIL_FULL)));
}

TEST(T_SHUT_02)
{
	trace_id_t trid;

	id = tool_id("shutdown");
	OK(posix_trace_shutdown(RUNNING()));
	trid = RUNNING();
	tool_emit_run(id, 1, 100, 64);
	OK(posix_trace_shutdown(trid));
	OK(posix_trace_shutdown(STREAM(.log = tool_log(), .running = true)));
	tool_emit_run(id, 1, 100, 64);
}

TEST(T_SHUT_03)
{
	trace_id_t stopped = STREAM();
	trace_id_t running = RUNNING();
	trace_id_t withlog = STREAM(.log = tool_log(), .running = true);

	OK(posix_trace_shutdown(stopped));
	tool_all_einval(stopped);
	OK(posix_trace_shutdown(running));
	tool_all_einval(running);
	OK(posix_trace_shutdown(withlog));
	tool_all_einval(withlog);
}

TEST(T_SHUT_04)
{
	trace_id_t trid = RUNNING();

	OK(posix_trace_shutdown(trid));
	for (int i = 0; i < 5; i++)
		ERR(posix_trace_shutdown(trid), EINVAL);
}

TEST(T_SHUT_05)
{
	trace_id_t stale[50];

	for (size_t i = 0; i < ARRAY_LEN(stale); i++)
		stale[i] = tool_stale();
	/* More new ones than there are slots, and some that live. */
	for (int i = 0; i < 2 * TRACE_SYS_MAX; i++) {
		trace_id_t trid = tool_stale();

		for (size_t k = 0; k < ARRAY_LEN(stale); k++)
			CHECK(trid != stale[k]);
	}
	for (int i = 0; i < 8; i++)
		RUNNING();
	for (size_t i = 0; i < ARRAY_LEN(stale); i++)
		tool_all_einval(stale[i]);
}

TEST(T_SHUT_06)
{
	id = tool_id("shutdown");
	for (int round = 0; round < 20; round++) {
		trace_id_t trid = RUNNING();

		/* Nothing of the stream before is in it. */
		EQ(tool_drain(trid).count, 0);
		tool_emit_run(id, 1, 200, 64);
		OK(posix_trace_shutdown(trid));
	}
}

struct race {
	pthread_barrier_t barrier;
	trace_id_t trid;
	atomic_int won, lost;
};

static void *shut_down(void *arg)
{
	struct race *race = arg;
	int r;

	pthread_barrier_wait(&race->barrier);
	r = posix_trace_shutdown(race->trid);
	if (r == 0)
		atomic_fetch_add(&race->won, 1);
	else if (r == EINVAL)
		atomic_fetch_add(&race->lost, 1);
	return NULL;
}

TEST(T_SHUT_07)
{
	struct race race;

	OK(pthread_barrier_init(&race.barrier, NULL, 2));
	for (int round = 0; round < 200; round++) {
		pthread_t threads[2];

		race.trid = round % 2 == 0 ? RUNNING() : STREAM();
		atomic_store(&race.won, 0);
		atomic_store(&race.lost, 0);
		for (size_t i = 0; i < 2; i++)
			threads[i] = tool_thread(shut_down, &race);
		for (size_t i = 0; i < 2; i++)
			tool_join(threads[i]);
		EQ(atomic_load(&race.won), 1);
		EQ(atomic_load(&race.lost), 1);
	}
}

static atomic_bool over;

static void *record_on(void *arg)
{
	uint64_t n = 0;

	while (!atomic_load(&over))
		tool_emit_run(id, n, n + 9, 8 + n % 7 * 30), n += 10;
	return arg;
}

TEST_WITHIN(T_SHUT_08, 300)
{
	struct event event;
	pthread_t threads[4];

	id = tool_id("shutdown");
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		threads[i] = tool_thread(record_on, NULL);
	for (int round = 0; round < 300; round++) {
		trace_id_t trid =
		    STREAM(.policy = round % 2 == 0 ? POSIX_TRACE_LOOP : POSIX_TRACE_UNTIL_FULL);

		OK(posix_trace_start(trid));
		if (round % 3 == 0)
			tool_sleep_ms(1);
		/* Others go on recording: not to the end. */
		for (int i = 0; round % 5 == 0 && i < 1000 && tool_next(trid, &event); i++)
			continue;
		OK(posix_trace_shutdown(trid));
		tool_call_einval("get_status", trid);
	}
	atomic_store(&over, true);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		tool_join(threads[i]);
}

TEST(T_SHUT_09)
{
	static const trace_id_t garbage[] = {
	    0, 1, 255, 256, 65536, 0x7fffffff, 0x80000000u, 0xdeadbeefu, 0xffffffffu};
	trace_id_t alive = RUNNING();

	for (size_t i = 0; i < ARRAY_LEN(garbage); i++)
		if (garbage[i] != alive)
			tool_all_einval(garbage[i]);
	/* Neighbours of one that is valid. */
	for (unsigned bit = 0; bit < 32; bit++)
		ERR(posix_trace_shutdown(alive ^ 1u << bit), EINVAL);
	OK(posix_trace_shutdown(alive));
}

static void cycle(int fd)
{
	trace_id_t trid = fd < 0 ? RUNNING() : STREAM(.log = fd, .running = true);

	tool_emit_run(id, 1, 3, 64);
	OK(posix_trace_shutdown(trid));
}

TEST_WITHIN(T_SHUT_10, 300)
{
	int descriptors;
	int fd = tool_log();

	id = tool_id("shutdown");
	for (int i = 0; i < 10; i++)
		cycle(i % 2 == 0 ? -1 : fd);
	descriptors = tool_open_descriptors();
	for (int i = 0; i < 1000; i++)
		cycle(i % 50 == 0 ? fd : -1);
	EQ(tool_open_descriptors(), descriptors);
	/* Slots: there were more streams than there can be at a time. */
	CHECK(1000 > TRACE_SYS_MAX);
	trace_id_t trid = RUNNING();
	tool_emit_run(id, 1, 3, 64);
	EQ(tool_drain(trid).count, 3);
}
