/* test_listener - accepting clients: access rights, limits, and side effects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemons/pmcd/access.h"
#include "daemons/pmcd/config.h"
#include "daemons/pmcd/listener.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"

enum { FDS_FEW = 64, FDS_MORE = 128 };

static const char *swap_for; /* what takes the socket's place right after it was bound */

/* In the place of libc's: another user is as quick as can be. */
int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	const char *path = ((const struct sockaddr_un *)addr)->sun_path;
	long r = syscall(SYS_bind, fd, addr, len);

	if (r == 0 && swap_for != NULL) {
		assert_int_equal(unlink(path), 0);
		assert_int_equal(symlink(swap_for, path), 0);
	}
	return (int)r;
}

struct fixture {
	char dir[32], socket[64], victim[64];
	struct server server;
	struct options options;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return -1;
	snprintf(f->dir, sizeof(f->dir), "/tmp/listener-XXXXXX");
	if (mkdtemp(f->dir) == NULL)
		return -1;
	snprintf(f->socket, sizeof(f->socket), "%s/pmcd.socket", f->dir);
	snprintf(f->victim, sizeof(f->victim), "%s/victim", f->dir);
	memcpy(f->options.socket_path, f->socket, sizeof(f->socket));
	f->options.backlog = 1;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	swap_for = NULL;
	unlink(f->socket);
	unlink(f->victim);
	rmdir(f->dir);
	free(f);
	return 0;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 0777;
}

static void open_all(struct fixture *f)
{
	struct access_names names = access_names_quick();
	struct config config;

	assert_int_equal(server_init(&f->server, &f->options), 0);
	config_init(&config);
	assert_int_equal(access_new(&config, "none", &names, NULL, NULL, &f->server.access), 0);
	config_done(&config);
	assert_int_equal(server_listen(&f->server), 0);
}

static void close_all(struct fixture *f)
{
	server_done(&f->server);
}

static void test_everybody_may_connect(void **state)
{
	struct fixture *f = *state;
	mode_t mask = umask(077);

	open_all(f);
	assert_int_equal(mode_of(f->socket), 0666);
	assert_int_equal(umask(mask), 077);
	close_all(f);
}

/* The folder belongs to the user pcp, and root opens the socket in it. */
static void test_no_other_file_gets_other_rights(void **state)
{
	struct fixture *f = *state;
	int fd = open(f->victim, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
	swap_for = f->victim;
	open_all(f);
	assert_int_equal(mode_of(f->victim), 0600);
	close_all(f);
}

static void limit_descriptors(rlim_t n)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = n;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static int connect_to(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	memcpy(un.sun_path, path, strlen(path) + 1);
	assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	return fd;
}

/* prlimit(1) is what `pitot doctor` names when descriptors run short. */
static void test_a_limit_that_is_raised_counts(void **state)
{
	struct fixture *f = *state;
	struct rlimit before;
	int fds[FDS_FEW], client;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit_descriptors(FDS_FEW);
	open_all(f);
	limit_descriptors(FDS_MORE);
	for (int i = 0; i < FDS_FEW; i++)
		fds[i] = dup(STDOUT_FILENO);
	client = connect_to(f->socket);
	listeners_serve(&f->server.listeners, LISTENERS_ALL);
	for (int i = 0; i < 10 && f->server.clients.count == 0; i++)
		uv_run(&f->server.loop.uv, UV_RUN_ONCE);
	assert_int_equal(f->server.clients.count, 1);
	assert_false(f->server.listeners.starved);
	close(client);
	for (int i = 0; i < FDS_FEW; i++)
		close(fds[i]);
	close_all(f);
	limit_descriptors(before.rlim_cur);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_everybody_may_connect, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_no_other_file_gets_other_rights, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_a_limit_that_is_raised_counts, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
