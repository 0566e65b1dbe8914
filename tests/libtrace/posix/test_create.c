/* test_create - streams without log come into being (docs/spec/posix-trace.md 10.2). */
#include "tool.h"

#include <fcntl.h>
#include <libgen.h>
#include <sys/resource.h>

#define UNTOUCHED 0x5a5a5a5au

/* create() says this, and leaves the identifier alone. */
static void refused(pid_t pid, const trace_attr_t *attr, int error)
{
	trace_id_t trid = UNTOUCHED;

	ERR(posix_trace_create(pid, attr, &trid), error);
	EQ(trid, UNTOUCHED);
}

static void works(trace_id_t trid)
{
	trace_event_id_t id = tool_id("works");
	struct events events;

	OK(posix_trace_start(trid));
	tool_emit_run(id, 1, 5, 8);
	events = tool_drain(trid);
	tool_run_is(&events, id, 1, 5);
	EQ(events.count, 6);
}

/* A pid that was just given back. */
static pid_t nobody_there(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		_exit(0);
	CHECK(waitpid(pid, NULL, 0) == pid);
	return pid;
}

TEST(T_CREATE_01)
{
	trace_id_t trid;

	OK(posix_trace_create(0, NULL, &trid));
	works(trid);
}

TEST(T_CREATE_02)
{
	trace_id_t trid;

	OK(posix_trace_create(getpid(), NULL, &trid));
	works(trid);
}

TEST(T_CREATE_03)
{
	static const int policies[] = {0, POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

	for (size_t i = 0; i < ARRAY_LEN(policies); i++)
		tool_state(STREAM(.policy = policies[i]), POSIX_TRACE_SUSPENDED,
			   POSIX_TRACE_NOT_FULL);
}

TEST(T_CREATE_04)
{
	struct posix_trace_status_info status = tool_status(STREAM());

	EQ(status.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	EQ(status.posix_stream_flush_status, POSIX_TRACE_NOT_FLUSHING);
	EQ(status.posix_stream_flush_error, 0);
	EQ(status.posix_log_full_status, POSIX_TRACE_NOT_FULL);
	EQ(status.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN);
}

TEST(T_CREATE_05)
{
	trace_event_set_t empty = tool_set(0);
	trace_event_set_t filter;

	memset(&filter, 0xff, sizeof(filter));
	OK(posix_trace_get_filter(STREAM(), &filter));
	CHECK(tool_same_set(&filter, &empty));
}

TEST(T_CREATE_06)
{
	trace_id_t trid = STREAM();
	struct event event;

	tool_emit(tool_id("too early"), 1);
	CHECK(!tool_next(trid, &event));
}

static void attributes_are(trace_id_t trid, const struct want *want)
{
	char name[TRACE_NAME_MAX];
	trace_attr_t attr;
	size_t size;
	int value;

	OK(posix_trace_get_attr(trid, &attr));
	OK(posix_trace_attr_getname(&attr, name));
	CHECK(strcmp(name, want->name) == 0);
	OK(posix_trace_attr_getinherited(&attr, &value));
	EQ(value, want->inherited);
	OK(posix_trace_attr_getstreamfullpolicy(&attr, &value));
	EQ(value, want->policy);
	OK(posix_trace_attr_getlogfullpolicy(&attr, &value));
	EQ(value, want->log_policy);
	OK(posix_trace_attr_getmaxdatasize(&attr, &size));
	EQ(size, want->data_max);
}

static const struct want named = {.name = "seven",
				  .inherited = POSIX_TRACE_INHERITED,
				  .policy = POSIX_TRACE_UNTIL_FULL,
				  .log_policy = POSIX_TRACE_APPEND,
				  .data_max = 77};

TEST(T_CREATE_07)
{
	static const struct want other = {.name = "",
					  .inherited = POSIX_TRACE_CLOSE_FOR_CHILD,
					  .policy = POSIX_TRACE_LOOP,
					  .log_policy = POSIX_TRACE_UNTIL_FULL,
					  .data_max = 1000};

	attributes_are(tool_stream(&named), &named);
	attributes_are(tool_stream(&other), &other);
}

TEST(T_CREATE_08)
{
	trace_attr_t attr;
	trace_id_t trid;

	tool_attr(&named, &attr);
	OK(posix_trace_create(0, &attr, &trid));
	OK(posix_trace_attr_setname(&attr, "changed"));
	OK(posix_trace_attr_setinherited(&attr, POSIX_TRACE_CLOSE_FOR_CHILD));
	OK(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP));
	OK(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_LOOP));
	OK(posix_trace_attr_setmaxdatasize(&attr, 5));
	attributes_are(trid, &named);
	OK(posix_trace_attr_destroy(&attr));
	memset(&attr, 0xff, sizeof(attr));
	attributes_are(trid, &named);
	works(trid);
}

TEST(T_CREATE_09)
{
	trace_attr_t attr;
	trace_id_t a, b;

	tool_attr(&named, &attr);
	OK(posix_trace_create(0, &attr, &a));
	OK(posix_trace_create(0, &attr, &b));
	CHECK(a != b);
	attributes_are(a, &named);
	attributes_are(b, &named);
	OK(posix_trace_shutdown(a));
	works(b);
}

TEST(T_CREATE_10)
{
	struct timespec before = tool_now(CLOCK_REALTIME);
	trace_id_t trid = STREAM();
	struct timespec after = tool_now(CLOCK_REALTIME);
	struct timespec created = {0, 0};
	trace_attr_t attr;

	OK(posix_trace_get_attr(trid, &attr));
	OK(posix_trace_attr_getcreatetime(&attr, &created));
	CHECK(tool_ns(before) <= tool_ns(created));
	CHECK(tool_ns(created) <= tool_ns(after));
	OK(posix_trace_clear(trid)); /* does not change it */
	OK(posix_trace_get_attr(trid, &attr));
	OK(posix_trace_attr_getcreatetime(&attr, &after));
	EQ(tool_ns(after), tool_ns(created));
}

TEST(T_CREATE_11)
{
	static const size_t sizes[] = {1, 100, 4096, 65536, 65537, 1000000, 5000000};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		trace_id_t trid = STREAM(.size = sizes[i]);

		CHECK(tool_stream_size(trid) >= sizes[i]);
		OK(posix_trace_shutdown(trid));
	}
}

TEST(T_CREATE_12)
{
	trace_id_t null_attr;
	trace_attr_t attr;
	int policy;

	OK(posix_trace_get_attr(STREAM(), &attr));
	OK(posix_trace_attr_getstreamfullpolicy(&attr, &policy));
	EQ(policy, POSIX_TRACE_LOOP);
	OK(posix_trace_create(0, NULL, &null_attr));
	OK(posix_trace_get_attr(null_attr, &attr));
	OK(posix_trace_attr_getstreamfullpolicy(&attr, &policy));
	EQ(policy, POSIX_TRACE_LOOP);
}

TEST(T_CREATE_13)
{
	trace_attr_t attr;

	tool_attr(&(struct want){.policy = POSIX_TRACE_FLUSH}, &attr);
	refused(0, &attr, EINVAL);
}

TEST(T_CREATE_14)
{
	refused(nobody_there(), NULL, ESRCH);
	refused(INT_MAX, NULL, ESRCH);
}

TEST(T_CREATE_15)
{
	static const pid_t pids[] = {-1, -2, INT_MIN};

	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		refused(pids[i], NULL, ESRCH);
	refused(-getpid(), NULL, ESRCH);
}

SUB(may_not_trace)
{
	CHECK(argc == 1);
	CHECK(getuid() != 0);
	refused(atoi(argv[0]), NULL, EPERM);
}

TEST(T_CREATE_16)
{
	char pid[20];

	if (geteuid() != 0) {
		refused(1, NULL, EPERM);
		return;
	}
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	runner_reap(runner_start(tool_other_user(), "may_not_trace", pid, NULL, NULL, NULL));
	runner_reap(runner_start(tool_other_user() + 1, "may_not_trace", "1", NULL, NULL, NULL));
}

SUB(traces_itself)
{
	CHECK(getuid() != 0);
	works(STREAM());
	works(STREAM(.policy = POSIX_TRACE_UNTIL_FULL));
}

TEST(T_CREATE_17)
{
	uid_t user = tool_other_user();
	trace_id_t trid = STREAM();

	works(trid);
	runner_reap(runner_start(user, "traces_itself", NULL, NULL, NULL, NULL));
	OK(posix_trace_shutdown(trid));
	runner_reap(runner_start(user, "traces_itself", NULL, NULL, NULL, NULL));
}

TEST(T_CREATE_18)
{
	trace_id_t trids[_POSIX_TRACE_SYS_MAX];
	trace_event_id_t id = tool_id("to all");

	for (size_t i = 0; i < ARRAY_LEN(trids); i++)
		trids[i] = RUNNING();
	tool_emit_run(id, 1, 10, 8);
	for (size_t i = 0; i < ARRAY_LEN(trids); i++) {
		struct events events = tool_drain(trids[i]);

		tool_run_is(&events, id, 1, 10);
	}
}

/* Makes small streams until there may be no more; gives how many. */
static int make_all(trace_id_t *trids)
{
	trace_attr_t attr;
	int count = 0;
	int r = 0;

	tool_attr(&(struct want){.size = 1}, &attr);
	while (count <= TRACE_SYS_MAX) {
		trids[count] = UNTOUCHED;
		r = posix_trace_create(0, &attr, &trids[count]);
		if (r != 0)
			break;
		count++;
	}
	if (r != EAGAIN)
		FAIL("stream %d: %s, not EAGAIN", count, strerror(r));
	EQ(trids[count], UNTOUCHED);
	return count;
}

static trace_id_t all[TRACE_SYS_MAX + 1];

SUB(too_many)
{
	EQ(make_all(all), TRACE_SYS_MAX);
	works(all[TRACE_SYS_MAX - 1]);
}

/* As a user of its own: the limit is a user's, and others have streams too. */
static void as_new_user(const char *sub)
{
	runner_reap(
	    runner_start(geteuid() == 0 ? tool_other_user() : 0, sub, NULL, NULL, NULL, NULL));
}

TEST(T_CREATE_19)
{
	as_new_user("too_many");
}

SUB(too_many_but_one)
{
	int count = make_all(all);
	trace_id_t trid = UNTOUCHED;

	for (int i = 0; i < count; i += count / 3) {
		OK(posix_trace_shutdown(all[i]));
		OK(posix_trace_create(0, NULL, &all[i]));
		works(all[i]);
		ERR(posix_trace_create(0, NULL, &trid), EAGAIN);
		EQ(trid, UNTOUCHED);
	}
}

TEST(T_CREATE_20)
{
	as_new_user("too_many_but_one");
}

TEST(T_CREATE_21)
{
	static const size_t sizes[] = {SIZE_MAX / 2, SIZE_MAX, SIZE_MAX / 4,
				       sizeof(size_t) > 4 ? SIZE_MAX >> 18 : SIZE_MAX / 2};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		trace_id_t trid = UNTOUCHED;
		trace_attr_t attr;
		int r;

		tool_attr(&(struct want){.size = sizes[i]}, &attr);
		r = posix_trace_create(0, &attr, &trid);
		if (r != ENOMEM && r != EINVAL)
			FAIL("%zu bytes: %s", sizes[i], strerror(r));
		EQ(trid, UNTOUCHED);
		works(STREAM());
	}
}

TEST(T_CREATE_22)
{
	int descriptors = tool_open_descriptors();
	trace_attr_t attr;

	tool_attr(&(struct want){.policy = POSIX_TRACE_FLUSH}, &attr);
	refused(0, &attr, EINVAL);
	memset(&attr, 0, sizeof(attr));
	refused(0, &attr, EINVAL);
	/* The attributes are judged first. */
	refused(-1, &attr, EINVAL);
	refused(-1, NULL, ESRCH);
	refused(nobody_there(), NULL, ESRCH);
	EQ(tool_open_descriptors(), descriptors);
}

TEST(T_CREATE_23)
{
	trace_id_t a = RUNNING();
	trace_id_t b = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL);
	trace_event_id_t id = tool_id("both");
	struct events in_a, in_b;

	tool_emit_run(id, 1, 100, 24);
	in_a = tool_drain(a);
	in_b = tool_drain(b);
	tool_run_is(&in_a, id, 1, 100);
	tool_run_is(&in_b, id, 1, 100);
	EQ(in_a.count, 100);
	EQ(in_b.count, 100);
}

TEST(T_CREATE_24)
{
	trace_id_t a = STREAM();
	trace_id_t b = STREAM();
	trace_event_id_t one = tool_id("one");
	trace_event_id_t two = tool_id("two");
	trace_event_set_t only_one = tool_set(1, one);
	trace_event_set_t only_two = tool_set(1, two);
	struct events in_a, in_b;

	OK(posix_trace_set_filter(a, &only_one, POSIX_TRACE_SET_EVENTSET));
	OK(posix_trace_set_filter(b, &only_two, POSIX_TRACE_SET_EVENTSET));
	OK(posix_trace_start(a));
	OK(posix_trace_start(b));
	for (uint64_t n = 1; n <= 50; n++) {
		tool_emit(one, n);
		tool_emit(two, n);
	}
	in_a = tool_drain(a);
	in_b = tool_drain(b);
	EQ(tool_count(&in_a, one), 0);
	EQ(tool_count(&in_b, two), 0);
	tool_run_is(&in_a, two, 1, 50);
	tool_run_is(&in_b, one, 1, 50);
}

/* The child has executed that program. */
static void wait_for_image(pid_t pid, const char *path)
{
	int64_t end = tool_ns(tool_now(CLOCK_MONOTONIC)) + 60000000000;
	char link[40], is[5000];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	do {
		CHECK(tool_ns(tool_now(CLOCK_MONOTONIC)) < end);
		tool_sleep_ms(5);
		n = readlink(link, is, sizeof(is) - 1);
		is[n > 0 ? n : 0] = '\0';
	} while (strcmp(is, path) != 0);
}

TEST(T_CREATE_25)
{
	struct gate gate = tool_gate();
	struct events events;
	trace_id_t trid;
	char self[4096], path[5000];
	pid_t pid;

	snprintf(self, sizeof(self), "%s", runner_self());
	snprintf(path, sizeof(path), "%s/trace_plain", dirname(self));
	if (access(path, X_OK) != 0)
		FAIL("%s: %s", path, strerror(errno));
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		dup2(gate.fd[0], STDIN_FILENO);
		close(gate.fd[0]);
		close(gate.fd[1]);
		execl(path, path, (char *)NULL);
		_exit(RUNNER_NO_EXEC);
	}
	wait_for_image(pid, path);
	trid = STREAM(.pid = pid);
	OK(posix_trace_start(trid));
	tool_emit(tool_id("not the target's"), 1);
	OK(posix_trace_stop(trid));
	events = tool_drain(trid);
	EQ(events.count, 2);
	EQ(events.at[0].info.posix_event_id, POSIX_TRACE_START);
	EQ(events.at[1].info.posix_event_id, POSIX_TRACE_STOP);
	EQ(events.at[0].info.posix_pid, pid);
	OK(posix_trace_shutdown(trid));
	close(gate.fd[1]);
	runner_reap(pid);
}

static void hold_all(void *arg)
{
	const struct gate *gates = arg;

	EQ(make_all(all), TRACE_SYS_MAX);
	tool_gate_open(gates[0]);
	for (;;)
		pause();
}

SUB(killed_holder)
{
	struct gate gate = tool_gate();
	pid_t pid = tool_fork(hold_all, &gate);
	int64_t killed;
	int count = 0;

	tool_gate_wait(gate);
	ERR(posix_trace_create(0, NULL, &all[0]), EAGAIN);
	CHECK(kill(pid, SIGKILL) == 0);
	CHECK(waitpid(pid, NULL, 0) == pid);
	killed = tool_ns(tool_now(CLOCK_MONOTONIC));
	while (posix_trace_create(0, NULL, &all[0]) != 0) {
		CHECK(tool_ns(tool_now(CLOCK_MONOTONIC)) - killed < 60000000000);
		tool_sleep_ms(10);
	}
	OK(posix_trace_shutdown(all[0]));
	while (tool_ns(tool_now(CLOCK_MONOTONIC)) - killed < 2000000000)
		tool_sleep_ms(10);
	count = make_all(all);
	EQ(count, TRACE_SYS_MAX);
}

TEST(T_CREATE_26)
{
	as_new_user("killed_holder");
}
