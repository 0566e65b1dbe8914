/* test_run - start and stop (docs/spec/posix-trace.md 9.5, 10.4). */
#include "tool.h"

static struct event next_is(trace_id_t trid, trace_event_id_t id)
{
	struct event event;

	CHECK(tool_next(trid, &event));
	EQ(event.info.posix_event_id, id);
	return event;
}

static void nothing_more(trace_id_t trid)
{
	struct event event;

	CHECK(!tool_next(trid, &event));
}

TEST(T_RUN_01)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = STREAM(.policy = policies[i]);

		OK(posix_trace_start(trid));
		tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	}
	trace_id_t withlog = STREAM(.log = tool_log());
	OK(posix_trace_start(withlog));
	tool_state(withlog, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
}

TEST(T_RUN_02)
{
	trace_id_t trid = STREAM();
	struct event start;
	int64_t before = tool_ns(tool_now(CLOCK_REALTIME));

	OK(posix_trace_start(trid));
	start = next_is(trid, POSIX_TRACE_START);
	CHECK(tool_ns(start.info.posix_timestamp) >= before - 50000000);
	CHECK(tool_ns(start.info.posix_timestamp) <= tool_ns(tool_now(CLOCK_REALTIME)) + 50000000);
	EQ(start.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
	CHECK(pthread_equal(start.info.posix_thread_id, pthread_self()));
	nothing_more(trid);
}

TEST(T_RUN_03)
{
	trace_id_t trid = STREAM();

	OK(posix_trace_start(trid));
	EQ(next_is(trid, POSIX_TRACE_START).len, sizeof(trace_event_set_t));
}

static void start_shows_filter(trace_id_t trid, const trace_event_set_t *filter)
{
	trace_event_set_t shown;
	struct event start;

	OK(posix_trace_set_filter(trid, filter, POSIX_TRACE_SET_EVENTSET));
	OK(posix_trace_start(trid));
	start = next_is(trid, POSIX_TRACE_START);
	EQ(start.len, sizeof(shown));
	memcpy(&shown, start.data, sizeof(shown));
	CHECK(tool_same_set(&shown, filter));
	OK(posix_trace_stop(trid));
	next_is(trid, POSIX_TRACE_STOP);
}

TEST(T_RUN_04)
{
	trace_id_t trid = STREAM();
	trace_event_id_t id = tool_id("filtered");
	trace_event_set_t empty = tool_set(0);
	trace_event_set_t few = tool_set(3, id, (trace_event_id_t)POSIX_TRACE_FILTER,
					 (trace_event_id_t)POSIX_TRACE_UNNAMED_USEREVENT);
	trace_event_set_t most;

	OK(posix_trace_eventset_fill(&most, POSIX_TRACE_ALL_EVENTS));
	OK(posix_trace_eventset_del(POSIX_TRACE_START, &most));
	OK(posix_trace_eventset_del(POSIX_TRACE_STOP, &most));
	start_shows_filter(trid, &empty);
	start_shows_filter(trid, &few);
	start_shows_filter(trid, &most);
}

TEST(T_RUN_05)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = RUNNING(.policy = policies[i]);

		OK(posix_trace_start(trid));
		OK(posix_trace_start(trid));
		tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
		nothing_more(trid);
	}
}

TEST(T_RUN_06)
{
	trace_id_t trid = RUNNING();

	OK(posix_trace_stop(trid));
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
}

TEST(T_RUN_07)
{
	trace_id_t trid = RUNNING();
	struct event stop;

	OK(posix_trace_stop(trid));
	stop = next_is(trid, POSIX_TRACE_STOP);
	EQ(tool_int(&stop), 0);
	EQ(stop.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
	nothing_more(trid);
}

TEST(T_RUN_08)
{
	trace_id_t trid = STREAM();

	OK(posix_trace_stop(trid)); /* never started */
	nothing_more(trid);
	OK(posix_trace_start(trid));
	OK(posix_trace_stop(trid));
	OK(posix_trace_stop(trid));
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
	next_is(trid, POSIX_TRACE_START);
	next_is(trid, POSIX_TRACE_STOP);
	nothing_more(trid);
}

TEST(T_RUN_09)
{
	trace_id_t trid = STREAM();
	trace_event_id_t id = tool_id("early");
	struct events events;

	tool_emit_run(id, 1, 1000, 8);
	OK(posix_trace_start(trid));
	tool_emit(id, 1001);
	events = tool_drain(trid);
	EQ(events.count, 2);
	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_START);
	EQ(tool_number(&events.at[1]), 1001);
}

TEST(T_RUN_10)
{
	trace_id_t trid = STREAM();
	trace_event_id_t id = tool_id("counted");
	struct events events;

	for (uint64_t round = 0; round < 20; round++) {
		OK(posix_trace_start(trid));
		tool_emit(id, round);
		OK(posix_trace_stop(trid));
		tool_emit_run(id, 1000000, 1000010, 8);
	}
	events = tool_drain(trid);
	EQ(events.count, 60);
	tool_run_is(&events, id, 0, 19);
}

TEST(T_RUN_11)
{
	trace_id_t trid = RUNNING();
	trace_event_id_t id = tool_id("kept");
	struct events events;

	tool_emit_run(id, 1, 100, 16);
	OK(posix_trace_stop(trid));
	events = tool_drain(trid);
	tool_run_is(&events, id, 1, 100);
}

TEST(T_RUN_12)
{
	trace_id_t trid = STREAM();
	trace_event_id_t id = tool_id("twice");

	OK(posix_trace_start(trid));
	tool_emit(id, 1);
	OK(posix_trace_stop(trid));
	OK(posix_trace_start(trid));
	tool_emit(id, 2);
	next_is(trid, POSIX_TRACE_START);
	struct event one = next_is(trid, id);
	EQ(tool_number(&one), 1);
	next_is(trid, POSIX_TRACE_STOP);
	next_is(trid, POSIX_TRACE_START);
	struct event two = next_is(trid, id);
	EQ(tool_number(&two), 2);
	nothing_more(trid);
}

static void wait_at(void *arg)
{
	tool_gate_wait(*(struct gate *)arg);
}

TEST(T_RUN_13)
{
	struct gate gate = tool_gate();
	trace_id_t own = STREAM();
	trace_id_t other;
	pid_t pid;

	OK(posix_trace_start(own));
	OK(posix_trace_stop(own));
	EQ(next_is(own, POSIX_TRACE_START).info.posix_pid, getpid());
	EQ(next_is(own, POSIX_TRACE_STOP).info.posix_pid, getpid());
	pid = tool_fork(wait_at, &gate);
	other = STREAM(.pid = pid);
	OK(posix_trace_start(other));
	OK(posix_trace_stop(other));
	EQ(next_is(other, POSIX_TRACE_START).info.posix_pid, pid);
	EQ(next_is(other, POSIX_TRACE_STOP).info.posix_pid, pid);
	tool_gate_open(gate);
	runner_reap(pid);
}

TEST(T_RUN_14)
{
	trace_id_t trid = STREAM(.size = MIB);
	trace_event_id_t id = tool_id("before the stop");
	uint64_t next = 1;

	/* With and without reading between, so that chunks of any fill are met. */
	for (int round = 0; round < 200; round++) {
		uint64_t first = next;
		struct events events;

		OK(posix_trace_start(trid));
		for (int i = 0; i < round; i++)
			tool_emit(id, next++);
		OK(posix_trace_stop(trid));
		events = tool_drain(trid);
		EQ(events.count, 2 + next - first);
		EQ(events.at[events.count - 1].info.posix_event_id, POSIX_TRACE_STOP);
		for (size_t i = 1; i < events.count; i++)
			CHECK(tool_ns(events.at[i].info.posix_timestamp) >=
			      tool_ns(events.at[i - 1].info.posix_timestamp));
	}
}

TEST(T_RUN_15)
{
	trace_id_t trid = tool_stale();

	ERR(posix_trace_start(trid), EINVAL);
	ERR(posix_trace_stop(trid), EINVAL);
}

TEST(T_RUN_16)
{
	trace_id_t trid = tool_prerecorded(NULL);

	ERR(posix_trace_start(trid), EINVAL);
	ERR(posix_trace_stop(trid), EINVAL);
}

static void *start_it(void *arg)
{
	OK(posix_trace_start(*(trace_id_t *)arg));
	return NULL;
}

static void *stop_it(void *arg)
{
	OK(posix_trace_stop(*(trace_id_t *)arg));
	return NULL;
}

TEST(T_RUN_17)
{
	trace_id_t trid = STREAM();
	trace_event_id_t id = tool_id("between");
	pthread_t self = pthread_self();
	struct event event;

	tool_join(tool_thread(start_it, &trid));
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	tool_emit(id, 1);
	tool_join(tool_thread(stop_it, &trid));
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
	event = next_is(trid, POSIX_TRACE_START);
	CHECK(!pthread_equal(event.info.posix_thread_id, self));
	next_is(trid, id);
	next_is(trid, POSIX_TRACE_STOP);
	nothing_more(trid);
}
