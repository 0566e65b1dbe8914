/* test_until_full - streams that stop when they are full (docs/spec/posix-trace.md 4.2, 9.2). */
#include "tool.h"

static trace_event_id_t id;

static trace_id_t running(size_t size)
{
	id = tool_id("until full");
	return RUNNING(.policy = POSIX_TRACE_UNTIL_FULL, .size = size);
}

static void fill(trace_id_t trid, uint64_t first, size_t len)
{
	tool_emit_run(id, first, first + tool_too_many(trid, len), len);
}

static trace_id_t filled(size_t len)
{
	trace_id_t trid = running(0);

	fill(trid, 1, len);
	return trid;
}

static const size_t lengths[] = {8, 64, 200};

TEST(T_UFULL_01)
{
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
		tool_state(filled(lengths[i]), POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL);
}

TEST(T_UFULL_02)
{
	trace_id_t trid = filled(64);

	EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
	tool_emit(id, 1);
	EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
	EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
}

TEST(T_UFULL_03)
{
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		struct events events = tool_drain(filled(lengths[i]));
		uint64_t first, last;

		tool_contiguous(&events, id, &first, &last);
		EQ(first, 1);
	}
}

/* Index of the automatic STOP: directly after the last user event. */
static size_t automatic_stop(const struct events *events)
{
	long last = tool_find(events, id, tool_count(events, id) - 1);

	CHECK(last >= 0 && (size_t)last + 1 < events->count);
	EQ(events->at[last + 1].info.posix_event_id, POSIX_TRACE_STOP);
	EQ(tool_count(events, POSIX_TRACE_STOP), 1);
	return (size_t)last + 1;
}

TEST(T_UFULL_04)
{
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		struct events events = tool_drain(filled(lengths[i]));
		struct event *stop = &events.at[automatic_stop(&events)];

		CHECK(tool_int(stop) != 0);
		EQ(stop->info.posix_pid, getpid());
		CHECK(stop->info.posix_prog_address == NULL);
		CHECK(tool_ns(stop->info.posix_timestamp) >=
		      tool_ns((stop - 1)->info.posix_timestamp));
	}
}

TEST(T_UFULL_05)
{
	struct events events = tool_drain(filled(64));

	EQ(events.at[automatic_stop(&events)].len, sizeof(int));
}

TEST(T_UFULL_06)
{
	trace_id_t trid = filled(64);

	tool_drain(trid);
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
}

TEST(T_UFULL_07)
{
	trace_id_t trid = filled(64);
	struct events before = tool_drain(trid);
	struct events after;

	tool_emit(id, 4711);
	after = tool_drain(trid);
	/* START may come at once or just before the event. */
	EQ(tool_count(&before, POSIX_TRACE_START) + tool_count(&after, POSIX_TRACE_START), 1);
	CHECK(after.count > 0);
	EQ(tool_number(&after.at[after.count - 1]), 4711);
	if (tool_count(&before, POSIX_TRACE_START) == 1)
		EQ(tool_find(&before, POSIX_TRACE_START, 0), automatic_stop(&before) + 1);
	else
		EQ(tool_find(&after, POSIX_TRACE_START, 0), 0);
}

TEST(T_UFULL_08)
{
	trace_id_t trid = filled(64);
	struct events events;

	tool_drain(trid);
	tool_emit_run(id, 1000001, 1000200, 64);
	events = tool_drain(trid);
	tool_run_is(&events, id, 1000001, 1000200);
}

TEST(T_UFULL_09)
{
	trace_id_t trid = filled(64);
	struct events events;

	OK(posix_trace_start(trid));
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL);
	tool_emit(id, 99999999);
	events = tool_drain(trid);
	automatic_stop(&events);
	CHECK(tool_count(&events, POSIX_TRACE_START) <= 1); /* the automatic one */
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
}

TEST(T_UFULL_10)
{
	trace_id_t trid = filled(64);
	struct events events;

	OK(posix_trace_stop(trid));
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL);
	events = tool_drain(trid);
	EQ(automatic_stop(&events), events.count - 1);
	/* The stop is remembered: there is no automatic restart. */
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
	tool_emit(id, 1);
	EQ(tool_drain(trid).count, 0);
	OK(posix_trace_start(trid));
	tool_emit(id, 2);
	EQ(tool_drain(trid).count, 2);
}

TEST(T_UFULL_11)
{
	trace_id_t trid = filled(64);

	OK(posix_trace_clear(trid));
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
	tool_emit(id, 1);
	EQ(tool_drain(trid).count, 0);
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
}

TEST(T_UFULL_12)
{
	trace_id_t trid = filled(64);
	struct events events;

	OK(posix_trace_clear(trid));
	OK(posix_trace_start(trid));
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	tool_emit_run(id, 1, 5, 64);
	events = tool_drain(trid);
	EQ(events.count, 6);
	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_START);
	tool_run_is(&events, id, 1, 5);
}

TEST(T_UFULL_13)
{
	trace_id_t trid = running(0);
	size_t held = 0;

	for (uint64_t round = 0; round < 60; round++) {
		struct events events;
		uint64_t first, last;

		fill(trid, round * 1000000, 64);
		tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL);
		events = tool_drain(trid);
		tool_contiguous(&events, id, &first, &last);
		EQ(first, round * 1000000);
		CHECK(tool_int(&events.at[automatic_stop(&events)]) != 0);
		tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
		/* The same result: no room is lost from round to round. */
		if (round > 0)
			CHECK(last - first + 1 >= held * 9 / 10);
		held = last - first + 1;
	}
}

#define LARGEST 4096 /* max-data-size of the streams below */

/* How many events of this length a stream of this size promises to hold, beside START. */
static uint64_t promised(size_t len, size_t size)
{
	size_t system, user;
	trace_attr_t attr;

	tool_attr(&(struct want){.size = size, .data_max = LARGEST}, &attr);
	OK(posix_trace_attr_getmaxsystemeventsize(&attr, &system));
	OK(posix_trace_attr_getmaxusereventsize(&attr, len, &user));
	return (size - system) / user;
}

struct job {
	uint64_t first, last;
	size_t len;
};

static void *emit_job(void *arg)
{
	const struct job *job = arg;

	tool_emit_run(id, job->first, job->last, job->len);
	return NULL;
}

/* The guaranteed number of events, recorded by threads that run one after the other or at the same
 * time. */
static void no_loss(size_t len, size_t size, size_t count, bool at_once)
{
	struct job *jobs = calloc(count, sizeof(*jobs));
	pthread_t *threads = calloc(count, sizeof(*threads));
	uint64_t all = promised(len, size);
	struct events events;
	trace_id_t trid;

	id = tool_id("until full");
	trid = STREAM(.policy = POSIX_TRACE_UNTIL_FULL, .size = size, .data_max = LARGEST);
	OK(posix_trace_start(trid)); /* whose event stays, and is of the sum */
	for (size_t i = 0; i < count; i++) {
		jobs[i] = (struct job){all * i / count + 1, all * (i + 1) / count, len};
		threads[i] = tool_thread(emit_job, &jobs[i]);
		if (!at_once)
			tool_join(threads[i]);
	}
	for (size_t i = 0; at_once && i < count; i++)
		tool_join(threads[i]);
	events = tool_drain(trid);
	if (tool_count(&events, id) != all)
		FAIL("%zu of %llu events of %zu bytes in %zu bytes by %zu threads",
		     tool_count(&events, id), (unsigned long long)all, len, size, count);
	EQ(tool_count(&events, POSIX_TRACE_STOP), 0);
	OK(posix_trace_shutdown(trid));
	free(jobs);
	free(threads);
}

TEST(T_UFULL_14)
{
	static const size_t sizes[] = {64 * KIB, 100000, MIB};
	static const size_t lens[] = {8, 9, 64, 256, 1000, 4000};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (size_t k = 0; k < ARRAY_LEN(lens); k++) {
			no_loss(lens[k], sizes[i], 1, true);
			no_loss(lens[k], sizes[i], 40, true);
			no_loss(lens[k], sizes[i], 40, false);
		}
}

static void within_bound(size_t len, size_t size)
{
	struct events events;
	trace_id_t trid;
	uint64_t bytes, bound;

	id = tool_id("until full");
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL, .size = size, .data_max = LARGEST);
	bound = 4 * (uint64_t)tool_stream_size(trid) + 64 * KIB;
	fill(trid, 1, len);
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL);
	events = tool_drain(trid);
	bytes = tool_count(&events, id) * len;
	if (bytes > bound)
		FAIL("%zu bytes hold %llu bytes in events of %zu, more than %llu", size,
		     (unsigned long long)bytes, len, (unsigned long long)bound);
	OK(posix_trace_shutdown(trid));
}

TEST(T_UFULL_15)
{
	static const size_t sizes[] = {1, 4 * KIB, 64 * KIB, MIB};
	static const size_t lens[] = {8, 64, 256, LARGEST};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (size_t k = 0; k < ARRAY_LEN(lens); k++)
			within_bound(lens[k], sizes[i]);
}
