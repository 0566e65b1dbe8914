/* test_flush - from the stream to the log (docs/spec/posix-trace.md 9.3, 10.6). */
#include "tool.h"

#include <trace_np.h>

#include <stdatomic.h>
#include <sys/resource.h>

static trace_event_id_t id;

/* A stream with log that runs; it flushes by itself only if its policy is FLUSH. */
static trace_id_t running(int fd, int policy, size_t size)
{
	id = tool_id("flush");
	return STREAM(.log = fd, .policy = policy, .size = size, .running = true,
		      .log_policy = POSIX_TRACE_APPEND);
}

/* Waits for the end of a flush; gives the overrun and error seen meanwhile. */
static struct posix_trace_status_info settle(trace_id_t trid)
{
	struct posix_trace_status_info status = tool_status(trid);
	int overrun = status.posix_stream_overrun_status;
	int error = status.posix_stream_flush_error;
	int64_t end = tool_ns(tool_now(CLOCK_MONOTONIC)) + 60000000000;

	while (status.posix_stream_flush_status == POSIX_TRACE_FLUSHING) {
		CHECK(tool_ns(tool_now(CLOCK_MONOTONIC)) < end);
		tool_sleep_ms(1);
		status = tool_status(trid);
		overrun |= status.posix_stream_overrun_status;
		error = error != 0 ? error : status.posix_stream_flush_error;
	}
	status.posix_stream_overrun_status = overrun;
	status.posix_stream_flush_error = error;
	return status;
}

TEST(T_FLUSH_01)
{
	trace_id_t trid = RUNNING();

	ERR(posix_trace_flush(trid), EINVAL);
	ERR(posix_trace_flush(STREAM(.policy = POSIX_TRACE_UNTIL_FULL)), EINVAL);
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
}

TEST(T_FLUSH_02)
{
	static const int policies[] = {POSIX_TRACE_FLUSH, POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		int fd = tool_log();
		trace_id_t trid = running(fd, policies[i], 0);
		struct events events;

		for (uint64_t part = 0; part < 10; part++) {
			tool_emit_run(id, 50 * part + 1, 50 * part + 50, 64);
			OK(posix_trace_flush(trid));
			EQ(settle(trid).posix_stream_flush_error, 0);
		}
		OK(posix_trace_shutdown(trid));
		events = tool_log_of(fd);
		tool_run_is(&events, id, 1, 500);
	}
}

/* The log of one explicit flush between two events. */
static struct events flushed_once(void)
{
	int fd = tool_log();
	trace_id_t trid = running(fd, POSIX_TRACE_UNTIL_FULL, 0);

	tool_emit_run(id, 1, 100, 64);
	OK(posix_trace_flush(trid));
	settle(trid);
	tool_emit_run(id, 101, 101, 64);
	OK(posix_trace_shutdown(trid));
	return tool_log_of(fd);
}

TEST(T_FLUSH_03)
{
	struct events events = flushed_once();

	EQ(tool_count(&events, POSIX_TRACE_FLUSH_START), 1);
	EQ(tool_count(&events, POSIX_TRACE_FLUSH_STOP), 1);
	CHECK(tool_find(&events, POSIX_TRACE_FLUSH_START, 0) > tool_find(&events, id, 99));
	CHECK(tool_find(&events, POSIX_TRACE_FLUSH_START, 0) <
	      tool_find(&events, POSIX_TRACE_FLUSH_STOP, 0));
	CHECK(tool_find(&events, POSIX_TRACE_FLUSH_STOP, 0) < tool_find(&events, id, 100));
}

TEST(T_FLUSH_04)
{
	int fd = tool_log();
	trace_id_t trid = running(fd, POSIX_TRACE_UNTIL_FULL, 0);
	uint64_t count = tool_too_many(trid, 64);
	struct events events;
	uint64_t first, last;

	tool_emit_run(id, 1, count, 64);
	tool_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL);
	OK(posix_trace_flush(trid));
	settle(trid);
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	tool_emit_run(POSIX_TRACE_UNNAMED_USEREVENT, 1, 50, 64);
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(fd);
	tool_contiguous(&events, id, &first, &last);
	EQ(first, 1);
	tool_run_is(&events, POSIX_TRACE_UNNAMED_USEREVENT, 1, 50);
	/* Between them: the automatic STOP, then the automatic START. */
	long at = tool_find(&events, id, last - 1);
	CHECK(tool_find(&events, POSIX_TRACE_STOP, 0) > at);
	CHECK(tool_int(&events.at[tool_find(&events, POSIX_TRACE_STOP, 0)]) != 0);
	CHECK(tool_find(&events, POSIX_TRACE_START, 1) > tool_find(&events, POSIX_TRACE_STOP, 0));
	CHECK(tool_find(&events, POSIX_TRACE_START, 1) <
	      tool_find(&events, POSIX_TRACE_UNNAMED_USEREVENT, 0));
}

#define DURING 20000

static void *record_during(void *arg)
{
	for (uint64_t n = 1; n <= DURING; n++) {
		tool_emit(id, n);
		if (n % 200 == 0)
			tool_sleep_ms(1);
	}
	atomic_store((atomic_bool *)arg, true);
	return NULL;
}

TEST(T_FLUSH_05)
{
	int fd = tool_log();
	trace_id_t trid = running(fd, POSIX_TRACE_UNTIL_FULL, 4 * MIB);
	atomic_bool done = false;
	struct events events;
	pthread_t thread = tool_thread(record_during, &done);
	int flushes = 0;

	while (!atomic_load(&done)) {
		OK(posix_trace_flush(trid));
		flushes++;
		tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	}
	tool_join(thread);
	CHECK(flushes > 1);
	settle(trid);
	EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(fd);
	tool_run_is(&events, id, 1, DURING);
}

TEST(T_FLUSH_06)
{
	int fd = tool_log();
	trace_id_t trid = STREAM(.log = fd);
	struct events events;

	id = tool_id("flush");
	OK(posix_trace_flush(trid)); /* empty, never started */
	EQ(settle(trid).posix_stream_flush_error, 0);
	OK(posix_trace_start(trid));
	OK(posix_trace_flush(trid)); /* one START */
	settle(trid);
	OK(posix_trace_flush(trid)); /* nearly nothing */
	settle(trid);
	tool_emit_run(id, 1, 10, 64);
	OK(posix_trace_stop(trid));
	OK(posix_trace_flush(trid)); /* stopped, with events */
	EQ(settle(trid).posix_stream_flush_error, 0);
	OK(posix_trace_flush(trid)); /* stopped, empty */
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(fd);
	tool_run_is(&events, id, 1, 10);
	/* Flushes of a suspended stream are not recorded. */
	EQ(events.at[events.count - 1].info.posix_event_id, POSIX_TRACE_STOP);
	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_START);
}

TEST(T_FLUSH_07)
{
	ERR(posix_trace_flush(tool_stale()), EINVAL);
	ERR(posix_trace_flush(0xdeadbeef), EINVAL);
	ERR(posix_trace_flush(tool_prerecorded(NULL)), EINVAL);
}

static atomic_int xfsz;

static void on_xfsz(int signal)
{
	(void)signal;
	atomic_fetch_add(&xfsz, 1);
}

/* A log that may not grow past the limit: the error is returned, the process lives. */
static void meets_limit(int policy, bool caught)
{
	struct rlimit limit = {40 * KIB, RLIM_INFINITY};
	struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	trace_id_t trid = running(tool_log(), policy, MIB);
	int told = 0;
	int r;

	signal(SIGXFSZ, caught ? on_xfsz : SIG_DFL);
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	for (uint64_t part = 0; part < 20; part++) {
		tool_emit_run(id, 100 * part + 1, 100 * part + 100, 64);
		r = posix_trace_flush(trid);
		told |= r == EFBIG;
		CHECK(r == 0 || r == EFBIG);
		r = settle(trid).posix_stream_flush_error;
		told |= r == EFBIG;
		CHECK(r == 0 || r == EFBIG);
	}
	r = posix_trace_shutdown(trid);
	told |= r == EFBIG;
	CHECK(r == 0 || r == EFBIG);
	CHECK(told);
	tool_call_einval("get_status", trid);
	EQ(atomic_load(&xfsz), 0);
	CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
}

TEST(T_FLUSH_08)
{
	meets_limit(POSIX_TRACE_UNTIL_FULL, false);
	meets_limit(POSIX_TRACE_FLUSH, false);
	meets_limit(POSIX_TRACE_LOOP, false);
	meets_limit(POSIX_TRACE_FLUSH, true); /* the application's handler does not run either */
	/* And a stream after it works. */
	int fd = tool_log();
	trace_id_t trid = running(fd, POSIX_TRACE_FLUSH, 0);
	tool_emit_run(id, 1, 10, 64);
	OK(posix_trace_shutdown(trid));
	struct events events = tool_log_of(fd);
	tool_run_is(&events, id, 1, 10);
}

/* Fewer events than that are in the stream, because of automatic flushes. */
static void wait_for_room(trace_id_t trid, uint64_t most)
{
	struct posix_trace_counts_np counts;
	int64_t end = tool_ns(tool_now(CLOCK_MONOTONIC)) + 60000000000;

	do {
		CHECK(tool_ns(tool_now(CLOCK_MONOTONIC)) < end);
		tool_sleep_ms(5);
		OK(posix_trace_get_counts_np(trid, &counts));
	} while (counts.recorded - counts.reported >= most);
}

TEST(T_FLUSH_09)
{
	int fd = tool_log();
	size_t size = 256 * KIB;
	trace_id_t trid = running(fd, POSIX_TRACE_FLUSH, size);
	uint64_t part = size / 4 / (64 + 56);
	struct events events;

	/* A quarter of the stream, then a pause until there is room: seven times the stream in all.
	 */
	for (uint64_t n = 0; n < 28; n++) {
		tool_emit_run(id, part * n + 1, part * n + part, 64);
		wait_for_room(trid, 2 * part);
	}
	EQ(settle(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(fd);
	tool_run_is(&events, id, 1, 28 * part);
	EQ(tool_count(&events, POSIX_TRACE_STOP), 1);
	CHECK(tool_count(&events, POSIX_TRACE_FLUSH_START) > 0);
}

TEST(T_FLUSH_10)
{
	int complete = 0;

	for (uint64_t round = 0; round < 16; round++) {
		int fd = tool_log();
		trace_id_t trid = running(fd, POSIX_TRACE_FLUSH, 0);
		uint64_t count = 100u << round / 2;
		struct posix_trace_status_info final;
		struct events events;
		trace_id_t log;

		tool_emit_run(id, 1, count, 64);
		OK(posix_trace_shutdown(trid));
		/* The status in the log is the one before any reset. */
		OK(posix_trace_open(fd, &log));
		final = tool_status(log);
		events = tool_read_log(log);
		if (final.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN) {
			EQ(final.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN);
			tool_run_is(&events, id, 1, count);
			complete++;
		} else {
			CHECK(tool_count(&events, id) < count);
		}
		OK(posix_trace_close(log));
	}
	CHECK(complete > 0);
}

TEST(T_FLUSH_11)
{
	struct events events = flushed_once();
	static const trace_event_id_t ids[] = {POSIX_TRACE_FLUSH_START, POSIX_TRACE_FLUSH_STOP};

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		struct event *event = &events.at[tool_find(&events, ids[i], 0)];

		EQ(event->info.posix_event_id, ids[i]);
		EQ(event->len, 0);
		EQ(event->info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
		EQ(event->info.posix_pid, getpid());
	}
}
