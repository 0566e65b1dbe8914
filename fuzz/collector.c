/* collector - see collector.h. */
#include "collector.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/configure.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "fuzz.h"
#include "libbase/arena.h"
#include "libwire/pdu.h"

enum {
	QUIET_TURNS = 3, /* the loop is quiet after this many idle turns */
	PATH_LEN = 100,
};

/* The files that the server reads, made once. */
static struct {
	char dir[PATH_LEN - 20];
	char conf[PATH_LEN], access[PATH_LEN + 8], names[PATH_LEN], paths[PATH_LEN];
	struct sockaddr_un agent;
	int listener;
	struct options options;
} home = {.listener = -1};

/*
 * Messages of the server are formatted, which tests their arguments, and discarded.
 */

static void discard(const char *fmt, va_list ap)
{
	char line[4096];

	vsnprintf(line, sizeof(line), fmt, ap);
}

#define DISCARDED(name)                                                                            \
	void name(const char *fmt, ...)                                                            \
	{                                                                                          \
		va_list ap;                                                                        \
                                                                                                   \
		va_start(ap, fmt);                                                                 \
		discard(fmt, ap);                                                                  \
		va_end(ap);                                                                        \
	}

DISCARDED(log_info)
DISCARDED(log_error)
DISCARDED(log_often)
DISCARDED(log_plain)

int log_open(const char *path)
{
	return 0;
}

void log_close(void)
{
}

void log_text(const char *text)
{
}

void log_violation(const struct sockaddr *peer)
{
}

void log_forget_hosts(void)
{
}

/*
 * The files
 */

static void leave_home(void)
{
	const char *const files[] = {home.conf, home.names, home.paths, home.agent.sun_path};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unlink(files[i]);
	rmdir(home.dir);
}

static void write_file(char *path, const char *name, const char *text)
{
	FILE *f;

	snprintf(path, PATH_LEN, "%s/%s", home.dir, name);
	f = fopen(path, "w");
	FUZZ_REQUIRE(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void listen_for_server(void)
{
	home.agent.sun_family = AF_UNIX;
	snprintf(home.agent.sun_path, sizeof(home.agent.sun_path), "%s/agent", home.dir);
	home.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	FUZZ_REQUIRE(home.listener >= 0);
	FUZZ_REQUIRE(bind(home.listener, (struct sockaddr *)&home.agent, sizeof(home.agent)) == 0);
	FUZZ_REQUIRE(listen(home.listener, 64) == 0);
}

static void make_home(void)
{
	char text[512];

	signal(SIGPIPE, SIG_IGN);
	snprintf(home.dir, sizeof(home.dir), "/tmp/fuzz-pmcd-XXXXXX");
	FUZZ_REQUIRE(mkdtemp(home.dir) != NULL);
	atexit(leave_home);
	snprintf(text, sizeof(text),
		 "PCP_VAR_DIR=%s\nPCP_SYSCONF_DIR=%s\nPCP_RUN_DIR=%s\nPCP_TMP_DIR=%s\n", home.dir,
		 home.dir, home.dir, home.dir);
	write_file(home.paths, "pcp.conf", text);
	setenv("PCP_CONF", home.paths, 1);
	listen_for_server();
	snprintf(text, sizeof(text), "pmcd 2 dso pmcd_init /pmda_pmcd.so\nours %d socket unix %s\n",
		 COLLECTOR_DOMAIN, home.agent.sun_path);
	write_file(home.conf, "pmcd.conf", text);
	write_file(
	    home.names, "names",
	    "root {\n fixed\n dynamic 240:*:*\n}\nfixed {\n one 240:0:1\n many 240:0:2\n}\n");
	snprintf(home.access, sizeof(home.access), "%s.access", home.conf);
	home.options = (struct options){
	    .config_path = home.conf,
	    .access_path = home.access,
	    .namespace_file = home.names,
	    .foreground = true,
	    .pdu_ceiling = 65536,
	    .timeout_s = 5,
	    .creds_timeout_s = 3,
	    .silence_s = 60,
	};
}

/*
 * Ends
 */

static void end_init(struct collector_end *end, int fd, unsigned int role)
{
	FUZZ_REQUIRE(fd >= 0);
	*end = (struct collector_end){.fd = fd, .in = BUFFER_INIT, .role = role};
}

void collector_hang_up(struct collector_end *end)
{
	if (end->fd >= 0)
		close(end->fd);
	end->fd = -1;
}

/* Returns true if anything was received, including the end of the connection. */
static bool end_read(struct collector_end *end)
{
	bool any = false;

	while (end->fd >= 0) {
		uint8_t *to = buffer_reserve(&end->in, 65536);
		ssize_t n;

		FUZZ_REQUIRE(to != NULL);
		n = read(end->fd, to, 65536);
		if (n < 0 && errno == EAGAIN)
			break;
		any = true;
		if (n > 0)
			buffer_commit(&end->in, (size_t)n);
		else
			collector_hang_up(end);
	}
	return any;
}

size_t collector_frame(const uint8_t *bytes, size_t len, struct buffer *out)
{
	size_t body;

	if (len < 2)
		return len;
	body = (size_t)bytes[1] * 4;
	if (body > len - 2)
		body = len - 2;
	buffer_put_u32(out, (uint32_t)(PDU_HEADER_LEN + body));
	buffer_put_u32(out, PDU_FIRST + bytes[0] % COUNTS_PDU_TYPES);
	buffer_put_u32(out, 0);
	buffer_put(out, bytes + 2, body);
	return 2 + body;
}

size_t collector_receive(struct collector_end *end, const uint8_t **ret_pdu)
{
	const uint8_t *pdu = buffer_head(&end->in);
	struct arena mem = ARENA_INIT;
	struct pdu_header h;
	union pdu_body body;

	if (buffer_pending(&end->in) < PDU_HEADER_LEN)
		return 0;
	FUZZ_REQUIRE(pdu_header_get(pdu, &h) == 0);
	if (buffer_pending(&end->in) < h.len)
		return 0;
	FUZZ_REQUIRE((pdu_roles(h.type) & end->role) != 0);
	FUZZ_REQUIRE(pdu_decode(pdu, h.len, &mem, &body) == 0);
	arena_done(&mem);
	buffer_consume(&end->in, h.len);
	*ret_pdu = pdu;
	return h.len;
}

/*
 * The server
 */

bool collector_turn(struct collector *c)
{
	struct server *s = &c->server;
	bool busy;

	FUZZ_REQUIRE(++c->turns < COLLECTOR_TURNS_MAX);
	uv_run(&s->loop.uv, UV_RUN_NOWAIT);
	busy = end_read(&c->client);
	busy |= end_read(&c->agent);
	return busy || server_has_work(s) || !list_empty(&s->agents.dirty);
}

static void settle(struct collector *c)
{
	for (int quiet = 0; quiet < QUIET_TURNS; quiet++) {
		if (collector_turn(c))
			quiet = 0;
	}
}

void collector_send(struct collector *c, struct collector_end *end, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len > 0 && end->fd >= 0) {
		ssize_t n = send(end->fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			break;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
		collector_turn(c);
	}
	settle(c);
}

void collector_start(struct collector *c)
{
	const struct sockaddr peer = {.sa_family = AF_UNIX};
	int pair[2];

	if (home.listener < 0)
		make_home();
	memset(c, 0, sizeof(*c));
	FUZZ_REQUIRE(server_init(&c->server, &home.options) == 0);
	FUZZ_REQUIRE(configure_read(&c->server) == 0);
	configure_start(&c->server);
	end_init(&c->agent, accept4(home.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC),
		 PDU_TO_AGENT);
	FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
	end_init(&c->client, pair[0], PDU_TO_CLIENT);
	client_accept(&c->server, pair[1], &peer);
	settle(c);
}

/* Closes connections that the server has tried again meanwhile. */
static void refuse_others(void)
{
	int fd = accept4(home.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	for (; fd >= 0; fd = accept4(home.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC))
		close(fd);
}

void collector_stop(struct collector *c)
{
	struct server *s = &c->server;

	collector_hang_up(&c->client);
	settle(c);
	collector_hang_up(&c->agent);
	settle(c);
	FUZZ_REQUIRE(s->clients.count == 0);
	FUZZ_REQUIRE(list_empty(&s->clients.partial) && list_empty(&s->clients.stalled));
	for (unsigned int i = 0; i < s->agents.count; i++)
		FUZZ_REQUIRE(s->agents.all[i]->ncall == 0 && s->agents.all[i]->nlate == 0);
	server_done(s);
	refuse_others();
	buffer_done(&c->client.in);
	buffer_done(&c->agent.in);
}
