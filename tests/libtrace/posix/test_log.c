/* test_log - completed logs are read (docs/spec/posix-trace.md 9.4, 10.15, 12). */
#include "tool.h"

#include <fcntl.h>

static trace_event_id_t id;

static trace_id_t open_log(int fd)
{
	trace_id_t trid = 0x5a5a5a5a;

	OK(posix_trace_open(fd, &trid));
	CHECK(trid != 0x5a5a5a5a);
	return trid;
}

/* A log of events 1 to count, 64 bytes each, of a stream that was running at its end. */
static int written(uint64_t count)
{
	int fd = tool_log();
	trace_id_t trid = STREAM(.log = fd, .running = true, .size = MIB, .name = "written");

	id = tool_id("log");
	tool_emit_run(id, 1, count, 64);
	OK(posix_trace_shutdown(trid));
	return fd;
}

TEST(T_LOG_01)
{
	trace_id_t log = open_log(written(100));
	struct events events = tool_read_log(log);

	tool_run_is(&events, id, 1, 100);
	OK(posix_trace_close(log));
}

TEST(T_LOG_02)
{
	int fd = tool_log();
	trace_id_t trid = STREAM(.log = fd, .running = true, .data_max = 100);
	trace_event_id_t a = tool_id("a");
	trace_event_id_t b = tool_id("b");
	struct events events;

	tool_emit_run(a, 1, 1, 64);
	tool_emit_run(b, 2, 2, 100);
	tool_emit_run(a, 3, 3, 101);
	posix_trace_event(b, NULL, 0);
	tool_emit_run(POSIX_TRACE_UNNAMED_USEREVENT, 4, 4, 8);
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(fd);
	EQ(events.count, 7);
	static const struct {
		int is_b; /* 2: unnamed */
		size_t len;
		uint64_t number;
		int status;
	} rows[] = {
	    {0, 64, 1, POSIX_TRACE_NOT_TRUNCATED},     {1, 100, 2, POSIX_TRACE_NOT_TRUNCATED},
	    {0, 100, 3, POSIX_TRACE_TRUNCATED_RECORD}, {1, 0, 0, POSIX_TRACE_NOT_TRUNCATED},
	    {2, 8, 4, POSIX_TRACE_NOT_TRUNCATED},
	};
	trace_event_id_t ids[] = {a, b, POSIX_TRACE_UNNAMED_USEREVENT};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct event *event = &events.at[i + 1];

		EQ(event->info.posix_event_id, ids[rows[i].is_b]);
		EQ(event->info.posix_pid, getpid());
		CHECK(pthread_equal(event->info.posix_thread_id, pthread_self()));
		EQ(event->info.posix_truncation_status, rows[i].status);
		EQ(event->len, rows[i].len);
		if (event->len > 0) {
			EQ(tool_number(event), rows[i].number);
			tool_whole(event);
		}
	}
}

TEST(T_LOG_03)
{
	struct events events = tool_log_of(written(50));
	struct event *last = &events.at[events.count - 1];

	EQ(last->info.posix_event_id, POSIX_TRACE_STOP);
	EQ(tool_int(last), 0);
	EQ(tool_count(&events, POSIX_TRACE_STOP), 1);
}

TEST(T_LOG_04)
{
	struct events events = tool_log_of(written(50));

	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_START);
	EQ(events.at[0].len, sizeof(trace_event_set_t));
	EQ(tool_count(&events, POSIX_TRACE_START), 1);
}

struct facts {
	char name[TRACE_NAME_MAX], version[TRACE_NAME_MAX];
	struct timespec created, resolution;
	int inherited, stream_policy, log_policy;
	size_t stream_size, data_size, log_size;
};

static struct facts facts_of(trace_id_t trid)
{
	struct facts f;
	trace_attr_t attr;

	memset(&f, 0, sizeof(f));
	OK(posix_trace_get_attr(trid, &attr));
	OK(posix_trace_attr_getname(&attr, f.name));
	OK(posix_trace_attr_getgenversion(&attr, f.version));
	OK(posix_trace_attr_getcreatetime(&attr, &f.created));
	OK(posix_trace_attr_getclockres(&attr, &f.resolution));
	OK(posix_trace_attr_getinherited(&attr, &f.inherited));
	OK(posix_trace_attr_getstreamfullpolicy(&attr, &f.stream_policy));
	OK(posix_trace_attr_getlogfullpolicy(&attr, &f.log_policy));
	OK(posix_trace_attr_getstreamsize(&attr, &f.stream_size));
	OK(posix_trace_attr_getmaxdatasize(&attr, &f.data_size));
	OK(posix_trace_attr_getlogsize(&attr, &f.log_size));
	return f;
}

static void same_facts(const struct facts *a, const struct facts *b)
{
	CHECK(strcmp(a->name, b->name) == 0);
	CHECK(strcmp(a->version, b->version) == 0);
	EQ(tool_ns(a->created), tool_ns(b->created));
	EQ(tool_ns(a->resolution), tool_ns(b->resolution));
	EQ(a->inherited, b->inherited);
	EQ(a->stream_policy, b->stream_policy);
	EQ(a->log_policy, b->log_policy);
	EQ(a->stream_size, b->stream_size);
	EQ(a->data_size, b->data_size);
	EQ(a->log_size, b->log_size);
}

TEST(T_LOG_05)
{
	static const struct want wants[] = {
	    {.name = "all of it",
	     .inherited = POSIX_TRACE_INHERITED,
	     .policy = POSIX_TRACE_UNTIL_FULL,
	     .log_policy = POSIX_TRACE_APPEND,
	     .size = 100000,
	     .data_max = 123,
	     .log_size = 3000000},
	    {.name = "", .policy = POSIX_TRACE_LOOP, .log_policy = POSIX_TRACE_UNTIL_FULL},
	    {.name = "default"},
	};

	for (size_t i = 0; i < ARRAY_LEN(wants); i++) {
		struct want want = wants[i];
		struct facts before, after;
		trace_id_t trid;

		want.log = tool_log();
		trid = tool_stream(&want);
		before = facts_of(trid);
		CHECK(strcmp(before.name, want.name) == 0);
		OK(posix_trace_shutdown(trid));
		tool_sleep_ms(2);
		after = facts_of(open_log(want.log));
		same_facts(&after, &before);
	}
}

static void named(trace_id_t trid, trace_event_id_t event, const char *should)
{
	char name[TRACE_EVENT_NAME_MAX + 1];

	OK(posix_trace_eventid_get_name(trid, event, name));
	if (strcmp(name, should) != 0)
		FAIL("%u is named %s, not %s", event, name, should);
}

TEST(T_LOG_06)
{
	trace_id_t log = open_log(written(5));

	named(log, id, "log");
	for (size_t i = 0; i < ARRAY_LEN(tool_predefined); i++)
		named(log, tool_predefined[i].id, tool_predefined[i].name);
	char name[TRACE_EVENT_NAME_MAX + 1];
	ERR(posix_trace_eventid_get_name(log, id + 1000, name), EINVAL);
}

SUB(reads_log)
{
	struct events events;
	trace_event_id_t event;
	trace_id_t log;

	CHECK(argc == 2);
	log = open_log(atoi(argv[0]));
	/* The first name that this process opens is another one, which must not matter. */
	tool_id("something else");
	event = (trace_event_id_t)strtoul(argv[1], NULL, 10);
	named(log, event, "log");
	events = tool_read_log(log);
	tool_run_is(&events, event, 1, 100);
	OK(posix_trace_close(log));
}

TEST(T_LOG_07)
{
	int fd = written(100);
	char number[20], event[20];

	CHECK(fcntl(fd, F_SETFD, 0) == 0);
	snprintf(number, sizeof(number), "%d", fd);
	snprintf(event, sizeof(event), "%u", id);
	runner_reap(runner_start(0, "reads_log", number, event, NULL, NULL));
	if (geteuid() == 0)
		runner_reap(
		    runner_start(tool_other_user(), "reads_log", number, event, NULL, NULL));
}

TEST(T_LOG_08)
{
	trace_id_t log = open_log(written(5));
	struct posix_trace_event_info info;
	struct event event;
	int unavailable;
	size_t len = 4711;

	EQ(tool_read_log(log).count, 7);
	for (int i = 0; i < 5; i++) {
		unavailable = 0;
		OK(posix_trace_getnext_event(log, &info, NULL, 0, &len, &unavailable));
		CHECK(unavailable != 0);
		EQ(len, 4711);
	}
	OK(posix_trace_rewind(log));
	CHECK(tool_next_of_log(log, &event));
}

static void same_events(const struct events *a, const struct events *b)
{
	EQ(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct posix_trace_event_info *x = &a->at[i].info;
		const struct posix_trace_event_info *y = &b->at[i].info;

		EQ(x->posix_event_id, y->posix_event_id);
		EQ(x->posix_pid, y->posix_pid);
		CHECK(x->posix_prog_address == y->posix_prog_address);
		CHECK(pthread_equal(x->posix_thread_id, y->posix_thread_id));
		EQ(tool_ns(x->posix_timestamp), tool_ns(y->posix_timestamp));
		EQ(x->posix_truncation_status, y->posix_truncation_status);
		EQ(a->at[i].len, b->at[i].len);
		CHECK(memcmp(a->at[i].data, b->at[i].data, a->at[i].len) == 0);
	}
}

TEST(T_LOG_09)
{
	trace_id_t log = open_log(written(300));
	struct events whole = tool_read_log(log);

	for (size_t stop = 0; stop <= whole.count; stop += 43) {
		struct events again;
		struct event event;

		OK(posix_trace_rewind(log));
		for (size_t i = 0; i < stop; i++)
			CHECK(tool_next_of_log(log, &event));
		OK(posix_trace_rewind(log));
		again = tool_read_log(log);
		same_events(&again, &whole);
	}
}

TEST(T_LOG_10)
{
	int fd = written(100);
	trace_id_t a = open_log(fd);
	trace_id_t b = open_log(fd);
	struct events in_a, in_b;
	struct event event;

	CHECK(a != b);
	for (int i = 0; i < 60; i++)
		CHECK(tool_next_of_log(a, &event));
	CHECK(tool_next_of_log(b, &event));
	EQ(event.info.posix_event_id, POSIX_TRACE_START);
	in_a = tool_read_log(a);
	in_b = tool_read_log(b);
	tool_run_is(&in_a, id, 60, 100);
	tool_run_is(&in_b, id, 1, 100);
	OK(posix_trace_close(a));
	OK(posix_trace_rewind(b));
	EQ(tool_read_log(b).count, 102);
}

TEST(T_LOG_11)
{
	trace_id_t log = open_log(written(5));

	OK(posix_trace_close(log));
	tool_all_einval(log);
}

TEST(T_LOG_12)
{
	trace_id_t log = open_log(written(5));

	OK(posix_trace_close(log));
	ERR(posix_trace_close(log), EINVAL);
	open_log(written(5));
	ERR(posix_trace_close(log), EINVAL);
}

TEST(T_LOG_13)
{
	trace_id_t trids[] = {STREAM(), RUNNING(), STREAM(.log = tool_log(), .running = true)};

	for (size_t i = 0; i < ARRAY_LEN(trids); i++) {
		ERR(posix_trace_close(trids[i]), EINVAL);
		ERR(posix_trace_rewind(trids[i]), EINVAL);
		OK(posix_trace_shutdown(trids[i])); /* it was not harmed */
	}
}

TEST(T_LOG_14)
{
	static const char *const calls[] = {"start", "stop", "clear", "flush", "shutdown"};
	trace_id_t log = open_log(written(5));

	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		tool_call_einval(calls[i], log);
	EQ(tool_read_log(log).count, 7);
}

TEST(T_LOG_15)
{
	trace_id_t log = open_log(written(5));

	for (int i = 0; i < 10; i++)
		tool_call_einval("trygetnext_event", log);
	EQ(tool_read_log(log).count, 7); /* it took none */
}

TEST(T_LOG_16)
{
	static const struct timespec times[] = {{0, 0}, {2000000000, 0}, {0, -1}};
	trace_id_t log = open_log(written(5));
	struct posix_trace_event_info info;
	unsigned char data[4096];
	int unavailable = -1;
	uint64_t number;
	size_t len;

	/* The time is not looked at, not even at the end. */
	for (size_t i = 0; i < 7 + 3; i++) {
		OK(posix_trace_timedgetnext_event(log, &info, data, sizeof(data), &len,
						  &unavailable, &times[i % 3]));
		EQ(unavailable != 0, i >= 7);
		if (i >= 1 && i <= 5) {
			EQ(info.posix_event_id, id);
			memcpy(&number, data, sizeof(number));
			EQ(number, i);
			EQ(len, 64);
		}
	}
}

/* Records numbers 1 to count with flushes between, so that none is lost on the way to the log. */
static void pour(trace_id_t trid, uint64_t count)
{
	for (uint64_t n = 1; n <= count; n += 200) {
		tool_emit_run(id, n, n + 199 < count ? n + 199 : count, 64);
		OK(posix_trace_flush(trid));
		while (tool_status(trid).posix_stream_flush_status == POSIX_TRACE_FLUSHING)
			tool_sleep_ms(1);
	}
}

TEST(T_LOG_17)
{
	int fd = tool_log();
	trace_id_t trid = STREAM(.log = fd, .running = true, .log_policy = POSIX_TRACE_APPEND,
				 .log_size = 64 * KIB);
	struct posix_trace_status_info status;
	struct events events;

	id = tool_id("log");
	pour(trid, 20000); /* 1.2 MiB of data */
	status = tool_status(trid);
	EQ(status.posix_log_full_status, POSIX_TRACE_NOT_FULL);
	EQ(status.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN);
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(fd);
	tool_run_is(&events, id, 1, 20000);
}

#define LOG_SIZE (256 * KIB)
#define POURED   20000u

/* A log that got five times what it may hold; its stream has been shut down, or is in ret_trid. */
static int poured(int policy, trace_id_t *ret_trid)
{
	int fd = tool_log();
	trace_id_t trid = STREAM(.log = fd, .running = true, .log_policy = policy,
				 .log_size = LOG_SIZE, .name = "poured");

	id = tool_id("log");
	for (int n = 0; n < 50; n++) {
		char name[20];

		snprintf(name, sizeof(name), "name %d", n);
		tool_id(name);
	}
	pour(trid, POURED);
	if (ret_trid != NULL)
		*ret_trid = trid;
	else
		OK(posix_trace_shutdown(trid));
	return fd;
}

/* The least that a log of LOG_SIZE holds: half of it in events at their largest. */
static uint64_t least_held(void)
{
	trace_attr_t attr;
	size_t size;

	OK(posix_trace_attr_init(&attr));
	OK(posix_trace_attr_getmaxusereventsize(&attr, 64, &size));
	return LOG_SIZE / 2 / size;
}

TEST(T_LOG_18)
{
	struct events events = tool_log_of(poured(POSIX_TRACE_UNTIL_FULL, NULL));
	uint64_t first, last;

	tool_contiguous(&events, id, &first, &last);
	EQ(first, 1);
	CHECK(last < POURED);
	CHECK(last >= least_held());
}

TEST(T_LOG_19)
{
	struct events events = tool_log_of(poured(POSIX_TRACE_UNTIL_FULL, NULL));
	struct event *last = &events.at[events.count - 1];

	EQ(last->info.posix_event_id, POSIX_TRACE_STOP);
	CHECK(tool_int(last) != 0);
}

static void log_status_is_full(trace_id_t trid)
{
	struct posix_trace_status_info status = tool_status(trid);

	EQ(status.posix_log_full_status, POSIX_TRACE_FULL);
	EQ(status.posix_log_overrun_status, POSIX_TRACE_OVERRUN);
}

/* Seen in the log after the end, and in the stream before it. */
static void full_and_overrun(int policy)
{
	int fd = tool_log();
	trace_id_t trid = STREAM(.log = fd, .running = true, .log_policy = policy,
				 .log_size = LOG_SIZE, .policy = POSIX_TRACE_UNTIL_FULL);

	id = tool_id("log");
	EQ(tool_status(trid).posix_log_full_status, POSIX_TRACE_NOT_FULL);
	for (uint64_t part = 0; part < 100; part++) {
		tool_emit_run(id, 200 * part + 1, 200 * part + 200, 64);
		OK(posix_trace_flush(trid));
	}
	OK(posix_trace_stop(trid));
	tool_sleep_ms(100); /* a flush may return before its end, and looking would reset */
	log_status_is_full(trid);
	EQ(tool_status(trid).posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN);
	EQ(tool_status(trid).posix_log_full_status, POSIX_TRACE_FULL);
	OK(posix_trace_clear(trid));
	EQ(tool_status(trid).posix_log_full_status, POSIX_TRACE_NOT_FULL);
	OK(posix_trace_shutdown(trid));
}

TEST(T_LOG_20)
{
	full_and_overrun(POSIX_TRACE_UNTIL_FULL);
}

static void bounded(int policy)
{
	trace_id_t trid;
	int fd = poured(policy, &trid);

	CHECK(tool_file_size(fd) <= (off_t)(LOG_SIZE + 256 * KIB));
	OK(posix_trace_shutdown(trid));
	CHECK(tool_file_size(fd) <= (off_t)(LOG_SIZE + 256 * KIB));
	CHECK(tool_file_size(fd) >= (off_t)(least_held() * 64));
}

TEST(T_LOG_21)
{
	bounded(POSIX_TRACE_UNTIL_FULL);
}

TEST(T_LOG_22)
{
	trace_id_t trid;
	int fd = poured(POSIX_TRACE_UNTIL_FULL, &trid);
	struct events events;

	EQ(tool_status(trid).posix_stream_status, POSIX_TRACE_SUSPENDED);
	OK(posix_trace_start(trid)); /* changes nothing until a clear */
	EQ(tool_status(trid).posix_stream_status, POSIX_TRACE_SUSPENDED);
	OK(posix_trace_clear(trid));
	OK(posix_trace_start(trid));
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	tool_emit_run(id, 7001, 7100, 64);
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(fd);
	tool_run_is(&events, id, 7001, 7100);
}

TEST(T_LOG_23)
{
	struct events events = tool_log_of(poured(POSIX_TRACE_LOOP, NULL));
	uint64_t first, last;

	tool_contiguous(&events, id, &first, &last);
	EQ(last, POURED);
	CHECK(first > 1);
	CHECK(last - first + 1 >= least_held());
}

TEST(T_LOG_24)
{
	full_and_overrun(POSIX_TRACE_LOOP);
}

TEST(T_LOG_25)
{
	bounded(POSIX_TRACE_LOOP);
}

TEST(T_LOG_26)
{
	trace_id_t log = open_log(poured(POSIX_TRACE_LOOP, NULL));
	struct facts facts = facts_of(log);

	CHECK(strcmp(facts.name, "poured") == 0);
	EQ(facts.log_policy, POSIX_TRACE_LOOP);
	EQ(facts.log_size, LOG_SIZE);
	named(log, id, "log");
	for (int n = 0; n < 50; n++) {
		char name[20];

		snprintf(name, sizeof(name), "name %d", n);
		named(log, tool_id(name), name);
	}
}

TEST(T_LOG_27)
{
	trace_id_t log = open_log(written(3));
	struct posix_trace_event_info info;
	unsigned char data[100];
	struct events events;
	int unavailable;
	uint64_t number;
	size_t len;

	for (size_t i = 0; i < 3; i++) {
		memset(data, 0x5a, sizeof(data));
		OK(posix_trace_getnext_event(log, &info, data, 10, &len, &unavailable));
		EQ(unavailable, 0);
		EQ(len, 10);
		EQ(info.posix_truncation_status, POSIX_TRACE_TRUNCATED_READ);
		EQ(data[10], 0x5a);
	}
	EQ(info.posix_event_id, id);
	memcpy(&number, data, sizeof(number));
	EQ(number, 2);
	OK(posix_trace_rewind(log));
	events = tool_read_log(log);
	tool_run_is(&events, id, 1, 3);
	for (size_t i = 0; i < events.count; i++)
		EQ(events.at[i].info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
}

TEST(T_LOG_28)
{
	struct posix_trace_status_info status;
	int fd = tool_log();
	trace_id_t trid = STREAM(.log = fd, .running = true, .policy = POSIX_TRACE_LOOP);

	status = tool_status(open_log(written(5)));
	EQ(status.posix_stream_status, POSIX_TRACE_SUSPENDED);
	EQ(status.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	EQ(status.posix_log_full_status, POSIX_TRACE_NOT_FULL);
	EQ(status.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN);
	EQ(status.posix_stream_flush_error, 0);
	/* Overruns that were not queried are still reported. */
	tool_emit_run(id, 1, 2 * tool_too_many(trid, 64), 64);
	OK(posix_trace_shutdown(trid));
	EQ(tool_status(open_log(fd)).posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
	status = tool_status(open_log(poured(POSIX_TRACE_LOOP, NULL)));
	EQ(status.posix_log_full_status, POSIX_TRACE_FULL);
	EQ(status.posix_stream_status, POSIX_TRACE_SUSPENDED);
}

TEST(T_LOG_29)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
				       POSIX_TRACE_APPEND};

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		int fd = tool_log();
		trace_id_t trid = STREAM(.log = fd, .log_policy = policies[i]);

		tool_emit(tool_id("unheard"), 1);
		OK(posix_trace_shutdown(trid));
		EQ(tool_log_of(fd).count, 0);
	}
}

TEST(T_LOG_30)
{
	int fd = written(20);
	off_t at;
	struct events events;

	CHECK(lseek(fd, 77, SEEK_SET) == 77);
	events = tool_log_of(fd);
	tool_run_is(&events, id, 1, 20);
	at = lseek(fd, 0, SEEK_CUR);
	EQ(at, 77); /* left alone */
}

TEST(T_LOG_31)
{
	int fd = written(2000);
	trace_id_t log = open_log(fd);
	struct events events;
	struct event event;

	CHECK(tool_next_of_log(log, &event));
	close(fd);
	/* The number may come to mean another file. */
	CHECK(open("/dev/zero", O_RDONLY | O_CLOEXEC) >= 0);
	events = tool_read_log(log);
	tool_run_is(&events, id, 1, 2000);
	OK(posix_trace_rewind(log));
	EQ(tool_read_log(log).count, 2002);
	OK(posix_trace_close(log));
}

TEST(T_LOG_32)
{
	int fd = tool_log();
	trace_id_t trid =
	    STREAM(.log = fd, .running = true, .policy = POSIX_TRACE_UNTIL_FULL, .size = MIB);
	struct events live, logged;
	int64_t last = 0;

	id = tool_id("log");
	for (uint64_t n = 1; n <= 1000; n++) {
		tool_emit(id, n);
		if (n % 250 == 0)
			tool_sleep_ms(20);
	}
	live = tool_drain(trid);
	OK(posix_trace_shutdown(trid));
	logged = tool_log_of(fd);
	live = tool_only(&live, id);
	logged = tool_only(&logged, id);
	same_events(&live, &logged);
	EQ(logged.count, 1000);
	for (size_t i = 0; i < logged.count; i++) {
		CHECK(tool_ns(logged.at[i].info.posix_timestamp) >= last);
		last = tool_ns(logged.at[i].info.posix_timestamp);
	}
}
