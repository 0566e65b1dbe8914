/*
 * test_accounting - where an event that was emitted is: recorded or lost, exactly.
 *
 *     emitted  = recorded + lost_full + lost_attach
 *     recorded = reported + lost_overwritten + discarded + still unread
 *
 * Counted by the writers, the reader and posix_trace_get_counts_np() independently.
 */
#include "load.h"

#include <stdatomic.h>

#define WRITERS 4

/* Shared with the children that write. */
struct writers {
	atomic_bool over;
	atomic_uint_fast64_t emitted[2 * WRITERS];
	atomic_uint alive;
};

static struct writers *writers;
static trace_event_id_t id;

static void *write_numbers(void *arg)
{
	uint32_t who = (uint32_t)(uintptr_t)arg;
	uint32_t n = 0;

	while (!atomic_load(&writers->over)) {
		uint32_t burst = 1 + n * 7 % 300;

		for (uint32_t i = 0; i < burst; i++)
			load_emit(id, who, n++);
		atomic_store(&writers->emitted[who], n);
		if (n % 5 == 0)
			tool_sleep_ms(1);
	}
	return NULL;
}

static void write_in_child(void *arg)
{
	pthread_t threads[WRITERS];

	(void)arg;
	for (size_t i = 0; i < WRITERS; i++)
		threads[i] = tool_thread(write_numbers, (void *)(uintptr_t)(WRITERS + i));
	for (size_t i = 0; i < WRITERS; i++)
		tool_join(threads[i]);
}

static uint64_t emitted(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ARRAY_LEN(writers->emitted); i++)
		sum += atomic_load(&writers->emitted[i]);
	return sum;
}

static int64_t end_of_run(void)
{
	return tool_ns(tool_now(CLOCK_MONOTONIC)) + (int64_t)load_times(1500) * 1000000;
}

/* Writers in this process and in a child, a reader that now and then does nothing. */
static void write_and_read(trace_id_t trid, struct load_seen *seen, void (*meddle)(trace_id_t, int))
{
	pthread_t threads[WRITERS];
	int64_t end = end_of_run();
	pid_t child;

	child = tool_fork(write_in_child, NULL);
	for (size_t i = 0; i < WRITERS; i++)
		threads[i] = tool_thread(write_numbers, (void *)(uintptr_t)i);
	for (int round = 0; tool_ns(tool_now(CLOCK_MONOTONIC)) < end; round++) {
		load_drain_until(trid, id, seen, end);
		if (round % 3 == 0)
			tool_sleep_ms(round % 20);
		if (meddle != NULL)
			meddle(trid, round);
	}
	atomic_store(&writers->over, true);
	for (size_t i = 0; i < WRITERS; i++)
		tool_join(threads[i]);
	runner_reap(child);
}

static void show(const struct posix_trace_counts_np *c, uint64_t sum, uint64_t seen)
{
	printf("emitted %llu, seen %llu: recorded %llu reported %llu full %llu overwritten %llu "
	       "attach %llu log %llu discarded %llu\n",
	       (unsigned long long)sum, (unsigned long long)seen, (unsigned long long)c->recorded,
	       (unsigned long long)c->reported, (unsigned long long)c->lost_full,
	       (unsigned long long)c->lost_overwritten, (unsigned long long)c->lost_attach,
	       (unsigned long long)c->lost_log, (unsigned long long)c->discarded);
	fflush(stdout);
}

static void begin(void)
{
	writers = tool_shared(sizeof(*writers));
	id = tool_id("accounted");
}

static struct load_seen seen = {.gaps = true};

/* Nothing stops it: the three counts agree to the last event. */
static void exact(int policy)
{
	struct posix_trace_counts_np counts;
	trace_id_t trid;

	begin();
	trid = RUNNING(.policy = policy, .inherited = POSIX_TRACE_INHERITED);
	write_and_read(trid, &seen, NULL);
	load_drain(trid, id, &seen);
	counts = load_counts(trid);
	show(&counts, emitted(), seen.count);
	CHECK(emitted() > 10000);
	EQ(counts.recorded + counts.lost_full + counts.lost_attach, emitted());
	EQ(counts.reported, seen.count);
	EQ(counts.recorded, counts.reported + counts.lost_overwritten);
	EQ(counts.discarded, 0);
	CHECK(counts.lost_full + counts.lost_overwritten > 0);
	if (policy == POSIX_TRACE_LOOP)
		EQ(counts.lost_full, 0);
	else
		EQ(counts.lost_overwritten, 0);
	OK(posix_trace_shutdown(trid));
}

TEST_WITHIN(S_ACCOUNT_LOOP, LOAD_S)
{
	exact(POSIX_TRACE_LOOP);
}

TEST_WITHIN(S_ACCOUNT_UNTIL_FULL, LOAD_S)
{
	exact(POSIX_TRACE_UNTIL_FULL);
}

static __thread uint32_t self, handled;

static void write_in_handler(int signal)
{
	(void)signal;
	load_emit(id, WRITERS + self, handled++);
}

/* Numbers, and beside them those of this thread's handlers. */
static void *write_through_signals(void *arg)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec every = {{0, 200000}, {0, 200000}};
	sigset_t user;
	timer_t timer;

	self = (uint32_t)(uintptr_t)arg;
	event._sigev_un._tid = gettid();
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &every, NULL) == 0);
	write_numbers(arg);
	CHECK(timer_delete(timer) == 0);
	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	CHECK(pthread_sigmask(SIG_BLOCK, &user, NULL) == 0); /* one may be on its way still */
	atomic_store(&writers->emitted[WRITERS + self], handled);
	return NULL;
}

/* The stream is full, drained and restarted while threads and their handlers write. */
TEST_WITHIN(S_ACCOUNT_FULL_IN_HANDLERS, LOAD_S)
{
	struct sigaction action = {.sa_handler = write_in_handler, .sa_flags = SA_RESTART};
	struct posix_trace_counts_np counts;
	pthread_t threads[WRITERS];
	int64_t end;
	trace_id_t trid;

	begin();
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL);
	for (size_t i = 0; i < WRITERS; i++)
		threads[i] = tool_thread(write_through_signals, (void *)(uintptr_t)i);
	end = end_of_run();
	for (int round = 0; tool_ns(tool_now(CLOCK_MONOTONIC)) < end; round++) {
		load_drain_until(trid, id, &seen, end);
		tool_sleep_ms(round % 20);
	}
	atomic_store(&writers->over, true);
	for (size_t i = 0; i < WRITERS; i++)
		tool_join(threads[i]);
	load_drain(trid, id, &seen);
	counts = load_counts(trid);
	show(&counts, emitted(), seen.count);
	EQ(counts.recorded + counts.lost_full + counts.lost_attach, emitted());
	EQ(counts.reported, seen.count);
	EQ(counts.recorded, counts.reported);
	CHECK(counts.lost_full > 0);
	for (size_t i = 0; i < WRITERS; i++)
		CHECK(atomic_load(&writers->emitted[WRITERS + i]) > 0);
	OK(posix_trace_shutdown(trid));
}

/* With a log: what was recorded is in the log, or was lost and counted. */
static void exact_with_log(int policy, int log_policy)
{
	struct posix_trace_counts_np counts;
	pthread_t threads[WRITERS];
	trace_id_t trid, log;
	struct event event;
	int fd = tool_log();
	pid_t child;

	begin();
	trid = STREAM(.log = fd, .policy = policy, .log_policy = log_policy, .running = true,
		      .inherited = POSIX_TRACE_INHERITED);
	child = tool_fork(write_in_child, NULL);
	for (size_t i = 0; i < WRITERS; i++)
		threads[i] = tool_thread(write_numbers, (void *)(uintptr_t)i);
	tool_sleep_ms((long)load_times(1000));
	OK(posix_trace_flush(trid));
	atomic_store(&writers->over, true);
	for (size_t i = 0; i < WRITERS; i++)
		tool_join(threads[i]);
	runner_reap(child);
	OK(posix_trace_shutdown(trid));
	OK(posix_trace_open(fd, &log));
	while (tool_next_of_log(log, &event))
		if (event.info.posix_event_id == id)
			load_see(&seen, &event);
	counts = load_counts(log);
	show(&counts, emitted(), seen.count);
	EQ(counts.recorded + counts.lost_full + counts.lost_attach, emitted());
	EQ(counts.recorded, seen.count + counts.lost_overwritten + counts.lost_log);
	OK(posix_trace_close(log));
}

TEST_WITHIN(S_ACCOUNT_FLUSH, LOAD_S)
{
	exact_with_log(POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND);
}

TEST_WITHIN(S_ACCOUNT_LOG_LOOP_STREAM, LOAD_S)
{
	exact_with_log(POSIX_TRACE_LOOP, POSIX_TRACE_APPEND);
}

/* Random control between: no event is counted twice, and the reader's count is the stream's. */
static void stop_and_filter(trace_id_t trid, int round)
{
	trace_event_set_t set = tool_set(round % 4 == 0 ? 1 : 0, id);

	if (round % 5 == 0)
		OK(posix_trace_stop(trid));
	if (round % 7 == 0)
		OK(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET));
	if (round % 5 == 1)
		OK(posix_trace_start(trid));
}

/* The end of a test that meddled: after a fresh start everything is exact again. */
static void exact_afterwards(trace_id_t trid)
{
	struct posix_trace_counts_np before, after;

	OK(posix_trace_stop(trid));
	OK(posix_trace_clear(trid));
	OK(posix_trace_start(trid));
	before = load_counts(trid);
	for (uint32_t n = 0; n < 50000; n++)
		load_emit(id, 2 * WRITERS, n);
	memset(&seen, 0, sizeof(seen));
	seen.gaps = true;
	load_drain(trid, id, &seen);
	after = load_counts(trid);
	EQ(after.recorded - before.recorded + after.lost_full - before.lost_full +
	       after.lost_attach - before.lost_attach,
	   50000);
	EQ(after.recorded - before.recorded,
	   seen.count + after.lost_overwritten - before.lost_overwritten);
	EQ(after.recorded, after.reported + after.lost_overwritten + after.discarded);
}

static void meddled(int policy)
{
	struct posix_trace_counts_np counts;
	trace_id_t trid;

	begin();
	trid = RUNNING(.policy = policy, .inherited = POSIX_TRACE_INHERITED);
	write_and_read(trid, &seen, stop_and_filter);
	load_drain(trid, id, &seen);
	counts = load_counts(trid);
	show(&counts, emitted(), seen.count);
	EQ(counts.reported, seen.count);
	EQ(counts.recorded, counts.reported + counts.lost_overwritten + counts.discarded);
	CHECK(counts.recorded + counts.lost_full + counts.lost_attach <= emitted());
	exact_afterwards(trid);
	OK(posix_trace_shutdown(trid));
}

TEST_WITHIN(S_ACCOUNT_MEDDLED_LOOP, LOAD_S)
{
	meddled(POSIX_TRACE_LOOP);
}

TEST_WITHIN(S_ACCOUNT_MEDDLED_UNTIL_FULL, LOAD_S)
{
	meddled(POSIX_TRACE_UNTIL_FULL);
}

static void clear_too(trace_id_t trid, int round)
{
	stop_and_filter(trid, round);
	if (round % 11 == 0) {
		OK(posix_trace_clear(trid));
		/* Some events of writers who were in the middle may have come since. */
		CHECK(load_counts(trid).reported <= load_counts(trid).recorded);
	}
}

TEST_WITHIN(S_ACCOUNT_CLEARED, LOAD_S)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid;

		begin();
		memset(&seen, 0, sizeof(seen));
		seen.gaps = true;
		trid = RUNNING(.policy = policies[i], .inherited = POSIX_TRACE_INHERITED);
		write_and_read(trid, &seen, clear_too);
		exact_afterwards(trid);
		OK(posix_trace_shutdown(trid));
	}
}

/* The controller is another process than the writers. */
static void control_from_outside(void *arg)
{
	struct posix_trace_counts_np counts;
	struct gate *gates = arg;
	int64_t end;
	trace_id_t trid = RUNNING(.pid = getppid(), .policy = POSIX_TRACE_LOOP);

	OK(posix_trace_trid_eventid_open(trid, "accounted", &id));
	end = end_of_run();
	tool_gate_open(gates[0]);
	for (int round = 0; tool_ns(tool_now(CLOCK_MONOTONIC)) < end; round++) {
		load_drain_until(trid, id, &seen, end);
		if (round % 3 == 0)
			tool_sleep_ms(round % 20);
	}
	atomic_store(&writers->over, true);
	tool_gate_wait(gates[1]);
	load_drain(trid, id, &seen);
	counts = load_counts(trid);
	show(&counts, emitted(), seen.count);
	EQ(counts.recorded + counts.lost_attach, emitted());
	EQ(counts.reported, seen.count);
	EQ(counts.recorded, counts.reported + counts.lost_overwritten);
	OK(posix_trace_shutdown(trid));
}

TEST_WITHIN(S_ACCOUNT_OTHER_PROCESS, LOAD_S)
{
	struct gate gates[2] = {tool_gate(), tool_gate()};
	pthread_t threads[WRITERS];
	pid_t controller;

	begin();
	controller = tool_fork(control_from_outside, gates);
	tool_gate_wait(gates[0]);
	for (size_t i = 0; i < WRITERS; i++)
		threads[i] = tool_thread(write_numbers, (void *)(uintptr_t)i);
	for (size_t i = 0; i < WRITERS; i++)
		tool_join(threads[i]);
	tool_gate_open(gates[1]);
	runner_reap(controller);
}
