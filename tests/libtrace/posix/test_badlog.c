/* test_badlog - what is not a complete log is refused (docs/spec/posix-trace.md 12.2). */
#include "tool.h"

#include <fcntl.h>
#include <sys/mman.h>

#define UNTOUCHED 0x5a5a5a5au

static void refused(int fd)
{
	trace_id_t trid = UNTOUCHED;

	ERR(posix_trace_open(fd, &trid), EINVAL);
	EQ(trid, UNTOUCHED);
}

/* The bytes of a good log, of either form: in one go, and with flushes that wrapped it. */
static unsigned char *good(int policy, size_t *ret_len)
{
	int fd = tool_log();
	trace_id_t trid =
	    STREAM(.log = fd, .running = true, .log_policy = policy, .log_size = 64 * KIB);
	trace_event_id_t id = tool_id("good");

	if (policy == POSIX_TRACE_APPEND)
		tool_emit_run(id, 1, 50, 64);
	else
		for (uint64_t part = 0; part < 12; part++) {
			tool_emit_run(id, 100 * part + 1, 100 * part + 100, 64);
			OK(posix_trace_flush(trid));
		}
	OK(posix_trace_shutdown(trid));
	CHECK(tool_log_of(fd).count > 10);
	return tool_bytes(fd, ret_len);
}

static const int policies[] = {POSIX_TRACE_APPEND, POSIX_TRACE_LOOP};

/* A file in memory of these bytes, for many of them in a row. */
static int memory(const void *bytes, size_t len)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK(pwrite(fd, bytes, len, 0) == (ssize_t)len);
	return fd;
}

TEST(T_BADLOG_01)
{
	refused(tool_log());
}

TEST(T_BADLOG_02)
{
	char text[100000];

	refused(tool_file("text\n", 5));
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 60 == 59 ? '\n' : (char)('a' + i % 26);
	refused(tool_file(text, sizeof(text)));
}

TEST(T_BADLOG_03)
{
	static const size_t lens[] = {1, 8, 64, 512, 4096, 65536, 4 * MIB};

	for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
		int fd = tool_log();

		CHECK(ftruncate(fd, (off_t)lens[i]) == 0);
		refused(fd);
	}
	/* A hole of a terabyte: no memory is taken for it. */
	int fd = tool_log();
	if (ftruncate(fd, (off_t)1 << 40) == 0)
		refused(fd);
}

static uint64_t seed = 88172645463325252u;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

TEST(T_BADLOG_04)
{
	for (int round = 0; round < 100; round++) {
		size_t len = any() % 100000 + 1;
		unsigned char *bytes = malloc(len);
		int fd;

		CHECK(bytes != NULL);
		for (size_t i = 0; i < len; i++)
			bytes[i] = (unsigned char)any();
		fd = memory(bytes, len);
		refused(fd);
		close(fd);
		free(bytes);
	}
}

TEST(T_BADLOG_05)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	refused(fd);
}

static void cut_at(const unsigned char *bytes, size_t len)
{
	int fd = memory(bytes, len);

	refused(fd);
	close(fd);
}

TEST(T_BADLOG_06)
{
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		size_t len;
		unsigned char *bytes = good(policies[i], &len);

		cut_at(bytes, len - 1);
	}
}

TEST(T_BADLOG_07)
{
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		size_t len;
		unsigned char *bytes = good(policies[i], &len);

		for (size_t cut = 1; cut <= 600 && cut <= len; cut++)
			cut_at(bytes, len - cut);
		for (size_t keep = 0; keep < 600 && keep < len; keep++)
			cut_at(bytes, keep);
		for (size_t keep = 0; keep < len; keep += len / 300 + 1)
			cut_at(bytes, keep);
	}
}

/* One byte is another one, and nothing else is; then it is put right again. */
static void change(int fd, unsigned char *bytes, size_t at, unsigned char by)
{
	trace_id_t trid = UNTOUCHED;
	unsigned char wrong = bytes[at] ^ by;
	int r;

	CHECK(pwrite(fd, &wrong, 1, (off_t)at) == 1);
	r = posix_trace_open(fd, &trid);
	if (r != EINVAL || trid != UNTOUCHED)
		FAIL("byte %zu changed from %#x to %#x: %d", at, bytes[at], wrong, r);
	CHECK(pwrite(fd, &bytes[at], 1, (off_t)at) == 1);
}

TEST(T_BADLOG_08)
{
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		size_t len;
		unsigned char *bytes = good(policies[i], &len);
		int fd = memory(bytes, len);

		for (unsigned by = 1; by < 256; by++)
			change(fd, bytes, 0, (unsigned char)by);
	}
}

TEST(T_BADLOG_09)
{
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		size_t len;
		unsigned char *bytes = good(policies[i], &len);
		int fd = memory(bytes, len);
		trace_id_t trid;

		for (size_t at = 0; at < len && at < 700; at++)
			change(fd, bytes, at, (unsigned char)(1u << at % 8));
		for (size_t at = len > 700 ? len - 700 : 0; at < len; at++)
			change(fd, bytes, at, (unsigned char)(1u << at % 8));
		for (int n = 0; n < 1000; n++)
			change(fd, bytes, any() % len, (unsigned char)(any() % 255 + 1));
		/* After the change is undone, the log is valid again. */
		OK(posix_trace_open(fd, &trid));
		CHECK(tool_read_log(trid).count > 10);
	}
}

/* Reads whatever open gives to its end, which must come. */
static void survive(int fd)
{
	struct posix_trace_event_info info;
	char name[TRACE_EVENT_NAME_MAX + 1];
	trace_id_t trid;
	unsigned char data[4096];
	int unavailable = 0;
	trace_event_id_t id;
	size_t len;
	int r = posix_trace_open(fd, &trid);

	if (r != 0) {
		EQ(r, EINVAL);
		return;
	}
	for (int i = 0; i < 1000000 && r == 0 && unavailable == 0; i++)
		r = posix_trace_getnext_event(trid, &info, data, sizeof(data), &len, &unavailable);
	CHECK(r == EINVAL || unavailable != 0);
	while (posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable) == 0 &&
	       unavailable == 0)
		posix_trace_eventid_get_name(trid, id, name);
	OK(posix_trace_close(trid));
}

TEST(T_BADLOG_10)
{
	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		size_t len;
		unsigned char *bytes = good(policies[i], &len);
		unsigned char *wrong = tool_alloc(len);

		CHECK(wrong != NULL);
		for (int round = 0; round < 700; round++) {
			int fd;

			memcpy(wrong, bytes, len);
			for (uint64_t n = any() % 12 + 2; n > 0; n--)
				wrong[any() % (round % 2 == 0 ? len : 256)] = (unsigned char)any();
			fd = memory(wrong, len);
			survive(fd);
			close(fd);
		}
	}
	/* A file that changes after it was opened. */
	size_t len;
	unsigned char *bytes = good(POSIX_TRACE_APPEND, &len);
	for (int round = 0; round < 100; round++) {
		int fd = memory(bytes, len);
		struct posix_trace_event_info info;
		int unavailable = 0;
		trace_id_t trid;
		size_t got;
		int r = 0;

		OK(posix_trace_open(fd, &trid));
		if (round % 5 == 0)
			CHECK(ftruncate(fd, (off_t)(any() % len)) == 0);
		for (int n = 0; n < 40; n++) {
			unsigned char byte = (unsigned char)any();

			CHECK(pwrite(fd, &byte, 1, (off_t)(any() % len)) == 1);
		}
		for (int i = 0; i < 1000000 && r == 0 && unavailable == 0; i++)
			r = posix_trace_getnext_event(trid, &info, NULL, 0, &got, &unavailable);
		CHECK(r == EINVAL || unavailable != 0);
		OK(posix_trace_close(trid));
		close(fd);
	}
}

TEST(T_BADLOG_11)
{
	size_t len;
	unsigned char *bytes = good(POSIX_TRACE_APPEND, &len);
	int fd = tool_file(bytes, len);

	CHECK(tool_log_of(fd).count > 10);
	refused(tool_reopen(fd, O_WRONLY));
	refused(tool_reopen(fd, O_PATH));
}

TEST(T_BADLOG_12)
{
	int fd = tool_log();

	close(fd);
	refused(fd);
	refused(-1);
	refused(0x7fffffff);
}

TEST(T_BADLOG_13)
{
	int fds[2];
	int fd = open("/", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	refused(fd);
	CHECK(pipe(fds) == 0);
	refused(fds[0]); /* does not block either */
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		refused(fd);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		refused(fd);
}

TEST(T_BADLOG_14)
{
	static const int all[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND};
	trace_event_id_t id = tool_id("active");

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		int fd = tool_log();
		trace_id_t trid = STREAM(.log = fd, .log_policy = all[i]);

		refused(fd);
		OK(posix_trace_start(trid));
		refused(fd);
		tool_emit_run(id, 1, 300, 64);
		OK(posix_trace_flush(trid));
		refused(fd);
		tool_emit_run(id, 1, 300, 64);
		OK(posix_trace_stop(trid));
		OK(posix_trace_flush(trid));
		refused(fd);
		OK(posix_trace_clear(trid));
		refused(fd);
		OK(posix_trace_shutdown(trid));
		EQ(tool_log_of(fd).count, 0);
	}
}

TEST(T_BADLOG_15)
{
	size_t len;
	unsigned char *bytes = good(POSIX_TRACE_APPEND, &len);
	int fd = memory(bytes, len);
	int descriptors;

	bytes[len / 2] ^= 1;
	int wrong = memory(bytes, len);
	int empty = tool_log();
	refused(wrong);
	descriptors = tool_open_descriptors();
	for (int i = 0; i < 100; i++) {
		trace_id_t trid;

		refused(wrong);
		refused(empty);
		refused(-1);
		/* Nor does one that succeeds and is closed. */
		OK(posix_trace_open(fd, &trid));
		OK(posix_trace_close(trid));
	}
	EQ(tool_open_descriptors(), descriptors);
}
