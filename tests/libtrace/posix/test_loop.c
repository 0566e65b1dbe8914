/* test_loop - streams that overwrite their oldest events (docs/spec/posix-trace.md 9.1). */
#include "tool.h"

static trace_event_id_t id;
static uint64_t newest;

/* Records twice what a stream may hold at most. */
static void overflow(trace_id_t trid, size_t len)
{
	uint64_t count = 2 * tool_too_many(trid, len);

	tool_emit_run(id, newest + 1, newest + count, len);
	newest += count;
}

static trace_id_t overflowed(size_t len)
{
	trace_id_t trid = RUNNING(.policy = POSIX_TRACE_LOOP);

	id = tool_id("loop");
	newest = 0;
	overflow(trid, len);
	return trid;
}

static struct events survivors(void)
{
	struct events events = tool_drain(overflowed(64));

	CHECK(events.count > 3);
	return events;
}

static const size_t lengths[] = {8, 64, 200};

TEST(T_LOOP_01)
{
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		trace_id_t trid = overflowed(lengths[i]);
		struct posix_trace_status_info status = tool_status(trid);

		EQ(status.posix_stream_status, POSIX_TRACE_RUNNING);
		EQ(status.posix_stream_full_status, POSIX_TRACE_FULL);
		EQ(status.posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
		OK(posix_trace_shutdown(trid));
	}
}

TEST(T_LOOP_02)
{
	struct events events = survivors();
	struct event *last = &events.at[events.count - 1];

	EQ(last->info.posix_event_id, id);
	EQ(tool_number(last), newest);
}

TEST(T_LOOP_03)
{
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		trace_id_t trid = overflowed(lengths[i]);
		struct events events = tool_drain(trid);
		uint64_t first, last;

		tool_contiguous(&events, id, &first, &last);
		EQ(last, newest);
		CHECK(first > 1);
		OK(posix_trace_shutdown(trid));
	}
}

TEST(T_LOOP_04)
{
	struct events events = survivors();

	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_OVERFLOW);
	EQ(tool_count(&events, POSIX_TRACE_OVERFLOW), 1);
}

TEST(T_LOOP_05)
{
	struct events events = survivors();

	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_OVERFLOW);
	EQ(events.at[1].info.posix_event_id, POSIX_TRACE_RESUME);
	EQ(tool_find(&events, id, 0), 2);
	EQ(tool_count(&events, POSIX_TRACE_RESUME), 1);
}

TEST(T_LOOP_06)
{
	struct events events = survivors();

	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_OVERFLOW);
	EQ(events.at[1].info.posix_event_id, POSIX_TRACE_RESUME);
	for (size_t i = 0; i < 2; i++) {
		EQ(events.at[i].len, 0);
		EQ(events.at[i].info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
		EQ(events.at[i].info.posix_pid, getpid());
		CHECK(events.at[i].info.posix_prog_address == NULL);
	}
}

TEST(T_LOOP_07)
{
	int64_t begin = tool_ns(tool_now(CLOCK_REALTIME));
	struct events events = survivors();

	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_OVERFLOW);
	CHECK(tool_ns(events.at[0].info.posix_timestamp) <=
	      tool_ns(events.at[1].info.posix_timestamp));
	/* The first event dropped was recorded by this test. */
	CHECK(tool_ns(events.at[0].info.posix_timestamp) >= begin - 10000000);
}

TEST(T_LOOP_08)
{
	struct events events = survivors();

	EQ(events.at[1].info.posix_event_id, POSIX_TRACE_RESUME);
	EQ(tool_ns(events.at[1].info.posix_timestamp), tool_ns(events.at[2].info.posix_timestamp));
}

TEST(T_LOOP_09)
{
	trace_id_t trid = overflowed(64);

	tool_drain(trid);
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
}

TEST(T_LOOP_10)
{
	trace_id_t trid = overflowed(64);
	struct events events;

	tool_drain(trid);
	for (int round = 0; round < 10; round++) {
		tool_emit_run(id, newest + 1, newest + 20, 64);
		events = tool_drain(trid);
		EQ(events.count, 20);
		tool_run_is(&events, id, newest + 1, newest + 20);
		newest += 20;
	}
}

TEST(T_LOOP_11)
{
	trace_id_t trid = overflowed(64);
	struct events events;

	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_FULL);
	OK(posix_trace_stop(trid));
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL);
	tool_emit(id, newest + 1);
	events = tool_drain(trid);
	EQ(tool_number(&events.at[tool_find(&events, id, tool_count(&events, id) - 1)]), newest);
	EQ(events.at[events.count - 1].info.posix_event_id, POSIX_TRACE_STOP);
	EQ(tool_int(&events.at[events.count - 1]), 0);
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
}

TEST(T_LOOP_12)
{
	trace_id_t trid = overflowed(64);
	struct events events;

	OK(posix_trace_stop(trid));
	OK(posix_trace_start(trid));
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_FULL);
	tool_emit_run(id, newest + 1, newest + 1, 64);
	events = tool_drain(trid);
	EQ(tool_number(&events.at[events.count - 1]), newest + 1);
	EQ(tool_count(&events, POSIX_TRACE_START), 1);
}

TEST(T_LOOP_13)
{
	trace_id_t trid = RUNNING(.policy = POSIX_TRACE_LOOP);
	struct events events;

	id = tool_id("loop");
	/* In parts that fit, more in all than fits at once. */
	for (uint64_t part = 0; part < 60; part++) {
		tool_emit_run(id, 200 * part + 1, 200 * part + 200, 64);
		events = tool_drain(trid);
		tool_run_is(&events, id, 200 * part + 1, 200 * part + 200);
		EQ(events.count, 200);
	}
	EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
}

TEST(T_LOOP_14)
{
	trace_id_t trid = RUNNING(.policy = POSIX_TRACE_LOOP);

	id = tool_id("loop");
	for (int round = 0; round < 3; round++) {
		struct events events;
		uint64_t first, last;

		overflow(trid, 64);
		events = tool_drain(trid);
		EQ(tool_count(&events, POSIX_TRACE_OVERFLOW), 1);
		EQ(tool_count(&events, POSIX_TRACE_RESUME), 1);
		EQ(events.at[0].info.posix_event_id, POSIX_TRACE_OVERFLOW);
		EQ(events.at[1].info.posix_event_id, POSIX_TRACE_RESUME);
		tool_contiguous(&events, id, &first, &last);
		EQ(last, newest);
	}
}
