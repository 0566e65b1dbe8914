/* test_log_recover - every prefix of a log, and torn blocks: what is whole is kept, nothing else,
 * and the result is a complete log. */
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
#include "libtrace/log_reader.h"
#include "log_fixture.h"

static const int policies[] = {POSIX_TRACE_APPEND, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_LOOP};
#define SMALL (4 * 1184 + 400)

/* The user events that a recovered log has, in order: their numbers. */
static size_t numbers(const struct log_fixture *f, int fd, uint64_t *ret, size_t max)
{
	struct log_reader *log;
	struct event event, want;
	uint8_t data[4096];
	size_t count = 0;
	int r;

	assert_int_equal(log_reader_open(fd, &log), 0);
	while ((r = log_reader_next(log, &event)) == 1) {
		uint64_t n = (uint64_t)(event.real_ns - 1600000000000000000) / 100;

		if (event.id < POSIX_TRACE_UNNAMED_USEREVENT)
			continue;
		fixture_event(f, n, &want, data);
		assert_int_equal(event.id, want.id);
		assert_int_equal(event.length, want.length);
		assert_memory_equal(event.data, data, want.length);
		assert_true(count < max);
		assert_true(count == 0 || n > ret[count - 1]);
		ret[count++] = n;
	}
	assert_int_equal(r, 0);
	log_reader_close(log);
	return count;
}

static int recover(int from, uint64_t *kept, uint64_t *dropped)
{
	int to = memfd_create("recovered", MFD_CLOEXEC);
	int r = log_recover(from, to, kept, dropped);

	if (r < 0) {
		close(to);
		return r;
	}
	return to;
}

/* A log as a crash leaves it: flushed, not completed. */
static void make_incomplete(struct log_fixture *f, int policy, uint64_t events)
{
	fixture_open(f, policy, SMALL, 128);
	fixture_add(f, events);
	assert_int_equal(log_writer_flush(f->writer), 0);
	assert_int_equal(ftruncate(f->fd, fixture_size(f)), 0);
}

static void an_incomplete_log_is_recovered_whole(void **state)
{
	static const uint64_t events[] = {0, 1, 20, 70, 500, 3000};
	uint64_t kept, dropped, found[3001];

	for (size_t p = 0; p < 3; p++)
		for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
			struct log_fixture f;
			size_t count;
			int to;

			make_incomplete(&f, policies[p], events[i]);
			to = recover(f.fd, &kept, &dropped);
			assert_true(to >= 0);
			count = numbers(&f, to, found, 3001);
			if (policies[p] == POSIX_TRACE_APPEND) {
				assert_int_equal(count, events[i]);
				assert_int_equal(kept, events[i]);
				assert_int_equal(dropped, 0);
			}
			if (policies[p] == POSIX_TRACE_UNTIL_FULL)
				assert_int_equal(count + f.ctl->lost_log, events[i]);
			if (policies[p] == POSIX_TRACE_LOOP && events[i] > 0)
				assert_int_equal(found[count - 1], events[i] - 1);
			for (size_t n = 1; n < count; n++)
				assert_int_equal(found[n], found[n - 1] + 1);
			close(to);
			fixture_close(&f);
		}
}

static void names_and_attributes_come_along(void **state)
{
	struct log_fixture f;
	struct log_reader *log;
	uint64_t kept, dropped;
	trace_event_id_t id;
	const char *name;
	int to;

	make_incomplete(&f, POSIX_TRACE_APPEND, 50);
	to = recover(f.fd, &kept, &dropped);
	assert_true(to >= 0);
	assert_int_equal(log_reader_open(to, &log), 0);
	assert_memory_equal(log_reader_attr(log), &f.ctl->attr, sizeof(trace_attr_t));
	assert_true(log_reader_type(log, LAYOUT_USER_FIRST + 2, &id, &name));
	assert_int_equal(id, LAYOUT_USER_FIRST + 3);
	assert_string_equal(name, "type_3");
	assert_int_equal(log_reader_counts(log)->recorded, 50);
	log_reader_close(log);
	close(to);
	fixture_close(&f);
}

/* Recovery of a complete log changes nothing that can be read. */
static void a_complete_log_stays_what_it_is(void **state)
{
	for (size_t p = 0; p < 3; p++) {
		struct fixture_run before, after;
		struct log_fixture f;
		struct log_reader *log;
		uint64_t kept, dropped;
		int to;

		fixture_open(&f, policies[p], SMALL, 128);
		fixture_add(&f, 1000);
		assert_int_equal(fixture_complete(&f), 0);
		before = fixture_check(&f, f.fd);
		to = recover(f.fd, &kept, &dropped);
		assert_true(to >= 0);
		after = fixture_check(&f, to);
		assert_int_equal(before.first, after.first);
		assert_int_equal(before.count, after.count);
		assert_int_equal(before.last_id, after.last_id);
		assert_int_equal(log_reader_open(to, &log), 0);
		assert_int_equal(log_reader_counts(log)->recorded, 1000);
		log_reader_close(log);
		close(to);
		fixture_close(&f);
	}
}

/* More of a file never gives fewer events, and always a run from the first on (APPEND). */
static void every_prefix_gives_what_is_whole(void **state)
{
	for (size_t p = 0; p < 3; p++) {
		uint64_t kept, dropped, found[400];
		struct log_fixture f;
		size_t last = 0;
		off_t size;

		fixture_open(&f, policies[p], SMALL, 128);
		fixture_add(&f, 100);
		assert_int_equal(log_writer_flush(f.writer), 0);
		fixture_add(&f, 250);
		assert_int_equal(fixture_complete(&f), 0);
		size = fixture_size(&f);
		for (size_t count; size >= 0; size--) {
			int to;

			assert_int_equal(ftruncate(f.fd, size), 0);
			to = recover(f.fd, &kept, &dropped);
			if (size < LOG_HEAD) {
				assert_int_equal(to, -EINVAL);
				continue;
			}
			assert_true(to >= 0);
			count = numbers(&f, to, found, 400);
			if (policies[p] != POSIX_TRACE_LOOP && count > 0)
				assert_int_equal(found[0], 0);
			assert_true(policies[p] == POSIX_TRACE_LOOP || last == 0 || count <= last);
			last = count;
			close(to);
		}
		fixture_close(&f);
	}
}

/* Blocks torn at random: all events that do not touch one are kept. */
static void torn_blocks_are_left_out(void **state)
{
	const uint64_t place = LOG_BLOCK_HEAD + 256;

	srandom(3);
	for (int round = 0; round < 300; round++) {
		uint64_t kept, dropped, before[400], after[400];
		struct log_fixture f;
		uint8_t torn[64];
		size_t n_before, n_after, missing;
		off_t at;
		int to;

		make_incomplete(&f, POSIX_TRACE_LOOP, 30 + (uint64_t)round);
		to = recover(f.fd, &kept, &dropped);
		n_before = numbers(&f, to, before, 400);
		close(to);
		at = LOG_HEAD + random() % (fixture_size(&f) - LOG_HEAD);
		memset(torn, 0xa5, sizeof(torn));
		assert_int_equal(pwrite(f.fd, torn, 1 + (size_t)random() % 64, at) > 0, 1);
		to = recover(f.fd, &kept, &dropped);
		assert_true(to >= 0);
		n_after = numbers(&f, to, after, 400);
		assert_int_equal(kept, n_after);
		/* Two blocks at most were hit; an event takes 40 bytes at least. */
		missing = n_before - n_after;
		assert_true(n_after <= n_before && missing <= 2 * (place / 40 + 2));
		assert_true(missing == 0 || dropped > 0);
		for (size_t i = 0, j = 0; i < n_after; i++) {
			while (j < n_before && before[j] != after[i])
				j++;
			assert_true(j < n_before);
		}
		close(to);
		fixture_close(&f);
	}
}

static void refuses_what_has_no_head_and_the_same_file(void **state)
{
	uint64_t kept = 7, dropped = 7;
	struct log_fixture f;
	int zeros = memfd_create("zeros", MFD_CLOEXEC), to = memfd_create("to", MFD_CLOEXEC);
	int input = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	assert_int_equal(ftruncate(zeros, 10000), 0);
	make_incomplete(&f, POSIX_TRACE_APPEND, 10);
	assert_int_equal(log_recover(zeros, to, &kept, &dropped), -EINVAL);
	assert_int_equal(log_recover(-1, to, &kept, &dropped), -EINVAL);
	assert_int_equal(log_recover(input, to, &kept, &dropped), -EINVAL);
	assert_int_equal(log_recover(f.fd, f.fd, &kept, &dropped), -EINVAL);
	assert_int_equal(log_recover(f.fd, -1, &kept, &dropped), -EBADF);
	assert_int_equal(log_recover(f.fd, input, &kept, &dropped), -EBADF);
	assert_int_equal(kept, 7);
	assert_int_equal(posix_trace_log_recover_np(f.fd, to, NULL, NULL), 0);
	assert_int_equal(posix_trace_log_recover_np(zeros, to, NULL, NULL), EINVAL);
	close(zeros);
	close(to);
	close(input);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_incomplete_log_is_recovered_whole),
	    cmocka_unit_test(names_and_attributes_come_along),
	    cmocka_unit_test(a_complete_log_stays_what_it_is),
	    cmocka_unit_test(every_prefix_gives_what_is_whole),
	    cmocka_unit_test(torn_blocks_are_left_out),
	    cmocka_unit_test(refuses_what_has_no_head_and_the_same_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
