/*
 * test_logger_connect - finding a recorder, and its handshake: docs/spec/logger.md B2, B6. The
 * recorder is a listener in the test that sends the messages of a row.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <pcp/impl.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libwire/pdu.h"
#include "pcp_test.h"

enum { OURS = -7 /* in a row: this process's id */ };

static char dir[40];
static int unix_fd, tcp_fd, port;

static struct {
	enum pdu_type type;
	int from, code;
} greeting;

/* Greets one client after the other; notes what credentials it gets. */
static int creds_version;

static void greet(int fd)
{
	const union pdu_body body = {.error = {.code = greeting.code}};
	struct buffer out = BUFFER_INIT;
	int from = greeting.from == OURS ? (int)getpid() : greeting.from;
	__pmPDU *pdu;

	if (greeting.type == PDU_ERROR)
		pdu_encode(&out, PDU_ERROR, from, &body);
	else
		pdu_encode(&out, PDU_LOG_REQUEST, from, &(union pdu_body){.log_request = {1}});
	send(fd, buffer_head(&out), buffer_pending(&out), MSG_NOSIGNAL);
	buffer_done(&out);
	creds_version = 0;
	if (__pmGetPDU(fd, ANY_SIZE, 5, &pdu) == PDU_CREDS) {
		creds_version = ((uint8_t *)pdu)[17];
		__pmUnpinPDUBuf(pdu);
	}
	close(fd);
}

static void *serve(void *arg)
{
	int fd;

	while ((fd = accept(*(int *)arg, NULL, NULL)) >= 0)
		greet(fd);
	return NULL;
}

static void socket_name(struct sockaddr_un *un, const char *name)
{
	*un = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(un->sun_path, sizeof(un->sun_path), "%s/pmlogger.%s.socket", dir, name);
}

static int set_up(void **state)
{
	static pthread_t threads[2];
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_un un, primary;
	socklen_t len = sizeof(in);
	char pid[16], path[128];
	FILE *f;

	signal(SIGPIPE, SIG_IGN);
	snprintf(dir, sizeof(dir), "/tmp/logger-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	setenv("PCP_RUN_DIR", dir, 1);
	setenv("PCP_TMP_DIR", dir, 1);
	setenv("HOME", dir, 1);
	setenv("PMLOGGER_REQUEST_TIMEOUT", "20", 1);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	socket_name(&un, pid);
	socket_name(&primary, "primary");
	unix_fd = socket(AF_UNIX, SOCK_STREAM, 0);
	tcp_fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(unix_fd, (struct sockaddr *)&un, sizeof(un)) < 0 || listen(unix_fd, 5) < 0 ||
	    bind(tcp_fd, (struct sockaddr *)&in, sizeof(in)) < 0 || listen(tcp_fd, 5) < 0 ||
	    symlink(un.sun_path, primary.sun_path) < 0)
		return -1;
	getsockname(tcp_fd, (struct sockaddr *)&in, &len);
	port = ntohs(in.sin_port);
	snprintf(path, sizeof(path), "%s/pmlogger", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/pmlogger/%s", dir, pid);
	f = fopen(path, "w");
	fprintf(f, "%d\nvm\n/a\n", port);
	fclose(f);
	pthread_create(&threads[0], NULL, serve, &unix_fd);
	pthread_create(&threads[1], NULL, serve, &tcp_fd);
	return 0;
}

static int tear_down(void **state)
{
	file_remove_tree(dir);
	return 0;
}

/* OURS and PORT are replaced at run time. */
enum { PORT = -9 };

static const struct {
	const char *spec;
	int pid, port;
	int type, from, code;
	int result; /* 0: a connection, to OURS; else an error */
	int version;
} rows[] = {
    {"local:", OURS, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, 0, 3},
    {"unix:", OURS, PM_LOG_NO_PORT, PDU_ERROR, OURS, 2, 0, 2},
    {"local:", PM_LOG_PRIMARY_PID, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, 0, 3},
    {"local:", PM_LOG_NO_PID, PM_LOG_PRIMARY_PORT, PDU_ERROR, OURS, 9, 0, 3},
    {"localhost", OURS, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, 0, 3},
    {"127.0.0.1", PM_LOG_NO_PID, PORT, PDU_ERROR, OURS, 3, 0, 3},
    {"local:", PM_LOG_NO_PID, PORT, PDU_ERROR, OURS, 3, 0, 3},
    {"unix:PATH", PM_LOG_NO_PID, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, 0, 3},
    {"local://PATH", PM_LOG_NO_PID, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, 0, 3},
    /* No */
    {"local:", OURS, PM_LOG_NO_PORT, PDU_ERROR, 4711, 3, -ECONNREFUSED, 0},
    {"unix:", OURS, PM_LOG_NO_PORT, PDU_ERROR, 0, -EADDRINUSE, -EADDRINUSE, 0},
    {"unix:", OURS, PM_LOG_NO_PORT, PDU_ERROR, OURS, PM_ERR_PERMISSION, PM_ERR_PERMISSION, 0},
    {"unix:", OURS, PM_LOG_NO_PORT, PDU_ERROR, OURS, 1, PM_ERR_IPC, 0},
    {"unix:", OURS, PM_LOG_NO_PORT, PDU_LOG_REQUEST, OURS, 0, PM_ERR_IPC, 0},
    {"unix:", 99999999, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, -ECONNREFUSED, 0},
    {"local:", 99999999, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, -ECONNREFUSED, 0},
    {"local:", PM_LOG_ALL_PIDS, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, -ECONNREFUSED, 0},
    {"unix:/no/such/socket", OURS, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, -ENOENT, 0},
    {"localhost", PM_LOG_NO_PID, 1, PDU_ERROR, OURS, 3, -ECONNREFUSED, 0},
    {"no-such-host.invalid", OURS, PM_LOG_NO_PORT, PDU_ERROR, OURS, 3, -EHOSTUNREACH, 0},
};

static const char *spec_of(const char *text, char *buf, size_t size)
{
	const char *path = strstr(text, "PATH");
	struct sockaddr_un un;

	socket_name(&un, "primary");
	snprintf(buf, size, "%.*s%s", path == NULL ? (int)strlen(text) : (int)(path - text), text,
		 path == NULL ? "" : un.sun_path);
	return buf;
}

static void connections(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int pid = rows[i].pid == OURS ? (int)getpid() : rows[i].pid;
		int at = rows[i].port == PORT ? port : rows[i].port;
		char spec[160];
		int fd;

		greeting.type = (enum pdu_type)rows[i].type;
		greeting.from = rows[i].from;
		greeting.code = rows[i].code;
		fd = __pmConnectLogger(spec_of(rows[i].spec, spec, sizeof(spec)), &pid, &at);
		if (rows[i].result < 0 ? fd != rows[i].result : fd < 0)
			fail_msg("row %zu: %s: %d", i, spec, fd);
		if (fd < 0)
			continue;
		assert_int_equal(pid, getpid());
		assert_int_equal(__pmVersionIPC(fd), rows[i].version);
		shutdown(fd, SHUT_WR);
		assert_int_equal(recv(fd, spec, 1, 0), 0); /* it has read what there was */
		assert_int_equal(creds_version, rows[i].version);
		__pmCloseSocket(fd);
	}
}

/* The port that was found is returned. */
static void port_is_told(void **state)
{
	int pid = (int)getpid();
	int at = PM_LOG_NO_PORT;
	int fd;

	greeting.type = PDU_ERROR;
	greeting.from = OURS;
	greeting.code = 3;
	fd = __pmConnectLogger("localhost", &pid, &at);
	assert_true(fd >= 0);
	assert_int_equal(at, port);
	__pmCloseSocket(fd);
}

/* A folder with files that are none of a recorder's. */
static void bad_files(void **state)
{
	static const char *const texts[] = {"", "x\n", "0\nvm\n/a\n", "70000\nvm\n/a\n", "-1\n"};
	__pmLogPort *list;
	char path[128];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/pmlogger/1", dir);
		f = fopen(path, "w");
		fputs(texts[i], f);
		fclose(f);
		assert_int_equal(__pmLogFindPort(NULL, PM_LOG_ALL_PIDS, &list), 1);
		assert_int_equal(list[0].pid, getpid());
		assert_int_equal(list[0].port, port);
		assert_string_equal(list[0].pmcd_host, "vm");
		assert_string_equal(list[0].archive, "/a");
	}
	unlink(path);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(__pmLogFindPort(NULL, PM_LOG_ALL_PIDS, &list), 1);
	rmdir(path);
}

/* Without a name server or an address of this machine's name, as with them. */
static void who_is_this_machine(void **state)
{
	static const struct {
		const char *host;
		int answer;
	} hosts[] = {{"localhost", 1},    {"local:", 1},
		     {"local:/x", 1},     {"unix:/x", 1},
		     {"127.0.0.1", 1},    {"198.51.100.1", 0},
		     {"", -EHOSTUNREACH}, {"no such host", -EHOSTUNREACH}};
	char own[256] = "";

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		assert_int_equal(__pmIsLocalhost(hosts[i].host), hosts[i].answer);
	assert_int_equal(gethostname(own, sizeof(own) - 1), 0);
	assert_int_equal(__pmIsLocalhost(own), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(connections),
	    cmocka_unit_test(port_is_told),
	    cmocka_unit_test(bad_files),
	    cmocka_unit_test(who_is_this_machine),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
