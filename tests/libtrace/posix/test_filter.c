/* test_filter - filters of streams (docs/spec/posix-trace.md 8). */
#include "tool.h"

static trace_event_set_t filter_of(trace_id_t trid)
{
	trace_event_set_t filter;

	memset(&filter, 0x5a, sizeof(filter));
	OK(posix_trace_get_filter(trid, &filter));
	return filter;
}

static void set_filter(trace_id_t trid, trace_event_set_t set, int how)
{
	OK(posix_trace_set_filter(trid, &set, how));
}

static void filter_is(trace_id_t trid, trace_event_set_t should)
{
	trace_event_set_t is = filter_of(trid);

	CHECK(tool_same_set(&is, &should));
}

#define SYSTEM_STOP ((trace_event_id_t)POSIX_TRACE_STOP)

TEST(T_FILTER_01)
{
	filter_is(STREAM(), tool_set(0));
	filter_is(STREAM(.log = tool_log()), tool_set(0));
}

TEST(T_FILTER_02)
{
	trace_event_id_t a = tool_id("a");
	trace_event_id_t b = tool_id("b");
	trace_id_t trid = STREAM();

	set_filter(trid, tool_set(2, a, SYSTEM_STOP), POSIX_TRACE_SET_EVENTSET);
	filter_is(trid, tool_set(2, a, SYSTEM_STOP));
	set_filter(trid, tool_set(1, b), POSIX_TRACE_SET_EVENTSET);
	filter_is(trid, tool_set(1, b));
	set_filter(trid, tool_set(0), POSIX_TRACE_SET_EVENTSET);
	filter_is(trid, tool_set(0));
}

TEST(T_FILTER_03)
{
	trace_event_id_t a = tool_id("a");
	trace_event_id_t b = tool_id("b");
	trace_id_t trid = STREAM();

	set_filter(trid, tool_set(1, a), POSIX_TRACE_ADD_EVENTSET);
	filter_is(trid, tool_set(1, a));
	set_filter(trid, tool_set(2, a, b), POSIX_TRACE_ADD_EVENTSET);
	filter_is(trid, tool_set(2, a, b));
	set_filter(trid, tool_set(1, SYSTEM_STOP), POSIX_TRACE_ADD_EVENTSET);
	filter_is(trid, tool_set(3, a, b, SYSTEM_STOP));
	set_filter(trid, tool_set(0), POSIX_TRACE_ADD_EVENTSET);
	filter_is(trid, tool_set(3, a, b, SYSTEM_STOP));
}

TEST(T_FILTER_04)
{
	trace_event_id_t a = tool_id("a");
	trace_event_id_t b = tool_id("b");
	trace_id_t trid = STREAM();

	set_filter(trid, tool_set(3, a, b, SYSTEM_STOP), POSIX_TRACE_SET_EVENTSET);
	set_filter(trid, tool_set(2, b, (trace_event_id_t)POSIX_TRACE_START),
		   POSIX_TRACE_SUB_EVENTSET);
	filter_is(trid, tool_set(2, a, SYSTEM_STOP));
	set_filter(trid, tool_set(0), POSIX_TRACE_SUB_EVENTSET);
	filter_is(trid, tool_set(2, a, SYSTEM_STOP));
	set_filter(trid, tool_set(2, a, SYSTEM_STOP), POSIX_TRACE_SUB_EVENTSET);
	filter_is(trid, tool_set(0));
}

TEST(T_FILTER_05)
{
	trace_event_id_t out = tool_id("out");
	trace_id_t trid = STREAM();
	struct events events;

	set_filter(trid, tool_set(1, out), POSIX_TRACE_SET_EVENTSET);
	OK(posix_trace_start(trid));
	tool_emit_run(out, 1, 1000, 16);
	events = tool_drain(trid);
	EQ(events.count, 1);
	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_START);
}

TEST(T_FILTER_06)
{
	trace_event_id_t out = tool_id("out");
	trace_event_id_t in = tool_id("in");
	trace_id_t trid = STREAM();
	struct events events;

	set_filter(trid, tool_set(1, out), POSIX_TRACE_SET_EVENTSET);
	OK(posix_trace_start(trid));
	for (uint64_t n = 1; n <= 500; n++) {
		tool_emit(out, n);
		tool_emit(in, n);
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, &n, sizeof(n));
	}
	events = tool_drain(trid);
	EQ(tool_count(&events, out), 0);
	tool_run_is(&events, in, 1, 500);
	tool_run_is(&events, POSIX_TRACE_UNNAMED_USEREVENT, 1, 500);
}

TEST(T_FILTER_07)
{
	trace_event_id_t id = tool_id("in and out");
	trace_id_t trid = RUNNING();
	struct events events;

	for (uint64_t n = 0; n < 100; n++) {
		set_filter(trid, tool_set(1, id),
			   n % 2 == 0 ? POSIX_TRACE_SUB_EVENTSET : POSIX_TRACE_ADD_EVENTSET);
		tool_emit(id, n);
	}
	events = tool_drain(trid);
	EQ(tool_count(&events, id), 50);
	for (size_t i = 0; i < 50; i++)
		EQ(tool_number(&events.at[tool_find(&events, id, i)]), 2 * i);
}

TEST(T_FILTER_08)
{
	static const int wrong[] = {0, 4, -1, 99, INT_MAX, INT_MIN};
	trace_event_id_t a = tool_id("a");
	trace_event_id_t b = tool_id("b");
	trace_event_set_t set = tool_set(1, b);
	trace_id_t trid = RUNNING();
	struct event event;

	set_filter(trid, tool_set(1, a), POSIX_TRACE_SET_EVENTSET);
	CHECK(tool_next(trid, &event));
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		ERR(posix_trace_set_filter(trid, &set, wrong[i]), EINVAL);
		filter_is(trid, tool_set(1, a));
	}
	CHECK(!tool_next(trid, &event));
}

TEST(T_FILTER_09)
{
	trace_id_t trid = STREAM();
	struct event event;

	set_filter(trid, tool_set(1, tool_id("a")), POSIX_TRACE_SET_EVENTSET);
	CHECK(!tool_next(trid, &event));
	OK(posix_trace_start(trid));
	OK(posix_trace_stop(trid));
	set_filter(trid, tool_set(0), POSIX_TRACE_SET_EVENTSET);
	EQ(tool_drain(trid).count, 2);
}

TEST(T_FILTER_10)
{
	static const int hows[] = {POSIX_TRACE_SET_EVENTSET, POSIX_TRACE_ADD_EVENTSET,
				   POSIX_TRACE_SUB_EVENTSET};
	trace_id_t trid = RUNNING();

	for (size_t i = 0; i < 2 * ARRAY_LEN(hows); i++) {
		struct events events;

		/* The second round changes nothing, and is recorded too. */
		set_filter(trid, tool_set(1, tool_id("a")), hows[i % ARRAY_LEN(hows)]);
		events = tool_drain(trid);
		EQ(events.count, 1);
		EQ(events.at[0].info.posix_event_id, POSIX_TRACE_FILTER);
		EQ(events.at[0].info.posix_pid, getpid());
	}
}

/* Checks the FILTER event of this change. */
static void change_shows(trace_id_t trid, trace_event_set_t set, int how, trace_event_set_t sets[2])
{
	struct event event;

	set_filter(trid, set, how);
	CHECK(tool_next(trid, &event));
	EQ(event.info.posix_event_id, POSIX_TRACE_FILTER);
	EQ(event.len, 2 * sizeof(trace_event_set_t));
	memcpy(sets, event.data, event.len);
}

TEST(T_FILTER_11)
{
	trace_event_set_t sets[2];
	trace_id_t trid = RUNNING(.data_max = 8); /* max-data-size is for user events alone */

	change_shows(trid, tool_set(1, tool_id("a")), POSIX_TRACE_SET_EVENTSET, sets);
}

static void both_sets(int which)
{
	trace_event_id_t a = tool_id("a");
	trace_event_id_t b = tool_id("b");
	trace_event_set_t states[] = {tool_set(0), tool_set(1, a), tool_set(2, a, b),
				      tool_set(1, b), tool_set(0)};
	trace_id_t trid = RUNNING();
	trace_event_set_t sets[2];

	change_shows(trid, tool_set(1, a), POSIX_TRACE_SET_EVENTSET, sets);
	CHECK(tool_same_set(&sets[which], &states[which]));
	change_shows(trid, tool_set(1, b), POSIX_TRACE_ADD_EVENTSET, sets);
	CHECK(tool_same_set(&sets[which], &states[1 + which]));
	change_shows(trid, tool_set(1, a), POSIX_TRACE_SUB_EVENTSET, sets);
	CHECK(tool_same_set(&sets[which], &states[2 + which]));
	change_shows(trid, tool_set(0), POSIX_TRACE_SET_EVENTSET, sets);
	CHECK(tool_same_set(&sets[which], &states[3 + which]));
}

TEST(T_FILTER_12)
{
	both_sets(0);
}

TEST(T_FILTER_13)
{
	both_sets(1);
}

TEST(T_FILTER_14)
{
	trace_event_id_t id = tool_id("user");
	trace_id_t trid = STREAM();
	struct events events;

	set_filter(trid, tool_set(2, (trace_event_id_t)POSIX_TRACE_START, SYSTEM_STOP),
		   POSIX_TRACE_SET_EVENTSET);
	OK(posix_trace_start(trid));
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	tool_emit(id, 1);
	OK(posix_trace_stop(trid));
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
	tool_emit(id, 2);
	events = tool_drain(trid);
	EQ(events.count, 1);
	tool_run_is(&events, id, 1, 1);
}

TEST(T_FILTER_15)
{
	trace_id_t trid = STREAM();
	trace_event_set_t all;
	struct event event;

	OK(posix_trace_eventset_fill(&all, POSIX_TRACE_ALL_EVENTS));
	set_filter(trid, all, POSIX_TRACE_SET_EVENTSET);
	OK(posix_trace_start(trid));
	tool_emit_run(tool_id("user"), 1, 50000, 64); /* more than fits */
	tool_emit(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	set_filter(trid, all, POSIX_TRACE_SET_EVENTSET);
	OK(posix_trace_stop(trid));
	CHECK(!tool_next(trid, &event));
	EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
}

TEST(T_FILTER_16)
{
	trace_event_id_t id = tool_id("user");
	trace_id_t trid = STREAM();
	struct events events;

	set_filter(trid, tool_set(1, (trace_event_id_t)POSIX_TRACE_UNNAMED_USEREVENT),
		   POSIX_TRACE_SET_EVENTSET);
	OK(posix_trace_start(trid));
	tool_emit(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	tool_emit(id, 2);
	events = tool_drain(trid);
	EQ(tool_count(&events, POSIX_TRACE_UNNAMED_USEREVENT), 0);
	EQ(tool_count(&events, id), 1);
}

TEST(T_FILTER_17)
{
	trace_event_id_t out = tool_id("out");
	trace_event_id_t in = tool_id("in");
	trace_id_t trid = STREAM();
	struct events events;

	set_filter(trid, tool_set(1, out), POSIX_TRACE_SET_EVENTSET);
	for (uint64_t n = 1; n <= 10; n++) {
		OK(posix_trace_start(trid));
		tool_emit(out, n);
		tool_emit(in, n);
		OK(posix_trace_stop(trid));
	}
	filter_is(trid, tool_set(1, out));
	events = tool_drain(trid);
	EQ(tool_count(&events, out), 0);
	tool_run_is(&events, in, 1, 10);
}

static void einval_for(trace_id_t trid)
{
	trace_event_set_t set = tool_set(0);

	ERR(posix_trace_get_filter(trid, &set), EINVAL);
	ERR(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), EINVAL);
}

TEST(T_FILTER_18)
{
	einval_for(tool_stale());
	einval_for(0xdeadbeef);
}

TEST(T_FILTER_19)
{
	einval_for(tool_prerecorded(NULL));
}

static void open_late(void *arg)
{
	struct gate *gates = arg;
	trace_event_id_t out, in;

	tool_gate_wait(gates[0]);
	out = tool_id("out");
	in = tool_id("in");
	for (uint64_t n = 1; n <= 10; n++) {
		tool_emit(out, n);
		tool_emit(in, n);
	}
	tool_gate_open(gates[1]);
	tool_gate_wait(gates[0]);
}

TEST(T_FILTER_20)
{
	struct gate gates[2] = {tool_gate(), tool_gate()};
	pid_t pid = tool_fork(open_late, gates);
	trace_id_t trid = STREAM(.pid = pid);
	trace_event_id_t out, in;
	struct events events;

	OK(posix_trace_trid_eventid_open(trid, "out", &out));
	set_filter(trid, tool_set(1, out), POSIX_TRACE_SET_EVENTSET);
	OK(posix_trace_start(trid));
	tool_gate_open(gates[0]);
	tool_gate_wait(gates[1]);
	OK(posix_trace_trid_eventid_open(trid, "in", &in));
	events = tool_drain(trid);
	EQ(tool_count(&events, out), 0);
	tool_run_is(&events, in, 1, 10);
	tool_gate_open(gates[0]);
	runner_reap(pid);
}

TEST(T_FILTER_21)
{
	trace_event_set_t filter = tool_set(1, (trace_event_id_t)POSIX_TRACE_FILTER);
	trace_id_t trid = RUNNING();
	struct events events;

	set_filter(trid, filter, POSIX_TRACE_SET_EVENTSET); /* judged by the empty one */
	events = tool_drain(trid);
	EQ(events.count, 1);
	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_FILTER);
	set_filter(trid, tool_set(1, tool_id("a")), POSIX_TRACE_SET_EVENTSET); /* by the first */
	EQ(tool_drain(trid).count, 0);
	set_filter(trid, tool_set(0), POSIX_TRACE_SET_EVENTSET);
	EQ(tool_drain(trid).count, 1);
}
