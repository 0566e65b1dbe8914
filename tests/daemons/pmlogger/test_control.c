/*
 * test_control - the control port with a fake recorder: access, answers, their order, and waiting
 * (docs/spec/logger.md A7, A8, B).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>

#include "daemons/pmlogger/config.h"
#include "daemons/pmlogger/control_client.h"
#include "daemons/pmlogger/control_recorder.h"
#include "daemons/pmlogger/control_server.h"
#include "daemons/pmlogger/port_map.h"
#include "libbase/endian_be.h"
#include "libbase/file.h"

enum { LATER_MS = 30, DEADLINE_MS = 60000, CLIENTS = 16, HELD_MAX = 8 };

/* ---- A recorder: what is asked comes back, at once or a little later ------------------------- */

struct logger {
	bool later, never, primary;
	int max_version;
	int requests;
	int volume;
	char client[CONTROL_NAME_MAX];
};

struct held {
	uv_timer_t timer;
	control_answered answered;
	void *arg;
	uint32_t n;
	pmID pmid;
	int state;
};

static struct held *held_back[HELD_MAX]; /* answers that never come by themselves */
static int nheld;

static void answer(struct held *h)
{
	struct wire_value value = {.inst = PM_IN_NULL, .insitu = (uint32_t)h->state};
	struct wire_vset *sets = calloc(h->n, sizeof(*sets));

	assert_non_null(sets);
	for (uint32_t i = 0; i < h->n; i++)
		sets[i] = (struct wire_vset){h->pmid + i, 1, PM_VAL_INSITU, &value};
	h->answered(h->arg, 0, sets, h->n);
	free(sets);
}

static void free_held(uv_handle_t *handle)
{
	free(handle->data);
}

static void answer_late(uv_timer_t *timer)
{
	answer(timer->data);
	uv_close((uv_handle_t *)timer, free_held);
}

struct world {
	uv_loop_t loop;
	uv_async_t stop;
	pthread_t thread;
	struct logger logger;
	struct config config;
	struct control_server *server;
	int made;
	char dir[40];
};

static struct world *world;

static void recorder_control(struct logger *l, const struct pdu_log_control *request,
			     const char *client, control_answered answered, void *arg)
{
	struct held *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	l->requests++;
	snprintf(l->client, sizeof(l->client), "%s", client);
	*h = (struct held){.answered = answered,
			   .arg = arg,
			   .n = request->numpmid,
			   .pmid = request->sets[0].pmid,
			   .state = request->state};
	if (l->never) {
		held_back[nheld++] = h;
	} else if (l->later) {
		uv_timer_init(&world->loop, &h->timer);
		h->timer.data = h;
		uv_timer_start(&h->timer, answer_late, LATER_MS, 0);
	} else {
		if (request->control != PM_LOG_MANDATORY && request->control != PM_LOG_ADVISORY &&
		    request->control != PM_LOG_ENQUIRE)
			answered(arg, PM_ERR_IPC, NULL, 0);
		else
			answer(h);
		free(h);
	}
}

static int recorder_new_volume(struct logger *l, const char *cause)
{
	assert_string_equal(cause, "pmlc request");
	return ++l->volume;
}

static void recorder_status(struct logger *l, struct pdu_log_status *ret_status)
{
	*ret_status = (struct pdu_log_status){.start_sec = 1,
					      .start_nsec = 2000,
					      .now_sec = 3,
					      .state = 1,
					      .volume = l->volume,
					      .size = 600,
					      .pmcd_host = {"vm", 2},
					      .fqdn = {"local:", 6},
					      .pmcd_tz = {"UTC", 3},
					      .logger_tz = {"CET-1", 5}};
}

static void recorder_about(const struct logger *l, struct control_about *ret_about)
{
	*ret_about = (struct control_about){
	    .pmcd_host = "vm", .archive = "/archives/a", .primary = l->primary};
}

static const struct control_recorder recorder = {recorder_control, recorder_new_volume,
						 recorder_status, recorder_about};

/* ---- The world around it -------------------------------------------------------------------- */

static void stop(uv_async_t *async)
{
	control_server_free(world->server);
	uv_close((uv_handle_t *)async, NULL);
}

static void *run(void *arg)
{
	uv_run(&world->loop, UV_RUN_DEFAULT);
	return NULL;
}

/* Starts a server under these rules; what control_server_new says. */
static int start(const char *access)
{
	int r;

	config_init(&world->config);
	assert_int_equal(config_parse(&world->config, access, strlen(access), "conf", 60000), 0);
	uv_loop_init(&world->loop);
	r = control_server_new(&world->loop, &recorder, &world->logger, &world->config,
			       world->logger.max_version, &world->server);
	world->made = r == 0;
	if (r < 0)
		return r;
	uv_async_init(&world->loop, &world->stop, stop);
	control_server_publish(world->server);
	assert_int_equal(pthread_create(&world->thread, NULL, run, NULL), 0);
	return 0;
}

static void finish(void)
{
	if (world->made) {
		uv_async_send(&world->stop);
		pthread_join(world->thread, NULL);
	}
	world->made = 0;
	for (int i = 0; i < nheld; i++) {
		answer(held_back[i]);
		free(held_back[i]);
	}
	nheld = 0;
	assert_int_equal(uv_loop_close(&world->loop), 0);
	config_done(&world->config);
}

static int set_up(void **state)
{
	char text[128];

	world = calloc(1, sizeof(*world));
	if (world == NULL)
		return -1;
	world->logger.max_version = 3;
	snprintf(world->dir, sizeof(world->dir), "/tmp/control-XXXXXX");
	if (mkdtemp(world->dir) == NULL)
		return -1;
	setenv("PCP_TMP_DIR", world->dir, 1);
	setenv("PCP_RUN_DIR", world->dir, 1);
	setenv("HOME", world->dir, 1);
	snprintf(text, sizeof(text), "%d", 20000 + (int)getpid() % 30000);
	setenv("PMLOGGER_PORT", text, 1);
	setenv("PMLOGGER_REQUEST_TIMEOUT", "20", 1);
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

static int tear_down(void **state)
{
	file_remove_tree(world->dir);
	free(world);
	return 0;
}

static char *path_in(char *buf, const char *name)
{
	pmsprintf(buf, 128, "%s/%s", world->dir, name);
	return buf;
}

/* ---- Clients -------------------------------------------------------------------------------- */

static int by_pid(int *pid)
{
	int port = PM_LOG_NO_PORT;

	*pid = getpid();
	return __pmConnectLogger("local:", pid, &port);
}

static int by_port(const char *host)
{
	int pid = PM_LOG_NO_PID;
	int port = control_server_port(world->server);

	return __pmConnectLogger(host, &pid, &port);
}

static int ask(int fd, int control, int state, int n)
{
	pmResult *request = __pmAllocResult(n);
	pmValueSet *vset = calloc((size_t)n, sizeof(*vset));
	pmResult *status = NULL;
	int r;

	request->numpmid = n;
	for (int i = 0; i < n; i++) {
		vset[i].pmid = pmID_build(29, 0, 1) + (pmID)i;
		request->vset[i] = &vset[i];
	}
	r = __pmControlLog(fd, request, control, state, 1000, &status);
	if (r == 0) {
		assert_int_equal(status->numpmid, n);
		for (int i = 0; i < n; i++)
			assert_int_equal(status->vset[i]->pmid, vset[i].pmid);
		r = status->vset[0]->vlist[0].value.lval;
		pmFreeResult(status);
	}
	free(vset);
	free(request);
	return r;
}

/* A connection on which nothing is sent. */
static int raw(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s/pmlogger.%d.socket", world->dir,
		 (int)getpid());
	assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	return fd;
}

static void send_words(int fd, const uint32_t *words, size_t n)
{
	uint8_t bytes[256];

	for (size_t i = 0; i < n; i++)
		store_be32(bytes + 4 * i, words[i]);
	assert_int_equal(send(fd, bytes, 4 * n, MSG_NOSIGNAL), 4 * n);
}

/* The next PDU: its type; code is the third word. 0: the end. */
static int hear(int fd, int *from, int *code)
{
	uint8_t bytes[16];
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	ssize_t n;

	assert_int_equal(poll(&pfd, 1, DEADLINE_MS), 1);
	n = recv(fd, bytes, sizeof(bytes), MSG_WAITALL);
	if (n <= 0)
		return 0;
	assert_int_equal(n, sizeof(bytes));
	*from = (int)load_be32(bytes + 8);
	*code = (int)load_be32(bytes + 12);
	return (int)load_be32(bytes + 4);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static void comes_and_asks(void **state)
{
	static const char *const hosts[] = {"localhost", "127.0.0.1", "::1"};
	__pmLoggerStatus *status;
	int pid, fd;

	assert_int_equal(start(""), 0);
	fd = by_pid(&pid);
	assert_true(fd >= 0);
	assert_int_equal(pid, getpid());
	assert_int_equal(__pmVersionIPC(fd), 3);
	assert_int_equal(pitot_logger_request(fd, LOG_REQUEST_STATUS, &status), 0);
	assert_int_equal(status->start.nsec, 2000);
	assert_string_equal(status->pmcd.fqdn, "local:");
	assert_null(status->pmcd.zoneinfo);
	__pmFreeLogStatus(status, 1);
	assert_int_equal(pitot_logger_request(fd, LOG_REQUEST_NEWVOLUME, NULL), 1);
	assert_int_equal(pitot_logger_request(fd, LOG_REQUEST_SYNC, NULL), 0);
	assert_int_equal(ask(fd, PM_LOG_ENQUIRE, 0, 3), 0);
	assert_int_equal(ask(fd, PM_LOG_MANDATORY, PM_LOG_ON, 10000), PM_LOG_ON);
	assert_non_null(strstr(world->logger.client, ".socket"));
	close(fd);
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		fd = by_port(hosts[i]);
		/* A bare machine may be without IPv6. */
		if (fd < 0 && i == 2)
			continue;
		assert_true(fd >= 0);
		assert_int_equal(ask(fd, PM_LOG_ADVISORY, PM_LOG_OFF, 1), PM_LOG_OFF);
		close(fd);
	}
	finish();
}

static void version_two(void **state)
{
	__pmLoggerStatus *status;
	int pid, fd;

	world->logger.max_version = 2;
	assert_int_equal(start(""), 0);
	fd = by_pid(&pid);
	assert_int_equal(__pmVersionIPC(fd), 2);
	assert_int_equal(pitot_logger_request(fd, LOG_REQUEST_STATUS, &status), 0);
	assert_int_equal(status->start.nsec, 2000);
	assert_string_equal(status->pmlogger.timezone, "CET-1");
	__pmFreeLogStatus(status, 1);
	close(fd);
	finish();
}

/* Input that ends a connection, after a PM_ERR_IPC. */
static void wrong_pdus(void **state)
{
	static const struct {
		const char *what;
		uint32_t words[12];
		size_t n;
	} rows[] = {
	    {"unknown type", {12, 0x9000, 0}, 3},
	    {"a type of the collector", {16, 0x7004, 0, 1}, 4},
	    {"unknown request", {16, 0x8002, 0, 77}, 4},
	    {"request too short", {12, 0x8002, 0}, 3},
	    {"status before credentials", {16, 0x8002, 0, 2}, 4},
	    {"no metric", {28, 0x8000, 0, 13, 0, 0, 0}, 7},
	    {"metric missing", {36, 0x8000, 0, 13, 0, 0, 2, 1, 0}, 9},
	    {"2^31-1 instances", {36, 0x8000, 0, 13, 0, 0, 1, 1, 0x7fffffff}, 9},
	    {"shorter than a header", {11, 0x8002, 0}, 3},
	    {"longer than anything", {0x7fffffff, 0x8000, 0}, 3},
	    {"type below zero", {12, 0x80000000u, 0}, 3},
	};
	int from, code;

	assert_int_equal(start(""), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int fd = raw();

		assert_int_equal(hear(fd, &from, &code), PDU_ERROR);
		assert_int_equal(from, getpid());
		assert_int_equal(code, 3);
		send_words(fd, rows[i].words, rows[i].n);
		if (hear(fd, &from, &code) != PDU_ERROR || code != PM_ERR_IPC)
			fail_msg("%s: %d", rows[i].what, code);
		assert_int_equal(hear(fd, &from, &code), 0);
		close(fd);
	}
	assert_int_equal(world->logger.requests, 0);
	finish();
}

/* A bad control is answered, and does not end it. */
static void bad_control(void **state)
{
	int pid, fd;

	assert_int_equal(start(""), 0);
	fd = by_pid(&pid);
	assert_int_equal(ask(fd, 99, 0, 1), PM_ERR_IPC);
	assert_int_equal(ask(fd, PM_LOG_ENQUIRE, 0, 1), 0);
	close(fd);
	finish();
}

/* Requests that are sent all at once are answered one by one, in order; numbers in them show the
 * order. */
static void in_order(void **state)
{
	enum { N = 20 };
	int from, code, pid, fd;

	world->logger.later = true;
	assert_int_equal(start(""), 0);
	fd = by_pid(&pid);
	for (uint32_t i = 0; i < N; i++) {
		send_words(fd, (uint32_t[]){36, 0x8000, 0, 13, i, 0, 1, 7, 0}, 9);
		send_words(fd, (uint32_t[]){16, 0x8002, 0, 1}, 4);
	}
	for (int i = 0; i < N; i++) {
		uint8_t rest[28];

		assert_int_equal(hear(fd, &from, &code), PDU_RESULT);
		assert_int_equal(recv(fd, rest, sizeof(rest), MSG_WAITALL), sizeof(rest));
		assert_int_equal(load_be32(rest + 24), i);
		assert_int_equal(hear(fd, &from, &code), PDU_ERROR);
		assert_int_equal(code, i + 1);
	}
	close(fd);
	finish();
}

static void rights(void **state)
{
	static const struct {
		const char *access;
		int enquire, advisory, mandatory,
		    volume; /* or what the connection is refused with */
	} rows[] = {
	    {"", 0, PM_LOG_ON, PM_LOG_ON, 1},
	    {"[access] disallow * : mandatory;", 0, PM_LOG_ON, PM_ERR_PERMISSION,
	     PM_ERR_PERMISSION},
	    {"[access] disallow local:* : advisory;", 0, PM_ERR_PERMISSION, PM_LOG_ON, 1},
	    {"[access] disallow .* : all; disallow :* : all; disallow unix: : all except enquire;",
	     0, PM_ERR_PERMISSION, PM_ERR_PERMISSION, PM_ERR_PERMISSION},
	    {"[access] disallow * : all except enquire;", 0, PM_ERR_PERMISSION, PM_ERR_PERMISSION,
	     PM_ERR_PERMISSION},
	    {"[access] disallow * : all;", PM_ERR_PERMISSION, 0, 0, 0},
	    {"[access] disallow .* : all; disallow :* : all;", 0, PM_LOG_ON, PM_LOG_ON, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int pid, fd;

		world->logger.volume = 0;
		assert_int_equal(start(rows[i].access), 0);
		fd = by_pid(&pid);
		if (rows[i].enquire < 0) {
			assert_int_equal(fd, rows[i].enquire);
		} else {
			assert_true(fd >= 0);
			assert_int_equal(ask(fd, PM_LOG_ENQUIRE, 0, 1), rows[i].enquire);
			assert_int_equal(ask(fd, PM_LOG_ADVISORY, PM_LOG_ON, 1), rows[i].advisory);
			assert_int_equal(ask(fd, PM_LOG_MANDATORY, PM_LOG_ON, 1),
					 rows[i].mandatory);
			assert_int_equal(pitot_logger_request(fd, LOG_REQUEST_NEWVOLUME, NULL),
					 rows[i].volume);
			close(fd);
		}
		/* The last rule is about addresses alone. */
		if (i == 6)
			assert_int_equal(by_port("127.0.0.1"), PM_ERR_PERMISSION);
		finish();
	}
}

static void bad_rules(void **state)
{
	assert_int_equal(start("[access] allow * : all; disallow * : all;"), -EINVAL);
	finish();
	assert_int_equal(start("[access] allow no-such-host.invalid : all;"), -EINVAL);
	finish();
}

/* Sixteen, and then a refusal, until one goes. */
static void how_many(void **state)
{
	int fds[CLIENTS];
	int pid, fd;

	assert_int_equal(start(""), 0);
	for (int i = 0; i < CLIENTS; i++) {
		fds[i] = by_pid(&pid);
		assert_true(fds[i] >= 0);
	}
	assert_int_equal(by_port("127.0.0.1"), -EADDRINUSE);
	for (int i = 0; i < CLIENTS; i++)
		assert_int_equal(ask(fds[i], PM_LOG_ENQUIRE, 0, 1), 0);
	close(fds[3]);
	for (int tries = 0; (fd = by_pid(&pid)) == -EADDRINUSE && tries < 2000; tries++)
		usleep(10000);
	assert_true(fd >= 0);
	fds[3] = fd;
	for (int i = 0; i < CLIENTS; i++)
		close(fds[i]);
	finish();
}

/* One sends half a request, one asks for much and takes nothing, one's answer never comes. */
static void nobody_waits(void **state)
{
	enum { MANY = 200000, HALF = 6 };
	uint32_t *words = malloc((7 + 2 * MANY) * sizeof(*words));
	int half, deaf, pid, fd;

	assert_non_null(words);
	assert_int_equal(start(""), 0);
	half = raw();
	send_words(half, (uint32_t[]){36, 0x8000, 0, 13, 0, 0}, HALF);
	deaf = raw();
	words[0] = 28 + 8 * MANY;
	words[1] = 0x8000;
	words[2] = 0;
	words[3] = PM_LOG_ENQUIRE;
	words[4] = words[5] = 0;
	words[6] = MANY;
	for (uint32_t i = 0; i < MANY; i++) {
		words[7 + 2 * i] = i;
		words[8 + 2 * i] = 0;
	}
	for (size_t i = 0; i < 7 + 2 * MANY; i++)
		words[i] = htobe32(words[i]);
	assert_int_equal(send(deaf, words, (7 + 2 * MANY) * sizeof(*words), 0),
			 (7 + 2 * MANY) * sizeof(*words));
	fd = by_pid(&pid);
	assert_true(fd >= 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(ask(fd, PM_LOG_ENQUIRE, 0, 10), 0);
	close(fd);
	close(deaf);
	close(half);
	free(words);
	finish();
}

/* A request that is begun has to be finished. */
static void half_a_request(void **state)
{
	struct timespec begun, now;
	int from, code, fd;

	assert_int_equal(start(""), 0);
	fd = raw();
	assert_int_equal(hear(fd, &from, &code), PDU_ERROR);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	send_words(fd, (uint32_t[]){36, 0x8000, 0, 13}, 4);
	usleep(200000);
	send_words(fd, (uint32_t[]){0, 0}, 2); /* more of it moves nothing */
	assert_int_equal(hear(fd, &from, &code), 0);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_true(now.tv_sec - begun.tv_sec >= CONTROL_PDU_MS / 1000 - 1);
	close(fd);
	finish();
}

/* A client that disconnects before the answer, and a recorder that ends before it. */
static void gone_before(void **state)
{
	int pid, fd;

	world->logger.later = true;
	assert_int_equal(start(""), 0);
	for (int i = 0; i < 20; i++) {
		fd = by_pid(&pid);
		send_words(fd, (uint32_t[]){36, 0x8000, 0, 13, 0, 0, 1, 7, 0}, 9);
		close(fd);
	}
	fd = by_pid(&pid);
	assert_int_equal(ask(fd, PM_LOG_ENQUIRE, 0, 1), 0);
	close(fd);
	finish();
	world->logger.later = false;
	world->logger.never = true;
	assert_int_equal(start(""), 0);
	fd = by_pid(&pid);
	send_words(fd, (uint32_t[]){36, 0x8000, 0, 13, 0, 0, 1, 7, 0}, 9);
	while (world->logger.requests < 22)
		usleep(1000);
	finish();
	close(fd);
}

static void read_text(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
}

static void files(void **state)
{
	char path[128], link[128], text[256], expected[256];
	struct stat st;

	snprintf(text, sizeof(text), "pmlogger/%d", (int)getpid());
	path_in(path, text);
	path_in(link, "pmlogger/primary");
	world->logger.primary = true;
	/* Remains of dead recorders: a file, a socket and the link. */
	assert_int_equal(file_mkdirs(path_in(text, "pmlogger"), 0755), 0);
	fclose(fopen(path_in(text, "pmlogger/99999999"), "w"));
	fclose(fopen(path_in(text, "pmlogger.99999999.socket"), "w"));
	assert_int_equal(symlink(path_in(text, "pmlogger/99999999"), link), 0);
	assert_int_equal(start(""), 0);
	assert_int_equal(access(path_in(text, "pmlogger/99999999"), F_OK), -1);
	assert_int_equal(access(path_in(text, "pmlogger.99999999.socket"), F_OK), -1);
	snprintf(expected, sizeof(expected), "%d\nvm\n/archives/a\n",
		 control_server_port(world->server));
	read_text(path, text, sizeof(text));
	assert_string_equal(text, expected);
	read_text(link, text, sizeof(text));
	assert_string_equal(text, expected);
	assert_int_equal(stat(path_in(text, "pmlogger.primary.socket"), &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0666);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	finish();
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(lstat(link, &st), -1);
	assert_int_equal(lstat(path_in(text, "pmlogger.primary.socket"), &st), -1);
}

/* A fatal signal removes them too: only what is ours. */
static void unlinked(void **state)
{
	char path[128], link[128], text[128];
	struct stat st;

	world->logger.primary = true;
	assert_int_equal(start(""), 0);
	snprintf(text, sizeof(text), "pmlogger/%d", (int)getpid());
	path_in(path, text);
	path_in(link, "pmlogger/primary");
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("/another/4711", link), 0);
	port_map_remove();
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(lstat(link, &st), 0);
	finish();
	assert_int_equal(lstat(link, &st), 0);
}

/* A port that is taken is passed over. */
static void next_port(void **state)
{
	int first = atoi(getenv("PMLOGGER_PORT"));
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	const int one = 1;

	in.sin_port = htons((uint16_t)first);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* If another process already has the port, the test works too. */
	if (bind(fd, (struct sockaddr *)&in, sizeof(in)) == 0)
		assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(start(""), 0);
	assert_true(control_server_port(world->server) > first);
	close(fd);
	fd = by_port("127.0.0.1");
	assert_true(fd >= 0);
	close(fd);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(comes_and_asks, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(version_two, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(wrong_pdus, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(bad_control, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(in_order, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(rights, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(bad_rules, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(how_many, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(nobody_waits, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(half_a_request, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(gone_before, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(files, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(unlinked, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(next_port, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
