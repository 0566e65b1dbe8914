/*
 * test_starved_server - every kind of request, and a reconfiguration, while each allocation fails
 * once, in turn: an error or a closed connection for that client, the same values as before for
 * another one, and agents that live on.
 *
 * Arguments: python3, the agent of the end-to-end tests, an agent in a shared object (linux).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/configure.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libbase/clock.h"
#include "libwire/pdu.h"
#include "starve.h"

enum {
	DOMAIN = 240,
	LINUX = 60,
	DEADLINE_MS = 60000,
	REPLIES_MAX = 8,
};

static struct server server;
static struct options options;
static char *const *words; /* our arguments */
static char dir[64];
static int log_fd, real_fd = -1;

/* Drops the collector's log, but prints messages of the test. */
static void quiet(bool on)
{
	if (real_fd < 0)
		real_fd = dup(STDERR_FILENO);
	dup2(on ? log_fd : real_fd, STDERR_FILENO);
}

#define MUST(cond, ...)                                                                            \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			starve_left = -1;                                                          \
			quiet(false);                                                              \
			fail_msg(__VA_ARGS__);                                                     \
		}                                                                                  \
	} while (0)

/*
 * A client
 */

struct talk {
	int fd;
	unsigned int nreply;
	uint32_t types[REPLIES_MAX];
	int codes[REPLIES_MAX]; /* of ERROR */
	struct buffer in;
	bool closed;
};

/* Takes whole PDUs out of what has come. */
static void talk_take(struct talk *t)
{
	struct pdu_header h;

	while (buffer_pending(&t->in) >= PDU_HEADER_LEN &&
	       pdu_header_get(buffer_head(&t->in), &h) == 0 && buffer_pending(&t->in) >= h.len) {
		if (t->nreply < REPLIES_MAX) {
			const uint8_t *p = buffer_head(&t->in);

			t->types[t->nreply] = h.type;
			t->codes[t->nreply] =
			    (int)((uint32_t)p[12] << 24 | p[13] << 16 | p[14] << 8 | p[15]);
			t->nreply++;
		}
		buffer_consume(&t->in, h.len);
	}
}

static void talk_read(struct talk *t)
{
	uint8_t bytes[65536];
	ssize_t n = recv(t->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	long left = starve_left;

	if (n == 0 || (n < 0 && errno != EAGAIN))
		t->closed = true;
	if (n <= 0)
		return;
	starve_left = -1; /* our own memory is not what is scarce */
	buffer_put(&t->in, bytes, (size_t)n);
	starve_left = left;
	talk_take(t);
}

static void turn(void)
{
	uv_run(&server.loop.uv, UV_RUN_NOWAIT);
	poll(NULL, 0, 0);
}

/* Runs the loop until there are so many replies, or the connection is closed. */
static void talk_until(struct talk *t, unsigned int nreply, const char *what)
{
	uint64_t end_ms = clock_mono_ms() + DEADLINE_MS;

	for (;;) {
		turn();
		talk_read(t);
		if (t->nreply >= nreply || t->closed)
			return;
		MUST(clock_mono_ms() < end_ms, "%s: no answer (%u of %u)", what, t->nreply, nreply);
	}
}

static void talk_start(struct talk *t)
{
	const struct sockaddr peer = {.sa_family = AF_UNIX};
	int fds[2];

	*t = (struct talk){0};
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0,
	     "socketpair");
	t->fd = fds[1];
	client_accept(&server, fds[0], &peer);
}

static void talk_end(struct talk *t)
{
	close(t->fd);
	buffer_done(&t->in);
	for (int i = 0; i < 3; i++)
		turn();
}

/*
 * Requests
 */

static const pmID ids[] = {DOMAIN << 22, DOMAIN << 22 | 1, 2 << 22 | 2, 2 << 22 | 6 << 10 | 1,
			   LINUX << 22 | 20 << 10};
static const struct wire_str pipe_name = {.s = "dyn240.one", .len = 10};
static const struct wire_str mixed_names[] = {
    {.s = "dyn240.one", .len = 10}, {.s = "pmcd.pid", .len = 8}, {.s = "no.such", .len = 7}};
static const struct wire_value one_value = {.inst = PM_IN_NULL, .insitu = 1};
static const struct wire_value first_value = {.inst = 0, .insitu = 1};
static const struct wire_value text_value = {
    .inst = PM_IN_NULL, .block_len = 10, .block = (const uint8_t *)"\6\0\0\12ctext\0"};
static const struct wire_vset stored[] = {
    {.pmid = DOMAIN << 22, .numval = 1, .valfmt = PM_VAL_INSITU, .values = &one_value},
    {.pmid = 2 << 22 | 8, .numval = 1, .valfmt = PM_VAL_INSITU, .values = &first_value}};
static const struct wire_vset container[] = {
    {.pmid = 2 << 22 | 6 << 10 | 2, .numval = 1, .valfmt = PM_VAL_DPTR, .values = &text_value}};
static const uint32_t plain_cred = 1u << 24 | 2u << 16;
static const uint32_t container_cred = 1u << 24 | 2u << 16 | PDU_FEATURE_CONTAINER;

struct row {
	const char *name;
	enum pdu_type type;
	uint32_t reply;
	union pdu_body body;
	bool profile; /* a PROFILE goes before it */
};

/* clang-format off */
#define INDOM(serial) ((pmInDom)(DOMAIN << 22 | (serial)))
static const struct row rows[] = {
	{ "fetch of all kinds", PDU_FETCH, PDU_RESULT, { .fetch = { 0, 5, ids } }, true },
	{ "highres fetch", PDU_HIGHRES_FETCH, PDU_HIGHRES_RESULT, { .fetch = { 0, 5, ids } }, true },
	{ "fetch of a process", PDU_FETCH, PDU_RESULT, { .fetch = { 0, 1, ids } }, true },
	{ "fetch of the collector", PDU_FETCH, PDU_RESULT, { .fetch = { 0, 2, ids + 2 } }, true },
	{ "fetch of an object", PDU_FETCH, PDU_RESULT, { .fetch = { 0, 1, ids + 4 } }, true },
	{ "desc, process", PDU_DESC_REQ, PDU_DESC, { .desc_req = { DOMAIN << 22 } }, false },
	{ "desc, collector", PDU_DESC_REQ, PDU_DESC, { .desc_req = { 2 << 22 } }, false },
	{ "desc, object", PDU_DESC_REQ, PDU_DESC, { .desc_req = { LINUX << 22 | 20 << 10 } }, false },
	{ "descs", PDU_DESC_IDS, PDU_DESCS, { .desc_ids = { 5, ids } }, false },
	{ "instances, process", PDU_INSTANCE_REQ, PDU_INSTANCE,
	  { .instance_req = { INDOM(1), PM_IN_NULL, { NULL, 0 } } }, false },
	{ "instances, collector", PDU_INSTANCE_REQ, PDU_INSTANCE,
	  { .instance_req = { 2 << 22 | 6, PM_IN_NULL, { NULL, 0 } } }, false },
	{ "instances, object", PDU_INSTANCE_REQ, PDU_INSTANCE,
	  { .instance_req = { LINUX << 22 | 2, PM_IN_NULL, { NULL, 0 } } }, false },
	{ "text, process", PDU_TEXT_REQ, PDU_TEXT,
	  { .text_req = { DOMAIN << 22, PM_TEXT_PMID | PM_TEXT_ONELINE } }, false },
	{ "text, collector", PDU_TEXT_REQ, PDU_TEXT,
	  { .text_req = { 2 << 22 | 2, PM_TEXT_PMID | PM_TEXT_ONELINE } }, false },
	{ "text, object", PDU_TEXT_REQ, PDU_TEXT,
	  { .text_req = { LINUX << 22 | 20 << 10, PM_TEXT_PMID | PM_TEXT_ONELINE } }, false },
	{ "labels, context", PDU_LABEL_REQ, PDU_LABEL, { .label_req = { PM_ID_NULL, PM_LABEL_CONTEXT } }, false },
	{ "labels, collector", PDU_LABEL_REQ, PDU_LABEL, { .label_req = { 2, PM_LABEL_DOMAIN } }, false },
	{ "labels, process", PDU_LABEL_REQ, PDU_LABEL, { .label_req = { DOMAIN, PM_LABEL_DOMAIN } }, false },
	{ "labels, object", PDU_LABEL_REQ, PDU_LABEL, { .label_req = { LINUX, PM_LABEL_DOMAIN } }, false },
	{ "labels, instances", PDU_LABEL_REQ, PDU_LABEL, { .label_req = { INDOM(1), PM_LABEL_INSTANCES } }, true },
	{ "name", PDU_PMNS_NAMES, PDU_PMNS_IDS, { .pmns_names = { 1, &pipe_name, NULL } }, false },
	{ "names", PDU_PMNS_NAMES, PDU_PMNS_IDS, { .pmns_names = { 3, mixed_names, NULL } }, false },
	{ "names of a PMID", PDU_PMNS_IDS, PDU_PMNS_NAMES, { .pmns_ids = { 0, 1, ids } }, false },
	{ "children", PDU_PMNS_CHILD, PDU_PMNS_NAMES, { .pmns_child = { 1, { "pmcd", 4 } } }, false },
	{ "children, process", PDU_PMNS_CHILD, PDU_PMNS_NAMES, { .pmns_child = { 1, { "dyn240", 6 } } }, false },
	{ "traverse", PDU_PMNS_TRAVERSE, PDU_PMNS_NAMES, { .pmns_child = { 0, { "", 0 } } }, false },
	{ "store", PDU_RESULT, PDU_ERROR, { .result = { 0, 0, 2, stored } }, false },
	{ "container", PDU_RESULT, PDU_ERROR, { .result = { 0, 0, 1, container } }, false },
	{ "introduction with a container", PDU_CREDS, 0, { .creds = { 1, &container_cred } }, false },
};
/* clang-format on */

static void put(struct buffer *out, enum pdu_type type, const union pdu_body *body)
{
	MUST(pdu_encode(out, type, 0, body) == 0, "pdu_encode");
}

/* Everything that a client sends for this row, its introduction too. */
static void put_row(struct buffer *out, const struct row *row)
{
	union pdu_body creds = {.creds = {1, &plain_cred}};
	union pdu_body profile = {.profile = {.profile = {.state = PM_PROFILE_INCLUDE}}};
	union pdu_body attr = {.attr = {PDU_ATTR_CONTAINER, {"abc", 3}}};
	union pdu_body desc = {.desc_req = {2 << 22}};

	if (row->type != PDU_CREDS)
		put(out, PDU_CREDS, &creds);
	if (row->profile)
		put(out, PDU_PROFILE, &profile);
	put(out, row->type, &row->body);
	if (row->type == PDU_CREDS) {
		put(out, PDU_ATTR, &attr);
		put(out, PDU_DESC_REQ, &desc);
	}
}

/*
 * One row, one allocation
 */

static bool agents_live(void)
{
	for (unsigned int i = 0; i < server.agents.count; i++) {
		if (server.agents.all[i]->state != AGENT_READY)
			return false;
	}
	return true;
}

/* Another client, which is there all the time, gets what it always gets. */
static void check_others(struct talk *other, const char *what, long n)
{
	struct buffer ask = BUFFER_INIT;
	union pdu_body fetch = {.fetch = {0, 5, ids}};
	unsigned int last;

	MUST(agents_live(), "%s, allocation %ld: an agent was lost", what, n);
	put(&ask, PDU_FETCH, &fetch);
	MUST(send(other->fd, ask.data, ask.len, 0) == (ssize_t)ask.len, "send");
	buffer_done(&ask);
	other->nreply = 0;
	do {
		talk_until(other, other->nreply + 1, what);
		MUST(!other->closed, "%s, allocation %ld: another client was closed", what, n);
		last = other->nreply - 1;
	} while (other->types[last] == PDU_ERROR && other->codes[last] > 0); /* changes */
	MUST(other->types[last] == PDU_RESULT, "%s, allocation %ld: another client got %#x %d",
	     what, n, other->types[last], other->codes[last]);
}

/* The last reply: what was asked for, or an error. */
static void check_reply(const struct talk *t, const struct row *row, long n)
{
	uint32_t type;

	if (t->closed || t->nreply == 0)
		return;
	type = t->types[t->nreply - 1];
	if (type == PDU_ERROR && t->codes[t->nreply - 1] != 0) {
		MUST(n >= 0, "%s: error %d with all memory", row->name, t->codes[t->nreply - 1]);
		return;
	}
	MUST(type == (row->reply != 0 ? row->reply : (uint32_t)PDU_DESC),
	     "%s, allocation %ld: answered by %#x", row->name, n, type);
}

/* True if the allocation was reached. */
static bool once(const struct row *row, const struct buffer *bytes, struct talk *other, long n)
{
	struct talk t;
	bool reached;

	starve_left = n;
	talk_start(&t);
	MUST(send(t.fd, bytes->data, bytes->len, MSG_NOSIGNAL) == (ssize_t)bytes->len ||
		 errno == EPIPE,
	     "send");
	talk_until(&t, 2, row->name);
	reached = n >= 0 && starve_left < 0;
	starve_left = -1;
	check_reply(&t, row, n);
	talk_end(&t);
	check_others(other, row->name, n);
	return reached;
}

static void other_start(struct talk *other)
{
	union pdu_body creds = {.creds = {1, &plain_cred}};
	union pdu_body profile = {.profile = {.profile = {.state = PM_PROFILE_INCLUDE}}};
	struct buffer hello = BUFFER_INIT;

	put(&hello, PDU_CREDS, &creds);
	put(&hello, PDU_PROFILE, &profile);
	talk_start(other);
	MUST(send(other->fd, hello.data, hello.len, 0) == (ssize_t)hello.len, "send");
	talk_until(other, 1, "challenge");
	buffer_done(&hello);
}

/* Spare requests keep memory from the last one: without them each request has to ask for its own.
 */
static void forget_spares(void)
{
	request_pool_done(&server);
	buffer_done(&server.clients.scratch);
}

static void requests(void **state)
{
	struct talk other;

	quiet(true);
	other_start(&other);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buffer bytes = BUFFER_INIT;
		bool reached = true;

		put_row(&bytes, &rows[i]);
		once(&rows[i], &bytes, &other, -1);
		for (long n = 0; reached; n++) {
			MUST(n < 3000, "%s: no end of allocations", rows[i].name);
			forget_spares();
			reached = once(&rows[i], &bytes, &other, n);
		}
		buffer_done(&bytes);
	}
	talk_end(&other);
	quiet(false);
}

/*
 * Reconfiguration
 */

static void write_config(void)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/pmcd.conf", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "pmcd 2 dso pmcd_init /built/in\nlinux 60 dso linux_init %s\n", words[3]);
	fprintf(f, "dyn240 240 pipe binary %s %s 240 flags=4\n", words[1], words[2]);
	fprintf(f, "\n[access]\nallow \"unix:\" : all;\nallow user \"*\" : all;\n");
	fclose(f);
}

static void reconfigure(const char *what, long n)
{
	uint64_t end_ms = clock_mono_ms() + DEADLINE_MS;

	server.reconfigure = true;
	do {
		turn();
		MUST(clock_mono_ms() < end_ms, "%s, allocation %ld: no end", what, n);
	} while (server.reconfigure || server.reconfiguring);
}

static void reconfigurations(void **state)
{
	static const char *const whats[] = {"SIGHUP without a change", "SIGHUP with a change"};
	struct talk other;

	quiet(true);
	other_start(&other);
	for (int change = 0; change < 2; change++) {
		bool reached = true;

		for (long n = 0; reached; n++) {
			MUST(n < 20000, "%s: no end of allocations", whats[change]);
			if (change)
				server.config_time.tv_nsec ^= 1;
			starve_left = n;
			reconfigure(whats[change], n);
			reached = starve_left < 0;
			starve_left = -1;
			check_others(&other, whats[change], n);
			if (change && n > 300)
				n += 40; /* names by the hundred, one like the other */
		}
	}
	talk_end(&other);
	quiet(false);
}

static int setup(void **state)
{
	static char *args[] = {"pmcd", "-f", "-p", "0", "-s", "", "-l", "-", "-c", NULL, NULL};
	static char path[128];
	uint64_t end_ms;

	strcpy(dir, "/tmp/starved-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	log_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	quiet(true);
	snprintf(path, sizeof(path), "%s/pmcd.conf", dir);
	setenv("PCP_CONF", "/dev/null", 1);
	setenv("PCP_VAR_DIR", dir, 1);
	setenv("PCP_SYSCONF_DIR", dir, 1);
	setenv("PCP_TMP_DIR", dir, 1);
	setenv("PCP_RUN_DIR", dir, 1);
	write_config();
	args[9] = path;
	if (options_parse(&options, 10, args) < 0 || server_init(&server, &options) < 0 ||
	    loop_watch_signals(&server.loop) < 0 || configure_read(&server) < 0)
		return -1;
	configure_start(&server);
	end_ms = clock_mono_ms() + DEADLINE_MS;
	while (!agents_live() && clock_mono_ms() < end_ms)
		turn();
	quiet(false);
	return agents_live() ? 0 : -1;
}

static int teardown(void **state)
{
	char path[128];

	quiet(true);
	server_done(&server);
	options_done(&options);
	quiet(false);
	close(log_fd);
	close(real_fd);
	snprintf(path, sizeof(path), "%s/pmcd.conf", dir);
	unlink(path);
	return rmdir(dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(requests),
	    cmocka_unit_test(reconfigurations),
	};

	if (argc < 4)
		return 77;
	words = argv;
	return cmocka_run_group_tests(tests, setup, teardown);
}
