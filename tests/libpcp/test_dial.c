/*
 * The first words on a connection, byte by byte, from a server that follows a script: through a
 * proxy, and with challenges that are none. And how a connection comes about at all (dial).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libbase/file.h"
#include "libpcp/dial.h"

#define CHALLENGE "\0\0\0\x14\0\0\x70\0\0\0\0\0\0\0\0\0\x02\x01\x0e\x44"
#define HELLO     "pmproxy-client 1\n"

/* The messages that the server expects and sends, in order. */
struct step {
	const char *expect; /* NULL: nothing, the script ends */
	size_t expect_len;
	const char *say;
	size_t say_len;
};

#define SAY(s)                                                                                     \
	{                                                                                          \
		"", 0, s, sizeof(s) - 1                                                            \
	}
#define ON(expect, s)                                                                              \
	{                                                                                          \
		expect, sizeof(expect) - 1, s, sizeof(s) - 1                                       \
	}

struct server {
	int listen_fd;
	int port;
	const struct step *steps;
	bool as_expected;
	pthread_t thread;
};

static void *serve(void *arg)
{
	struct server *s = arg;
	AUTO_FD int fd = accept(s->listen_fd, NULL, NULL);
	char got[256];

	s->as_expected = true;
	for (const struct step *step = s->steps; step->expect != NULL; step++) {
		if (file_read_full(fd, got, step->expect_len) < 0 ||
		    memcmp(got, step->expect, step->expect_len) != 0)
			s->as_expected = false;
		/* Each byte alone, so that nothing relies on what arrives together. */
		for (size_t i = 0; i < step->say_len; i++)
			send(fd, step->say + i, 1, MSG_NOSIGNAL);
	}
	/* The client's last word, and its end. */
	while (recv(fd, got, sizeof(got), 0) > 0)
		;
	return NULL;
}

static int listen_on(struct server *s)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);

	s->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(s->listen_fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(getsockname(s->listen_fd, (struct sockaddr *)&addr, &len), 0);
	s->port = ntohs(addr.sin_port);
	return s->port;
}

static void start(struct server *s, const struct step *steps)
{
	listen_on(s);
	assert_int_equal(listen(s->listen_fd, 1), 0);
	s->steps = steps;
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct server *s)
{
	assert_int_equal(pthread_join(s->thread, NULL), 0);
	close(s->listen_fd);
}

/* clang-format off */
static const struct {
	const char *name;
	bool proxy;
	int want; /* 0: a context */
	struct step steps[4];
} scripts[] = {
	{ "plain", false, 0, { SAY(CHALLENGE) } },
	{ "short challenge", false, PM_ERR_IPC, { SAY("\0\0\0\x10\0\0\x70\0\0\0\0\0\0\0\0\0") } },
	{ "refusal", false, PM_ERR_PERMISSION,
		{ SAY("\0\0\0\x14\0\0\x70\0\0\0\0\0\xff\xff\xfb\xee\0\0\0\0") } },
	{ "another PDU", false, PM_ERR_IPC, { SAY("\0\0\0\x10\0\0\x70\x04\0\0\0\0\0\0\0\0") } },
	{ "too short a PDU", false, PM_ERR_IPC, { SAY("\0\0\0\x0b\0\0\x70\0\0\0\0\0") } },
	{ "a huge PDU", false, PM_ERR_IPC, { SAY("\x7f\xff\xff\xff\0\0\x70\0\0\0\0\0") } },
	{ "HTTP", false, PM_ERR_IPC, { SAY("HTTP/1.1 400 Bad Request\r\n\r\n") } },
	{ "silence", false, PM_ERR_TIMEOUT, { {NULL} } },
	{ "proxy", true, 0, { ON(HELLO, "pmproxy-server 1\n"), ON("far 99\n", CHALLENGE) } },
	{ "proxy, return", true, 0, { ON(HELLO, "pmproxy-server 1\r"), ON("far 99\n", CHALLENGE) } },
	{ "another proxy", true, PM_ERR_IPC, { ON(HELLO, "pmproxy-server 2\n") } },
	{ "proxy, blank", true, PM_ERR_IPC, { ON(HELLO, "pmproxy-server 1 \n") } },
	{ "proxy, empty", true, PM_ERR_IPC, { ON(HELLO, "\n") } },
	{ "not a line", true, PM_ERR_IPC,
		{ ON(HELLO, "0123456789012345678901234567890123456789012345678901234567890123456789") } },
	{ "proxy refuses", true, PM_ERR_PERMISSION,
		{ ON(HELLO, "pmproxy-server 1\n"),
		  ON("far 99\n", "\0\0\0\x14\0\0\x70\0\0\0\0\0\xff\xff\xfb\xee\0\0\0\0") } },
};
/* clang-format on */

static void test_scripts(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		struct server server;
		char spec[64];
		int handle;

		print_message("%s\n", scripts[i].name);
		start(&server, scripts[i].steps);
		snprintf(spec, sizeof(spec),
			 scripts[i].proxy ? "far:99@127.0.0.1:%d" : "127.0.0.1:%d", server.port);
		handle = pmNewContext(PM_CONTEXT_HOST, spec);
		if (scripts[i].want < 0) {
			assert_int_equal(handle, scripts[i].want);
		} else {
			assert_true(handle >= 0);
			assert_int_equal(pmDestroyContext(handle), 0);
		}
		stop(&server);
		assert_true(server.as_expected);
	}
}

static void test_ports(void **state)
{
	struct server open;
	struct server closed;
	int ports[3] = {0, 70000, 0};
	int fd = -1;

	listen_on(&open);
	listen_on(&closed); /* bound, and not listening: refuses */
	assert_int_equal(listen(open.listen_fd, 1), 0);
	ports[0] = closed.port;
	ports[2] = open.port;
	assert_int_equal(dial_tcp("127.0.0.1", ports, 2, 1000, &fd), -ECONNREFUSED);
	assert_int_equal(dial_tcp("localhost", ports, 3, 1000, &fd), 0);
	close(fd);
	assert_int_equal(dial_tcp("127.0.0.1", ports, 0, 1000, &fd), -ECONNREFUSED);
	assert_int_equal(dial_tcp("", ports, 3, 1000, &fd), -EHOSTUNREACH);
	assert_int_equal(dial_tcp("no such host", ports, 3, 1000, &fd), -EHOSTUNREACH);
	close(open.listen_fd);
	close(closed.listen_fd);
}

/* If a listener accepts no connection the caller waits, but not longer than its time-out. */
static void test_unix(void **state)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	AUTO_FD int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char longer[200];
	uint64_t start_ms;
	int fds[8];
	int n = 0;
	int r;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(dial_unix(longer, 100, fds), -ENAMETOOLONG);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/tmp/test_handshake.%d", (int)getpid());
	assert_int_equal(dial_unix(addr.sun_path, 100, fds), -ENOENT);
	assert_int_equal(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(dial_unix(addr.sun_path, 100, fds), -ECONNREFUSED);
	assert_int_equal(listen(listener, 1), 0);
	start_ms = clock_mono_ms();
	do
		r = dial_unix(addr.sun_path, 100, &fds[n]);
	while (r == 0 && ++n < 8);
	assert_int_equal(r, -ETIMEDOUT);
	assert_true(clock_mono_ms() - start_ms >= 95);
	while (n-- > 0)
		close(fds[n]);
	unlink(addr.sun_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scripts),
	    cmocka_unit_test(test_ports),
	    cmocka_unit_test(test_unix),
	};

	setenv("PMCD_REQUEST_TIMEOUT", "0.3", 1);
	unsetenv("PMPROXY_HOST");
	unsetenv("PCP_CONTAINER");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
