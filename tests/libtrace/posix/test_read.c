/* test_read - reading events of active streams (docs/spec/posix-trace.md 10.14). */
#include "tool.h"

#include <limits.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static trace_event_id_t id;

/* One call of a get-next function and all that it gave. */
struct got {
	struct posix_trace_event_info info;
	unsigned char data[256];
	size_t len;
	int unavailable;
	int result;
};

enum function { GETNEXT, TIMED, TRY };

/* Reads with a buffer of this size; out-parameters start with marks. */
static struct got get_into(enum function f, trace_id_t trid, size_t room, struct timespec until)
{
	struct got got;

	memset(&got, 0x5a, sizeof(got));
	if (f == GETNEXT)
		got.result = posix_trace_getnext_event(trid, &got.info, got.data, room, &got.len,
						       &got.unavailable);
	else if (f == TIMED)
		got.result = posix_trace_timedgetnext_event(trid, &got.info, got.data, room,
							    &got.len, &got.unavailable, &until);
	else
		got.result = posix_trace_trygetnext_event(trid, &got.info, got.data, room, &got.len,
							  &got.unavailable);
	return got;
}

static struct got get(enum function f, trace_id_t trid)
{
	return get_into(f, trid, sizeof(((struct got *)0)->data), tool_later(20000));
}

/* No event: the result is this, and nothing was written but the mark. */
static void without_event(const struct got *got, int result)
{
	struct got fresh;

	memset(&fresh, 0x5a, sizeof(fresh));
	EQ(got->result, result);
	CHECK(got->unavailable != 0);
	CHECK(memcmp(&got->info, &fresh.info, sizeof(got->info)) == 0);
	CHECK(memcmp(got->data, fresh.data, sizeof(got->data)) == 0);
	EQ(got->len, fresh.len);
}

static uint64_t with_event(const struct got *got)
{
	uint64_t number;

	EQ(got->result, 0);
	EQ(got->unavailable, 0);
	EQ(got->info.posix_event_id, id);
	EQ(got->len, sizeof(number));
	memcpy(&number, got->data, sizeof(number));
	return number;
}

static trace_id_t running(void)
{
	id = tool_id("read");
	return RUNNING();
}

TEST(T_READ_01)
{
	trace_id_t trid = STREAM();
	struct got got = get(TRY, trid);

	without_event(&got, 0);
	OK(posix_trace_start(trid));
	got = get(TRY, trid);
	EQ(got.info.posix_event_id, POSIX_TRACE_START);
	got = get(TRY, trid);
	without_event(&got, 0);
}

TEST(T_READ_02)
{
	trace_id_t trid = running();
	struct got got;

	tool_emit(id, 17);
	got = get(TRY, trid);
	EQ(with_event(&got), 17);
}

static void each_once(enum function f)
{
	trace_id_t trid = running();
	struct got got;

	for (uint64_t n = 1; n <= 500; n++)
		tool_emit(id, n);
	for (uint64_t n = 1; n <= 500; n++) {
		got = get(f, trid);
		EQ(with_event(&got), n);
	}
	got = get(TRY, trid);
	without_event(&got, 0);
	OK(posix_trace_shutdown(trid));
}

TEST(T_READ_03)
{
	each_once(TRY);
	each_once(GETNEXT);
	each_once(TIMED);
}

static void *emit_twenty(void *arg)
{
	uint64_t *next = arg;

	for (int i = 0; i < 20; i++)
		tool_emit(id, (*next)++);
	return NULL;
}

TEST(T_READ_04)
{
	trace_id_t trid = running();
	uint64_t next = 1;
	struct events events;

	/* From many threads in turn: the order is that of time, not of threads. */
	for (int i = 0; i < 20; i++) {
		tool_join(tool_thread(emit_twenty, &next));
		emit_twenty(&next);
	}
	events = tool_drain(trid);
	tool_run_is(&events, id, 1, 800);
	for (size_t i = 1; i < events.count; i++)
		CHECK(tool_ns(events.at[i].info.posix_timestamp) >=
		      tool_ns(events.at[i - 1].info.posix_timestamp));
}

TEST(T_READ_05)
{
	trace_id_t trid = running();
	struct got got;

	for (uint64_t n = 1; n <= 100; n++) {
		int64_t begin;

		tool_emit(id, n);
		begin = tool_ns(tool_now(CLOCK_MONOTONIC));
		got = get(GETNEXT, trid);
		EQ(with_event(&got), n);
		CHECK(tool_ns(tool_now(CLOCK_MONOTONIC)) - begin < 60000000000);
	}
}

/* A thread that reads one event and says when it is back. */
struct blocked {
	enum function f;
	trace_id_t trid;
	pthread_t thread;
	struct got got;
	int64_t back;
	atomic_int done, tid;
};

static void *read_one(void *arg)
{
	struct blocked *b = arg;

	atomic_store(&b->tid, (int)syscall(SYS_gettid));
	b->got = get(b->f, b->trid);
	b->back = tool_ns(tool_now(CLOCK_MONOTONIC));
	atomic_store(&b->done, 1);
	return NULL;
}

#ifdef SYS_ppoll_time64
#define PPOLL_TIME64 SYS_ppoll_time64
#else
#define PPOLL_TIME64 SYS_ppoll
#endif

/* Whether the thread is in ppoll(), which is where a reader waits. */
static bool naps(pid_t tid)
{
	char path[60], call[20];
	FILE *file;
	bool naps;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
	file = fopen(path, "re");
	naps = file != NULL && fgets(call, sizeof(call), file) != NULL &&
	       (strtol(call, NULL, 10) == SYS_ppoll || strtol(call, NULL, 10) == PPOLL_TIME64);
	if (file != NULL)
		fclose(file);
	return naps;
}

/* Starts it, and sees that it blocks. */
static void block(struct blocked *b, enum function f, trace_id_t trid)
{
	int64_t end = tool_ns(tool_now(CLOCK_MONOTONIC)) + 2000000000;

	b->f = f;
	b->trid = trid;
	atomic_store(&b->done, 0);
	atomic_store(&b->tid, 0);
	b->thread = tool_thread(read_one, b);
	/* Where it cannot be looked at, these seconds must do. */
	while (!naps(atomic_load(&b->tid)) && tool_ns(tool_now(CLOCK_MONOTONIC)) < end)
		tool_sleep_ms(1);
	tool_sleep_ms(50);
	EQ(atomic_load(&b->done), 0);
}

/* It comes back soon after now: 100 ms on a machine that has nothing else to do, and never by
 * itself. */
static void unblocked(struct blocked *b)
{
	int64_t now = tool_ns(tool_now(CLOCK_MONOTONIC));

	tool_join(b->thread);
	CHECK(b->back - now < 60000000000);
}

TEST(T_READ_06)
{
	trace_id_t trid = running();
	struct blocked b;

	for (uint64_t n = 1; n <= 3; n++) {
		block(&b, n == 2 ? TIMED : GETNEXT, trid);
		tool_emit(id, n);
		unblocked(&b);
		EQ(with_event(&b.got), n);
	}
}

TEST(T_READ_07)
{
	trace_id_t trid = STREAM();
	struct blocked b;

	block(&b, GETNEXT, trid);
	OK(posix_trace_start(trid));
	unblocked(&b);
	EQ(b.got.result, 0);
	EQ(b.got.unavailable, 0);
	EQ(b.got.info.posix_event_id, POSIX_TRACE_START);
}

static void emit_when_told(void *arg)
{
	struct gate *gates = arg;
	trace_event_id_t own = tool_id("of the child");

	tool_gate_open(gates[1]);
	tool_gate_wait(gates[0]);
	tool_emit(own, 99);
	tool_gate_wait(gates[0]);
}

TEST(T_READ_08)
{
	struct gate gates[2] = {tool_gate(), tool_gate()};
	pid_t pid = tool_fork(emit_when_told, gates);
	struct blocked b;
	trace_id_t trid;

	tool_gate_wait(gates[1]);
	trid = RUNNING(.pid = pid);
	OK(posix_trace_trid_eventid_open(trid, "of the child", &id));
	block(&b, GETNEXT, trid);
	tool_gate_open(gates[0]);
	unblocked(&b);
	EQ(with_event(&b.got), 99);
	EQ(b.got.info.posix_pid, pid);
	tool_gate_open(gates[0]);
	runner_reap(pid);
}

static void shut_down_under(enum function f)
{
	trace_id_t trids[] = {STREAM(), RUNNING(), RUNNING(.policy = POSIX_TRACE_UNTIL_FULL)};

	for (size_t i = 0; i < ARRAY_LEN(trids); i++) {
		struct blocked b[3];

		for (size_t k = 0; k < ARRAY_LEN(b); k++)
			block(&b[k], f, trids[i]);
		OK(posix_trace_shutdown(trids[i]));
		for (size_t k = 0; k < ARRAY_LEN(b); k++) {
			unblocked(&b[k]);
			without_event(&b[k].got, EINVAL);
		}
	}
}

TEST(T_READ_09)
{
	shut_down_under(GETNEXT);
}

TEST(T_READ_10)
{
	shut_down_under(TIMED);
}

static atomic_int handled;

static void handle(int signal)
{
	(void)signal;
	atomic_fetch_add(&handled, 1);
}

static void catch_signal(int signal, int flags)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags};

	CHECK(sigaction(signal, &action, NULL) == 0);
}

static void interrupted(enum function f)
{
	trace_id_t trid = running();
	struct blocked b;

	catch_signal(SIGUSR1, 0);
	block(&b, f, trid);
	OK(pthread_kill(b.thread, SIGUSR1));
	unblocked(&b);
	EQ(atomic_load(&handled), 1);
	without_event(&b.got, EINTR);
	/* With SA_RESTART the call may continue to wait. */
	catch_signal(SIGUSR1, SA_RESTART);
	block(&b, f, trid);
	OK(pthread_kill(b.thread, SIGUSR1));
	tool_sleep_ms(50);
	tool_emit(id, 5);
	unblocked(&b);
	if (b.got.result == EINTR) {
		without_event(&b.got, EINTR);
		b.got = get(TRY, trid);
	}
	EQ(with_event(&b.got), 5);
}

TEST(T_READ_11)
{
	interrupted(GETNEXT);
}

TEST(T_READ_12)
{
	interrupted(TIMED);
}

#define STORM 3000

/* Reads numbers 1 to STORM, however often it is interrupted. */
static void *read_through_signals(void *arg)
{
	trace_id_t trid = *(trace_id_t *)arg;
	uint64_t next = 1;
	uintptr_t interrupts = 0;

	while (next <= STORM) {
		struct got got = get(next % 2 == 0 ? GETNEXT : TIMED, trid);

		if (got.result == EINTR) {
			without_event(&got, EINTR);
			interrupts++;
			continue;
		}
		EQ(with_event(&got), next);
		next++;
	}
	return (void *)interrupts;
}

TEST(T_READ_13)
{
	pthread_t reader;
	trace_id_t trid;

	id = tool_id("read");
	trid = RUNNING(.size = MIB);
	catch_signal(SIGUSR1, 0);
	reader = tool_thread(read_through_signals, &trid);
	for (uint64_t n = 1; n <= STORM; n++) {
		/* The last event is not preceded by a signal: the thread may be gone after it. */
		if (n < STORM)
			OK(pthread_kill(reader, SIGUSR1));
		tool_emit(id, n);
		if (n % 50 == 0)
			tool_sleep_ms(2);
	}
	CHECK(tool_join(reader) != NULL);
	CHECK(tool_drain(trid).count == 0);
}

static const struct timespec invalid_times[] = {
    {2000000000, 1000000000}, {2000000000, -1}, {0, 2000000000}, {2000000000, LONG_MIN}};

TEST(T_READ_14)
{
	static const struct timespec past[] = {{0, 0}, {1000, 5}};
	trace_id_t trid = running();

	for (size_t i = 0; i < ARRAY_LEN(past); i++) {
		struct got got;

		tool_emit(id, i);
		got = get_into(TIMED, trid, 256, past[i]);
		EQ(with_event(&got), i);
	}
}

TEST(T_READ_15)
{
	trace_id_t trid = running();

	for (size_t i = 0; i < ARRAY_LEN(invalid_times); i++) {
		struct got got;

		tool_emit(id, i);
		got = get_into(TIMED, trid, 256, invalid_times[i]);
		EQ(with_event(&got), i);
	}
}

TEST(T_READ_16)
{
	trace_id_t trid = running();

	for (size_t i = 0; i < ARRAY_LEN(invalid_times); i++) {
		struct got got = get_into(TIMED, trid, 256, invalid_times[i]);

		without_event(&got, EINVAL);
	}
}

TEST(T_READ_17)
{
	static const struct timespec past[] = {{0, 0}, {1000, 5}, {-5, 0}, {INT64_MIN, 0}};
	trace_id_t trid = running();
	int64_t begin = tool_ns(tool_now(CLOCK_MONOTONIC));

	for (size_t i = 0; i < ARRAY_LEN(past); i++) {
		struct got got = get_into(TIMED, trid, 256, past[i]);

		without_event(&got, ETIMEDOUT);
	}
	CHECK(tool_ns(tool_now(CLOCK_MONOTONIC)) - begin < 60000000000);
}

TEST(T_READ_18)
{
	static const long waits_ms[] = {1, 30, 120, 300};
	trace_id_t trid = running();

	for (size_t i = 0; i < ARRAY_LEN(waits_ms); i++) {
		struct timespec until = tool_later(waits_ms[i]);
		struct got got = get_into(TIMED, trid, 256, until);
		int64_t late = tool_ns(tool_now(CLOCK_REALTIME)) - tool_ns(until);

		EQ(got.result, ETIMEDOUT);
		CHECK(late >= 0);
		CHECK(late < 60000000000);
	}
}

TEST(T_READ_19)
{
	trace_id_t trid = running();
	struct got got = get_into(TIMED, trid, 256, tool_later(20));

	without_event(&got, ETIMEDOUT);
	got = get_into(TIMED, trid, 256, tool_now(CLOCK_REALTIME));
	without_event(&got, ETIMEDOUT);
}

TEST(T_READ_20)
{
	trace_id_t trid = running();
	struct blocked b;

	block(&b, TIMED, trid); /* for 20 s */
	tool_emit(id, 8);
	unblocked(&b);
	EQ(with_event(&b.got), 8);
}

static void cut_read(size_t len, size_t room)
{
	trace_id_t trid = running();
	unsigned char data[256];
	struct got got;

	for (size_t i = 0; i < len; i++)
		data[i] = (unsigned char)(i + 1);
	posix_trace_event(id, data, len);
	got = get_into(TRY, trid, room, (struct timespec){0});
	EQ(got.result, 0);
	EQ(got.unavailable, 0);
	EQ(got.len, room < len ? room : len);
	EQ(got.info.posix_truncation_status,
	   room < len ? POSIX_TRACE_TRUNCATED_READ : POSIX_TRACE_NOT_TRUNCATED);
	CHECK(memcmp(got.data, data, got.len) == 0);
	for (size_t i = room; i < sizeof(got.data); i++)
		EQ(got.data[i], 0x5a);
	OK(posix_trace_shutdown(trid));
}

TEST(T_READ_21)
{
	trace_id_t trid = STREAM();
	struct got got;

	cut_read(100, 99);
	cut_read(100, 50);
	cut_read(8, 1);
	cut_read(1, 0);
	/* A control event too. */
	OK(posix_trace_start(trid));
	got = get_into(TRY, trid, 10, (struct timespec){0});
	EQ(got.info.posix_event_id, POSIX_TRACE_START);
	EQ(got.len, 10);
	EQ(got.info.posix_truncation_status, POSIX_TRACE_TRUNCATED_READ);
}

TEST(T_READ_22)
{
	/* cut_read() checks the bytes after the buffer. */
	for (size_t room = 0; room < 70; room++)
		cut_read(70, room);
}

TEST(T_READ_23)
{
	trace_id_t trid = running();
	struct got got;

	for (uint64_t n = 1; n <= 100; n++)
		tool_emit(id, n);
	for (uint64_t n = 1; n <= 100; n += 2) {
		got = get_into(TRY, trid, 3, (struct timespec){0});
		EQ(got.len, 3);
		EQ(memcmp(got.data, &n, 3), 0);
		got = get(TRY, trid);
		EQ(with_event(&got), n + 1);
	}
}

TEST(T_READ_24)
{
	trace_id_t trid = RUNNING(.data_max = 20);
	unsigned char data[40] = {1};
	struct got got;

	id = tool_id("read");
	posix_trace_event(id, data, sizeof(data));
	posix_trace_event(id, data, sizeof(data));
	got = get_into(TRY, trid, 19, (struct timespec){0});
	EQ(got.info.posix_truncation_status, POSIX_TRACE_TRUNCATED_READ);
	EQ(got.len, 19);
	got = get_into(TRY, trid, 20, (struct timespec){0});
	EQ(got.info.posix_truncation_status, POSIX_TRACE_TRUNCATED_RECORD);
	EQ(got.len, 20);
}

static void into_nothing(enum function f, size_t len, int status)
{
	trace_id_t trid = running();
	struct posix_trace_event_info info;
	struct timespec until = tool_later(20000);
	size_t got = 4711;
	int unavailable = -1;

	posix_trace_event(id, "12345678", len);
	if (f == GETNEXT)
		OK(posix_trace_getnext_event(trid, &info, NULL, 0, &got, &unavailable));
	else if (f == TIMED)
		OK(posix_trace_timedgetnext_event(trid, &info, NULL, 0, &got, &unavailable,
						  &until));
	else
		OK(posix_trace_trygetnext_event(trid, &info, NULL, 0, &got, &unavailable));
	EQ(unavailable, 0);
	EQ(got, 0);
	EQ(info.posix_event_id, id);
	EQ(info.posix_truncation_status, status);
	OK(posix_trace_shutdown(trid));
}

TEST(T_READ_25)
{
	static const enum function functions[] = {GETNEXT, TIMED, TRY};

	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		into_nothing(functions[i], 8, POSIX_TRACE_TRUNCATED_READ);
		into_nothing(functions[i], 1, POSIX_TRACE_TRUNCATED_READ);
		into_nothing(functions[i], 0, POSIX_TRACE_NOT_TRUNCATED);
	}
}

TEST(T_READ_26)
{
	for (size_t len = 0; len < 80; len++)
		cut_read(len, len);
}

TEST(T_READ_27)
{
	trace_id_t trids[] = {tool_stale(), 0xdeadbeef, 0, 0xffffffffu};

	for (size_t i = 0; i < ARRAY_LEN(trids); i++)
		for (int f = GETNEXT; f <= TRY; f++)
			EQ(get((enum function)f, trids[i]).result, EINVAL);
}

TEST(T_READ_28)
{
	trace_id_t trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL);
	uint64_t next = 1;

	id = tool_id("read");
	/* Many times as much as fits, in parts that fit. */
	for (int part = 0; part < 400; part++) {
		struct events events;

		tool_emit_run(id, next, next + 127, 64);
		events = tool_drain(trid);
		tool_run_is(&events, id, next, next + 127);
		EQ(events.count, 128);
		next += 128;
	}
	EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
}

#define MANY 20000

static struct {
	trace_id_t trid;
	atomic_uchar seen[MANY + 1];
	atomic_int total;
} shared;

static void *read_until_the_end(void *arg)
{
	uint64_t last = 0;

	(void)arg;
	for (;;) {
		struct got got = get(GETNEXT, shared.trid);
		uint64_t n;

		if (got.result == EINVAL)
			return NULL;
		n = with_event(&got);
		CHECK(n >= 1 && n <= MANY && n > last);
		last = n;
		atomic_fetch_add(&shared.seen[n], 1);
		atomic_fetch_add(&shared.total, 1);
	}
}

TEST(T_READ_29)
{
	pthread_t readers[4];

	id = tool_id("read");
	shared.trid = RUNNING(.size = 4 * MIB);
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		readers[i] = tool_thread(read_until_the_end, NULL);
	for (uint64_t n = 1; n <= MANY; n++) {
		tool_emit(id, n);
		if (n % 500 == 0)
			tool_sleep_ms(1);
	}
	while (atomic_load(&shared.total) < MANY)
		tool_sleep_ms(1);
	OK(posix_trace_shutdown(shared.trid));
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		tool_join(readers[i]);
	EQ(atomic_load(&shared.total), MANY);
	for (uint64_t n = 1; n <= MANY; n++)
		EQ(shared.seen[n], 1);
}

/* Notes what it reads at once; nothing here but getnext is a cancellation point. */
static void *read_and_note(void *arg)
{
	(void)arg;
	for (;;) {
		struct posix_trace_event_info info;
		uint64_t n;
		size_t len;
		int unavailable;

		if (posix_trace_getnext_event(shared.trid, &info, &n, sizeof(n), &len,
					      &unavailable) == 0 &&
		    n <= MANY) {
			atomic_fetch_add(&shared.seen[n], 1);
			atomic_fetch_add(&shared.total, 1);
		}
	}
	return NULL;
}

TEST(T_READ_30)
{
	uint64_t n = 0;
	int had_all = 0;

	id = tool_id("read");
	shared.trid = RUNNING(.size = MIB);
	for (int round = 0; round < 150; round++) {
		pthread_t reader = tool_thread(read_and_note, NULL);

		for (int i = 0; i < round % 7 * 3; i++)
			tool_emit(id, ++n);
		if (round % 3 == 0)
			tool_sleep_ms(30);
		OK(pthread_cancel(reader));
		if (round % 2 == 0)
			tool_emit(id, ++n);
		CHECK(tool_join(reader) == PTHREAD_CANCELED);
		had_all += atomic_load(&shared.total) > 0;
	}
	CHECK(had_all > 0);
	/* The stream works, and gives what no reader had. */
	tool_emit(id, ++n);
	for (;;) {
		struct got got = get(TRY, shared.trid);

		if (got.unavailable != 0)
			break;
		atomic_fetch_add(&shared.seen[with_event(&got)], 1);
	}
	for (uint64_t i = 1; i <= n; i++)
		EQ(shared.seen[i], 1);
	OK(posix_trace_shutdown(shared.trid));
}
