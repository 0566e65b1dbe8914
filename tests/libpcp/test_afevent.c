/* test_afevent - work at intervals: docs/spec/pmapi.md 24. */
#include "pcp_test.h"

enum { DEADLINE_MS = 60000 };

static const struct timeval often = {.tv_usec = 5000};
static const struct timeval rarely = {.tv_sec = 1000};
static volatile sig_atomic_t calls;
static volatile sig_atomic_t last;

static void count(int id, void *data)
{
	calls = calls + 1;
	last = id;
	errno = EXDEV; /* must not be seen outside */
}

static void give_up(int id, void *data)
{
	calls = calls + 1;
	assert_int_equal(__pmAFunregister(id), 0);
}

static void sleep_ms(int ms)
{
	__pmtimespecSleep((struct timespec){.tv_nsec = (long)ms * 1000000});
}

static void wait_for(int n)
{
	for (int ms = 0; calls < n && ms < DEADLINE_MS; ms++)
		sleep_ms(1);
	assert_true(calls >= n);
}

static void repeats(void **state)
{
	const struct timeval none = {0};
	int id, other;

	calls = 0;
	errno = 0;
	assert_int_equal(__pmAFisempty(), 1);
	other = __pmAFregister(&rarely, NULL, count);
	id = __pmAFregister(&often, NULL, count);
	assert_true(id > 0 && other > 0 && id != other);
	assert_int_equal(__pmAFisempty(), 0);
	wait_for(3);
	assert_int_equal(last, id);
	assert_int_not_equal(errno, EXDEV);
	assert_int_equal(__pmAFunregister(id), 0);
	assert_int_equal(__pmAFunregister(id), -1);
	assert_int_equal(__pmAFunregister(0), -1);
	calls = 0;
	sleep_ms(30);
	assert_int_equal(calls, 0);
	assert_int_equal(__pmAFunregister(other), 0);
	assert_int_equal(__pmAFisempty(), 1);
	assert_int_equal(__pmAFregister(&none, NULL, count), -EINVAL);
}

static void starts(void **state)
{
	int id = __pmAFsetup(&often, &rarely, NULL, count);

	calls = 0;
	wait_for(1);
	sleep_ms(20);
	assert_int_equal(calls, 1);
	__pmAFunregister(id);
}

static void blocks(void **state)
{
	int id;

	calls = 0;
	__pmAFblock();
	id = __pmAFregister(&often, NULL, count);
	sleep_ms(30);
	assert_int_equal(calls, 0);
	__pmAFunblock();
	wait_for(1);
	__pmAFunregister(id);
}

static void ends_itself(void **state)
{
	calls = 0;
	__pmAFregister(&often, NULL, give_up);
	wait_for(1);
	sleep_ms(20);
	assert_int_equal(calls, 1);
	assert_int_equal(__pmAFisempty(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(repeats),
	    cmocka_unit_test(starts),
	    cmocka_unit_test(blocks),
	    cmocka_unit_test(ends_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
