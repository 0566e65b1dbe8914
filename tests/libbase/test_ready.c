/* test_ready - a descriptor is looked at once more after the deadline. */
#include "libbase/ready.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static void open_pipe(int ends[2])
{
	assert_int_equal(pipe(ends), 0);
}

static void close_pipe(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static void what_arrived_in_time(void **state)
{
	int ends[2];

	open_pipe(ends);
	assert_int_equal(ready_wait(ends[0], POLLIN, clock_mono_ms() - 1000), -ETIMEDOUT);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(ready_wait(ends[0], POLLIN, clock_mono_ms() - 1000), 0);
	assert_int_equal(ready_wait(ends[0], POLLIN, 0), 0);
	close_pipe(ends);
}

static void the_deadline_is_kept(void **state)
{
	uint64_t start = clock_mono_ms();
	int ends[2];

	open_pipe(ends);
	assert_int_equal(ready_wait(ends[0], POLLIN, start + 30), -ETIMEDOUT);
	assert_true(clock_mono_ms() >= start + 30);
	close_pipe(ends);
}

static void bad_descriptors(void **state)
{
	int ends[2];

	open_pipe(ends);
	close(ends[1]);
	assert_int_equal(ready_wait(ends[0], POLLIN, 0), 0); /* the end of it */
	close(ends[0]);
	assert_int_equal(ready_wait(ends[0], POLLIN, 0), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_arrived_in_time),
	    cmocka_unit_test(the_deadline_is_kept),
	    cmocka_unit_test(bad_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
