/* tool - streams, lists of events, logs and children for the tests of <trace.h>. */
#include "tool.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

const struct predefined tool_predefined[9] = {
    {POSIX_TRACE_ERROR, "posix_trace_error"},
    {POSIX_TRACE_START, "posix_trace_start"},
    {POSIX_TRACE_STOP, "posix_trace_stop"},
    {POSIX_TRACE_FILTER, "posix_trace_filter"},
    {POSIX_TRACE_OVERFLOW, "posix_trace_overflow"},
    {POSIX_TRACE_RESUME, "posix_trace_resume"},
    {POSIX_TRACE_FLUSH_START, "posix_trace_flush_start"},
    {POSIX_TRACE_FLUSH_STOP, "posix_trace_flush_stop"},
    {POSIX_TRACE_UNNAMED_USEREVENT, "posix_trace_unnamed_userevent"},
};

void tool_attr(const struct want *want, trace_attr_t *ret_attr)
{
	OK(posix_trace_attr_init(ret_attr));
	if (want->policy != 0)
		OK(posix_trace_attr_setstreamfullpolicy(ret_attr, want->policy));
	if (want->size != 0)
		OK(posix_trace_attr_setstreamsize(ret_attr, want->size));
	if (want->data_max != 0)
		OK(posix_trace_attr_setmaxdatasize(ret_attr,
						   want->data_max == NO_DATA ? 0 : want->data_max));
	if (want->inherited)
		OK(posix_trace_attr_setinherited(ret_attr, POSIX_TRACE_INHERITED));
	if (want->name != NULL)
		OK(posix_trace_attr_setname(ret_attr, want->name));
	if (want->log_policy != 0)
		OK(posix_trace_attr_setlogfullpolicy(ret_attr, want->log_policy));
	if (want->log_size != 0)
		OK(posix_trace_attr_setlogsize(ret_attr, want->log_size));
}

trace_id_t tool_stream(const struct want *want)
{
	trace_attr_t attr;
	struct event start;
	trace_id_t trid;

	tool_attr(want, &attr);
	if (want->log != 0)
		OK(posix_trace_create_withlog(want->pid, &attr, want->log, &trid));
	else
		OK(posix_trace_create(want->pid, &attr, &trid));
	OK(posix_trace_attr_destroy(&attr));
	if (!want->running)
		return trid;
	OK(posix_trace_start(trid));
	if (want->log == 0) {
		CHECK(tool_next(trid, &start));
		EQ(start.info.posix_event_id, POSIX_TRACE_START);
	}
	return trid;
}

trace_id_t tool_stale(void)
{
	trace_id_t trid = STREAM();

	OK(posix_trace_shutdown(trid));
	return trid;
}

trace_id_t tool_prerecorded(int *ret_fd)
{
	int fd = tool_log();
	trace_id_t active = RUNNING(.log = fd);
	trace_id_t trid;

	tool_emit_run(tool_id("prerecorded"), 1, 3, 8);
	OK(posix_trace_shutdown(active));
	OK(posix_trace_open(fd, &trid));
	if (ret_fd != NULL)
		*ret_fd = fd;
	else
		close(fd);
	return trid;
}

static int call_get_attr(trace_id_t trid)
{
	trace_attr_t attr;

	return posix_trace_get_attr(trid, &attr);
}

static int call_get_status(trace_id_t trid)
{
	struct posix_trace_status_info status;

	return posix_trace_get_status(trid, &status);
}

static int call_get_filter(trace_id_t trid)
{
	trace_event_set_t set;

	return posix_trace_get_filter(trid, &set);
}

static int call_set_filter(trace_id_t trid)
{
	trace_event_set_t set = tool_set(0);

	return posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
}

static int call_trid_eventid_open(trace_id_t trid)
{
	trace_event_id_t id;

	return posix_trace_trid_eventid_open(trid, "of a trid", &id);
}

static int call_get_name(trace_id_t trid)
{
	char name[TRACE_EVENT_NAME_MAX + 1];

	return posix_trace_eventid_get_name(trid, POSIX_TRACE_START, name);
}

static int call_getnext_id(trace_id_t trid)
{
	trace_event_id_t id;
	int unavailable;

	return posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable);
}

static int call_getnext(trace_id_t trid)
{
	struct posix_trace_event_info info;
	size_t len;
	int unavailable;

	return posix_trace_getnext_event(trid, &info, NULL, 0, &len, &unavailable);
}

static int call_timedgetnext(trace_id_t trid)
{
	struct timespec past = {1, 0};
	struct posix_trace_event_info info;
	size_t len;
	int unavailable;

	return posix_trace_timedgetnext_event(trid, &info, NULL, 0, &len, &unavailable, &past);
}

static int call_trygetnext(trace_id_t trid)
{
	struct posix_trace_event_info info;
	size_t len;
	int unavailable;

	return posix_trace_trygetnext_event(trid, &info, NULL, 0, &len, &unavailable);
}

const struct trid_call tool_trid_calls[18] = {
    {"start", posix_trace_start},
    {"stop", posix_trace_stop},
    {"clear", posix_trace_clear},
    {"flush", posix_trace_flush},
    {"get_attr", call_get_attr},
    {"get_status", call_get_status},
    {"get_filter", call_get_filter},
    {"set_filter", call_set_filter},
    {"trid_eventid_open", call_trid_eventid_open},
    {"eventid_get_name", call_get_name},
    {"eventtypelist_getnext_id", call_getnext_id},
    {"eventtypelist_rewind", posix_trace_eventtypelist_rewind},
    {"getnext_event", call_getnext},
    {"timedgetnext_event", call_timedgetnext},
    {"trygetnext_event", call_trygetnext},
    {"close", posix_trace_close},
    {"rewind", posix_trace_rewind},
    {"shutdown", posix_trace_shutdown},
};

static void call_is_einval(const struct trid_call *row, trace_id_t trid)
{
	int r = row->call(trid);

	if (r != EINVAL)
		FAIL("posix_trace_%s(%#x) gave %d (%s), not EINVAL", row->name, trid, r,
		     r == 0 ? "success" : strerror(r));
}

void tool_all_einval(trace_id_t trid)
{
	for (size_t i = 0; i < ARRAY_LEN(tool_trid_calls); i++)
		call_is_einval(&tool_trid_calls[i], trid);
	/* No value is promised, but no crash either. */
	(void)posix_trace_eventid_equal(trid, POSIX_TRACE_START, POSIX_TRACE_STOP);
}

void tool_call_einval(const char *name, trace_id_t trid)
{
	for (size_t i = 0; i < ARRAY_LEN(tool_trid_calls); i++)
		if (strcmp(tool_trid_calls[i].name, name) == 0) {
			call_is_einval(&tool_trid_calls[i], trid);
			return;
		}
	FAIL("no call %s", name);
}

struct posix_trace_status_info tool_status(trace_id_t trid)
{
	struct posix_trace_status_info status;

	memset(&status, 0x5a, sizeof(status));
	OK(posix_trace_get_status(trid, &status));
	return status;
}

void tool_state(trace_id_t trid, int status, int full)
{
	struct posix_trace_status_info is = tool_status(trid);

	EQ(is.posix_stream_status, status);
	EQ(is.posix_stream_full_status, full);
}

void tool_wait_state(trace_id_t trid, int status, int full)
{
	int64_t end = tool_ns(tool_now(CLOCK_MONOTONIC)) + 60000000000;

	while (tool_ns(tool_now(CLOCK_MONOTONIC)) < end) {
		struct posix_trace_status_info is = tool_status(trid);

		if (is.posix_stream_status == status && is.posix_stream_full_status == full)
			return;
		tool_sleep_ms(1);
	}
	tool_state(trid, status, full);
}

size_t tool_stream_size(trace_id_t trid)
{
	trace_attr_t attr;
	size_t size;

	OK(posix_trace_get_attr(trid, &attr));
	OK(posix_trace_attr_getstreamsize(&attr, &size));
	return size;
}

trace_event_id_t tool_id(const char *name)
{
	trace_event_id_t id;

	OK(posix_trace_eventid_open(name, &id));
	return id;
}

void tool_emit(trace_event_id_t id, uint64_t number)
{
	posix_trace_event(id, &number, sizeof(number));
}

#define EMIT_MAX 4096

static unsigned char byte_of(uint64_t number, size_t i)
{
	return (unsigned char)(number * 131 + i * 7 + 1);
}

void tool_emit_run(trace_event_id_t id, uint64_t first, uint64_t last, size_t len)
{
	unsigned char data[EMIT_MAX];

	CHECK(len >= 8 && len <= sizeof(data));
	for (uint64_t n = first; n <= last; n++) {
		memcpy(data, &n, 8);
		for (size_t i = 8; i < len; i++)
			data[i] = byte_of(n, i);
		posix_trace_event(id, data, len);
	}
}

uint64_t tool_number(const struct event *event)
{
	uint64_t number;

	CHECK(event->len >= sizeof(number));
	memcpy(&number, event->data, sizeof(number));
	return number;
}

void tool_whole(const struct event *event)
{
	uint64_t number = tool_number(event);

	for (size_t i = 8; i < event->len; i++)
		if (event->data[i] != byte_of(number, i))
			FAIL("event %llu of %zu bytes is torn at byte %zu",
			     (unsigned long long)number, event->len, i);
}

uint64_t tool_too_many(trace_id_t trid, size_t len)
{
	return (4 * (uint64_t)tool_stream_size(trid) + 64 * KIB) / len + 100;
}

static __thread unsigned char next_data[16 * KIB];

bool tool_next(trace_id_t trid, struct event *ret_event)
{
	int unavailable = -1;

	ret_event->data = next_data;
	OK(posix_trace_trygetnext_event(trid, &ret_event->info, next_data, sizeof(next_data),
					&ret_event->len, &unavailable));
	return unavailable == 0;
}

bool tool_next_of_log(trace_id_t trid, struct event *ret_event)
{
	int unavailable = -1;

	ret_event->data = next_data;
	OK(posix_trace_getnext_event(trid, &ret_event->info, next_data, sizeof(next_data),
				     &ret_event->len, &unavailable));
	return unavailable == 0;
}

/* Memory of the tests is in one list, so that a leak checker finds only leaks of the library. */
static struct kept {
	struct kept *next;
	_Alignas(16) unsigned char memory[];
} * all_kept;

void *tool_alloc(size_t size)
{
	struct kept *kept = calloc(1, sizeof(*kept) + size + 1);

	CHECK(kept != NULL);
	kept->next = __atomic_load_n(&all_kept, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all_kept, &kept->next, kept, 0, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return kept->memory;
}

static void append(struct events *events, const struct event *event)
{
	struct event *copy;

	if (events->count == events->room) {
		struct event *more;

		events->room = events->room * 2 + 64;
		more = tool_alloc(events->room * sizeof(*more));
		if (events->count > 0)
			memcpy(more, events->at, events->count * sizeof(*more));
		events->at = more;
	}
	copy = &events->at[events->count++];
	*copy = *event;
	copy->data = tool_alloc(event->len);
	memcpy(copy->data, event->data, event->len);
}

struct events tool_drain(trace_id_t trid)
{
	struct events events = {0};
	struct event event;

	while (tool_next(trid, &event))
		append(&events, &event);
	return events;
}

struct events tool_read_log(trace_id_t trid)
{
	struct events events = {0};
	struct event event;

	while (tool_next_of_log(trid, &event))
		append(&events, &event);
	return events;
}

struct events tool_log_of(int fd)
{
	struct events events;
	trace_id_t trid;

	OK(posix_trace_open(fd, &trid));
	events = tool_read_log(trid);
	OK(posix_trace_close(trid));
	return events;
}

size_t tool_count(const struct events *events, trace_event_id_t id)
{
	size_t count = 0;

	for (size_t i = 0; i < events->count; i++)
		count += events->at[i].info.posix_event_id == id;
	return count;
}

long tool_find(const struct events *events, trace_event_id_t id, size_t nth)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->at[i].info.posix_event_id == id && nth-- == 0)
			return (long)i;
	return -1;
}

struct events tool_only(const struct events *events, trace_event_id_t id)
{
	struct events only = {0};

	for (size_t i = 0; i < events->count; i++)
		if (events->at[i].info.posix_event_id == id)
			append(&only, &events->at[i]);
	return only;
}

void tool_contiguous(const struct events *events, trace_event_id_t id, uint64_t *ret_first,
		     uint64_t *ret_last)
{
	struct events only = tool_only(events, id);

	CHECK(only.count > 0);
	*ret_first = tool_number(&only.at[0]);
	for (size_t i = 0; i < only.count; i++) {
		EQ(tool_number(&only.at[i]), *ret_first + i);
		tool_whole(&only.at[i]);
	}
	*ret_last = *ret_first + only.count - 1;
}

void tool_run_is(const struct events *events, trace_event_id_t id, uint64_t first, uint64_t last)
{
	uint64_t is_first;
	uint64_t is_last;

	tool_contiguous(events, id, &is_first, &is_last);
	EQ(is_first, first);
	EQ(is_last, last);
}

int tool_int(const struct event *event)
{
	int value;

	EQ(event->len, sizeof(value));
	memcpy(&value, event->data, sizeof(value));
	return value;
}

bool tool_member(const trace_event_set_t *set, trace_event_id_t id)
{
	int member = -1;

	OK(posix_trace_eventset_ismember(id, set, &member));
	return member != 0;
}

bool tool_same_set(const trace_event_set_t *a, const trace_event_set_t *b)
{
	for (trace_event_id_t id = 0; id <= TRACE_USER_EVENT_MAX + 200; id++) {
		int in_a = 0;
		int in_b = 0;

		if (posix_trace_eventset_ismember(id, a, &in_a) != 0)
			continue;
		OK(posix_trace_eventset_ismember(id, b, &in_b));
		if ((in_a != 0) != (in_b != 0))
			return false;
	}
	return true;
}

trace_event_set_t tool_set(size_t count, ...)
{
	trace_event_set_t set;
	va_list ids;

	OK(posix_trace_eventset_empty(&set));
	va_start(ids, count);
	for (size_t i = 0; i < count; i++)
		OK(posix_trace_eventset_add(va_arg(ids, trace_event_id_t), &set));
	va_end(ids);
	return set;
}

int tool_log(void)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/trace-log-XXXXXX", dir != NULL ? dir : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		FAIL("%s: %s", path, strerror(errno));
	unlink(path);
	return fd;
}

int tool_reopen(int fd, int flags)
{
	char path[40];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, flags | O_CLOEXEC);
	if (again < 0)
		FAIL("%s: %s", path, strerror(errno));
	return again;
}

int tool_file(const void *bytes, size_t len)
{
	int fd = tool_log();

	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, (const char *)bytes + done, len - done);

		CHECK(n > 0);
		done += (size_t)n;
	}
	return fd;
}

off_t tool_file_size(int fd)
{
	struct stat st;

	CHECK(fstat(fd, &st) == 0);
	return st.st_size;
}

unsigned char *tool_bytes(int fd, size_t *ret_len)
{
	size_t len = (size_t)tool_file_size(fd);
	unsigned char *bytes = tool_alloc(len);

	for (size_t done = 0; done < len;) {
		ssize_t n = pread(fd, bytes + done, len - done, (off_t)done);

		CHECK(n > 0);
		done += (size_t)n;
	}
	*ret_len = len;
	return bytes;
}

struct timespec tool_now(clockid_t clock)
{
	struct timespec now;

	CHECK(clock_gettime(clock, &now) == 0);
	return now;
}

struct timespec tool_later(long ms)
{
	struct timespec t = tool_now(CLOCK_REALTIME);

	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

int64_t tool_ns(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void tool_sleep_ms(long ms)
{
	struct timespec left = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&left, &left) != 0)
		continue;
}

pid_t tool_fork(void (*body)(void *arg), void *arg)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test leaves no process */
		body(arg);
		_exit(0);
	}
	return pid;
}

struct gate tool_gate(void)
{
	struct gate gate;

	CHECK(pipe(gate.fd) == 0);
	return gate;
}

void tool_gate_open(struct gate gate)
{
	CHECK(write(gate.fd[1], "", 1) == 1);
}

void tool_gate_wait(struct gate gate)
{
	ssize_t n;
	char c;

	do
		n = read(gate.fd[0], &c, 1);
	while (n < 0 && errno == EINTR);
	EQ(n, 1);
}

void *tool_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

/* A user that no other program runs as: the limit counts streams per user. */
static uid_t other_user(void)
{
	return 62000 + (uid_t)getpid() % 3000;
}

/* The next process removes the files of dead ones; this user has no other process. */
static void forget_user(uid_t uid)
{
	char path[400];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/dev/shm/pitot-%u", (unsigned)uid);
	dir = opendir(path);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	rmdir(path);
}

static void forget_other_users(void)
{
	forget_user(other_user());
	forget_user(other_user() + 1);
}

uid_t tool_other_user(void)
{
	static bool known;

	if (geteuid() != 0)
		runner_skip("only root can run a part of this as another user");
	if (!known)
		atexit(forget_other_users);
	known = true;
	return other_user();
}

int tool_open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	CHECK(dir != NULL);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

pthread_t tool_thread(void *(*body)(void *arg), void *arg)
{
	pthread_t thread;

	OK(pthread_create(&thread, NULL, body, arg));
	return thread;
}

void *tool_join(pthread_t thread)
{
	void *result;

	OK(pthread_join(thread, &result));
	return result;
}
