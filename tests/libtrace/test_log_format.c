/*
 * test_log_format - the bytes of trace logs: what an earlier release wrote opens and says the same
 * for ever (tests/golden/trace-log), the present writer writes the present format, and the parts
 * survive encoding and decoding.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/crc.h"
#include "libtrace/layout.h"
#include "libtrace/log_format.h"
#include "log_fixture.h"

#define SIZE (4 * 1184 + 400)

/* Each golden file holds events of log_fixture: which ones. Files of new versions are added, none
 * is ever changed or taken away. PITOT_GOLDEN=write makes those of the present version. */
static const struct golden {
	const char *file;
	int policy;
	uint64_t given, first, count;
	bool present; /* what the present writer writes, to the byte */
} goldens[] = {
    {"append.v1.trace", POSIX_TRACE_APPEND, 100, 0, 100, true},
    {"empty.v1.trace", POSIX_TRACE_LOOP, 0, 0, 0, true},
    {"loop.v1.trace", POSIX_TRACE_LOOP, 500, 468, 32, true},
    {"until_full.v1.trace", POSIX_TRACE_UNTIL_FULL, 500, 0, 34, true},
};
#define N_GOLDENS (sizeof(goldens) / sizeof(goldens[0]))

static void path_of(const struct golden *g, char path[4096])
{
	snprintf(path, 4096, "%s/%s", GOLDEN_DIR, g->file);
}

static void write_golden(const struct golden *g, struct log_fixture *f)
{
	fixture_open(f, g->policy, SIZE, 128);
	fixture_add(f, g->given);
	assert_int_equal(fixture_complete(f), 0);
}

static void old_logs_open_for_ever(void **state)
{
	for (size_t i = 0; i < N_GOLDENS; i++) {
		struct log_fixture f;
		struct fixture_run run;
		struct log_reader *log;
		trace_event_id_t id;
		const char *name;
		char path[4096];
		int fd;

		path_of(&goldens[i], path);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		fixture_open(&f, goldens[i].policy, SIZE, 128);
		run = fixture_check(&f, fd);
		assert_int_equal(run.count, goldens[i].count);
		assert_int_equal(run.first, goldens[i].first);
		assert_int_equal(log_reader_open(fd, &log), 0);
		assert_memory_equal(log_reader_attr(log), &f.ctl->attr, sizeof(trace_attr_t));
		assert_int_equal(log_reader_counts(log)->recorded, goldens[i].given);
		assert_int_equal(log_reader_counts(log)->reported +
				     log_reader_counts(log)->lost_log,
				 goldens[i].given);
		assert_true(log_reader_type(log, LAYOUT_USER_FIRST, &id, &name));
		assert_string_equal(name, "type_1");
		log_reader_close(log);
		close(fd);
		fixture_close(&f);
	}
}

static void the_format_stays_the_same(void **state)
{
	bool make = getenv("PITOT_GOLDEN") != NULL;

	for (size_t i = 0; i < N_GOLDENS; i++) {
		static uint8_t want[1 << 20], got[1 << 20];
		struct log_fixture f;
		char path[4096];
		ssize_t n;
		int fd;

		if (!goldens[i].present)
			continue;
		path_of(&goldens[i], path);
		write_golden(&goldens[i], &f);
		n = pread(f.fd, got, sizeof(got), 0);
		fd =
		    open(path, make ? O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC : O_RDONLY | O_CLOEXEC,
			 0644);
		assert_true(fd >= 0);
		if (make)
			assert_int_equal(write(fd, got, (size_t)n), n);
		assert_int_equal(pread(fd, want, sizeof(want), 0), n);
		assert_memory_equal(got, want, (size_t)n);
		close(fd);
		fixture_close(&f);
	}
}

/* Field by field, because padding has no value. */
static void assert_same_event(const struct event *a, const struct event *b)
{
	assert_int_equal(a->id, b->id);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_true(a->thread == b->thread && a->address == b->address);
	assert_true(a->real_ns == b->real_ns);
	assert_int_equal(a->truncated, b->truncated);
	assert_int_equal(a->length, b->length);
	assert_true(a->token == b->token);
}

static void events_come_back(void **state)
{
	static const struct event rows[] = {
	    {.id = 1},
	    {.id = LAYOUT_IDS - 1,
	     .pid = -1,
	     .tid = 0x7fffffff,
	     .thread = UINT64_MAX,
	     .address = UINT64_MAX,
	     .real_ns = INT64_MAX,
	     .length = 1 << 20,
	     .truncated = POSIX_TRACE_TRUNCATED_RECORD},
	    {.id = 300, .real_ns = INT64_MIN, .length = 7},
	};
	uint8_t head[LOG_EVENT_HEAD];
	struct event got;
	uint32_t flags;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		log_event_encode(&rows[i], 0, head);
		assert_int_equal(log_event_decode(head, &got, &flags), 0);
		assert_same_event(&got, &rows[i]);
	}
	head[4] = head[5] = 0; /* id 0 is none */
	assert_int_equal(log_event_decode(head, &got, &flags), -EINVAL);
	head[4] = 1;
	head[6] = 4; /* no such flag */
	assert_int_equal(log_event_decode(head, &got, &flags), -EINVAL);
	head[6] = 0;
	head[3] = 1; /* 16 MiB */
	assert_int_equal(log_event_decode(head, &got, &flags), -EINVAL);
}

static void types_come_back_and_every_prefix_is_refused(void **state)
{
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP],
	    got[POSIX_TRACE_FIELDS_MAX_NP];
	char name[TRACE_EVENT_NAME_MAX + 1], got_name[TRACE_EVENT_NAME_MAX + 1];
	uint8_t out[LOG_TYPE_MAX];
	size_t len, count;

	memset(fields, 0, sizeof(fields));
	for (int i = 0; i < POSIX_TRACE_FIELDS_MAX_NP; i++) {
		memset(fields[i].name, 'a' + i % 26, POSIX_TRACE_FIELD_NAME_MAX_NP);
		fields[i].type = (uint16_t)(1 + i % 6);
		fields[i].offset = (uint16_t)(65535 - i);
		fields[i].size = (uint16_t)i;
	}
	memset(name, 'n', TRACE_EVENT_NAME_MAX);
	name[TRACE_EVENT_NAME_MAX] = '\0';
	len = log_type_encode(name, fields, POSIX_TRACE_FIELDS_MAX_NP, out);
	assert_true(len <= sizeof(out));
	assert_int_equal(log_type_decode(out, len, got_name, got, &count), len);
	assert_string_equal(got_name, name);
	assert_int_equal(count, POSIX_TRACE_FIELDS_MAX_NP);
	assert_memory_equal(got, fields, sizeof(fields));
	while (len-- > 0)
		assert_int_equal(log_type_decode(out, len, got_name, got, &count), -EINVAL);
}

/* Head, largest trailer and places together stay in the bound of docs/spec/posix-trace.md 9.4. */
static void sizes_keep_the_bound(void **state)
{
	for (uint64_t size = 4 * 1184 + 72 + 1024; size < (uint64_t)1 << 50; size += size / 7) {
		uint32_t payload, places;

		assert_int_equal(log_geometry(POSIX_TRACE_LOOP, size, 1024, &payload, &places), 0);
		assert_true(places >= 14);
		assert_true(LOG_HEAD + (uint64_t)places * (payload + LOG_BLOCK_HEAD) +
				LOG_NAMES_MAX + LOG_TRAILER_HEAD + LOG_TRAILER_TAIL <=
			    size + 256 * 1024);
	}
	assert_true(4095 * (1 + TRACE_EVENT_NAME_MAX) <= LOG_NAMES_MAX);
}

/* Encodes a head and reads it back: the result of that. */
static int read_back(const struct log_head *head)
{
	uint8_t bytes[LOG_HEAD];
	struct log_head got;

	log_head_encode(head, bytes);
	return log_head_decode(bytes, &got);
}

/* Sizes that readers allocate and times that they compute with are limited to those of real
 * streams. */
static void claims_of_the_head_are_limited(void **state)
{
	struct log_fixture f;
	uint8_t bytes[LOG_HEAD];
	struct log_head head, bad;

	fixture_open(&f, POSIX_TRACE_APPEND, 0, 128);
	assert_int_equal(pread(f.fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	assert_int_equal(log_head_decode(bytes, &head), 0);
	fixture_close(&f);
	assert_int_equal(read_back(&head), 0);
	bad = head;
	bad.attr.__data_size = (size_t)1 << 62;
	assert_int_equal(read_back(&bad), -EINVAL);
	bad.attr.__data_size = GEOMETRY_DATA_MAX + 1;
	assert_int_equal(read_back(&bad), -EINVAL);
	bad = head;
	bad.attr.__creation_time.tv_sec = INT64_MAX;
	assert_int_equal(read_back(&bad), -EINVAL);
	bad.attr.__creation_time.tv_sec = -1;
	assert_int_equal(read_back(&bad), -EINVAL);
	bad = head;
	bad.attr.__creation_time.tv_nsec = 1000000000;
	assert_int_equal(read_back(&bad), -EINVAL);
}

/* Another version, byte order or word size, with a right check sum, is refused. */
static void another_kind_of_log_is_refused(void **state)
{
	static const int places[] = {0, 8, 9, 10, 11};
	struct log_fixture f;
	uint8_t head[LOG_HEAD], byte;
	struct log_head got;

	fixture_open(&f, POSIX_TRACE_APPEND, 0, 128);
	assert_int_equal(pread(f.fd, head, sizeof(head), 0), sizeof(head));
	assert_int_equal(log_head_decode(head, &got), 0);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint32_t crc;

		byte = head[places[i]];
		head[places[i]] ^= 3;
		crc = crc32c(0, head, LOG_HEAD - 4);
		for (int b = 0; b < 4; b++)
			head[LOG_HEAD - 4 + b] = (uint8_t)(crc >> 8 * b);
		assert_int_equal(log_head_decode(head, &got), -EINVAL);
		head[places[i]] = byte;
	}
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_format_stays_the_same),
	    cmocka_unit_test(old_logs_open_for_ever),
	    cmocka_unit_test(events_come_back),
	    cmocka_unit_test(types_come_back_and_every_prefix_is_refused),
	    cmocka_unit_test(sizes_keep_the_bound),
	    cmocka_unit_test(claims_of_the_head_are_limited),
	    cmocka_unit_test(another_kind_of_log_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
