/* test_clear - a stream back to its beginning (docs/spec/posix-trace.md 10.7). */
#include "tool.h"

static trace_event_id_t id;

static trace_id_t running(int policy)
{
	id = tool_id("clear");
	return RUNNING(.policy = policy);
}

static void overrun(trace_id_t trid)
{
	tool_emit_run(id, 1, tool_too_many(trid, 64), 64);
}

static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

TEST(T_CLEAR_01)
{
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = running(policies[i]);

		tool_emit_run(id, 1, 300, 64);
		OK(posix_trace_clear(trid));
		EQ(tool_drain(trid).count, 0);
		/* In the middle of reading, with other events in the reader's hands. */
		tool_emit_run(id, 1, 300, 64);
		struct event event;
		CHECK(tool_next(trid, &event));
		OK(posix_trace_clear(trid));
		EQ(tool_drain(trid).count, 0);
		OK(posix_trace_stop(trid));
		OK(posix_trace_clear(trid));
		EQ(tool_drain(trid).count, 0);
	}
}

TEST(T_CLEAR_02)
{
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = running(policies[i]);

		OK(posix_trace_clear(trid));
		tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
		OK(posix_trace_stop(trid));
		OK(posix_trace_clear(trid));
		tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
		/* posix_trace_clear() itself records no event. */
		EQ(tool_drain(trid).count, 0);
	}
}

TEST(T_CLEAR_03)
{
	trace_id_t trid = running(POSIX_TRACE_LOOP);
	char name[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t again, first, next;
	int unavailable;

	OK(posix_trace_eventtypelist_getnext_id(trid, &first, &unavailable));
	OK(posix_trace_clear(trid));
	OK(posix_trace_eventid_get_name(trid, id, name));
	CHECK(strcmp(name, "clear") == 0);
	EQ(tool_id("clear"), id);
	OK(posix_trace_trid_eventid_open(trid, "clear", &again));
	EQ(again, id);
	CHECK(tool_id("after the clear") != id);
	/* The list of types starts again. */
	OK(posix_trace_eventtypelist_getnext_id(trid, &next, &unavailable));
	EQ(unavailable, 0);
	EQ(next, first);
}

TEST(T_CLEAR_04)
{
	trace_id_t trid = running(POSIX_TRACE_LOOP);
	trace_event_set_t filter = tool_set(2, id, (trace_event_id_t)POSIX_TRACE_STOP);
	trace_event_set_t empty = tool_set(0);
	struct events events;

	OK(posix_trace_set_filter(trid, &filter, POSIX_TRACE_SET_EVENTSET));
	tool_emit(id, 1);
	OK(posix_trace_clear(trid));
	OK(posix_trace_get_filter(trid, &filter));
	CHECK(tool_same_set(&filter, &empty));
	tool_emit(id, 2);
	events = tool_drain(trid);
	EQ(events.count, 1);
	tool_run_is(&events, id, 2, 2);
}

TEST(T_CLEAR_05)
{
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = running(policies[i]);
		struct posix_trace_status_info status;

		overrun(trid);
		OK(posix_trace_clear(trid));
		status = tool_status(trid);
		EQ(status.posix_stream_full_status, POSIX_TRACE_NOT_FULL);
		EQ(status.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
		EQ(status.posix_log_full_status, POSIX_TRACE_NOT_FULL);
		EQ(status.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN);
		EQ(status.posix_stream_flush_error, 0);
	}
}

static void *emit_ten(void *arg)
{
	tool_emit_run(id, 1001, 1010, 64);
	return arg;
}

TEST(T_CLEAR_06)
{
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = running(policies[i]);
		struct events events;

		for (int round = 0; round < 50; round++) {
			tool_emit_run(id, 1, (uint64_t)round * 3 + 1, 64);
			OK(posix_trace_clear(trid));
			if (round % 2 == 0)
				emit_ten(NULL);
			else
				tool_join(tool_thread(emit_ten, NULL));
			events = tool_drain(trid);
			EQ(events.count, 10);
			tool_run_is(&events, id, 1001, 1010);
		}
	}
}

TEST(T_CLEAR_07)
{
	trace_id_t trid = running(POSIX_TRACE_LOOP);
	struct events events;

	overrun(trid);
	OK(posix_trace_clear(trid));
	tool_emit_run(id, 1, 5, 64);
	events = tool_drain(trid);
	EQ(events.count, 5);
	tool_run_is(&events, id, 1, 5);
	/* And when OVERFLOW has been reported, but not yet RESUME. */
	overrun(trid);
	struct event event;
	CHECK(tool_next(trid, &event));
	EQ(event.info.posix_event_id, POSIX_TRACE_OVERFLOW);
	OK(posix_trace_clear(trid));
	tool_emit_run(id, 1, 5, 64);
	events = tool_drain(trid);
	EQ(events.count, 5);
}

TEST(T_CLEAR_08)
{
	ERR(posix_trace_clear(tool_stale()), EINVAL);
	ERR(posix_trace_clear(0xdeadbeef), EINVAL);
	ERR(posix_trace_clear(tool_prerecorded(NULL)), EINVAL);
}

TEST(T_CLEAR_09)
{
	static const int log_policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
					   POSIX_TRACE_APPEND};

	id = tool_id("clear");
	for (size_t i = 0; i < ARRAY_LEN(log_policies); i++) {
		int fd = tool_log();
		trace_id_t trid = STREAM(.log = fd, .log_policy = log_policies[i],
					 .policy = POSIX_TRACE_UNTIL_FULL, .running = true);
		struct events events;

		for (uint64_t part = 0; part < 10; part++) {
			tool_emit_run(id, 100 * part + 1, 100 * part + 100, 64);
			OK(posix_trace_flush(trid));
		}
		while (tool_status(trid).posix_stream_flush_status == POSIX_TRACE_FLUSHING)
			tool_sleep_ms(1);
		tool_emit_run(id, 1001, 1010, 64); /* not flushed */
		OK(posix_trace_clear(trid));
		tool_emit_run(id, 5000, 5099, 64);
		OK(posix_trace_shutdown(trid));
		events = tool_log_of(fd);
		tool_run_is(&events, id, 5000, 5099);
		EQ(tool_find(&events, id, 0), 0);
		EQ(tool_count(&events, POSIX_TRACE_START), 0);
	}
}
