/* test_service - messages to the service manager. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libbase/service.h"

/* A manager's socket in the abstract name space, and its name in the environment. */
static int listen_as_manager(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	int n = snprintf(un.sun_path, sizeof(un.sun_path), "@service-test-%d", (int)getpid());

	assert_true(fd >= 0);
	setenv("NOTIFY_SOCKET", un.sun_path, 1);
	un.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&un,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n)),
			 0);
	return fd;
}

static void assert_hears(int fd, const char *expected)
{
	char text[128];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text, expected);
}

static void tells_its_life(void **state)
{
	int fd = listen_as_manager();
	char ready[64];

	service_ready();
	snprintf(ready, sizeof(ready), "READY=1\nMAINPID=%d", (int)getpid());
	assert_hears(fd, ready);
	service_alive();
	assert_hears(fd, "WATCHDOG=1");
	service_stopping();
	assert_hears(fd, "STOPPING=1");
	close(fd);
}

static void is_silent_without_a_manager(void **state)
{
	char text[256];

	unsetenv("NOTIFY_SOCKET");
	service_ready();
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	setenv("NOTIFY_SOCKET", text, 1); /* too long for an address */
	service_ready();
	setenv("NOTIFY_SOCKET", "/proc/nonexistent/socket", 1);
	service_ready();
	unsetenv("NOTIFY_SOCKET");
}

static void knows_its_deadline(void **state)
{
	static const struct {
		const char *usec;
		const char *pid; /* "me": this process */
		uint64_t ms;
	} rows[] = {
	    {NULL, NULL, 0},
	    {"30000000", NULL, 30000},
	    {"30000000", "me", 30000},
	    {"30000000", "1", 0},
	    {"", "me", 0},
	    {"-5", "me", 0},
	    {"12x", "me", 0},
	    {"999", "me", 0},
	    {"99999999999999999999999", "me", 0},
	};
	char me[16];

	snprintf(me, sizeof(me), "%d", (int)getpid());
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsetenv("WATCHDOG_USEC");
		unsetenv("WATCHDOG_PID");
		if (rows[i].usec != NULL)
			setenv("WATCHDOG_USEC", rows[i].usec, 1);
		if (rows[i].pid != NULL)
			setenv("WATCHDOG_PID", strcmp(rows[i].pid, "me") == 0 ? me : rows[i].pid,
			       1);
		assert_int_equal(service_watchdog_ms(), rows[i].ms);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tells_its_life),
	    cmocka_unit_test(is_silent_without_a_manager),
	    cmocka_unit_test(knows_its_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
