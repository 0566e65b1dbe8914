/* test_create_withlog - streams with log come into being (docs/spec/posix-trace.md 10.3). */
#include "tool.h"

#include <fcntl.h>
#include <sys/stat.h>

#define UNTOUCHED 0x5a5a5a5au

static void refused(pid_t pid, const struct want *want, int fd, int error)
{
	trace_id_t trid = UNTOUCHED;
	trace_attr_t attr;

	tool_attr(want, &attr);
	ERR(posix_trace_create_withlog(pid, &attr, fd, &trid), error);
	EQ(trid, UNTOUCHED);
}

/* Records some events into a new stream with this log, and reads them from the log. */
static void log_works(trace_id_t trid, int readable)
{
	trace_event_id_t id = tool_id("works");
	struct events events;

	OK(posix_trace_start(trid));
	tool_emit_run(id, 1, 20, 40);
	OK(posix_trace_shutdown(trid));
	events = tool_log_of(readable);
	tool_run_is(&events, id, 1, 20);
}

TEST(T_CLOG_01)
{
	static const int policies[] = {0, POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
				       POSIX_TRACE_APPEND};
	trace_id_t trid;
	int fd;

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		fd = tool_log();
		log_works(STREAM(.log = fd, .log_policy = policies[i]), fd);
	}
	fd = tool_log();
	OK(posix_trace_create_withlog(getpid(), NULL, fd, &trid));
	log_works(trid, fd);
}

TEST(T_CLOG_02)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
				       POSIX_TRACE_APPEND};

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		int fd = tool_log();

		log_works(STREAM(.log = tool_reopen(fd, O_WRONLY), .log_policy = policies[i]), fd);
	}
}

static int stream_policy(trace_id_t trid)
{
	trace_attr_t attr;
	int policy = -1;

	OK(posix_trace_get_attr(trid, &attr));
	OK(posix_trace_attr_getstreamfullpolicy(&attr, &policy));
	return policy;
}

TEST(T_CLOG_03)
{
	EQ(stream_policy(STREAM(.log = tool_log())), POSIX_TRACE_FLUSH);
}

TEST(T_CLOG_04)
{
	trace_id_t trid;

	OK(posix_trace_create_withlog(0, NULL, tool_log(), &trid));
	EQ(stream_policy(trid), POSIX_TRACE_FLUSH);
}

TEST(T_CLOG_05)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH};

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		int fd = tool_log();
		trace_id_t trid = STREAM(.log = fd, .policy = policies[i]);

		EQ(stream_policy(trid), policies[i]);
		log_works(trid, fd);
	}
}

TEST(T_CLOG_06)
{
	int fd = tool_log();

	close(fd);
	refused(0, &(struct want){0}, fd, EBADF);
}

TEST(T_CLOG_07)
{
	refused(0, &(struct want){0}, -1, EBADF);
	refused(0, &(struct want){0}, INT_MAX, EBADF);
	refused(0, &(struct want){0}, INT_MIN, EBADF);
	/* Judged before the target. */
	refused(-1, &(struct want){0}, -1, EBADF);
}

TEST(T_CLOG_08)
{
	int fd = tool_log();

	refused(0, &(struct want){0}, tool_reopen(fd, O_RDONLY), EBADF);
	refused(0, &(struct want){0}, tool_reopen(fd, O_PATH), EBADF);
}

static void no_pipe(int policy)
{
	int fds[2];

	CHECK(pipe(fds) == 0);
	refused(0, &(struct want){.log_policy = policy}, fds[1], EINVAL);
}

TEST(T_CLOG_09)
{
	no_pipe(POSIX_TRACE_LOOP);
	no_pipe(0); /* the default is LOOP */
}

TEST(T_CLOG_10)
{
	no_pipe(POSIX_TRACE_UNTIL_FULL);
}

TEST(T_CLOG_11)
{
	size_t len = 4 * MIB;
	char *junk = tool_alloc(len);
	trace_id_t trid;
	int fd;

	CHECK(junk != NULL);
	memset(junk, 'j', len);
	fd = tool_file(junk, len);
	trid = STREAM(.log = fd);
	CHECK(tool_file_size(fd) < (off_t)len);
	log_works(trid, fd);
	CHECK(tool_file_size(fd) < (off_t)len);
	size_t after;
	unsigned char *bytes = tool_bytes(fd, &after);
	CHECK(memmem(bytes, after, junk, 64) == NULL);
}

TEST(T_CLOG_12)
{
	int fd = tool_log();
	trace_id_t trid;
	size_t len;

	CHECK(lseek(fd, 123456, SEEK_SET) == 123456);
	trid = STREAM(.log = fd);
	log_works(trid, fd);
	/* The bytes from offset 0 on are the log, for a reader of a copy. */
	unsigned char *bytes = tool_bytes(fd, &len);
	struct events events = tool_log_of(tool_file(bytes, len));
	CHECK(tool_find(&events, tool_id("works"), 19) > 0);
}

TEST(T_CLOG_13)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
				       POSIX_TRACE_APPEND};

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		int fd = tool_file("former content", 14);
		trace_id_t trid = UNTOUCHED;
		trace_attr_t attr;
		int r;

		tool_attr(&(struct want){.log_policy = policies[i]}, &attr);
		r = posix_trace_create_withlog(0, &attr, tool_reopen(fd, O_WRONLY | O_APPEND),
					       &trid);
		if (r == 0) {
			log_works(trid, fd);
		} else {
			EQ(r, EINVAL);
			EQ(trid, UNTOUCHED);
		}
	}
}

TEST(T_CLOG_14)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
				       POSIX_TRACE_APPEND};
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		runner_skip("/dev/full: %s", strerror(errno));
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		trace_id_t trid = UNTOUCHED;
		trace_attr_t attr;
		int r;

		tool_attr(&(struct want){.log_policy = policies[i]}, &attr);
		r = posix_trace_create_withlog(0, &attr, fd, &trid);
		if (r != ENOSPC && r != EINVAL)
			FAIL("policy %d: %d (%s)", policies[i], r, strerror(r));
		EQ(trid, UNTOUCHED);
	}
}

TEST(T_CLOG_15)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		_exit(0);
	CHECK(waitpid(pid, NULL, 0) == pid);
	refused(pid, &(struct want){0}, tool_log(), ESRCH);
	refused(-1, &(struct want){0}, tool_log(), ESRCH);
}

TEST(T_CLOG_16)
{
	refused(0, &(struct want){.log_policy = POSIX_TRACE_LOOP, .log_size = 1}, tool_log(),
		EINVAL);
	refused(0, &(struct want){.log_policy = POSIX_TRACE_UNTIL_FULL, .log_size = 1}, tool_log(),
		EINVAL);
	/* APPEND does not look at it. */
	int fd = tool_log();
	log_works(STREAM(.log = fd, .log_policy = POSIX_TRACE_APPEND, .log_size = 1), fd);
}

TEST(T_CLOG_17)
{
	int fd = tool_log();
	int status_flags = fcntl(fd, F_GETFL);
	struct stat before, after;
	trace_id_t trid;

	CHECK(fcntl(fd, F_SETFD, 0) == 0);
	CHECK(fstat(fd, &before) == 0);
	trid = STREAM(.log = fd, .running = true);
	EQ(fcntl(fd, F_GETFD), 0);
	OK(posix_trace_shutdown(trid));
	EQ(fcntl(fd, F_GETFD), 0);
	EQ(fcntl(fd, F_GETFL), status_flags);
	CHECK(fstat(fd, &after) == 0);
	EQ(after.st_ino, before.st_ino);
	CHECK(pwrite(fd, "x", 1, tool_file_size(fd)) == 1);
}
