/* test_status - the state of a stream (docs/spec/posix-trace.md 5, 10.12). */
#include "tool.h"

#include <sys/resource.h>

static trace_event_id_t id;

static void overrun(trace_id_t trid)
{
	tool_emit_run(id, 1, tool_too_many(trid, 64), 64);
}

TEST(T_STAT_01)
{
	struct posix_trace_status_info status;
	trace_id_t stale = tool_stale();

	OK(posix_trace_get_status(STREAM(), &status));
	OK(posix_trace_get_status(tool_prerecorded(NULL), &status));
	memset(&status, 0x5a, sizeof(status));
	ERR(posix_trace_get_status(stale, &status), EINVAL);
	ERR(posix_trace_get_status(0xdeadbeef, &status), EINVAL);
	EQ(status.posix_stream_status, 0x5a5a5a5a);
}

static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

TEST(T_STAT_02)
{
	id = tool_id("status");
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = RUNNING(.policy = policies[i]);

		EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
		overrun(trid);
		EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
		EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
		OK(posix_trace_shutdown(trid));
	}
}

TEST(T_STAT_03)
{
	id = tool_id("status");
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = RUNNING(.policy = policies[i]);

		for (int again = 0; again < 4; again++) {
			overrun(trid);
			EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
			EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
			if (again % 2 == 1)
				tool_drain(trid);
		}
		OK(posix_trace_shutdown(trid));
	}
}

TEST(T_STAT_04)
{
	id = tool_id("status");
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = RUNNING(.policy = policies[i]);

		tool_emit_run(id, 1, 100, 64);
		tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
		EQ(tool_status(trid).posix_stream_flush_status, POSIX_TRACE_NOT_FLUSHING);
	}
}

TEST(T_STAT_05)
{
	id = tool_id("status");
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = STREAM(.policy = policies[i]);

		for (int step = 0; step < 4; step++) {
			struct posix_trace_status_info status;

			if (step == 1)
				OK(posix_trace_start(trid));
			if (step == 2)
				overrun(trid);
			if (step == 3)
				OK(posix_trace_stop(trid));
			status = tool_status(trid);
			EQ(status.posix_log_full_status, POSIX_TRACE_NOT_FULL);
			EQ(status.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN);
			EQ(status.posix_stream_flush_status, POSIX_TRACE_NOT_FLUSHING);
			EQ(status.posix_stream_flush_error, 0);
		}
	}
}

static void stays(trace_id_t trid, int status, int full)
{
	for (int i = 0; i < 5; i++) {
		tool_state(trid, status, full);
		EQ(tool_status(trid).posix_stream_flush_status, POSIX_TRACE_NOT_FLUSHING);
	}
}

TEST(T_STAT_06)
{
	trace_id_t trid = STREAM();

	id = tool_id("status");
	stays(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL);
	OK(posix_trace_start(trid));
	stays(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	overrun(trid);
	stays(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_FULL);
	OK(posix_trace_stop(trid));
	stays(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL);
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL);
	overrun(trid);
	stays(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	limit.rlim_cur = bytes;
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* Records events until automatic flushes have reached the file size limit; returns the error in the
 * status. */
static int flush_error(trace_id_t trid)
{
	for (int i = 0; i < 3000; i++) {
		int error;

		tool_emit_run(id, 1, 100, 64);
		tool_sleep_ms(1);
		error = tool_status(trid).posix_stream_flush_error;
		if (error != 0)
			return error;
	}
	return 0;
}

TEST(T_STAT_07)
{
	trace_id_t trid;
	int result = -1;

	id = tool_id("status");
	trid = STREAM(.log = tool_log(), .log_policy = POSIX_TRACE_APPEND, .running = true);
	limit_files(64 * KIB);
	EQ(flush_error(trid), EFBIG);
	/* No flush fails from here on, so what has been read once is gone. */
	OK(posix_trace_stop(trid));
	limit_files(RLIM_INFINITY);
	for (int i = 0; i < 300 && result != 0; i++) {
		result = posix_trace_flush(trid);
		tool_sleep_ms(10);
	}
	OK(result);
	while (tool_status(trid).posix_stream_flush_status == POSIX_TRACE_FLUSHING)
		tool_sleep_ms(1);
	tool_status(trid);
	EQ(tool_status(trid).posix_stream_flush_error, 0);
	OK(posix_trace_shutdown(trid));
}

TEST(T_STAT_08)
{
	int fd = tool_log();
	trace_id_t trid = STREAM(.log = fd, .running = true, .log_policy = POSIX_TRACE_UNTIL_FULL,
				 .log_size = 100 * KIB);
	struct posix_trace_status_info first, second;
	trace_id_t log;

	id = tool_id("status");
	for (int i = 0; i < 40; i++) {
		tool_emit_run(id, 1, 200, 64);
		OK(posix_trace_flush(trid));
	}
	OK(posix_trace_shutdown(trid));
	OK(posix_trace_open(fd, &log));
	first = tool_status(log);
	EQ(first.posix_stream_status, POSIX_TRACE_SUSPENDED);
	EQ(first.posix_stream_flush_status, POSIX_TRACE_NOT_FLUSHING);
	EQ(first.posix_log_overrun_status, POSIX_TRACE_OVERRUN);
	for (int i = 0; i < 3; i++) {
		second = tool_status(log);
		CHECK(memcmp(&first, &second, sizeof(first)) == 0);
	}
	tool_read_log(log);
	second = tool_status(log);
	CHECK(memcmp(&first, &second, sizeof(first)) == 0);
}
