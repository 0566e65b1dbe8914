/*
 * test_flusher - streams with policy FLUSH: nothing is lost while the producer leaves time, room is
 * made without being asked, a full disk keeps what there is, and what was lost is counted exactly.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "child.h"
#include "controller.h"

static trace_id_t flushed_stream(int fd, size_t size)
{
	trace_attr_t attr;
	trace_id_t trid;

	posix_trace_attr_init(&attr);
	posix_trace_attr_setstreamsize(&attr, size);
	posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND);
	assert_int_equal(posix_trace_create_withlog(0, &attr, fd, &trid), 0);
	assert_int_equal(posix_trace_start(trid), 0);
	return trid;
}

static void record(uint64_t first, uint64_t count)
{
	for (uint64_t n = first; n < first + count; n++)
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, &n, sizeof(n));
}

static struct controller_log read_log(int fd, struct posix_trace_counts_np *ret_counts)
{
	struct controller_log log;
	trace_id_t trid;

	assert_int_equal(posix_trace_open(fd, &trid), 0);
	log = controller_read(trid);
	assert_int_equal(posix_trace_get_counts_np(trid, ret_counts), 0);
	assert_int_equal(posix_trace_close(trid), 0);
	return log;
}

static uint64_t unread(trace_id_t trid)
{
	struct posix_trace_counts_np counts;

	assert_int_equal(posix_trace_get_counts_np(trid, &counts), 0);
	return counts.recorded - counts.reported;
}

/* Twenty times what the stream holds, in portions of a third of it. */
static void a_producer_that_pauses_loses_nothing(void **state)
{
	struct posix_trace_status_info status;
	struct posix_trace_counts_np counts;
	int fd = memfd_create("log", MFD_CLOEXEC);
	trace_id_t trid = flushed_stream(fd, 65536);
	struct controller_log log;

	for (int i = 0; i < 60; i++) {
		record((uint64_t)i * 400, 400);
		assert_true(CHILD_UNTIL(unread(trid) < 900));
	}
	assert_int_equal(posix_trace_get_status(trid, &status), 0);
	assert_int_equal(status.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	log = read_log(fd, &counts);
	assert_true(log.whole);
	assert_int_equal(log.count, 60 * 400);
	assert_int_equal(log.stop, 0);
	assert_int_equal(counts.recorded, 60 * 400);
	assert_int_equal(counts.reported, 60 * 400);
	close(fd);
}

/* Somebody else who naps as long as an idle flusher does, on the same machine with the same load:
 * time is counted in his naps. */
static _Atomic int naps;
static _Atomic bool napping;

static void *nap_on(void *arg)
{
	while (atomic_load(&napping)) {
		child_nap_us(10000);
		atomic_fetch_add(&naps, 1);
	}
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Half of a stream at once is out, but for the quarter that may stay (512 records of 32 bytes) and
 * the chunk under way, after one nap of the flusher: another, who naps no less, sees the ends of
 * two. */
static void half_a_stream_is_out_soon(void **state)
{
	int fd = memfd_create("log", MFD_CLOEXEC), took[11];
	trace_id_t trid = flushed_stream(fd, 65536);
	struct posix_trace_counts_np counts;
	pthread_t other;

	atomic_store(&napping, true);
	assert_int_equal(pthread_create(&other, NULL, nap_on, NULL), 0);
	usleep(1200000); /* idle by now, or not: then it is sooner */
	for (uint64_t i = 0; i < 11; i++) {
		int start = atomic_load(&naps);

		record(i * 1000, 1000);
		do {
			usleep(1000);
			assert_int_equal(posix_trace_get_counts_np(trid, &counts), 0);
		} while (counts.reported < i * 1000 + 360 && atomic_load(&naps) - start < 3000);
		took[i] = atomic_load(&naps) - start;
	}
	atomic_store(&napping, false);
	pthread_join(other, NULL);
	qsort(took, 11, sizeof(took[0]), by_value);
	print_message("naps of 10 ms: %d, mostly %d, at most %d\n", took[0], took[5], took[10]);
	assert_true(took[5] <= 2);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	close(fd);
}

/* Nobody can keep up with this; but each event is in the log or counted. */
static void what_is_lost_is_counted(void **state)
{
	struct posix_trace_counts_np counts;
	struct posix_trace_event_info info;
	int fd = memfd_create("log", MFD_CLOEXEC), unavailable;
	trace_id_t trid = flushed_stream(fd, 65536), log;
	uint64_t number, seen = 0;
	size_t len;

	record(0, 1000000);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	assert_int_equal(posix_trace_open(fd, &log), 0);
	for (;;) {
		assert_int_equal(posix_trace_getnext_event(log, &info, &number, sizeof(number),
							   &len, &unavailable),
				 0);
		if (unavailable)
			break;
		seen += info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT;
	}
	assert_int_equal(posix_trace_get_counts_np(log, &counts), 0);
	assert_int_equal(counts.reported, seen);
	assert_int_equal(counts.reported + counts.lost_full + counts.discarded + counts.lost_log,
			 1000000);
	assert_int_equal(posix_trace_close(log), 0);
	close(fd);
}

/* Order and completeness with flushes, status and reading from other threads. */
/* Descriptors of the calling process for a file. */
static int descriptors(const struct stat *file)
{
	struct stat st;
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fstat(fd, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
	return n;
}

/* A child closes its parent's log: otherwise a disk could not be unmounted, and the reader of a
 * pipe would never see its end. */
static void a_child_does_not_hold_the_log(void **state)
{
	int fd = memfd_create("log", 0);
	trace_id_t trid = controller_stream(fd, POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND);
	struct stat st;
	pid_t pid;

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(descriptors(&st), 2);
	pid = fork();
	if (pid == 0)
		_exit(descriptors(&st));
	assert_int_equal(child_wait(pid), 1);
	assert_int_equal(descriptors(&st), 2);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	assert_int_equal(descriptors(&st), 1);
	close(fd);
}

static void *flush_all_the_time(void *arg)
{
	trace_id_t trid = *(trace_id_t *)arg;
	struct posix_trace_status_info status;

	while (posix_trace_flush(trid) == 0)
		posix_trace_get_status(trid, &status);
	return NULL;
}

static void flushes_from_everywhere(void **state)
{
	struct posix_trace_counts_np counts;
	int fd = memfd_create("log", MFD_CLOEXEC);
	trace_id_t trid = flushed_stream(fd, 1 << 20);
	struct controller_log log;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, flush_all_the_time, &trid), 0);
	for (int i = 0; i < 50; i++) {
		record((uint64_t)i * 500, 500);
		usleep(1000);
	}
	assert_int_equal(posix_trace_shutdown(trid), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	log = read_log(fd, &counts);
	assert_true(log.whole);
	assert_int_equal(log.count, 50 * 500);
	close(fd);
}

/* --- a full disk: a file system of 256 KiB, in a mount name space of our own --- */

static bool mount_small(const char *dir)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", dir, "tmpfs", 0, "size=256k") == 0;
}

/* Exit codes: 77 no mount; 0; the line that failed. */
#define WANT(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                    \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void fill_disk(const char *dir, int log_policy)
{
	struct posix_trace_status_info status;
	struct posix_trace_counts_np counts;
	struct posix_trace_event_info info;
	uint64_t number, next = 0, seen = 0;
	int fd, unavailable, r = 0;
	trace_id_t trid, log;
	trace_attr_t attr;
	char path[200];
	size_t len;

	if (!mount_small(dir))
		_exit(77);
	snprintf(path, sizeof(path), "%s/log", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	WANT(fd >= 0);
	posix_trace_attr_init(&attr);
	posix_trace_attr_setlogfullpolicy(&attr, log_policy);
	WANT(posix_trace_create_withlog(0, &attr, fd, &trid) == 0);
	WANT(posix_trace_start(trid) == 0);
	for (int i = 0; i < 200 && r == 0; i++, next += 300) {
		record(next, 300);
		usleep(3000);
		r = posix_trace_flush(trid);
	}
	WANT(r == ENOSPC);
	WANT(posix_trace_get_status(trid, &status) == 0);
	WANT(status.posix_stream_flush_error == ENOSPC);
	WANT(posix_trace_get_status(trid, &status) == 0);
	record(next, 300);
	next += 300;
	r = posix_trace_shutdown(trid);
	WANT(r == ENOSPC);
	WANT(posix_trace_open(fd, &log) == 0);
	for (;;) {
		WANT(posix_trace_getnext_event(log, &info, &number, sizeof(number), &len,
					       &unavailable) == 0);
		if (unavailable)
			break;
		if (info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT)
			WANT(number == seen++);
	}
	/* Most of the disk is used, and every event is accounted for. */
	WANT(seen > 3 * 65536 / 48 * 9 / 10);
	WANT(posix_trace_get_counts_np(log, &counts) == 0);
	WANT(counts.reported == seen);
	WANT(counts.reported + counts.lost_full + counts.lost_log + counts.discarded == next);
	WANT(counts.lost_log > 0);
	_exit(0);
}

static void a_full_disk_keeps_what_there_is(void **state)
{
	static const int policies[] = {POSIX_TRACE_APPEND, POSIX_TRACE_LOOP,
				       POSIX_TRACE_UNTIL_FULL};
	char dir[] = "/tmp/test_flusher.XXXXXX";
	int code;

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (pid == 0)
			fill_disk(dir, policies[i]);
		code = child_wait(pid);
		if (code == 77) {
			print_message("no mount without privilege\n");
			rmdir(dir);
			skip();
		}
		assert_int_equal(code, 0);
	}
	rmdir(dir);
}

static struct posix_trace_counts_np counts_of(trace_id_t trid)
{
	struct posix_trace_counts_np counts;

	assert_int_equal(posix_trace_get_counts_np(trid, &counts), 0);
	return counts;
}

static uint64_t lost_log(trace_id_t trid)
{
	return counts_of(trid).lost_log;
}

/* While a log that is full lets nothing be recorded, events are counted: the counts add up to what
 * was emitted. Not so after a stop, as for every stream. */
static void a_full_log_counts_what_comes(void **state)
{
	const uint64_t total = 20000;
	struct posix_trace_counts_np counts;
	struct posix_trace_status_info status;
	int fd = memfd_create("log", MFD_CLOEXEC);
	trace_attr_t attr;
	trace_id_t trid;
	uint64_t before;

	posix_trace_attr_init(&attr);
	posix_trace_attr_setstreamsize(&attr, 65536);
	posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL);
	posix_trace_attr_setlogsize(&attr, 65536);
	assert_int_equal(posix_trace_create_withlog(0, &attr, fd, &trid), 0);
	assert_int_equal(posix_trace_start(trid), 0);
	record(0, total);
	assert_int_equal(posix_trace_flush(trid), 0);
	assert_int_equal(posix_trace_get_status(trid, &status), 0);
	assert_int_equal(status.posix_log_full_status, POSIX_TRACE_FULL);
	assert_int_equal(status.posix_stream_status, POSIX_TRACE_SUSPENDED);
	counts = counts_of(trid);
	assert_int_equal(counts.recorded + counts.lost_full + counts.lost_attach, total);

	before = lost_log(trid);
	record(0, 1000);
	assert_int_equal(lost_log(trid), before + 1000);
	assert_int_equal(posix_trace_stop(trid), 0);
	record(0, 1000);
	assert_int_equal(lost_log(trid), before + 1000);
	assert_int_equal(posix_trace_start(trid), 0);
	record(0, 1000);
	assert_int_equal(lost_log(trid), before + 2000);

	assert_int_equal(posix_trace_get_status(trid, &status), 0);
	assert_int_equal(status.posix_stream_status, POSIX_TRACE_SUSPENDED);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	read_log(fd, &counts);
	assert_int_equal(counts.recorded + counts.lost_full + counts.lost_attach, total + 2000);
	assert_int_equal(counts.recorded, counts.reported + counts.lost_overwritten +
					      counts.lost_log + counts.discarded);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_producer_that_pauses_loses_nothing),
	    cmocka_unit_test(half_a_stream_is_out_soon),
	    cmocka_unit_test(what_is_lost_is_counted),
	    cmocka_unit_test(flushes_from_everywhere),
	    cmocka_unit_test(a_child_does_not_hold_the_log),
	    cmocka_unit_test(a_full_log_counts_what_comes),
	    cmocka_unit_test(a_full_disk_keeps_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
