/* test_names - event types by name and by trid, as controllers and traced processes open them. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <trace_np.h>

#include "child.h"

static trace_id_t stream_of(pid_t pid)
{
	trace_id_t trid = 0;

	assert_int_equal(posix_trace_create(pid, NULL, &trid), 0);
	return trid;
}

static trace_event_id_t open_name(const char *name)
{
	trace_event_id_t id = 0;

	assert_int_equal(posix_trace_eventid_open(name, &id), 0);
	return id;
}

static void by_name_and_by_trid(void **state)
{
	trace_event_id_t before = open_name("before"), id = 0;
	trace_id_t a = stream_of(0), b = stream_of(0);
	char name[TRACE_EVENT_NAME_MAX + 1];

	assert_int_equal(posix_trace_trid_eventid_open(a, "before", &id), 0);
	assert_int_equal(id, before);
	assert_int_equal(posix_trace_trid_eventid_open(a, "by trid", &id), 0);
	assert_int_equal(open_name("by trid"), id);
	assert_int_equal(posix_trace_eventid_get_name(b, id, name), 0);
	assert_string_equal(name, "by trid");
	assert_int_not_equal(posix_trace_eventid_equal(a, id, id), 0);
	assert_int_equal(posix_trace_eventid_equal(a, id, before), 0);
	assert_int_equal(posix_trace_shutdown(a), 0);
	assert_int_equal(posix_trace_shutdown(b), 0);
	assert_int_equal(posix_trace_trid_eventid_open(a, "x", &id), EINVAL);
	assert_int_equal(posix_trace_eventid_get_name(a, id, name), EINVAL);
}

/* A name that the controller opens before the target does, and one of the target's. */
static void for_another_process(void **state)
{
	int to[2], from[2];
	char name[TRACE_EVENT_NAME_MAX + 1], c;
	trace_event_id_t theirs, mine, id;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid_t pid = fork();
	if (pid == 0) {
		trace_event_id_t ids[2];

		if (read(to[0], &c, 1) != 1 || posix_trace_eventid_open("theirs", &ids[0]) != 0 ||
		    posix_trace_eventid_open("the controller's", &ids[1]) != 0)
			_exit(1);
		_exit(write(from[1], ids, sizeof(ids)) != sizeof(ids) || read(to[0], &c, 1) != 1);
	}
	trace_id_t trid = stream_of(pid);
	assert_int_equal(posix_trace_trid_eventid_open(trid, "the controller's", &mine), 0);
	assert_int_equal(write(to[1], "x", 1), 1);
	assert_int_equal(read(from[0], &theirs, sizeof(theirs)), sizeof(theirs));
	assert_int_equal(read(from[0], &id, sizeof(id)), sizeof(id));
	assert_int_equal(id, mine);
	assert_int_equal(posix_trace_eventid_get_name(trid, theirs, name), 0);
	assert_string_equal(name, "theirs");
	assert_int_equal(write(to[1], "x", 1), 1);
	assert_int_equal(child_wait(pid), 0);
	/* It is gone, and what it called things is still known. */
	assert_int_equal(posix_trace_eventid_get_name(trid, theirs, name), 0);
	assert_int_equal(posix_trace_shutdown(trid), 0);
}

/* More names than the target's table began with, seen after its end. */
static void many_names_of_a_dead_process(void **state)
{
	int to[2];
	char c, name[TRACE_EVENT_NAME_MAX + 1], expected[32];

	assert_int_equal(pipe(to), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (read(to[0], &c, 1) != 1)
			_exit(1);
		for (int i = 0; i < 1000; i++) {
			trace_event_id_t id;

			snprintf(name, sizeof(name), "n %d", i);
			posix_trace_eventid_open(name, &id);
		}
		exit(0);
	}
	trace_id_t trid = stream_of(pid);
	assert_int_equal(write(to[1], "x", 1), 1);
	assert_int_equal(child_wait(pid), 0);
	for (trace_event_id_t i = 0; i < 1000; i++) {
		trace_event_id_t id;

		snprintf(expected, sizeof(expected), "n %u", i);
		assert_int_equal(posix_trace_trid_eventid_open(trid, expected, &id), 0);
		assert_int_equal(posix_trace_eventid_get_name(trid, id, name), 0);
		assert_string_equal(name, expected);
	}
	assert_int_equal(posix_trace_shutdown(trid), 0);
}

static void descriptions_are_seen_by_the_controller(void **state)
{
	static const struct posix_trace_field_np fields[] = {
	    {.name = "n", .type = POSIX_TRACE_FIELD_INT_NP, .offset = 0, .size = 8},
	    {.name = "rest", .type = POSIX_TRACE_FIELD_BYTES_NP, .offset = 8, .size = 0},
	};
	struct posix_trace_field_np got[2];
	trace_event_id_t id = open_name("described");
	trace_id_t trid = stream_of(0);
	size_t n = 99;

	assert_int_equal(posix_trace_eventid_get_fields_np(trid, id, got, 2, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(posix_trace_eventid_describe_np(id, fields, 2), 0);
	assert_int_equal(posix_trace_eventid_get_fields_np(trid, id, got, 2, &n), 0);
	assert_int_equal(n, 2);
	assert_memory_equal(got, fields, sizeof(fields));
	assert_int_equal(posix_trace_eventid_describe_np(id, fields, SIZE_MAX), EINVAL);
	assert_int_equal(posix_trace_eventid_describe_np(4000, fields, 2), EINVAL);
	assert_int_equal(posix_trace_eventid_get_fields_np(trid, 4000, got, 2, &n), EINVAL);
	assert_int_equal(posix_trace_shutdown(trid), 0);
	assert_int_equal(posix_trace_eventid_get_fields_np(trid, id, got, 2, &n), EINVAL);
}

static void *open_and_compare(void *arg)
{
	trace_event_id_t *ids = arg;
	char name[32];

	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "threads %d", i);
		posix_trace_eventid_open(name, &ids[i]);
	}
	return NULL;
}

static void threads_agree(void **state)
{
	enum { N = 8 };
	static trace_event_id_t ids[N][200];
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, open_and_compare, ids[i]);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < N; i++)
		assert_memory_equal(ids[i], ids[0], sizeof(ids[0]));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(by_name_and_by_trid),
	    cmocka_unit_test(for_another_process),
	    cmocka_unit_test(many_names_of_a_dead_process),
	    cmocka_unit_test(descriptions_are_seen_by_the_controller),
	    cmocka_unit_test(threads_agree),
	};

	child_own_shm(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
