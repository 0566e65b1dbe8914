/* rig - see rig.h. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/pmcd/configure.h"
#include "daemons/pmcd/options.h"
#include "libbase/endian_be.h"

enum {
	RIG_TURNS = 8, /* more than any chain of events of one connection */
	RIG_VALUES_MAX = 512,
	RIG_READ = 1 << 16,
};

struct server rig_server;
struct rig_clock rig_clock;
static struct options options;
static char dir[64], config_path[80];

/*
 * The clock
 */

static uint64_t rig_now_ms(const struct loop *l)
{
	return rig_clock.mono_ns / 1000000;
}

static uint64_t rig_mono_ns(const struct loop *l)
{
	rig_clock.mono_ns += rig_clock.step_ns;
	return rig_clock.mono_ns;
}

static uint64_t rig_idle_ns(const struct loop *l)
{
	return rig_clock.idle_ns;
}

static const struct loop_clock clock_ops = {rig_now_ms, rig_mono_ns, rig_idle_ns};

void rig_turn_once(void)
{
	uv_run(&rig_server.loop.uv, UV_RUN_NOWAIT);
}

void rig_turn(void)
{
	for (int i = 0; i < RIG_TURNS; i++)
		rig_turn_once();
}

void rig_pass(uint64_t ms)
{
	struct loop *l = &rig_server.loop;

	while (ms > 0) {
		uint64_t step = ms < LOOP_TICK_MS ? ms : LOOP_TICK_MS;

		rig_clock.mono_ns += step * 1000000;
		ms -= step;
		l->ops->tick(l->arg, loop_run_ms(l));
		rig_turn_once();
	}
	rig_turn();
}

/*
 * Start and end
 */

static void socket_path(unsigned int domain, char *path, size_t size)
{
	assert_true((size_t)snprintf(path, size, "%s/%u", dir, domain) < size);
}

static void write_config(const unsigned int *domains, unsigned int n)
{
	FILE *f = fopen(config_path, "we");
	char path[80];

	assert_non_null(f);
	fprintf(f, "pmcd 2 dso pmcd_init /built/in\n");
	for (unsigned int i = 0; i < n; i++) {
		socket_path(domains[i], path, sizeof(path));
		fprintf(f, "agent%u %u socket unix %s\n", domains[i], domains[i], path);
	}
	fclose(f);
}

static void set_environment(void)
{
	static const char *const names[] = {"PCP_VAR_DIR", "PCP_SYSCONF_DIR", "PCP_TMP_DIR",
					    "PCP_RUN_DIR"};

	setenv("PCP_CONF", "/dev/null", 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		setenv(names[i], dir, 1);
}

void rig_start(struct peer *agents, unsigned int n, const unsigned int *domains, bool late)
{
	static char *args[] = {"pmcd", "-f", "-p", "0", "-s", "", "-l", "-", "-c", NULL, NULL};

	strcpy(dir, "/tmp/rig-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(config_path, sizeof(config_path), "%s/pmcd.conf", dir);
	set_environment();
	write_config(domains, n);
	args[9] = config_path;
	assert_int_equal(options_parse(&options, 10, args), 0);
	options.restart_agents = false;
	assert_int_equal(server_init(&rig_server, &options), 0);
	rig_clock = (struct rig_clock){.mono_ns = uv_now(&rig_server.loop.uv) * 1000000};
	rig_server.loop.clock = &clock_ops;
	assert_int_equal(configure_read(&rig_server), 0);
	for (unsigned int i = 0; i < n; i++) {
		agents[i] = (struct peer){.listener = -1, .fd = -1, .domain = domains[i]};
		if (!late)
			rig_listen(&agents[i]);
	}
	configure_start(&rig_server);
}

void rig_start_ready(struct peer *agents, unsigned int n, const unsigned int *domains)
{
	rig_start(agents, n, domains, false);
	for (unsigned int i = 0; i < n; i++) {
		rig_accept(&agents[i]);
		rig_hello(&agents[i], 0);
	}
}

void rig_stop(void)
{
	server_done(&rig_server);
	options_done(&options);
	unlink(config_path);
	assert_int_equal(rmdir(dir), 0);
}

/*
 * Agents
 */

void rig_listen(struct peer *p)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	socket_path(p->domain, un.sun_path, sizeof(un.sun_path));
	p->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_true(p->listener >= 0);
	assert_int_equal(bind(p->listener, (struct sockaddr *)&un, sizeof(un)), 0);
	assert_int_equal(listen(p->listener, 8), 0);
}

void rig_accept(struct peer *p)
{
	rig_turn();
	p->fd = accept4(p->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	assert_true(p->fd >= 0);
	p->closed = false;
}

void rig_hello(struct peer *p, unsigned int features)
{
	uint32_t cred = pdu_cred_version(PDU_VERSION, features);
	union pdu_body creds = {.creds = {1, &cred}};
	struct peer_pdu pdu;

	peer_send(p, PDU_CREDS, 0, &creds);
	peer_expect(p, PDU_CREDS, &pdu);
	assert_int_equal(pdu.body.creds.numcred, 1);
	assert_int_equal(rig_agent(p)->state, AGENT_READY);
}

void rig_give(struct peer *p, const struct pdu_fetch *ask, uint32_t first, unsigned int changes)
{
	struct wire_value values[RIG_VALUES_MAX];
	struct wire_vset sets[RIG_VALUES_MAX];
	union pdu_body body = {.result = {.sec = changes, .numpmid = ask->numpmid, .vsets = sets}};

	assert_true(ask->numpmid <= RIG_VALUES_MAX);
	for (uint32_t i = 0; i < ask->numpmid; i++) {
		values[i] = (struct wire_value){.inst = PM_IN_NULL, .insitu = first + i};
		sets[i] = (struct wire_vset){ask->pmids[i], 1, PM_VAL_INSITU, &values[i]};
	}
	peer_send(p, PDU_RESULT, 0, &body);
}

void rig_serve_fetch(struct peer *p, uint32_t first)
{
	struct peer_pdu pdu;

	do
		peer_receive(p, &pdu);
	while (pdu.type == PDU_PROFILE);
	assert_int_equal(pdu.type, PDU_FETCH);
	rig_give(p, &pdu.body.fetch, first, 0);
}

/*
 * Clients
 */

void rig_connect(struct peer *p)
{
	const struct sockaddr peer = {.sa_family = AF_UNIX};
	struct peer_pdu pdu;
	int fds[2];

	*p = (struct peer){.listener = -1};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
	p->fd = fds[1];
	client_accept(&rig_server, fds[0], &peer);
	peer_expect(p, PDU_ERROR, &pdu);
	assert_int_equal(pdu.code, 0);
}

void rig_join(struct peer *p)
{
	uint32_t cred = pdu_cred_version(PDU_VERSION, 0);
	union pdu_body creds = {.creds = {1, &cred}};
	union pdu_body profile = {.profile = {.profile = {.state = PM_PROFILE_INCLUDE}}};

	rig_connect(p);
	peer_send(p, PDU_CREDS, 0, &creds);
	peer_send(p, PDU_PROFILE, 0, &profile);
	assert_true(peer_is_quiet(p));
}

struct client *rig_newest_client(void)
{
	struct client *newest = NULL;

	for (unsigned int i = 0; i < rig_server.clients.nslot; i++) {
		struct client *c = rig_server.clients.all[i];

		if (c != NULL && (newest == NULL || c->seq > newest->seq))
			newest = c;
	}
	assert_non_null(newest);
	return newest;
}

/*
 * Any peer
 */

void peer_send_bytes(struct peer *p, const void *bytes, size_t len)
{
	assert_int_equal(send(p->fd, bytes, len, MSG_NOSIGNAL), len);
}

void peer_send(struct peer *p, enum pdu_type type, int32_t from, const union pdu_body *body)
{
	struct buffer out = BUFFER_INIT;

	assert_int_equal(pdu_encode(&out, type, from, body), 0);
	peer_send_bytes(p, out.data, out.len);
	buffer_done(&out);
	rig_turn();
}

void peer_send_error(struct peer *p, int code)
{
	union pdu_body body = {.error = {.code = code}};

	peer_send(p, PDU_ERROR, 0, &body);
}

void peer_send_fetch(struct peer *p, const pmID *pmids, uint32_t n)
{
	union pdu_body body = {.fetch = {.numpmid = n, .pmids = pmids}};

	peer_send(p, PDU_FETCH, 0, &body);
}

void peer_send_desc_req(struct peer *p, pmID pmid)
{
	union pdu_body body = {.desc_req = {pmid}};

	peer_send(p, PDU_DESC_REQ, 0, &body);
}

/* Receives all that has come. True if there was any. */
static bool peer_read_now(struct peer *p)
{
	static uint8_t bytes[RIG_READ];
	bool any = false;
	ssize_t n;

	while ((n = recv(p->fd, bytes, sizeof(bytes), 0)) > 0) {
		buffer_put(&p->in, bytes, (size_t)n);
		any = true;
	}
	if (n == 0 || errno != EAGAIN)
		p->closed = true;
	return any;
}

/* Receives all that comes. */
static void peer_read(struct peer *p)
{
	do
		rig_turn();
	while (peer_read_now(p));
}

static bool has_pdu(const struct peer *p, struct pdu_header *ret_header)
{
	return buffer_pending(&p->in) >= PDU_HEADER_LEN &&
	       pdu_header_get(buffer_head(&p->in), ret_header) == 0 &&
	       buffer_pending(&p->in) >= ret_header->len;
}

void peer_receive(struct peer *p, struct peer_pdu *ret_pdu)
{
	struct pdu_header h;

	if (!has_pdu(p, &h))
		peer_read(p);
	if (!has_pdu(p, &h))
		fail_msg("no PDU has come%s", p->closed ? ": the connection is closed" : "");
	arena_reset(&p->mem);
	ret_pdu->type = h.type;
	ret_pdu->from = h.from;
	ret_pdu->len = h.len;
	ret_pdu->bytes = arena_alloc(&p->mem, h.len);
	assert_non_null(ret_pdu->bytes);
	memcpy(ret_pdu->bytes, buffer_head(&p->in), h.len);
	buffer_consume(&p->in, h.len);
	ret_pdu->code = (int)load_be32(ret_pdu->bytes + PDU_HEADER_LEN);
	assert_int_equal(pdu_decode(ret_pdu->bytes, h.len, &p->mem, &ret_pdu->body), 0);
}

void peer_expect(struct peer *p, enum pdu_type type, struct peer_pdu *ret_pdu)
{
	peer_receive(p, ret_pdu);
	if (ret_pdu->type != type)
		fail_msg("%s has come in place of %s (code %d)", pdu_name(ret_pdu->type),
			 pdu_name(type), ret_pdu->code);
}

void peer_expect_error(struct peer *p, int code)
{
	struct peer_pdu pdu;

	peer_expect(p, PDU_ERROR, &pdu);
	assert_int_equal(pdu.code, code);
}

void peer_skip(struct peer *p, unsigned int n)
{
	struct peer_pdu pdu;

	for (unsigned int i = 0; i < n; i++)
		peer_receive(p, &pdu);
}

static unsigned int count_pdus(const struct peer *p)
{
	const uint8_t *at = buffer_head(&p->in);
	size_t left = buffer_pending(&p->in);
	struct pdu_header h;
	unsigned int n = 0;

	while (left >= PDU_HEADER_LEN && pdu_header_get(at, &h) == 0 && left >= h.len) {
		at += h.len;
		left -= h.len;
		n++;
	}
	return n;
}

unsigned int peer_count(struct peer *p)
{
	peer_read(p);
	return count_pdus(p);
}

unsigned int peer_count_now(struct peer *p)
{
	peer_read_now(p);
	return count_pdus(p);
}

bool peer_is_quiet(struct peer *p)
{
	return peer_count(p) == 0 && !p->closed;
}

bool peer_is_closed(struct peer *p)
{
	peer_read(p);
	return p->closed;
}

void peer_close(struct peer *p)
{
	char path[80];

	if (p->fd >= 0)
		close(p->fd);
	if (p->listener >= 0) {
		close(p->listener);
		socket_path(p->domain, path, sizeof(path));
		unlink(path);
	}
	p->fd = p->listener = -1;
	buffer_done(&p->in);
	arena_done(&p->mem);
}
