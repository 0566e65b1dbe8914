/* test_thread - threads, signal handlers, cancellation (docs/spec/posix-trace.md 13). */
#include "tool.h"

#include <stdatomic.h>
#include <sys/time.h>

#define THREADS 8
#ifdef __SANITIZE_THREAD__ /* ten times as slow */
#define EVENTS 5000
#else
#define EVENTS 100000
#endif

static trace_event_id_t id;

/* The data of each event: its thread, its number, and a sum of both. */
struct numbered {
	uint32_t thread, number;
	uint64_t check;
};

static uint64_t check_of(uint32_t thread, uint32_t number)
{
	return ((uint64_t)thread << 32 | number) * 0x9e3779b97f4a7c15u;
}

static void emit_numbered(uint32_t thread, uint32_t number)
{
	struct numbered event = {thread, number, check_of(thread, number)};

	posix_trace_event(id, &event, sizeof(event));
}

/* An event that is whole, or the end of the test. */
static struct numbered numbered(const struct event *event)
{
	struct numbered n;

	EQ(event->info.posix_event_id, id);
	EQ(event->len, sizeof(n));
	memcpy(&n, event->data, sizeof(n));
	CHECK(n.check == check_of(n.thread, n.number));
	return n;
}

static pthread_barrier_t together;

static void *flood(void *arg)
{
	uint32_t thread = (uint32_t)(uintptr_t)arg;

	pthread_barrier_wait(&together);
	for (uint32_t n = 0; n < EVENTS; n++)
		emit_numbered(thread, n);
	return NULL;
}

/* A stream that all these events fit into, and they in it. */
static trace_id_t flooded(void)
{
	pthread_t threads[THREADS];
	trace_id_t trid;
	trace_attr_t attr;
	size_t size;

	OK(posix_trace_attr_init(&attr));
	OK(posix_trace_attr_getmaxusereventsize(&attr, sizeof(struct numbered), &size));
	id = tool_id("numbered");
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL, .size = size * THREADS * EVENTS);
	OK(pthread_barrier_init(&together, NULL, THREADS));
	for (size_t i = 0; i < THREADS; i++)
		threads[i] = tool_thread(flood, (void *)(uintptr_t)i);
	for (size_t i = 0; i < THREADS; i++)
		tool_join(threads[i]);
	return trid;
}

TEST(T_MT_01)
{
	trace_id_t trid = flooded();
	struct posix_trace_status_info status = tool_status(trid);
	struct event event;
	size_t count = 0;

	EQ(status.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	EQ(status.posix_stream_status, POSIX_TRACE_RUNNING);
	while (tool_next(trid, &event))
		count++;
	EQ(count, THREADS * EVENTS);
}

TEST(T_MT_02)
{
	trace_id_t trid = flooded();
	uint32_t next[THREADS] = {0};
	struct event event;

	while (tool_next(trid, &event)) {
		struct numbered n = numbered(&event);

		CHECK(n.thread < THREADS);
		EQ(n.number, next[n.thread]);
		next[n.thread]++;
	}
	for (size_t i = 0; i < THREADS; i++)
		EQ(next[i], EVENTS);
}

TEST(T_MT_03)
{
	trace_id_t trid = flooded();
	int64_t last[THREADS] = {0};
	size_t count = 0;
	struct event event;

	while (tool_next(trid, &event)) {
		struct numbered n = numbered(&event);
		int64_t t = tool_ns(event.info.posix_timestamp);

		CHECK(n.thread < THREADS);
		CHECK(t >= last[n.thread]);
		last[n.thread] = t;
		count++;
	}
	EQ(count, THREADS * EVENTS);
}

TEST(T_MT_04)
{
	trace_id_t trid = flooded();
	unsigned char *seen = tool_alloc(THREADS * EVENTS);
	pthread_t owner[THREADS];
	bool known[THREADS] = {false};
	struct event event;

	CHECK(seen != NULL);
	while (tool_next(trid, &event)) {
		struct numbered n = numbered(&event);

		CHECK(n.thread < THREADS && n.number < EVENTS);
		EQ(seen[n.thread * EVENTS + n.number], 0);
		seen[n.thread * EVENTS + n.number] = 1;
		/* The thread of an event is always the same, too. */
		if (!known[n.thread])
			owner[n.thread] = event.info.posix_thread_id;
		known[n.thread] = true;
		CHECK(pthread_equal(owner[n.thread], event.info.posix_thread_id));
		EQ(event.info.posix_pid, getpid());
	}
	EQ(memchr(seen, 0, (size_t)THREADS * EVENTS) == NULL, true);
}

static atomic_bool over;

static void *flood_until_over(void *arg)
{
	uint32_t thread = (uint32_t)(uintptr_t)arg;

	for (uint32_t n = 0; !atomic_load(&over); n++)
		emit_numbered(thread, n);
	return NULL;
}

TEST(T_MT_05)
{
	trace_id_t trid;
	pthread_t threads[4];
	int64_t last[4] = {-1, -1, -1, -1};
	size_t count = 0;
	int64_t end;

	id = tool_id("numbered");
	trid = RUNNING(.policy = POSIX_TRACE_LOOP);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		threads[i] = tool_thread(flood_until_over, (void *)(uintptr_t)i);
	end = tool_ns(tool_now(CLOCK_MONOTONIC)) + 2000000000;
	/* For two seconds, and until everybody was seen. */
	while (tool_ns(tool_now(CLOCK_MONOTONIC)) < end || count <= 10000 || last[0] < 0 ||
	       last[1] < 0 || last[2] < 0 || last[3] < 0) {
		struct event event;
		struct numbered n;

		if (!tool_next(trid, &event))
			continue;
		if (event.info.posix_event_id == POSIX_TRACE_OVERFLOW ||
		    event.info.posix_event_id == POSIX_TRACE_RESUME)
			continue;
		n = numbered(&event);
		CHECK(n.thread < 4);
		CHECK((int64_t)n.number > last[n.thread]);
		last[n.thread] = n.number;
		count++;
	}
	atomic_store(&over, true);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		tool_join(threads[i]);
}

static atomic_uint in_handler;
#define HANDLER 7 /* as a thread number */

static void record_in_handler(int signal)
{
	(void)signal;
	emit_numbered(HANDLER, atomic_fetch_add(&in_handler, 1));
}

static struct itimerval every(long us)
{
	return (struct itimerval){{0, us}, {0, us}};
}

/* Signals at this pace, to a handler that records. */
static void start_signals(long us)
{
	struct sigaction action = {.sa_handler = record_in_handler, .sa_flags = SA_RESTART};
	struct itimerval timer = every(us);

	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

static void stop_signals(void)
{
	struct itimerval none = every(0);

	CHECK(setitimer(ITIMER_REAL, &none, NULL) == 0);
}

/* Records in a loop while signals arrive. Returns the number of events; in_handler has the number
 * of the handler's events. */
static uint32_t record_through_signals(void)
{
	int64_t end = tool_ns(tool_now(CLOCK_MONOTONIC)) + 700000000;
	uint32_t n = 0;

	start_signals(50);
	while (n < 150000 && (n % 100 != 0 || tool_ns(tool_now(CLOCK_MONOTONIC)) < end))
		emit_numbered(0, n++);
	while (atomic_load(&in_handler) < 20)
		emit_numbered(0, n++);
	stop_signals();
	return n;
}

TEST(T_MT_06)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

	id = tool_id("numbered");
	/* Small streams: handlers meet the change of chunks and the full stream as well. */
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = RUNNING(.policy = policies[i]);
		struct event event;

		atomic_store(&in_handler, 0);
		CHECK(record_through_signals() > 0);
		while (tool_next(trid, &event))
			if (event.info.posix_event_id == id)
				numbered(&event);
		OK(posix_trace_shutdown(trid));
	}
}

TEST(T_MT_07)
{
	trace_id_t trid;
	uint32_t next[2] = {0, 0};
	struct event event;
	uint32_t count;
	int64_t last = 0;

	id = tool_id("numbered");
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL, .size = 32 * MIB);
	count = record_through_signals();
	while (tool_next(trid, &event)) {
		struct numbered n = numbered(&event);
		int who = n.thread == HANDLER;

		CHECK(n.thread == 0 || n.thread == HANDLER);
		EQ(n.number, next[who]);
		next[who]++;
		CHECK(tool_ns(event.info.posix_timestamp) >= last); /* one thread: never back */
		last = tool_ns(event.info.posix_timestamp);
	}
	EQ(next[0], count);
	EQ(next[1], atomic_load(&in_handler));
}

/* One call of everything that is not for handlers, while handlers record. */
static void use_library(trace_id_t trid, unsigned turn)
{
	trace_event_set_t set = tool_set(0);
	struct event event;
	trace_attr_t attr;
	trace_id_t other;
	char name[24];
	void *memory;

	snprintf(name, sizeof(name), "name %u", turn % 1000);
	tool_id(name);
	memory = malloc(turn % 5000 + 1);
	free(memory);
	OK(posix_trace_get_attr(trid, &attr));
	tool_status(trid);
	OK(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET));
	while (tool_next(trid, &event))
		continue;
	if (turn % 8 == 0) {
		OK(posix_trace_stop(trid));
		OK(posix_trace_start(trid));
		OK(posix_trace_clear(trid));
	}
	if (turn % 4 == 0) {
		other = STREAM();
		OK(posix_trace_start(other));
		OK(posix_trace_shutdown(other));
	}
}

TEST(T_MT_08)
{
	trace_id_t trid;
	int64_t end;
	unsigned turns = 0;

	id = tool_id("numbered");
	trid = RUNNING(.policy = POSIX_TRACE_LOOP);
	start_signals(200);
	end = tool_ns(tool_now(CLOCK_MONOTONIC)) + 2000000000;
	while (tool_ns(tool_now(CLOCK_MONOTONIC)) < end || atomic_load(&in_handler) < 50 ||
	       turns <= 20)
		use_library(trid, turns++);
	stop_signals();
	OK(posix_trace_shutdown(trid));
}

#define OPENERS 8
#define NAMES   300

static trace_event_id_t opened[OPENERS][NAMES];

static void *open_same(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;

	pthread_barrier_wait(&together);
	for (int n = 0; n < NAMES; n++) {
		char name[24];

		snprintf(name, sizeof(name), "same %d", n);
		opened[me][n] = tool_id(name);
	}
	return NULL;
}

static void *open_own(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;

	pthread_barrier_wait(&together);
	for (int n = 0; n < NAMES; n++) {
		char name[24];

		snprintf(name, sizeof(name), "own %zu of %d", me, n);
		opened[me][n] = tool_id(name);
	}
	return NULL;
}

static void open_in_threads(void *(*body)(void *arg))
{
	pthread_t threads[OPENERS];

	OK(pthread_barrier_init(&together, NULL, OPENERS));
	for (size_t i = 0; i < OPENERS; i++)
		threads[i] = tool_thread(body, (void *)(uintptr_t)i);
	for (size_t i = 0; i < OPENERS; i++)
		tool_join(threads[i]);
}

TEST(T_MT_09)
{
	open_in_threads(open_same);
	for (int n = 0; n < NAMES; n++)
		for (size_t i = 0; i < OPENERS; i++)
			EQ(opened[i][n], opened[0][n]);
	/* And different names have different ids still. */
	for (int n = 1; n < NAMES; n++)
		CHECK(opened[0][n] != opened[0][n - 1]);
}

TEST(T_MT_10)
{
	unsigned char taken[TRACE_USER_EVENT_MAX + 200] = {0};

	open_in_threads(open_own);
	for (size_t i = 0; i < OPENERS; i++)
		for (int n = 0; n < NAMES; n++) {
			char name[24];

			CHECK(opened[i][n] < sizeof(taken));
			EQ(taken[opened[i][n]], 0);
			taken[opened[i][n]] = 1;
			CHECK(opened[i][n] != POSIX_TRACE_UNNAMED_USEREVENT);
			snprintf(name, sizeof(name), "own %zu of %d", i, n);
			EQ(tool_id(name), opened[i][n]);
		}
}

static trace_id_t controlled;

static void *start_and_stop(void *arg)
{
	while (!atomic_load(&over)) {
		OK(posix_trace_start(controlled));
		OK(posix_trace_stop(controlled));
	}
	return arg;
}

static void *look(void *arg)
{
	while (!atomic_load(&over)) {
		struct posix_trace_status_info status = tool_status(controlled);

		CHECK(status.posix_stream_status == POSIX_TRACE_RUNNING ||
		      status.posix_stream_status == POSIX_TRACE_SUSPENDED);
	}
	return arg;
}

static void *filter(void *arg)
{
	trace_event_set_t sets[2] = {tool_set(1, id), tool_set(0)};

	for (int n = 0; !atomic_load(&over); n++)
		OK(posix_trace_set_filter(controlled, &sets[n % 2], POSIX_TRACE_SET_EVENTSET));
	return arg;
}

static void *read_all(void *arg)
{
	while (!atomic_load(&over)) {
		struct event event;

		if (tool_next(controlled, &event) && event.info.posix_event_id == id)
			numbered(&event);
	}
	return arg;
}

TEST(T_MT_11)
{
	static void *(*const bodies[])(void *arg) = {start_and_stop,   look,     filter,
						     flood_until_over, read_all, flood_until_over,
						     start_and_stop};
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

	id = tool_id("numbered");
	for (size_t p = 0; p < ARRAY_LEN(policies); p++) {
		pthread_t threads[ARRAY_LEN(bodies)];
		struct event event;

		atomic_store(&over, false);
		controlled = STREAM(.policy = policies[p]);
		for (size_t i = 0; i < ARRAY_LEN(bodies); i++)
			threads[i] = tool_thread(bodies[i], (void *)(uintptr_t)i);
		tool_sleep_ms(1500);
		atomic_store(&over, true);
		for (size_t i = 0; i < ARRAY_LEN(bodies); i++)
			tool_join(threads[i]);
		/* Afterwards it works as ever. */
		OK(posix_trace_stop(controlled));
		OK(posix_trace_clear(controlled));
		OK(posix_trace_start(controlled));
		emit_numbered(1, 1);
		CHECK(tool_next(controlled, &event));
		EQ(event.info.posix_event_id, POSIX_TRACE_START);
		CHECK(tool_next(controlled, &event));
		EQ(numbered(&event).number, 1);
		OK(posix_trace_shutdown(controlled));
	}
}

static atomic_int went_on;

/* In a frame of its own: clang's address sanitizer takes what a cancelled one had on its stack for
 * poisoned when the thread ends. */
__attribute__((noinline)) static void emit_5000(void)
{
	for (uint32_t n = 0; n < 5000; n++)
		emit_numbered(1, n);
}

static void *cancelled(void *arg)
{
	OK(pthread_cancel(pthread_self()));
	emit_5000();
	atomic_store(&went_on, 1);
	pthread_testcancel();
	return arg;
}

TEST(T_MT_12)
{
	trace_id_t trid;
	uint32_t next = 0;
	struct event event;

	id = tool_id("numbered");
	trid = RUNNING(.size = MIB, .policy = POSIX_TRACE_UNTIL_FULL);
	CHECK(tool_join(tool_thread(cancelled, NULL)) == PTHREAD_CANCELED);
	EQ(atomic_load(&went_on), 1);
	while (tool_next(trid, &event))
		EQ(numbered(&event).number, next++);
	EQ(next, 5000);
}
