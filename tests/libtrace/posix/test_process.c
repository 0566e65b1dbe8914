/* test_process - fork, spawn, exec, exit and kill (docs/spec/posix-trace.md 11). */
#include "tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>

extern char **environ;

static trace_event_id_t id;

#define CLOSED(...)    RUNNING(.inherited = POSIX_TRACE_CLOSE_FOR_CHILD, __VA_ARGS__)
#define INHERITED(...) RUNNING(.inherited = POSIX_TRACE_INHERITED, __VA_ARGS__)

/* How many events of a type a process recorded, in a list. */
static size_t count_of(const struct events *events, trace_event_id_t event, pid_t pid)
{
	size_t count = 0;

	for (size_t i = 0; i < events->count; i++)
		count += events->at[i].info.posix_event_id == event &&
			 events->at[i].info.posix_pid == pid;
	return count;
}

/* The events of one process alone. */
static struct events of_process(const struct events *events, pid_t pid)
{
	struct events only = {0};

	only.at = tool_alloc((events->count + 1) * sizeof(*only.at));
	for (size_t i = 0; i < events->count; i++)
		if (events->at[i].info.posix_pid == pid)
			only.at[only.count++] = events->at[i];
	return only;
}

static void run_in_child(void (*body)(void *arg), void *arg)
{
	runner_reap(tool_fork(body, arg));
}

static void all_einval(void *arg)
{
	trace_id_t *trids = arg;

	for (size_t i = 0; i < 3; i++)
		tool_all_einval(trids[i]);
}

TEST(T_PROC_01)
{
	trace_id_t trids[3] = {INHERITED(), STREAM(.log = tool_log(), .running = true), 0};

	trids[2] = tool_prerecorded(NULL);
	run_in_child(all_einval, trids);
	trids[0] = CLOSED();
	run_in_child(all_einval, trids);
}

TEST(T_PROC_02)
{
	int fd = tool_log();
	trace_id_t trids[3] = {INHERITED(), STREAM(.log = fd, .running = true), 0};
	struct events events;

	id = tool_id("process");
	trids[2] = tool_prerecorded(NULL);
	tool_emit_run(id, 1, 10, 64);
	run_in_child(all_einval, trids);
	tool_emit_run(id, 11, 20, 64);
	events = tool_drain(trids[0]);
	tool_run_is(&events, id, 1, 20);
	tool_state(trids[0], POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
	OK(posix_trace_shutdown(trids[1]));
	events = tool_log_of(fd);
	tool_run_is(&events, id, 1, 20);
	EQ(tool_read_log(trids[2]).count, 5);
}

static void leave_by_exit(void *arg)
{
	(void)arg;
	exit(0);
}

TEST(T_PROC_03)
{
	int fd = tool_log();
	trace_id_t trids[] = {INHERITED(), CLOSED(), STREAM(.log = fd, .running = true)};
	struct events events;

	id = tool_id("process");
	run_in_child(leave_by_exit, NULL);
	tool_emit_run(id, 1, 10, 64);
	for (size_t i = 0; i < 2; i++) {
		tool_state(trids[i], POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
		events = tool_drain(trids[i]);
		tool_run_is(&events, id, 1, 10);
		EQ(tool_count(&events, POSIX_TRACE_STOP), 0);
	}
	OK(posix_trace_shutdown(trids[2]));
	events = tool_log_of(fd);
	tool_run_is(&events, id, 1, 10);
}

static void emit_hundred(void *arg)
{
	(void)arg;
	tool_emit_run(id, 1, 100, 64);
}

TEST(T_PROC_04)
{
	trace_id_t trid = CLOSED();
	pid_t pid;

	id = tool_id("process");
	tool_emit(id, 1);
	pid = tool_fork(emit_hundred, NULL);
	runner_reap(pid);
	struct events events = tool_drain(trid);
	EQ(events.count, 1);
	EQ(count_of(&events, id, pid), 0);
}

TEST(T_PROC_05)
{
	trace_id_t trid = CLOSED();
	struct events events;

	id = tool_id("process");
	for (uint64_t n = 1; n <= 5; n++) {
		tool_emit_run(id, 2 * n - 1, 2 * n - 1, 64);
		run_in_child(emit_hundred, NULL);
		tool_emit_run(id, 2 * n, 2 * n, 64);
	}
	events = tool_drain(trid);
	EQ(events.count, 10);
	tool_run_is(&events, id, 1, 10);
}

TEST(T_PROC_06)
{
	trace_id_t trid = INHERITED();
	struct events events;
	pid_t pids[3];

	id = tool_id("process");
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		/* Forked before and after the first event of this process. */
		pids[i] = tool_fork(emit_hundred, NULL);
		runner_reap(pids[i]);
		tool_emit(id, 1);
	}
	events = tool_drain(trid);
	EQ(events.count, 303);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		struct events own = of_process(&events, pids[i]);

		tool_run_is(&own, id, 1, 100);
	}
	EQ(count_of(&events, id, getpid()), 3);
}

static void emit_many(void *arg)
{
	(void)arg;
	tool_emit_run(id, 1, 10000, 24);
}

TEST(T_PROC_07)
{
	trace_id_t trid = INHERITED(.size = 8 * MIB);
	struct events events, own;
	pid_t pids[3];

	id = tool_id("process");
	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		pids[i] = tool_fork(emit_many, NULL);
	emit_many(NULL);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		runner_reap(pids[i]);
	events = tool_drain(trid);
	EQ(events.count, 40000);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		own = of_process(&events, pids[i]);
		tool_run_is(&own, id, 1, 10000);
	}
	own = of_process(&events, getpid());
	tool_run_is(&own, id, 1, 10000);
}

static void fork_grandchild(void *arg)
{
	*(pid_t *)arg = tool_fork(emit_hundred, NULL);
	runner_reap(*(pid_t *)arg);
}

static void fork_and_leave(void *arg)
{
	pid_t pid = tool_fork(fork_grandchild, arg);

	runner_reap(pid);
}

TEST(T_PROC_08)
{
	trace_id_t trid = INHERITED();
	pid_t *grandchild = tool_shared(sizeof(*grandchild));
	struct events events;

	id = tool_id("process");
	run_in_child(fork_grandchild, grandchild);
	events = tool_drain(trid);
	EQ(count_of(&events, id, *grandchild), 100);
	run_in_child(fork_and_leave, grandchild);
	events = tool_drain(trid);
	EQ(count_of(&events, id, *grandchild), 100);
}

static void open_new_name(void *arg)
{
	*(trace_event_id_t *)arg = tool_id("of the child");
	tool_emit(*(trace_event_id_t *)arg, 4711);
}

TEST(T_PROC_09)
{
	trace_event_id_t *child = tool_shared(sizeof(*child));
	trace_id_t trid = INHERITED();
	char name[TRACE_EVENT_NAME_MAX + 1];
	struct events events;

	id = tool_id("process");
	run_in_child(open_new_name, child);
	CHECK(*child != id);
	OK(posix_trace_eventid_get_name(trid, *child, name));
	CHECK(strcmp(name, "of the child") == 0);
	events = tool_drain(trid);
	tool_run_is(&events, *child, 4711, 4711);
}

struct both {
	struct gate go;
	trace_event_id_t first, second;
};

static void open_both(void *arg)
{
	struct both *both = arg;

	both->first = tool_id("first by the child");
	tool_gate_wait(both->go);
	both->second = tool_id("first by the parent");
}

TEST(T_PROC_10)
{
	struct both *both = tool_shared(sizeof(*both));
	trace_event_id_t second, other;
	pid_t pid;

	INHERITED();
	both->go = tool_gate();
	pid = tool_fork(open_both, both);
	other = tool_id("by the parent alone");
	second = tool_id("first by the parent");
	tool_gate_open(both->go);
	runner_reap(pid);
	EQ(both->second, second);
	EQ(tool_id("first by the child"), both->first);
	CHECK(other != second && both->first != second && other != both->first);
}

static void own_stream(void *arg)
{
	trace_id_t trid = RUNNING();
	struct events events;

	(void)arg;
	emit_hundred(NULL);
	events = tool_drain(trid);
	tool_run_is(&events, id, 1, 100);
	EQ(count_of(&events, id, getpid()), 100);
	OK(posix_trace_shutdown(trid));
	int fd = tool_log();
	trid = STREAM(.log = fd, .running = true);
	emit_hundred(NULL);
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(fd);
	tool_run_is(&events, id, 1, 100);
}

TEST(T_PROC_11)
{
	trace_id_t inherited, closed;

	id = tool_id("process");
	run_in_child(own_stream, NULL);
	closed = CLOSED();
	run_in_child(own_stream, NULL);
	EQ(tool_drain(closed).count, 0);
	inherited = INHERITED();
	run_in_child(own_stream, NULL);
	EQ(tool_drain(closed).count, 0);
	EQ(tool_drain(inherited).count, 200);
}

static void names_in_child(void *arg)
{
	trace_id_t trid = RUNNING();
	char name[TRACE_EVENT_NAME_MAX + 1];
	struct events events;

	(void)arg;
	EQ(tool_id("process"), id);
	OK(posix_trace_eventid_get_name(trid, id, name));
	CHECK(strcmp(name, "process") == 0);
	CHECK(tool_id("new in the child") != id);
	tool_emit(id, 1);
	events = tool_drain(trid);
	tool_run_is(&events, id, 1, 1);
	EQ(tool_id("process"), id);
}

TEST(T_PROC_12)
{
	for (int n = 0; n < 50; n++) {
		char name[20];

		snprintf(name, sizeof(name), "before %d", n);
		tool_id(name);
	}
	id = tool_id("process");
	run_in_child(names_in_child, NULL);
	CLOSED();
	run_in_child(names_in_child, NULL);
	INHERITED();
	run_in_child(names_in_child, NULL);
}

/* A program that records ten events under the name "process". */
SUB(records_ten)
{
	trace_event_id_t event = tool_id("process");

	(void)argc;
	(void)argv;
	tool_emit_run(event, 1, 10, 64);
}

static pid_t spawn_records_ten(void)
{
	char *argv[] = {(char *)runner_self(), (char *)"--sub", (char *)"records_ten", NULL};
	pid_t pid;

	OK(posix_spawn(&pid, argv[0], NULL, NULL, argv, environ));
	return pid;
}

TEST(T_PROC_13)
{
	trace_id_t trid = INHERITED();
	trace_id_t log_stream;
	struct events events;
	int fd = tool_log();
	pid_t pid;

	/* The name is known, so it has the same id there. */
	for (int n = 0; n < 5; n++)
		tool_id(n % 2 == 0 ? "before" : "and before");
	id = tool_id("process");
	log_stream = STREAM(.log = fd, .running = true, .inherited = true);
	pid = spawn_records_ten();
	runner_reap(pid);
	events = tool_drain(trid);
	EQ(count_of(&events, id, pid), 10);
	events = of_process(&events, pid);
	tool_run_is(&events, id, 1, 10);
	OK(posix_trace_shutdown(log_stream));
	events = tool_log_of(fd);
	EQ(count_of(&events, id, pid), 10);
	/* vfork and exec, by hand. */
	pid = vfork();
	if (pid == 0) {
		execl(runner_self(), runner_self(), "--sub", "records_ten", (char *)NULL);
		_exit(RUNNER_NO_EXEC);
	}
	runner_reap(pid);
	events = tool_drain(trid);
	EQ(count_of(&events, id, pid), 10);
}

TEST(T_PROC_14)
{
	trace_id_t trid = CLOSED();
	pid_t pid;

	id = tool_id("process");
	pid = spawn_records_ten();
	runner_reap(pid);
	EQ(tool_drain(trid).count, 0);
	tool_emit(id, 1);
	EQ(tool_drain(trid).count, 1);
}

static void exec_when_told(void *arg)
{
	struct gate *gates = arg;

	tool_id("before the exec");
	id = tool_id("process");
	tool_gate_open(gates[1]);
	tool_gate_wait(gates[0]);
	tool_emit_run(id, 1, 10, 64);
	runner_become("records_ten", NULL, NULL);
}

TEST(T_PROC_15)
{
	for (int inherited = 0; inherited < 2; inherited++) {
		struct gate gates[2] = {tool_gate(), tool_gate()};
		pid_t pid = tool_fork(exec_when_told, gates);
		struct events events;
		trace_id_t trid;

		tool_gate_wait(gates[1]);
		trid = RUNNING(.pid = pid, .inherited = inherited);
		OK(posix_trace_trid_eventid_open(trid, "process", &id));
		tool_gate_open(gates[0]);
		runner_reap(pid);
		/* Ten by the old image and ten by the new one, under one id. */
		events = tool_drain(trid);
		EQ(count_of(&events, id, pid), 20);
		for (uint64_t n = 0; n < 20; n++)
			EQ(tool_number(&events.at[tool_find(&events, id, n)]), n % 10 + 1);
		tool_state(trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
		OK(posix_trace_shutdown(trid));
	}
}

#define SOON_MS 60000 /* 2 s where the machine has time */

/* A controller that traces itself into this log and leaves by one of four ways. */
enum way { BY_EXIT, BY__EXIT, BY_KILL, BY_EXEC };

struct leaver {
	int fd;
	enum way way;
	struct gate recorded;
};

SUB(stays)
{
	(void)argc;
	(void)argv;
	for (;;)
		pause();
}

static void control_and_leave(void *arg)
{
	struct leaver *leaver = arg;

	STREAM(.log = leaver->fd, .running = true, .name = "left", .size = MIB);
	id = tool_id("process");
	tool_emit_run(id, 1, 1000, 64);
	tool_gate_open(leaver->recorded);
	if (leaver->way == BY_EXIT)
		exit(0);
	if (leaver->way == BY__EXIT)
		_exit(0);
	if (leaver->way == BY_EXEC)
		runner_become("stays", NULL, NULL);
	for (;;)
		pause();
}

/* The log is complete within some milliseconds, and holds everything. */
static void complete_within(int fd, int64_t ms)
{
	int64_t end = tool_ns(tool_now(CLOCK_MONOTONIC)) + ms * 1000000;
	char name[TRACE_EVENT_NAME_MAX + 1];
	struct events events;
	trace_event_id_t event;
	trace_id_t log;
	int r = posix_trace_open(fd, &log);

	while (r == EINVAL && tool_ns(tool_now(CLOCK_MONOTONIC)) < end) {
		tool_sleep_ms(5);
		r = posix_trace_open(fd, &log);
	}
	OK(r);
	events = tool_read_log(log);
	EQ(events.count, 1002);
	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_START);
	event = events.at[1].info.posix_event_id;
	OK(posix_trace_eventid_get_name(log, event, name));
	CHECK(strcmp(name, "process") == 0);
	tool_run_is(&events, event, 1, 1000);
	EQ(events.at[1001].info.posix_event_id, POSIX_TRACE_STOP);
	EQ(tool_int(&events.at[1001]), 0);
}

static void leave(enum way way, int64_t ms)
{
	struct leaver leaver = {tool_log(), way, tool_gate()};
	pid_t pid = tool_fork(control_and_leave, &leaver);

	tool_gate_wait(leaver.recorded);
	if (way == BY_KILL) {
		CHECK(kill(pid, SIGKILL) == 0);
		CHECK(waitpid(pid, NULL, 0) == pid);
	} else if (way != BY_EXEC) {
		runner_reap(pid);
	}
	complete_within(leaver.fd, ms);
	if (way == BY_EXEC) { /* complete while it is still there */
		EQ(waitpid(pid, NULL, WNOHANG), 0);
		CHECK(kill(pid, SIGKILL) == 0);
		CHECK(waitpid(pid, NULL, 0) == pid);
	}
}

TEST(T_PROC_16)
{
	leave(BY_EXIT, 0); /* by the controller itself */
}

TEST(T_PROC_17)
{
	leave(BY__EXIT, SOON_MS);
}

TEST(T_PROC_18)
{
	leave(BY_KILL, SOON_MS);
	leave(BY_KILL, SOON_MS);
}

TEST(T_PROC_19)
{
	leave(BY_EXEC, SOON_MS);
}

struct steps {
	struct gate go, done;
	atomic_uint_fast64_t committed;
	trace_event_id_t late;
};

static struct steps *new_steps(void)
{
	struct steps *steps = tool_shared(sizeof(*steps));

	steps->go = tool_gate();
	steps->done = tool_gate();
	return steps;
}

/* Two rounds of ten events, each on request. */
static void emit_twice(void *arg)
{
	struct steps *steps = arg;

	for (uint64_t round = 0; round < 2; round++) {
		tool_gate_wait(steps->go);
		id = tool_id("process");
		steps->late = tool_id("opened late");
		tool_emit_run(id, 10 * round + 1, 10 * round + 10, 64);
		tool_emit(steps->late, round);
		tool_gate_open(steps->done);
	}
	tool_gate_wait(steps->go);
}

static void step(struct steps *steps)
{
	tool_gate_open(steps->go);
	tool_gate_wait(steps->done);
}

TEST(T_PROC_20)
{
	struct steps *steps = new_steps();
	pid_t pid = tool_fork(emit_twice, steps);
	trace_id_t trid = RUNNING(.pid = pid);
	struct events events;

	tool_emit(tool_id("not of the child"), 1);
	step(steps);
	OK(posix_trace_trid_eventid_open(trid, "process", &id));
	events = tool_drain(trid);
	EQ(events.count, 11);
	tool_run_is(&events, id, 1, 10);
	EQ(count_of(&events, id, pid), 10);
	step(steps);
	events = tool_drain(trid);
	tool_run_is(&events, id, 11, 20);
	tool_gate_open(steps->go);
	runner_reap(pid);
	OK(posix_trace_shutdown(trid));
}

TEST(T_PROC_21)
{
	struct steps *steps = new_steps();
	pid_t pid = tool_fork(emit_twice, steps);
	trace_id_t trid = RUNNING(.pid = pid);
	char name[TRACE_EVENT_NAME_MAX + 1];
	struct events events;

	step(steps);
	events = tool_drain(trid);
	EQ(events.count, 11);
	EQ(events.at[10].info.posix_event_id, steps->late);
	OK(posix_trace_eventid_get_name(trid, steps->late, name));
	CHECK(strcmp(name, "opened late") == 0);
	OK(posix_trace_eventid_get_name(trid, events.at[0].info.posix_event_id, name));
	CHECK(strcmp(name, "process") == 0);
	step(steps);
	tool_gate_open(steps->go);
	runner_reap(pid);
	/* After its end too. */
	OK(posix_trace_eventid_get_name(trid, steps->late, name));
	CHECK(strcmp(name, "opened late") == 0);
}

TEST(T_PROC_22)
{
	struct steps *steps = new_steps();
	pid_t pid = tool_fork(emit_twice, steps);
	trace_id_t trid = RUNNING(.pid = pid);
	struct events events;

	step(steps);
	OK(posix_trace_stop(trid));
	step(steps);
	events = tool_drain(trid);
	EQ(events.count, 12);
	EQ(events.at[11].info.posix_event_id, POSIX_TRACE_STOP);
	EQ(events.at[11].info.posix_pid, pid);
	tool_gate_open(steps->go);
	runner_reap(pid);
}

#define FITS 30000 /* of them in 4 MiB */

/* Records numbers and says after each that it is done; does nothing when it has done all. */
static void emit_until_killed(void *arg)
{
	struct steps *steps = arg;

	id = tool_id("process");
	tool_gate_open(steps->done);
	tool_gate_wait(steps->go);
	for (uint64_t n = 1; n <= FITS; n++) {
		tool_emit_run(id, n, n, 8 + n % 5 * 8);
		atomic_store(&steps->committed, n);
	}
	for (;;)
		pause();
}

/* A target that recorded until it was killed after some microseconds. */
static trace_id_t killed_target(struct steps *steps, long us, size_t size)
{
	pid_t pid = tool_fork(emit_until_killed, steps);
	struct timespec nap = {0, us * 1000};
	trace_id_t trid;

	atomic_store(&steps->committed, 0);
	tool_gate_wait(steps->done);
	trid = RUNNING(.pid = pid, .policy = POSIX_TRACE_UNTIL_FULL, .size = size);
	OK(posix_trace_trid_eventid_open(trid, "process", &id));
	tool_gate_open(steps->go);
	nanosleep(&nap, NULL);
	CHECK(kill(pid, SIGKILL) == 0);
	CHECK(waitpid(pid, NULL, 0) == pid);
	return trid;
}

TEST(T_PROC_23)
{
	struct steps *steps = new_steps();

	for (long round = 0; round < 30; round++) {
		trace_id_t trid = killed_target(steps, round * 40, 4 * MIB);
		uint64_t committed = atomic_load(&steps->committed);
		struct events events;

		events = tool_drain(trid);
		if (committed == 0 && tool_count(&events, id) == 0)
			continue;
		uint64_t first, last;
		tool_contiguous(&events, id, &first, &last);
		EQ(first, 1);
		CHECK(last == committed || last == committed + 1);
		OK(posix_trace_shutdown(trid));
	}
}

TEST(T_PROC_24)
{
	struct steps *steps = new_steps();

	for (long round = 0; round < 10; round++) {
		trace_id_t trid = killed_target(steps, 200, 4 * MIB);
		struct timespec until = tool_later(50);
		struct posix_trace_event_info info;
		int unavailable = 0;
		struct event event;
		size_t len;

		tool_drain(trid);
		while (tool_next(trid, &event))
			continue;
		ERR(posix_trace_timedgetnext_event(trid, &info, NULL, 0, &len, &unavailable,
						   &until),
		    ETIMEDOUT);
		CHECK(unavailable != 0);
		OK(posix_trace_shutdown(trid));
	}
}

static void emit_slowly(void *arg)
{
	struct steps *steps = arg;

	id = tool_id("process");
	for (uint64_t n = 1; atomic_load(&steps->committed) == 0; n++) {
		tool_emit_run(id, n, n, 64);
		if (n % 10 == 0)
			tool_sleep_ms(1);
	}
}

static void emit_fast(void *arg)
{
	(void)arg;
	id = tool_id("process");
	for (uint64_t n = 1;; n++)
		tool_emit_run(id, n, n, 8 + n % 60);
}

TEST_WITHIN(T_PROC_25, 60)
{
	struct steps *steps = new_steps();
	/* So large that the survivor cannot overwrite it while this process is not on. */
	trace_id_t trid = INHERITED(.policy = POSIX_TRACE_LOOP, .size = 256 * KIB);
	trace_event_set_t set;
	pid_t survivor;

	id = tool_id("process");
	survivor = tool_fork(emit_slowly, steps);
	for (long round = 0; round < 300; round++) {
		pid_t victim = tool_fork(emit_fast, NULL);
		struct timespec nap = {0, round * 7919 % 1500 * 1000};
		struct events events;

		nanosleep(&nap, NULL);
		CHECK(kill(victim, SIGKILL) == 0);
		set = tool_set(round % 2 == 0 ? 0 : 1, (trace_event_id_t)POSIX_TRACE_FILTER);
		OK(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET));
		tool_status(trid);
		CHECK(waitpid(victim, NULL, 0) == victim);
		tool_emit_run(id, 1, 50, 64);
		events = tool_drain(trid);
		CHECK(count_of(&events, id, getpid()) > 0);
		OK(posix_trace_stop(trid));
		if (round % 10 == 0)
			OK(posix_trace_clear(trid));
		OK(posix_trace_start(trid));
	}
	/* The other traced process has gone on all the time. */
	tool_drain(trid);
	for (size_t count = 0; count == 0;) {
		struct events events;

		tool_sleep_ms(50);
		events = tool_drain(trid);
		count = count_of(&events, id, survivor);
	}
	atomic_store(&steps->committed, 1);
	runner_reap(survivor);
	OK(posix_trace_shutdown(trid));
}

TEST(T_PROC_26)
{
	trace_id_t trid = 0x5a5a5a5a;
	pid_t pid = tool_fork(emit_hundred, NULL);

	runner_reap(pid);
	ERR(posix_trace_create(pid, NULL, &trid), ESRCH);
	ERR(posix_trace_create_withlog(pid, NULL, tool_log(), &trid), ESRCH);
	EQ(trid, 0x5a5a5a5a);
}

static atomic_bool over;

static void *record_on(void *arg)
{
	for (uint64_t n = 1; !atomic_load(&over); n++)
		tool_emit_run(id, n, n, 8 + n % 90);
	return arg;
}

static void *open_on(void *arg)
{
	for (int n = 0; !atomic_load(&over); n++) {
		char name[24];

		snprintf(name, sizeof(name), "any %d", n % 500);
		tool_id(name);
	}
	return arg;
}

static void *control_on(void *arg)
{
	while (!atomic_load(&over)) {
		trace_id_t trid = STREAM();

		OK(posix_trace_start(trid));
		OK(posix_trace_shutdown(trid));
	}
	return arg;
}

static void *emit_hundred_in_thread(void *arg)
{
	emit_hundred(NULL);
	return arg;
}

/* Everything works here, whatever the parent's threads were doing. */
static void use_everything(void *arg)
{
	trace_id_t trid;
	struct events events;

	(void)arg;
	tool_emit_run(id, 1, 100, 64);
	tool_id("new in the child");
	trid = RUNNING();
	tool_emit_run(id, 1, 100, 64);
	events = tool_drain(trid);
	tool_run_is(&events, id, 1, 100);
	tool_join(tool_thread(emit_hundred_in_thread, NULL));
	EQ(tool_drain(trid).count, 100);
	OK(posix_trace_shutdown(trid));
}

/* The allocator of clang's address sanitizer does not survive a fork beside threads that allocate:
 * a lock of its regions stays taken in the child. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FORK_LOSES_LOCKS 1
#endif
#endif

TEST(T_PROC_27)
{
#ifdef FORK_LOSES_LOCKS
	runner_skip("the address sanitizer's own locks do not survive such a fork");
#endif
	trace_id_t trid = INHERITED(.policy = POSIX_TRACE_LOOP, .size = 4 * MIB);
	pthread_t threads[5];
	struct events events;
	pid_t pid = 0;

	id = tool_id("process");
	for (size_t i = 0; i < 3; i++)
		threads[i] = tool_thread(record_on, NULL);
	threads[3] = tool_thread(open_on, NULL);
	threads[4] = tool_thread(control_on, NULL);
	for (int round = 0; round < 60; round++) {
		pid = tool_fork(use_everything, NULL);
		runner_reap(pid);
	}
	atomic_store(&over, true);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		tool_join(threads[i]);
	/* The events that a child recorded are in the parent's stream. */
	OK(posix_trace_clear(trid));
	pid = tool_fork(emit_hundred, NULL);
	runner_reap(pid);
	events = tool_drain(trid);
	EQ(count_of(&events, id, pid), 100);
}

static atomic_int children;

static void on_child(int signal)
{
	(void)signal;
	atomic_fetch_add(&children, 1);
}

static void no_child(void)
{
	siginfo_t info;
	int status;

	errno = 0;
	EQ(waitpid(-1, &status, WNOHANG), -1);
	EQ(errno, ECHILD);
	errno = 0;
	EQ(waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT), -1);
	EQ(errno, ECHILD);
	EQ(atomic_load(&children), 0);
}

TEST(T_PROC_28)
{
	struct sigaction action = {.sa_handler = on_child};
	trace_id_t trid, withlog;

	CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
	id = tool_id("process");
	trid = RUNNING();
	no_child();
	for (int round = 0; round < 10; round++) {
		withlog = STREAM(.log = tool_log(), .running = true);
		no_child();
		tool_emit_run(id, 1, 100, 64);
		OK(posix_trace_flush(withlog));
		no_child();
		OK(posix_trace_shutdown(withlog));
		no_child();
	}
	OK(posix_trace_shutdown(trid));
	tool_sleep_ms(100);
	no_child();
	/* A child of its own is the only one it sees. */
	withlog = STREAM(.log = tool_log(), .running = true);
	pid_t pid = tool_fork(emit_hundred, NULL);
	EQ(waitpid(-1, NULL, 0), pid);
	EQ(atomic_exchange(&children, 0), 1);
	no_child();
}
