/* test_limits - sysconf() answers for tracing, and the C library for everything else. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <trace_np.h>

long __sysconf(int name);

static void answers_tracing_names(void **state)
{
	static const struct {
		int name;
		long value;
	} rows[] = {
	    {_SC_TRACE, 200809},      {_SC_TRACE_EVENT_FILTER, 200809}, {_SC_TRACE_INHERIT, 200809},
	    {_SC_TRACE_LOG, 200809},  {_SC_TRACE_EVENT_NAME_MAX, 63},   {_SC_TRACE_NAME_MAX, 64},
	    {_SC_TRACE_SYS_MAX, 256}, {_SC_TRACE_USER_EVENT_MAX, 4096},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		errno = 77;
		assert_int_equal(sysconf(rows[i].name), rows[i].value);
		assert_int_equal(errno, 77);
	}
}

static void hands_on_the_rest(void **state)
{
	assert_int_equal(sysconf(_SC_PAGESIZE), __sysconf(_SC_PAGESIZE));
	assert_int_equal(sysconf(_SC_NPROCESSORS_ONLN), __sysconf(_SC_NPROCESSORS_ONLN));
	errno = 0;
	assert_int_equal(sysconf(-5), -1);
	assert_int_equal(errno, EINVAL);
}

static void tells_its_own(void **state)
{
	const struct posix_trace_event_info event = {.__posix_tid = 4711};

	assert_in_range(posix_trace_sysconf_np(POSIX_TRACE_NP_CLOCK), 1, 3);
	assert_int_equal(posix_trace_sysconf_np(POSIX_TRACE_NP_DATA_MAX), 1 << 20);
	assert_int_equal(posix_trace_sysconf_np(POSIX_TRACE_NP_REMAINS_BYTES), 64 << 20);
	assert_int_equal(posix_trace_sysconf_np(POSIX_TRACE_NP_REMAINS_SECONDS), 3600);
	assert_int_equal(posix_trace_sysconf_np(0), -1);
	assert_int_equal(posix_trace_sysconf_np(6), -1);
	assert_int_equal(posix_trace_event_tid_np(&event), 4711);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(answers_tracing_names),
	    cmocka_unit_test(hands_on_the_rest),
	    cmocka_unit_test(tells_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
