/* test_event - trace points (docs/spec/posix-trace.md 6, 10.8). */
#include "tool.h"

#include <semaphore.h>

static struct event only_event(trace_id_t trid)
{
	struct event event;
	struct event more;
	static unsigned char data[16 * KIB];

	CHECK(tool_next(trid, &event));
	CHECK(event.len <= sizeof(data));
	memcpy(data, event.data, event.len);
	event.data = data;
	CHECK(!tool_next(trid, &more));
	return event;
}

TEST(T_EVENT_01)
{
	trace_id_t trid = RUNNING();
	trace_event_id_t ids[40];
	struct events events;
	char name[20];

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		snprintf(name, sizeof(name), "id %zu", i);
		ids[i] = tool_id(name);
	}
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		tool_emit(ids[i * 7 % ARRAY_LEN(ids)], i);
	events = tool_drain(trid);
	EQ(events.count, ARRAY_LEN(ids));
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		EQ(events.at[i].info.posix_event_id, ids[i * 7 % ARRAY_LEN(ids)]);
}

TEST(T_EVENT_02)
{
	trace_id_t trid = RUNNING(.data_max = 5000, .size = MIB);
	trace_event_id_t id = tool_id("bytes");
	unsigned char data[5000];
	struct event event;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 31 + i / 256);
	/* Every short length, at every alignment of the source; then longer ones. */
	for (size_t len = 0; len <= sizeof(data); len += len < 600 ? 1 : 397) {
		const unsigned char *from = data + (len < 600 ? len % 16 : 0);

		posix_trace_event(id, from, len);
		event = only_event(trid);
		EQ(event.len, len);
		CHECK(memcmp(event.data, from, len) == 0);
		EQ(event.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
	}
}

TEST(T_EVENT_03)
{
	trace_id_t trid = RUNNING();
	struct event event;

	posix_trace_event(tool_id("nothing"), NULL, 0);
	event = only_event(trid);
	EQ(event.len, 0);
	EQ(event.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
	posix_trace_event(tool_id("nothing"), "x", 0);
	EQ(only_event(trid).len, 0);
}

static void emit_when_told(void *arg)
{
	struct gate *gates = arg;

	tool_gate_wait(gates[0]);
	tool_emit(tool_id("whose"), (uint64_t)getpid());
	tool_gate_open(gates[1]);
	tool_gate_wait(gates[0]);
}

TEST(T_EVENT_04)
{
	struct gate gates[2] = {tool_gate(), tool_gate()};
	trace_id_t own = RUNNING();
	trace_id_t other;
	pid_t pid;

	tool_emit(tool_id("whose"), 1);
	EQ(only_event(own).info.posix_pid, getpid());
	pid = tool_fork(emit_when_told, gates);
	other = RUNNING(.pid = pid);
	tool_gate_open(gates[0]);
	tool_gate_wait(gates[1]);
	struct event event = only_event(other);
	EQ(event.info.posix_pid, pid);
	EQ(tool_number(&event), pid);
	tool_gate_open(gates[0]);
	runner_reap(pid);
}

static void *emit_self(void *arg)
{
	pthread_t self = pthread_self();

	posix_trace_event(*(trace_event_id_t *)arg, &self, sizeof(self));
	return NULL;
}

TEST(T_EVENT_05)
{
	trace_id_t trid = RUNNING();
	trace_event_id_t id = tool_id("thread");
	pthread_t threads[8];
	struct events events;
	pthread_t self;

	emit_self(&id);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		threads[i] = tool_thread(emit_self, &id);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		tool_join(threads[i]);
	events = tool_drain(trid);
	EQ(events.count, 9);
	for (size_t i = 0; i < events.count; i++) {
		EQ(events.at[i].len, sizeof(self));
		memcpy(&self, events.at[i].data, sizeof(self));
		CHECK(pthread_equal(events.at[i].info.posix_thread_id, self));
	}
	CHECK(pthread_equal(events.at[0].info.posix_thread_id, pthread_self()));
}

/* Each function has its own section, whose bounds the linker provides. The assembler code prevents
 * the call from becoming a jump, after which its address would be that of the caller's caller. */
#define SITE(name)                                                                                 \
	__attribute__((noinline, section("site_" #name))) static void name(trace_event_id_t id)    \
	{                                                                                          \
		posix_trace_event(id, NULL, 0);                                                    \
		__asm__ volatile("" ::: "memory");                                                 \
	}                                                                                          \
	extern const char __start_site_##name[], __stop_site_##name[]
SITE(here);
SITE(there);

TEST(T_EVENT_06)
{
	trace_id_t trid = RUNNING();
	trace_event_id_t id = tool_id("site");
	void *address;

	here(id);
	address = only_event(trid).info.posix_prog_address;
	there(id);
	CHECK(only_event(trid).info.posix_prog_address != address);
}

TEST(T_EVENT_07)
{
	trace_id_t trid = RUNNING();
	trace_event_id_t id = tool_id("site");
	struct events events;

	for (int i = 0; i < 100; i++)
		here(id);
	events = tool_drain(trid);
	EQ(events.count, 100);
	for (size_t i = 1; i < events.count; i++)
		CHECK(events.at[i].info.posix_prog_address == events.at[0].info.posix_prog_address);
}

static void lies_in(const char *address, const char *start, const char *stop)
{
	CHECK(address > start && address <= stop);
}

TEST(T_EVENT_08)
{
	trace_id_t trid = RUNNING();
	trace_event_id_t id = tool_id("site");

	here(id);
	lies_in(only_event(trid).info.posix_prog_address, __start_site_here, __stop_site_here);
	there(id);
	lies_in(only_event(trid).info.posix_prog_address, __start_site_there, __stop_site_there);
}

TEST(T_EVENT_09)
{
	trace_event_id_t id = tool_id("unheard");
	int descriptors = tool_open_descriptors();

	tool_emit_run(id, 1, 100000, 64);
	posix_trace_event(id, NULL, 0);
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, "x", 1);
	EQ(tool_open_descriptors(), descriptors);
	trace_id_t trid = RUNNING();
	CHECK(tool_drain(trid).count == 0);
	OK(posix_trace_shutdown(trid));
	tool_emit_run(id, 1, 100000, 64);
}

/* Any event here keeps errno, whatever it was. */
static void keeps_errno(trace_event_id_t id, size_t count, size_t len)
{
	static unsigned char data[8192];

	for (size_t i = 0; i < count; i++) {
		int value = i % 3 == 0 ? 0 : 4711;

		errno = value;
		posix_trace_event(id, data, len);
		EQ(errno, value);
	}
}

TEST(T_EVENT_10)
{
	trace_event_id_t id = tool_id("quiet");
	trace_event_id_t filtered = tool_id("filtered");
	trace_event_set_t filter = tool_set(1, filtered);
	trace_id_t loop, until_full;

	keeps_errno(id, 10, 8);
	loop = STREAM(.policy = POSIX_TRACE_LOOP);
	keeps_errno(id, 10, 8);
	OK(posix_trace_start(loop));
	keeps_errno(id, 20000, 64); /* the first one attaches, later ones overwrite */
	keeps_errno(id, 100, 8192);
	OK(posix_trace_set_filter(loop, &filter, POSIX_TRACE_SET_EVENTSET));
	keeps_errno(filtered, 100, 8);
	keeps_errno(POSIX_TRACE_START, 10, 8);
	keeps_errno(999999, 10, 8);
	until_full = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL);
	keeps_errno(id, 20000, 64);
	OK(posix_trace_shutdown(loop));
	keeps_errno(id, 100, 8);
	OK(posix_trace_shutdown(until_full));
	keeps_errno(id, 100, 8);
}

static const size_t maxima[] = {1, 7, 8, 64, 256, 1000, 4096};

static struct event cut(size_t max, size_t len)
{
	trace_id_t trid = RUNNING(.data_max = max == 0 ? NO_DATA : max, .size = MIB);
	unsigned char data[8192];
	struct event event;

	for (size_t i = 0; i < len; i++)
		data[i] = (unsigned char)(i * 13 + 5);
	posix_trace_event(tool_id("cut"), data, len);
	event = only_event(trid);
	CHECK(event.len <= len && memcmp(event.data, data, event.len) == 0);
	OK(posix_trace_shutdown(trid));
	return event;
}

TEST(T_EVENT_11)
{
	for (size_t i = 0; i < ARRAY_LEN(maxima); i++) {
		struct event event = cut(maxima[i], maxima[i]);

		EQ(event.len, maxima[i]);
		EQ(event.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
	}
}

TEST(T_EVENT_12)
{
	for (size_t i = 0; i < ARRAY_LEN(maxima); i++) {
		struct event event = cut(maxima[i], maxima[i] + 1);

		EQ(event.len, maxima[i]);
		EQ(event.info.posix_truncation_status, POSIX_TRACE_TRUNCATED_RECORD);
	}
}

TEST(T_EVENT_13)
{
	/* cut() compares the bytes. */
	for (size_t i = 0; i < ARRAY_LEN(maxima); i++)
		EQ(cut(maxima[i], 2 * maxima[i]).len, maxima[i]);
}

TEST(T_EVENT_14)
{
	struct event event = cut(0, 1);

	EQ(event.len, 0);
	EQ(event.info.posix_truncation_status, POSIX_TRACE_TRUNCATED_RECORD);
	event = cut(0, 300);
	EQ(event.len, 0);
	EQ(event.info.posix_truncation_status, POSIX_TRACE_TRUNCATED_RECORD);
	event = cut(0, 0);
	EQ(event.len, 0);
	EQ(event.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
}

TEST(T_EVENT_15)
{
	trace_id_t trid = RUNNING();
	struct event event;

	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, "unnamed", 7);
	event = only_event(trid);
	EQ(event.info.posix_event_id, POSIX_TRACE_UNNAMED_USEREVENT);
	EQ(event.len, 7);
	CHECK(memcmp(event.data, "unnamed", 7) == 0);
}

TEST(T_EVENT_16)
{
	trace_event_id_t known = tool_id("known");
	trace_event_id_t unknown[] = {0,     known + 1, known + 2,  known + 100, 4095,
				      4096,  4097,      4104,       4105,        4224,
				      65535, 65536,     0x7fffffff, 0x80000000u, 0xffffffffu};
	trace_id_t trid = RUNNING();
	struct events events;

	for (size_t i = 0; i < ARRAY_LEN(unknown); i++)
		tool_emit(unknown[i], i);
	tool_emit(known, 1);
	events = tool_drain(trid);
	EQ(events.count, 1);
	EQ(events.at[0].info.posix_event_id, known);
	/* An id that is assigned later counts from then on. */
	trace_event_id_t later = tool_id("later");
	tool_emit(later, 2);
	EQ(only_event(trid).info.posix_event_id, later);
}

TEST(T_EVENT_17)
{
	trace_id_t trid = RUNNING();

	for (size_t i = 0; i < 8; i++)
		tool_emit(tool_predefined[i].id, i);
	EQ(tool_drain(trid).count, 0);
	tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
}

TEST(T_EVENT_18)
{
	trace_id_t trid = RUNNING(.size = 4 * MIB);
	trace_event_id_t id = tool_id("order");
	struct events events;

	tool_emit_run(id, 1, 40000, 24);
	events = tool_drain(trid);
	EQ(events.count, 40000);
	tool_run_is(&events, id, 1, 40000);
}

TEST(T_EVENT_19)
{
	trace_id_t trid = RUNNING(.size = 4 * MIB);
	trace_event_id_t id = tool_id("time");
	int64_t begin = tool_ns(tool_now(CLOCK_REALTIME));
	struct events events;
	int64_t last = 0;
	int64_t end;

	for (uint64_t n = 1; n <= 30000; n++) {
		tool_emit(id, n);
		if (n % 10000 == 0)
			tool_sleep_ms(5);
	}
	end = tool_ns(tool_now(CLOCK_REALTIME));
	events = tool_drain(trid);
	EQ(events.count, 30000);
	for (size_t i = 0; i < events.count; i++) {
		struct timespec t = events.at[i].info.posix_timestamp;

		CHECK(t.tv_nsec >= 0 && t.tv_nsec <= 999999999);
		CHECK(tool_ns(t) >= last);
		last = tool_ns(t);
	}
	/* On the line of CLOCK_REALTIME, and as far apart as the clock says. */
	CHECK(tool_ns(events.at[0].info.posix_timestamp) >= begin - 10000000);
	CHECK(last <= end + 10000000);
	CHECK(tool_ns(events.at[10000].info.posix_timestamp) -
		  tool_ns(events.at[9999].info.posix_timestamp) >=
	      5000000 - 50000);
}

#define TURNS 20000

struct turns {
	trace_event_id_t id;
	pthread_mutex_t mutex;
	sem_t sems[2];
	uint64_t next;
};

static struct turns turns = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Whoever gets the mutex records the next number. */
static void *take_mutex(void *arg)
{
	(void)arg;
	for (;;) {
		uint64_t n;

		OK(pthread_mutex_lock(&turns.mutex));
		n = turns.next;
		if (n < TURNS)
			tool_emit(turns.id, turns.next++);
		OK(pthread_mutex_unlock(&turns.mutex));
		if (n >= TURNS)
			return NULL;
	}
}

/* Two hand a turn to each other. */
static void *take_semaphore(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;

	for (;;) {
		uint64_t n;

		while (sem_wait(&turns.sems[me]) != 0)
			continue;
		n = turns.next;
		if (n < TURNS)
			tool_emit(turns.id, turns.next++);
		CHECK(sem_post(&turns.sems[1 - me]) == 0);
		if (n >= TURNS)
			return NULL;
	}
}

static void take_turns(void *(*body)(void *arg))
{
	trace_id_t trid = RUNNING(.size = 4 * MIB);
	struct events events;
	pthread_t threads[2];

	turns.id = tool_id("turn");
	turns.next = 0;
	for (size_t i = 0; i < 2; i++)
		threads[i] = tool_thread(body, (void *)(uintptr_t)i);
	for (size_t i = 0; i < 2; i++)
		tool_join(threads[i]);
	events = tool_drain(trid);
	tool_run_is(&events, turns.id, 0, TURNS - 1);
	OK(posix_trace_shutdown(trid));
}

TEST(T_EVENT_20)
{
	take_turns(take_mutex);
	CHECK(sem_init(&turns.sems[0], 0, 1) == 0);
	CHECK(sem_init(&turns.sems[1], 0, 0) == 0);
	take_turns(take_semaphore);
}

TEST(T_EVENT_21)
{
	trace_id_t trid = RUNNING();
	trace_event_id_t id = tool_id("copied");
	unsigned char data[200];
	struct events events;

	for (int n = 1; n <= 50; n++) {
		memset(data, n, sizeof(data));
		posix_trace_event(id, data, sizeof(data));
		memset(data, 0xee, sizeof(data));
	}
	events = tool_drain(trid);
	EQ(events.count, 50);
	for (size_t i = 0; i < events.count; i++) {
		EQ(events.at[i].len, sizeof(data));
		for (size_t k = 0; k < sizeof(data); k++)
			EQ(events.at[i].data[k], i + 1);
	}
}

TEST(T_EVENT_22)
{
	trace_id_t wide = RUNNING(.data_max = 1000);
	trace_id_t narrow = RUNNING(.data_max = 10);
	trace_id_t none = RUNNING(.data_max = NO_DATA);
	unsigned char data[500];
	struct event event;

	memset(data, 'd', sizeof(data));
	posix_trace_event(tool_id("per stream"), data, sizeof(data));
	event = only_event(wide);
	EQ(event.len, 500);
	EQ(event.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
	event = only_event(narrow);
	EQ(event.len, 10);
	EQ(event.info.posix_truncation_status, POSIX_TRACE_TRUNCATED_RECORD);
	event = only_event(none);
	EQ(event.len, 0);
	EQ(event.info.posix_truncation_status, POSIX_TRACE_TRUNCATED_RECORD);
}
