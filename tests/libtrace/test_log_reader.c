/* test_log_reader - what a log gives back, and that anything but a complete and unchanged log is
 * refused. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/layout.h"
#include "libtrace/log_format.h"
#include "log_fixture.h"

static const int policies[] = {POSIX_TRACE_APPEND, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_LOOP};
#define SMALL (4 * 1184 + 400) /* log-max-size of a small log */

/* A complete log: small ones of limited size have come round. */
static void make_log(struct log_fixture *f, int policy, uint64_t events)
{
	fixture_open(f, policy, SMALL, 128);
	fixture_add(f, events);
	assert_int_equal(fixture_complete(f), 0);
}

static uint8_t *read_all(int fd, size_t *ret_len)
{
	struct stat st;
	uint8_t *bytes;

	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc((size_t)st.st_size);
	assert_int_equal(pread(fd, bytes, (size_t)st.st_size, 0), st.st_size);
	*ret_len = (size_t)st.st_size;
	return bytes;
}

static int open_bytes(const uint8_t *bytes, size_t len)
{
	int fd = memfd_create("bytes", MFD_CLOEXEC), r;
	struct log_reader *log = NULL;

	assert_int_equal(write(fd, bytes, len), len);
	r = log_reader_open(fd, &log);
	if (r == 0)
		log_reader_close(log);
	close(fd);
	return r;
}

static void gives_attributes_status_and_types(void **state)
{
	struct posix_trace_field_np fields[3];
	struct log_fixture f;
	struct log_reader *log;
	trace_event_id_t id = 0;
	char name[TRACE_NAME_MAX];
	const char *type;
	size_t count, types = 0;

	make_log(&f, POSIX_TRACE_LOOP, 5000);
	assert_int_equal(log_reader_open(f.fd, &log), 0);
	assert_memory_equal(log_reader_attr(log), &f.ctl->attr, sizeof(trace_attr_t));
	assert_int_equal(posix_trace_attr_getname(log_reader_attr(log), name), 0);
	assert_string_equal(name, "fixture");
	assert_int_equal(log_reader_status(log)->posix_log_full_status, POSIX_TRACE_FULL);
	assert_int_equal(log_reader_status(log)->posix_log_overrun_status, POSIX_TRACE_OVERRUN);
	assert_int_equal(log_reader_status(log)->posix_stream_status, POSIX_TRACE_SUSPENDED);
	assert_int_equal(log_reader_counts(log)->recorded, 5000);
	while (log_reader_type(log, id, &id, &type)) {
		types++;
		if (id == POSIX_TRACE_START)
			assert_string_equal(type, "posix_trace_start");
		if (id == LAYOUT_USER_FIRST + 2)
			assert_string_equal(type, "type_2");
	}
	assert_int_equal(types, 9 + FIXTURE_TYPES);
	assert_int_equal(id, LAYOUT_USER_FIRST + FIXTURE_TYPES - 1);
	assert_int_equal(log_reader_fields(log, LAYOUT_USER_FIRST, fields, 1, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(log_reader_fields(log, LAYOUT_USER_FIRST, fields, 3, &count), 0);
	assert_string_equal(fields[0].name, "number");
	assert_int_equal(fields[0].type, POSIX_TRACE_FIELD_UINT_NP);
	assert_int_equal(fields[0].size, 8);
	assert_string_equal(fields[1].name, "rest");
	assert_int_equal(fields[1].offset, 8);
	assert_int_equal(log_reader_fields(log, LAYOUT_USER_FIRST + 1, fields, 3, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(
	    log_reader_fields(log, LAYOUT_USER_FIRST + FIXTURE_TYPES, fields, 3, &count), -EINVAL);
	assert_int_equal(log_reader_fields(log, 0, fields, 3, &count), -EINVAL);
	assert_int_equal(log_reader_fields(log, 1u << 31, fields, 3, &count), -EINVAL);
	log_reader_close(log);
	fixture_close(&f);
}

/* The offset of the descriptor does not matter, stays, and the descriptor may be closed. */
static void reads_through_its_own_descriptor(void **state)
{
	struct log_fixture f;
	struct log_reader *log, *other;
	struct event event;
	int fd;

	make_log(&f, POSIX_TRACE_APPEND, 100);
	fd = fcntl(f.fd, F_DUPFD_CLOEXEC, 3);
	assert_int_equal(lseek(fd, 77, SEEK_SET), 77);
	assert_int_equal(log_reader_open(fd, &log), 0);
	assert_int_equal(log_reader_open(fd, &other), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 77);
	close(fd);
	for (int i = 0; i < 50; i++)
		assert_int_equal(log_reader_next(log, &event), 1);
	assert_int_equal(fixture_read(&f, other).count, 100);
	assert_int_equal(fixture_read(&f, log).count, 50);
	log_reader_rewind(log);
	assert_int_equal(fixture_read(&f, log).count, 100);
	log_reader_close(log);
	log_reader_close(other);
	fixture_close(&f);
}

static void a_log_without_events_is_one(void **state)
{
	for (size_t p = 0; p < 3; p++) {
		struct log_fixture f;

		make_log(&f, policies[p], 0);
		assert_int_equal(fixture_check(&f, f.fd).count, 0);
		fixture_close(&f);
	}
}

/* Every byte of the file, each changed in one bit and in all. */
static void a_changed_byte_is_refused(void **state)
{
	static const struct {
		int policy;
		uint64_t events;
	} rows[] = {
	    {POSIX_TRACE_APPEND, 0},        {POSIX_TRACE_APPEND, 20}, {POSIX_TRACE_UNTIL_FULL, 20},
	    {POSIX_TRACE_UNTIL_FULL, 2000}, {POSIX_TRACE_LOOP, 20},   {POSIX_TRACE_LOOP, 300},
	    {POSIX_TRACE_LOOP, 301},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct log_fixture f;
		struct log_reader *log = NULL;
		uint8_t *bytes, one;
		size_t len;

		make_log(&f, rows[i].policy, rows[i].events);
		bytes = read_all(f.fd, &len);
		for (size_t at = 0; at < len; at++)
			for (int change = 1; change < 256; change *= change == 1 ? 128 : 2) {
				one = bytes[at] ^ (uint8_t)change;
				assert_int_equal(pwrite(f.fd, &one, 1, (off_t)at), 1);
				assert_int_equal(log_reader_open(f.fd, &log), -EINVAL);
				assert_int_equal(pwrite(f.fd, &bytes[at], 1, (off_t)at), 1);
			}
		assert_int_equal(log_reader_open(f.fd, &log), 0);
		log_reader_close(log);
		free(bytes);
		fixture_close(&f);
	}
}

static void a_cut_is_refused(void **state)
{
	for (size_t p = 0; p < 3; p++) {
		struct log_fixture f;
		struct log_reader *log = NULL;
		off_t size;

		make_log(&f, policies[p], 300);
		size = fixture_size(&f);
		while (size-- > 0) {
			assert_int_equal(ftruncate(f.fd, size), 0);
			assert_int_equal(log_reader_open(f.fd, &log), -EINVAL);
		}
		fixture_close(&f);
	}
}

/* Bytes left out, put in, or put in another place. */
static void moved_bytes_are_refused(void **state)
{
	struct log_fixture f;
	uint8_t *bytes, *other;
	size_t len;

	make_log(&f, POSIX_TRACE_LOOP, 300);
	bytes = read_all(f.fd, &len);
	other = malloc(len + 8);
	for (size_t at = 0; at < len - 8; at += 8) {
		memcpy(other, bytes, at);
		memcpy(other + at, bytes + at + 8, len - at - 8);
		assert_int_equal(open_bytes(other, len - 8), -EINVAL);
		memset(other + at, 0, 8);
		memcpy(other + at + 8, bytes + at, len - at);
		assert_int_equal(open_bytes(other, len + 8), -EINVAL);
	}
	free(other);
	free(bytes);
	fixture_close(&f);
}

static void what_is_no_log_is_refused(void **state)
{
	uint8_t bytes[10000];
	struct log_reader *log = (struct log_reader *)bytes;
	int pipes[2];

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	memset(bytes, 0, sizeof(bytes));
	for (size_t len = 0; len < sizeof(bytes); len += 977)
		assert_int_equal(open_bytes(bytes, len), -EINVAL);
	memset(bytes, 'x', sizeof(bytes));
	assert_int_equal(open_bytes(bytes, sizeof(bytes)), -EINVAL);
	srandom(1);
	for (int i = 0; i < 100; i++) {
		for (size_t n = 0; n < sizeof(bytes); n++)
			bytes[n] = (uint8_t)random();
		assert_int_equal(open_bytes(bytes, sizeof(bytes)), -EINVAL);
	}
	const int fds[] = {
	    -1,
	    12345,
	    pipes[0],
	    open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	    open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    open("/dev/zero", O_RDONLY | O_CLOEXEC),
	    open("/proc/self/status", O_RDONLY | O_CLOEXEC),
	    open("/proc/self/exe", O_PATH | O_CLOEXEC),
	};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		assert_int_equal(log_reader_open(fds[i], &log), -EINVAL);
		assert_ptr_equal(log, bytes);
		if (i > 2)
			close(fds[i]);
	}
	close(pipes[0]);
	close(pipes[1]);
}

static void only_a_complete_log_for_reading_is_taken(void **state)
{
	char path[] = "/tmp/test_log_reader.XXXXXX";
	int fd = mkstemp(path), out = open(path, O_WRONLY | O_CLOEXEC);
	struct log_reader *log = NULL;
	struct log_fixture f;

	assert_int_equal(fixture_open_fd(&f, POSIX_TRACE_APPEND, 0, 128, out), 0);
	assert_int_equal(log_reader_open(fd, &log), -EINVAL);
	fixture_add(&f, 3000);
	assert_int_equal(log_reader_open(fd, &log), -EINVAL);
	log_writer_flush(f.writer);
	assert_int_equal(log_reader_open(fd, &log), -EINVAL);
	assert_int_equal(fixture_complete(&f), 0);
	assert_int_equal(log_reader_open(out, &log), -EINVAL);
	assert_int_equal(fixture_check(&f, fd).count, 3000);
	fixture_close(&f);
	close(fd);
	unlink(path);
}

/* Changed after it was opened: events or EINVAL, and an end. */
static void a_later_change_does_no_harm(void **state)
{
	srandom(7);
	for (int round = 0; round < 200; round++) {
		struct log_fixture f;
		struct log_reader *log;
		struct event event;
		off_t size;
		int r, events = 0;

		make_log(&f, policies[round % 3], 200);
		size = fixture_size(&f);
		assert_int_equal(log_reader_open(f.fd, &log), 0);
		for (int i = 0; i < 20; i++) {
			uint8_t byte = (uint8_t)random();

			assert_int_equal(pwrite(f.fd, &byte, 1, random() % size), 1);
		}
		if (round % 5 == 0)
			assert_int_equal(ftruncate(f.fd, random() % size), 0);
		while ((r = log_reader_next(log, &event)) == 1)
			events++;
		assert_true(r == 0 || r == -EINVAL);
		assert_true(events <= 200 + 1);
		log_reader_close(log);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(gives_attributes_status_and_types),
	    cmocka_unit_test(reads_through_its_own_descriptor),
	    cmocka_unit_test(a_log_without_events_is_one),
	    cmocka_unit_test(a_changed_byte_is_refused),
	    cmocka_unit_test(a_cut_is_refused),
	    cmocka_unit_test(moved_bytes_are_refused),
	    cmocka_unit_test(what_is_no_log_is_refused),
	    cmocka_unit_test(only_a_complete_log_for_reading_is_taken),
	    cmocka_unit_test(a_later_change_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
