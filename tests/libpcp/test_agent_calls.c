/* What agents in shared objects call: profiles, maps of files, errors for pmcd. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "pcp_test.h"

static void test_profile(void **state)
{
	int ids[] = {1, 3};
	pmInDomProfile some = {
	    .indom = 5, .state = PM_PROFILE_EXCLUDE, .instances_len = 2, .instances = ids};
	pmProfile profile = {PM_PROFILE_INCLUDE, 1, &some};

	assert_int_equal(__pmInProfile(5, NULL, 3), 1);
	for (int inst = 0; inst < 5; inst++) {
		some.state = PM_PROFILE_EXCLUDE;
		assert_int_equal(__pmInProfile(5, &profile, inst), inst == 1 || inst == 3);
		some.state = PM_PROFILE_INCLUDE;
		assert_int_equal(__pmInProfile(5, &profile, inst), inst != 1 && inst != 3);
	}
	assert_int_equal(__pmInProfile(6, &profile, 1), 1);
	profile.state = PM_PROFILE_EXCLUDE;
	assert_int_equal(__pmInProfile(6, &profile, 1), 0);
}

static void test_map(void **state)
{
	char path[] = "/tmp/map.XXXXXX", text[6] = "";
	int fd = mkstemp(path);
	char *at;

	assert_int_equal(write(fd, "hello", 5), 5);
	at = __pmMemoryMap(fd, 5, 1);
	assert_non_null(at);
	at[0] = 'J';
	assert_int_equal(__pmMemoryUnmap(at, 5), 0);
	assert_int_equal(pread(fd, text, 5, 0), 5);
	assert_string_equal(text, "Jello");
	at = __pmMemoryMap(fd, 5, 0);
	assert_memory_equal(at, "Jello", 5);
	assert_int_equal(__pmMemoryUnmap(at, 5), 0);
	close(fd);
	unlink(path);
	assert_null(__pmMemoryMap(-1, 5, 0));
}

static void test_error(void **state)
{
	static const unsigned char want[] = {0, 0, 0, 16, 0,    0,    0x70, 0,
					     0, 0, 0, 42, 0xff, 0xff, 0xcf, 0xc7};
	unsigned char got[32];
	struct timespec now;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(__pmSendError(fds[1], 42, PM_ERR_GENERIC), 16);
	assert_int_equal(read(fds[0], got, sizeof(got)), 16);
	assert_memory_equal(got, want, sizeof(want));
	signal(SIGPIPE, SIG_IGN);
	close(fds[0]);
	assert_int_equal(__pmSendError(fds[1], 42, -1), -EPIPE);
	close(fds[1]);
	assert_int_equal(__pmSendError(-1, 42, -1), -EBADF);
	assert_int_equal(__pmGetTimespec(&now), 0);
	assert_true(now.tv_sec > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_profile),
	    cmocka_unit_test(test_map),
	    cmocka_unit_test(test_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
