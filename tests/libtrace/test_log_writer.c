/* test_log_writer - logs by policy: what they hold, how large they get, what they do when there is
 * no room, and that another process can go on with them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/geometry.h"
#include "libtrace/log_format.h"
#include "libtrace/log_state.h"
#include "log_fixture.h"

#define BESIDE (256 * 1024)

static const struct {
	uint64_t size;
	uint32_t data_max;
} sizes[] = {
    {4 * 1184 + 1200, 1024}, {16384, 256},      {65536, 1024},      {100000, 4000},
    {1 << 20, 1024},         {1 << 20, 100000}, {3 << 20, 1 << 20},
};
#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void append_keeps_everything(void **state)
{
	for (size_t i = 0; i < N_SIZES; i++) {
		struct log_fixture f;
		struct fixture_run run;

		fixture_open(&f, POSIX_TRACE_APPEND, 1, sizes[i].data_max);
		assert_int_equal(fixture_add(&f, 5000), 0);
		assert_int_equal(fixture_complete(&f), 0);
		run = fixture_check(&f, f.fd);
		assert_int_equal(run.first, 0);
		assert_int_equal(run.count, 5000);
		fixture_close(&f);
	}
}

/* Sums of maximum sizes, as docs/spec/posix-trace.md 9.4 counts. */
static uint64_t sum_of_maxima(const struct log_fixture *f, uint64_t first, uint64_t count)
{
	uint8_t *data = malloc(f->ctl->attr.__data_size + 1);
	struct event event;
	uint64_t sum = 0;

	for (uint64_t n = first; n < first + count; n++) {
		fixture_event(f, n, &event, data);
		sum += geometry_user_event_max(event.length, f->ctl->attr.__data_size);
	}
	free(data);
	return sum;
}

/* Until much more than the log can take went by. */
static void overfill(struct log_fixture *f, uint64_t size)
{
	uint64_t bytes = 0;

	while (bytes < 4 * size + 2 * BESIDE) {
		assert_true(fixture_add(f, 50) >= 0);
		bytes += 50 * 40 + sum_of_maxima(f, f->next - 50, 50);
	}
}

static void loop_keeps_the_newest(void **state)
{
	for (size_t i = 0; i < N_SIZES; i++) {
		struct log_fixture f;
		struct fixture_run run;

		fixture_open(&f, POSIX_TRACE_LOOP, sizes[i].size, sizes[i].data_max);
		overfill(&f, sizes[i].size);
		assert_int_equal(fixture_complete(&f), 0);
		assert_true((uint64_t)fixture_size(&f) <= sizes[i].size + BESIDE);
		assert_int_equal(f.ctl->log_full, 1);
		assert_int_equal(f.ctl->log_overrun, 1);
		run = fixture_check(&f, f.fd);
		assert_int_equal(run.first + run.count, f.next);
		assert_int_equal(f.ctl->lost_log, f.next - run.count);
		/* The oldest event in part is one of the largest at most. */
		assert_true(sum_of_maxima(&f, run.first, run.count) +
				geometry_user_event_max(sizes[i].data_max, sizes[i].data_max) >=
			    sizes[i].size / 2);
		fixture_close(&f);
	}
}

static void until_full_keeps_the_oldest_and_a_stop(void **state)
{
	for (size_t i = 0; i < N_SIZES; i++) {
		struct log_fixture f;
		struct fixture_run run;

		fixture_open(&f, POSIX_TRACE_UNTIL_FULL, sizes[i].size, sizes[i].data_max);
		overfill(&f, sizes[i].size);
		assert_true(log_writer_full(f.writer));
		assert_int_equal(fixture_complete(&f), 0);
		assert_true((uint64_t)fixture_size(&f) <= sizes[i].size + BESIDE);
		run = fixture_check(&f, f.fd);
		assert_int_equal(run.first, 0);
		assert_int_equal(run.count + f.ctl->lost_log, f.next);
		assert_int_equal(run.last_id, POSIX_TRACE_STOP);
		assert_int_equal(run.last_data, 1);
		assert_true(sum_of_maxima(&f, 0, run.count + 1) >= sizes[i].size / 2);
		fixture_close(&f);
	}
}

static void until_full_without_stop_when_it_is_filtered(void **state)
{
	struct log_fixture f;
	struct fixture_run run;

	fixture_open(&f, POSIX_TRACE_UNTIL_FULL, 65536, 256);
	log_writer_set_stop(f.writer, false);
	overfill(&f, 65536);
	assert_int_equal(fixture_complete(&f), 0);
	run = fixture_check(&f, f.fd);
	assert_true(run.last_id >= POSIX_TRACE_UNNAMED_USEREVENT);
	fixture_close(&f);
}

/* A log of log-max-size / 2 of maximum sizes holds all, whatever the flushes in between. */
static void holds_half_of_its_size(void **state)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};

	for (size_t p = 0; p < 2; p++)
		for (size_t i = 0; i < N_SIZES; i++) {
			struct log_fixture f;
			struct fixture_run run;

			fixture_open(&f, policies[p], sizes[i].size, sizes[i].data_max);
			while (sum_of_maxima(&f, 0, f.next + 1) <= sizes[i].size / 2) {
				assert_int_equal(fixture_add(&f, 1), 0);
				if (f.next < 100)
					assert_int_equal(log_writer_flush(f.writer), 0);
			}
			assert_int_equal(fixture_complete(&f), 0);
			run = fixture_check(&f, f.fd);
			assert_int_equal(run.first, 0);
			assert_int_equal(run.count, f.next);
			fixture_close(&f);
		}
}

static void refuses_what_is_too_small(void **state)
{
	static const struct {
		int policy;
		uint64_t size;
		int want;
	} rows[] = {
	    {POSIX_TRACE_LOOP, 1, -EINVAL}, {POSIX_TRACE_UNTIL_FULL, 1, -EINVAL},
	    {POSIX_TRACE_LOOP, 0, -EINVAL}, {POSIX_TRACE_APPEND, 0, 0},
	    {POSIX_TRACE_LOOP, 65536, 0},   {POSIX_TRACE_LOOP, UINT64_MAX, 0},
	};
	int fd = memfd_create("log", MFD_CLOEXEC);
	trace_attr_t attr;

	posix_trace_attr_init(&attr);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		posix_trace_attr_setlogfullpolicy(&attr, rows[i].policy);
		attr.__log_size = rows[i].size;
		assert_int_equal(log_writer_check(fd, &attr), rows[i].want);
	}
	close(fd);
}

static void judges_descriptors(void **state)
{
	char path[] = "/tmp/test_log_writer.XXXXXX";
	int fd = mkstemp(path), pipes[2];
	trace_attr_t attr;

	assert_true(fd >= 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	posix_trace_attr_init(&attr);
	const struct {
		int fd, want;
	} rows[] = {
	    {fd, 0},
	    {-1, -EBADF},
	    {1 << 20, -EBADF},
	    {open(path, O_WRONLY | O_CLOEXEC), 0},
	    {open(path, O_WRONLY | O_APPEND | O_CLOEXEC), 0},
	    {open(path, O_RDONLY | O_CLOEXEC), -EBADF},
	    {open(path, O_PATH | O_CLOEXEC), -EBADF},
	    {open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC), -EBADF},
	    {open("/dev/full", O_WRONLY | O_CLOEXEC), -EINVAL},
	    {pipes[1], -EINVAL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(log_writer_check(rows[i].fd, &attr), rows[i].want);
		if (i > 2)
			close(rows[i].fd);
	}
	close(pipes[0]);
	close(fd);
	unlink(path);
}

/* Offset, content and flags of the caller's descriptor do not matter, and stay. */
static void begins_at_offset_zero(void **state)
{
	char path[] = "/tmp/test_log_writer.XXXXXX";
	int fd = mkstemp(path), out;
	struct log_fixture f;
	struct fixture_run run;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, path, sizeof(path)), sizeof(path));
	out = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(lseek(out, 5, SEEK_SET), 5);
	assert_int_equal(fixture_open_fd(&f, POSIX_TRACE_LOOP, 65536, 256, out), 0);
	overfill(&f, 65536);
	assert_int_equal(fixture_complete(&f), 0);
	assert_int_equal(lseek(out, 0, SEEK_CUR), 5);
	assert_true((fcntl(out, F_GETFL) & O_APPEND) != 0);
	run = fixture_check(&f, fd);
	assert_int_equal(run.first + run.count, f.next);
	fixture_close(&f);
	close(fd);
	unlink(path);
}

static void an_event_is_added_once(void **state)
{
	struct log_fixture f;
	struct event event;
	uint8_t data[257];

	fixture_open(&f, POSIX_TRACE_APPEND, 0, 256);
	assert_int_equal(fixture_add(&f, 10), 0);
	fixture_event(&f, 9, &event, data);
	assert_int_equal(log_writer_add(f.writer, &event, 10), 0);
	assert_int_equal(fixture_add(&f, 10), 0);
	assert_int_equal(fixture_complete(&f), 0);
	assert_int_equal(fixture_check(&f, f.fd).count, 20);
	fixture_close(&f);
}

static void clear_forgets_everything(void **state)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
				       POSIX_TRACE_APPEND};

	for (size_t p = 0; p < 3; p++)
		for (uint64_t before = 0; before < 3000; before += 700) {
			struct log_fixture f;
			struct fixture_run run;

			fixture_open(&f, policies[p], 65536, 512);
			assert_true(fixture_add(&f, before) >= 0);
			if (before % 1400 == 0)
				log_writer_flush(f.writer);
			assert_int_equal(log_writer_clear(f.writer), 0);
			assert_false(log_writer_full(f.writer));
			assert_int_equal(fixture_add(&f, 100), 0);
			assert_int_equal(fixture_complete(&f), 0);
			run = fixture_check(&f, f.fd);
			assert_int_equal(run.first, before);
			assert_int_equal(run.count, 100);
			fixture_close(&f);
		}
}

/* A child that clears the log and is killed before its k-th stop at a system call; false if it had
 * fewer. */
static bool clear_killed(const struct log_fixture *f, unsigned int k)
{
	pid_t pid = fork();
	bool alive = true;
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(log_writer_clear(f->writer) != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (unsigned int i = 0; i < k && alive; i++) {
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		alive = WIFSTOPPED(status);
	}
	if (!alive) {
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		return false;
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return true;
}

/* Another writer goes on: with all events, or with those after the clear, in a log that opens. */
static void killed_while_it_clears(void **state)
{
	bool alive = true;
	unsigned int k;

	for (k = 0; alive; k++) {
		struct log_fixture f;
		struct log_writer *dead;
		struct fixture_run run;

		fixture_open(&f, POSIX_TRACE_APPEND, 0, 512);
		assert_int_equal(fixture_add(&f, 500), 0);
		assert_int_equal(log_writer_flush(f.writer), 0);
		alive = clear_killed(&f, k);
		dead = f.writer;
		assert_int_equal(log_writer_resume(fcntl(log_writer_fd(dead), F_DUPFD_CLOEXEC, 3),
						   f.ctl, f.block, &f.types, &f.writer),
				 0);
		log_writer_close(dead);
		assert_int_equal(fixture_add(&f, 100), 0);
		assert_int_equal(fixture_complete(&f), 0);
		run = fixture_check(&f, f.fd);
		assert_true(run.count == 100 || (alive && run.count == 600));
		assert_int_equal(run.first + run.count, 600);
		fixture_close(&f);
	}
	assert_true(k > 3);
}

static void peek_gives_what_is_not_flushed(void **state)
{
	struct log_fixture f;
	struct event event, want;
	uint64_t position = 0;
	uint8_t data[513];

	fixture_open(&f, POSIX_TRACE_APPEND, 0, 512);
	assert_int_equal(log_writer_peek(f.writer, &position, &event), 0);
	assert_int_equal(fixture_add(&f, 20), 0);
	for (uint64_t n = 0; n < 20; n++) {
		assert_int_equal(log_writer_peek(f.writer, &position, &event), 1);
		fixture_event(&f, n, &want, data);
		assert_int_equal(event.length, want.length);
		assert_memory_equal(event.data, data, want.length);
	}
	assert_int_equal(log_writer_peek(f.writer, &position, &event), 0);
	assert_int_equal(fixture_add(&f, 20), 0);
	assert_int_equal(log_writer_flush(f.writer), 0);
	assert_int_equal(log_writer_peek(f.writer, &position, &event), 0);
	/* Round after round, blocks being written on the way: never an event twice, never one back.
	 */
	for (uint64_t least = f.next; f.next < 4000;) {
		assert_int_equal(fixture_add(&f, 7), 0);
		while (log_writer_peek(f.writer, &position, &event) == 1) {
			fixture_event(&f, least, &want, data);
			assert_true(event.real_ns >= want.real_ns);
			least++;
		}
	}
	fixture_close(&f);
}

/* The work of a keeper: another writer on the same memory and file, after the first one ended at
 * any time. */
static void another_goes_on(void **state)
{
	static const int policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
				       POSIX_TRACE_APPEND};

	for (size_t p = 0; p < 3; p++)
		for (uint64_t first = 0; first < 2500; first += 131) {
			struct log_fixture f;
			struct log_writer *dead;
			struct fixture_run run;

			fixture_open(&f, policies[p], 100000, 600);
			assert_true(fixture_add(&f, first) >= 0);
			if (first % 2 == 0)
				log_writer_flush(f.writer);
			dead = f.writer;
			assert_int_equal(
			    log_writer_resume(fcntl(log_writer_fd(dead), F_DUPFD_CLOEXEC, 3), f.ctl,
					      f.block, &f.types, &f.writer),
			    0);
			log_writer_close(dead);
			if (f.next > 0) /* the one that was under way comes again */
				f.next--;
			assert_true(fixture_add(&f, 300) >= 0);
			assert_int_equal(fixture_complete(&f), 0);
			run = fixture_check(&f, f.fd);
			if (policies[p] == POSIX_TRACE_LOOP)
				assert_int_equal(run.first + run.count, f.next);
			else
				assert_int_equal(run.count + f.ctl->lost_log, f.next);
			fixture_close(&f);
		}
}

/* A process that is killed after it has stored the new sum of replaced events, and not yet which
 * block it includes. */
static void a_replaced_block_counts_once(void **state)
{
	struct log_fixture f;
	struct log_state *s;
	struct log_writer *dead;
	struct fixture_run run;

	fixture_open(&f, POSIX_TRACE_LOOP, 65536, 512);
	s = (struct log_state *)f.block;
	assert_true(fixture_add(&f, 3000) >= 0);
	assert_true(s->accounted > 0);
	s->replaced[s->accounted % 2] = UINT64_MAX / 2;
	dead = f.writer;
	assert_int_equal(log_writer_resume(fcntl(log_writer_fd(dead), F_DUPFD_CLOEXEC, 3), f.ctl,
					   f.block, &f.types, &f.writer),
			 0);
	log_writer_close(dead);
	assert_true(fixture_add(&f, 1000) >= 0);
	assert_int_equal(fixture_complete(&f), 0);
	run = fixture_check(&f, f.fd);
	assert_int_equal(run.first + run.count, f.next);
	assert_int_equal(run.count + f.ctl->lost_log, f.next);
	fixture_close(&f);
}

/* --- no room --- */

static int xfsz_seen;

static void on_xfsz(int sig)
{
	xfsz_seen++;
}

/* Whatever the limit, the log is complete, begins with the first event, and every event is in it or
 * counted; the signal never comes. */
static void a_file_size_limit_is_an_error(void **state)
{
	static const rlim_t limits[] = {1000,  2000,   5000,   40000,  66000, 66500,
					70000, 131600, 132000, 200000, 300000};
	struct rlimit old, now;

	signal(SIGXFSZ, on_xfsz);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct posix_trace_counts_np counts;
		struct log_fixture f;
		struct log_reader *log;
		struct fixture_run run;
		int r, done;

		fixture_open(&f, POSIX_TRACE_APPEND, 0, 400);
		now = (struct rlimit){limits[i], old.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
		r = fixture_add(&f, 6000);
		done = fixture_complete(&f);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(done, -EFBIG);
		assert_int_equal(r, -EFBIG);
		assert_int_equal(f.ctl->flush_error, EFBIG);
		assert_true((rlim_t)fixture_size(&f) <= limits[i]);
		assert_int_equal(log_reader_open(f.fd, &log), 0);
		counts = *log_reader_counts(log);
		run = fixture_read(&f, log);
		assert_int_equal(run.count, counts.reported);
		assert_int_equal(counts.reported + counts.lost_log, f.next);
		assert_true(run.count == 0 || run.first == 0);
		if (limits[i] >= 5000)
			assert_true(run.count > 0);
		if (limits[i] > 132000) /* whole blocks that were written stay */
			assert_true((rlim_t)fixture_size(&f) > limits[i] / 2);
		log_reader_close(log);
		fixture_close(&f);
	}
	assert_int_equal(xfsz_seen, 0);
	signal(SIGXFSZ, SIG_DFL);
}

/* A limit that is removed in time: nothing is lost. */
static void goes_on_when_there_is_room_again(void **state)
{
	struct rlimit old, now;
	struct log_fixture f;
	struct fixture_run run;

	fixture_open(&f, POSIX_TRACE_APPEND, 0, 400);
	getrlimit(RLIMIT_FSIZE, &old);
	now = (struct rlimit){100000, old.rlim_max};
	setrlimit(RLIMIT_FSIZE, &now);
	assert_int_equal(fixture_add(&f, 100000), -EFBIG);
	assert_int_equal(log_writer_flush(f.writer), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(fixture_add(&f, 3000), 0);
	assert_int_equal(fixture_complete(&f), 0);
	run = fixture_check(&f, f.fd);
	assert_int_equal(run.first, 0);
	assert_int_equal(run.count, f.next);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(append_keeps_everything),
	    cmocka_unit_test(loop_keeps_the_newest),
	    cmocka_unit_test(until_full_keeps_the_oldest_and_a_stop),
	    cmocka_unit_test(until_full_without_stop_when_it_is_filtered),
	    cmocka_unit_test(holds_half_of_its_size),
	    cmocka_unit_test(refuses_what_is_too_small),
	    cmocka_unit_test(judges_descriptors),
	    cmocka_unit_test(begins_at_offset_zero),
	    cmocka_unit_test(an_event_is_added_once),
	    cmocka_unit_test(clear_forgets_everything),
	    cmocka_unit_test(killed_while_it_clears),
	    cmocka_unit_test(peek_gives_what_is_not_flushed),
	    cmocka_unit_test(another_goes_on),
	    cmocka_unit_test(a_replaced_block_counts_once),
	    cmocka_unit_test(a_file_size_limit_is_an_error),
	    cmocka_unit_test(goes_on_when_there_is_room_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
