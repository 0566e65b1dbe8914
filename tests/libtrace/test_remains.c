/*
 * test_remains - a stream without log whose controller was killed: its records can be listed, saved
 * as a complete log, and go away; one with a log, one that was shut down, or an empty one leaves
 * nothing.
 */
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
#include <utime.h>

#include <cmocka.h>

#include "child.h"
#include "controller.h"

/* Runs a controller without log until it kills itself; the number of events it recorded. */
static pid_t killed_controller(uint64_t events)
{
	struct controller_state *shared = child_shared(sizeof(*shared));
	pid_t pid = fork();

	if (pid == 0) {
		controller_stream(-1, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP);
		controller_record(shared, events);
		kill(getpid(), SIGKILL);
	}
	child_wait(pid);
	munmap(shared, sizeof(*shared));
	return pid;
}

/* The remains that a controller left, waiting for them. */
static bool find(pid_t controller, struct posix_trace_remains_np *ret)
{
	struct posix_trace_remains_np *list;
	size_t count, max;
	bool found = false;

	assert_int_equal(posix_trace_remains_np(NULL, 0, &max), 0);
	max += 100; /* others are killed meanwhile */
	list = calloc(max, sizeof(*list));
	assert_int_equal(posix_trace_remains_np(list, max, &count), 0);
	for (size_t i = 0; i < count && i < max; i++) {
		assert_true(i == 0 || list[i].ended.tv_sec > list[i - 1].ended.tv_sec ||
			    (list[i].ended.tv_sec == list[i - 1].ended.tv_sec &&
			     list[i].ended.tv_nsec >= list[i - 1].ended.tv_nsec));
		if (list[i].controller == controller) {
			*ret = list[i];
			found = true;
		}
	}
	free(list);
	return found;
}

static void a_killed_controller_leaves_them(void **state)
{
	struct posix_trace_remains_np remains;
	struct posix_trace_counts_np counts;
	struct controller_log log;
	int fd = memfd_create("saved", MFD_CLOEXEC);
	pid_t pid = killed_controller(100);
	trace_id_t trid;
	trace_attr_t attr;
	char name[TRACE_NAME_MAX];

	assert_true(CHILD_UNTIL(find(pid, &remains)));
	assert_string_equal(remains.name, "controller");
	assert_int_equal(remains.target, pid);
	assert_true(remains.bytes > 100 * 48);
	assert_true(remains.created.tv_sec > 0 && remains.ended.tv_sec >= remains.created.tv_sec);
	/* Kept when asked for. */
	assert_int_equal(posix_trace_remains_save_np(remains.id, fd, 1), 0);
	assert_true(find(pid, &remains));
	assert_int_equal(posix_trace_open(fd, &trid), 0);
	log = controller_read(trid);
	assert_true(log.whole && log.started);
	assert_int_equal(log.count, 100);
	assert_int_equal(log.stop, 0);
	assert_int_equal(posix_trace_get_attr(trid, &attr), 0);
	assert_int_equal(posix_trace_attr_getname(&attr, name), 0);
	assert_string_equal(name, "controller");
	assert_int_equal(posix_trace_get_counts_np(trid, &counts), 0);
	assert_int_equal(counts.reported, 100);
	assert_int_equal(posix_trace_close(trid), 0);
	/* Gone otherwise. */
	assert_int_equal(posix_trace_remains_save_np(remains.id, fd, 0), 0);
	assert_false(find(pid, &remains));
	assert_int_equal(posix_trace_remains_save_np(remains.id, fd, 0), ESRCH);
	close(fd);
}

static void saving_says_what_is_wrong(void **state)
{
	struct posix_trace_remains_np remains;
	pid_t pid = killed_controller(10);
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC),
	    in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("saved", MFD_CLOEXEC);

	assert_true(CHILD_UNTIL(find(pid, &remains)));
	assert_int_equal(posix_trace_remains_save_np(remains.id, -1, 0), EBADF);
	assert_int_equal(posix_trace_remains_save_np(remains.id, in, 0), EBADF);
	assert_int_equal(posix_trace_remains_save_np(remains.id, out, 0), EINVAL);
	assert_int_equal(posix_trace_remains_save_np(remains.id + 1, fd, 0), ESRCH);
	assert_true(find(pid, &remains));
	assert_int_equal(posix_trace_remains_save_np(remains.id, fd, 0), 0);
	close(in);
	close(out);
	close(fd);
}

static pid_t run(void (*body)(struct controller_state *shared))
{
	struct controller_state *shared = child_shared(sizeof(*shared));
	pid_t pid = fork();

	if (pid == 0) {
		body(shared);
		_exit(0);
	}
	child_wait(pid);
	munmap(shared, sizeof(*shared));
	return pid;
}

static void shuts_down(struct controller_state *shared)
{
	trace_id_t trid = controller_stream(-1, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP);

	controller_record(shared, 10);
	posix_trace_shutdown(trid);
}

static void exits(struct controller_state *shared)
{
	controller_stream(-1, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP);
	controller_record(shared, 10);
	exit(0);
}

static void records_nothing(struct controller_state *shared)
{
	controller_stream(-1, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP);
	kill(getpid(), SIGKILL);
}

static void reads_everything(struct controller_state *shared)
{
	trace_id_t trid = controller_stream(-1, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP);
	struct posix_trace_event_info info;
	int unavailable = 0;
	char data[1024];
	size_t len;

	controller_record(shared, 10);
	while (unavailable == 0)
		posix_trace_trygetnext_event(trid, &info, data, sizeof(data), &len, &unavailable);
	kill(getpid(), SIGKILL);
}

static void has_a_log(struct controller_state *shared)
{
	controller_stream(memfd_create("log", MFD_CLOEXEC), POSIX_TRACE_FLUSH, POSIX_TRACE_LOOP);
	controller_record(shared, 10);
	kill(getpid(), SIGKILL);
}

static void other_ends_leave_none(void **state)
{
	static void (*const bodies[])(struct controller_state *) = {
	    shuts_down, exits, records_nothing, reads_everything, has_a_log};
	struct posix_trace_remains_np remains;

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		pid_t pid = run(bodies[i]);

		usleep(100000);
		assert_false(find(pid, &remains));
	}
}

/* Their slots are free, and so is the room, within two seconds. */
static void the_slots_are_free(void **state)
{
	struct posix_trace_remains_np remains;
	int fd = memfd_create("saved", MFD_CLOEXEC);

	for (int i = 0; i < 5; i++) {
		pid_t pid = killed_controller(10);

		assert_true(CHILD_UNTIL(find(pid, &remains)));
		assert_int_equal(posix_trace_remains_save_np(remains.id, fd, 0), 0);
	}
	close(fd);
}

/* After an hour the next process that uses the folder removes them. */
static void old_ones_are_swept(void **state)
{
	struct posix_trace_remains_np remains;
	pid_t pid = killed_controller(10);
	struct timespec times[2] = {{0, UTIME_NOW}, {0, 0}};
	char path[100];

	assert_true(CHILD_UNTIL(find(pid, &remains)));
	times[1].tv_sec = remains.ended.tv_sec - 3700;
	snprintf(path, sizeof(path), "/dev/shm/pitot-%d/remains.%llu", (int)geteuid(),
		 (unsigned long long)remains.id);
	if (utimensat(AT_FDCWD, path, times, 0) != 0)
		skip(); /* they are in another folder: there is no /dev/shm */
	assert_false(find(pid, &remains));
	assert_int_equal(access(path, F_OK), -1);
}

/* Of more than may be kept the youngest stay. */
static void many_are_swept_oldest_first(void **state)
{
	enum { FILES = 300, BYTES = 1 << 20, STAY = 64 };
	struct posix_trace_remains_np list[4];
	struct timespec times[2] = {{0, UTIME_NOW}, {0, 0}};
	int left = 0, youngest = 0;
	char path[100];
	size_t n;

	if (!*(const bool *)*state)
		skip(); /* those of others would go, too */
	clock_gettime(CLOCK_REALTIME, &times[1]);
	for (int i = 0; i < FILES; i++) {
		int age = i * 7 % FILES; /* in no order */
		int fd;

		snprintf(path, sizeof(path), "/dev/shm/pitot-%d/remains.%d", (int)geteuid(),
			 1000 + age);
		fd = open(path, O_CREAT | O_WRONLY, 0600);
		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, BYTES), 0);
		times[1].tv_sec -= age;
		assert_int_equal(futimens(fd, times), 0);
		times[1].tv_sec += age;
		close(fd);
	}
	assert_int_equal(posix_trace_remains_np(list, 4, &n), 0);
	assert_int_equal(n, 0); /* none is a log */
	for (int age = 0; age < FILES; age++) {
		snprintf(path, sizeof(path), "/dev/shm/pitot-%d/remains.%d", (int)geteuid(),
			 1000 + age);
		if (unlink(path) == 0) {
			left++;
			youngest += age < left;
		}
	}
	assert_in_range(left, STAY - 1, STAY); /* there may be others too */
	assert_int_equal(youngest, left);
}

int main(int argc, char **argv)
{
	bool own = child_own_shm(argv);
	void *state = &own;
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_killed_controller_leaves_them),
	    cmocka_unit_test(saving_says_what_is_wrong),
	    cmocka_unit_test(other_ends_leave_none),
	    cmocka_unit_test(the_slots_are_free),
	    cmocka_unit_test(old_ones_are_swept),
	    cmocka_unit_test_prestate(many_are_swept_oldest_first, state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
