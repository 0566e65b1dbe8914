/*
 * agent_daemon - agents that are processes of their own: their answers, and how they are reached.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/dbpmda/agent.h"
#include "tools/dbpmda/command.h"

/*
 * Questions and answers (docs/spec/pmda.md 19.5)
 */

enum { DAEMON_CREDS_VERSION = 1 };

struct daemon {
	struct agent agent;
	struct stream stream;
	int pid;
	int version; /* from its credentials; 0: none were received */
	int owed;    /* answers that the program did not wait for and that are still to come */
};

static struct daemon *daemon_of(struct agent *agent)
{
	return (struct daemon *)agent;
}

/* The result of waiting for an answer. */
static int daemon_lost(int r)
{
	printf("Error: __pmGetPDU() failed: %s\n",
	       r == 0 ? "PDU empty, PMDA may have died" : pmErrStr(r));
	return r == 0 ? PM_ERR_IPC : r;
}

static int daemon_refused(int code)
{
	printf("Error PDU: %s\n", pmErrStr(code));
	return code;
}

/* Receives the answer to the last question, after the answers to questions that ^C gave up. */
static int receive_last(struct daemon *d, struct pdu_header *h, const uint8_t **ret_pdu)
{
	int r;

	for (;;) {
		r = stream_receive(&d->stream, STREAM_FOREVER, h, ret_pdu);
		if (r <= 0 || d->owed == 0)
			break;
		d->owed--;
	}
	if (r == -EINTR)
		d->owed++;
	return r;
}

static int daemon_receive(struct daemon *d, const struct question *q, struct answer *a)
{
	enum pdu_type type = stream_answer_type(q->kind);
	struct pdu_header h;
	const uint8_t *pdu;
	char name[32];
	int r;

	r = receive_last(d, &h, &pdu);
	if (r <= 0)
		return daemon_lost(r);
	if (h.type != PDU_ERROR && h.type != type) {
		printf("Error: expecting PDU type %s, got PDU type %s\n", pdu_name(type),
		       pdu_name_r(h.type, name, sizeof(name)));
		return PM_ERR_IPC;
	}
	/* The answer keeps names in its arena, but the label sets point into the PDU. */
	r = stream_answer(q, &h, pdu, a);
	if (r >= 0)
		return 0;
	return q->quiet ? r : daemon_refused(r);
}

static int daemon_ask(struct agent *agent, const struct question *q, struct answer *a)
{
	struct daemon *d = daemon_of(agent);
	int r = stream_ask(&d->stream, q);

	if (r < 0) {
		printf("Error: __pmSend%s() failed: %s\n", question_row(q->kind)->sent,
		       pmErrStr(r));
		return r;
	}
	return stream_answer_type(q->kind) == 0 ? 0 : daemon_receive(d, q, a);
}

/* A process shows in its answer whether it knows the question. */
static bool daemon_can(const struct agent *agent, enum question_kind kind)
{
	return true;
}

static void daemon_status(const struct agent *agent)
{
	const struct daemon *d = (const struct daemon *)agent;

	printf("Connection:             daemon (pid: %d)\n", d->pid);
	if (d->version == 0)
		printf("PMDA PMAPI Version:     unknown!\n");
	else
		printf("PMDA PMAPI Version:     %d\n", d->version);
}

static void daemon_result_free(struct agent *agent, pmResult *result)
{
	free(result);
}

static void daemon_close(struct agent *agent, bool last)
{
	struct daemon *d = daemon_of(agent);
	union pdu_body body = {.error = {.code = PM_ERR_NOTCONN}};

	stream_send(&d->stream, PDU_ERROR, &body);
	stream_done(&d->stream);
	if (d->pid > 0)
		waitpid(d->pid, NULL, WNOHANG);
	free(d->agent.path);
	free(d);
}

static const struct agent_ops daemon_ops = {
    .ask = daemon_ask,
    .can = daemon_can,
    .status = daemon_status,
    .result_free = daemon_result_free,
    .close = daemon_close,
};

static int creds_version(const struct pdu_creds *creds)
{
	for (uint32_t i = 0; i < creds->numcred; i++) {
		if (creds->creds[i] >> 24 == DAEMON_CREDS_VERSION)
			return (int)(creds->creds[i] >> 16 & 0xff);
	}
	return 0;
}

/* Waits for the agent's credentials. Returns the version; 0 after reporting a wrong PDU. */
static int receive_creds(struct daemon *d, int timeout_s)
{
	struct arena mem = {0};
	union pdu_body body;
	struct pdu_header h;
	const uint8_t *pdu;
	char name[32];
	int version = 0;
	int r = stream_receive(&d->stream, timeout_s * 1000, &h, &pdu);

	if (r < 0)
		fprintf(stderr, "__pmGetPDU(%d): %s\n", d->stream.in, pmErrStr(r));
	else if (r == 0)
		fprintf(stderr, "pmdaversion: expecting PDU_CREDS, got EOF\n");
	else if (h.type != PDU_CREDS)
		fprintf(stderr, "pmdaversion: expecting PDU_CREDS, got PDU type %s\n",
			pdu_name_r(h.type, name, sizeof(name)));
	else if (pdu_decode(pdu, h.len, &mem, &body) == 0)
		version = creds_version(&body.creds);
	arena_done(&mem);
	return version;
}

static void exchange_versions(struct daemon *d, int timeout_s)
{
	const uint32_t cred = pdu_cred_version(PDU_VERSION, 0);
	union pdu_body body = {.creds = {.numcred = 1, .creds = &cred}};

	d->version = receive_creds(d, timeout_s);
	if (d->version == 0)
		fprintf(stderr, "Warning: no version exchange with PMDA %s after %d secs\n",
			d->agent.path, timeout_s);
	else
		stream_send(&d->stream, PDU_CREDS, &body);
}

/*
 * Makes an agent of two descriptors (which it takes over, and which may be the same) and a child
 * pid (0: not a child), and exchanges versions. If that fails, the error is printed on standard
 * error, and the agent stays open.
 */
static struct agent *agent_daemon_new(const char *path, int in, int out, int pid,
				      const struct agent_settings *s)
{
	struct daemon *d = calloc(1, sizeof(*d));

	if (d == NULL || (d->agent.path = strdup(path)) == NULL)
		pmNoMem("open", sizeof(*d), PM_FATAL_ERR);
	d->agent.ops = &daemon_ops;
	d->pid = pid;
	stream_init(&d->stream, in, out);
	exchange_versions(d, s->creds_timeout_s);
	return &d->agent;
}

/*
 * agent_pipe - agents that are started as children (docs/spec/pmda.md 19.5).
 */

enum { EXIT_NOT_STARTED = 127 };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static void announce(const struct command *c)
{
	printf("Start %s PMDA: %s", base_of(c->text), c->text);
	for (int i = 0; i < c->nword; i++)
		printf(" %s", c->words[i]);
	putchar('\n');
	fflush(stdout);
}

/* Runs in the child: its standard input and output become the pipes. */
static void agent_daemon_run(const struct command *c, int in, int out, bool own_group)
{
	const char *argv[COMMAND_WORDS_MAX + 2];

	argv[0] = c->text;
	memcpy(&argv[1], c->words, (size_t)c->nword * sizeof(argv[0]));
	argv[c->nword + 1] = NULL;
	if (own_group)
		setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execv(c->text, (char *const *)argv);
	fprintf(stderr, "Cannot start \"%s\": %s\n", c->text, strerror(errno));
	_exit(EXIT_NOT_STARTED);
}

/* to: the pipe that the agent reads; from: the pipe that it writes. */
static int agent_daemon_start(const struct command *c, const int to[2], const int from[2],
			      bool own_group)
{
	int pid = fork();

	if (pid == 0)
		agent_daemon_run(c, to[0], from[1], own_group);
	close(to[0]);
	close(from[1]);
	if (pid < 0) {
		fprintf(stderr, "openpmda: fork: %s\n", strerror(errno));
		close(to[1]);
		close(from[0]);
	}
	return pid;
}

struct agent *agent_pipe_open(const struct command *c, const struct agent_settings *s)
{
	struct stat st;
	int to[2], from[2];
	int pid;

	if (stat(c->text, &st) < 0) {
		fprintf(stderr, "openpmda: stat %s failed: %s\n", c->text, strerror(errno));
		return NULL;
	}
	if (pipe2(to, O_CLOEXEC) < 0) {
		fprintf(stderr, "openpmda: pipe: %s\n", strerror(errno));
		return NULL;
	}
	if (pipe2(from, O_CLOEXEC) < 0) {
		fprintf(stderr, "openpmda: pipe: %s\n", strerror(errno));
		close(to[0]);
		close(to[1]);
		return NULL;
	}
	announce(c);
	pid = agent_daemon_start(c, to, from, s->interactive);
	return pid < 0 ? NULL : agent_daemon_new(c->text, from[0], to[1], pid, s);
}

/*
 * agent_socket - agents that listen on a socket (docs/spec/pmda.md 19.5).
 */

/* The address on which an agent listens. */
struct place {
	struct sockaddr_storage address;
	socklen_t len;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path) +
		  64]; /* the address as "status" shows it */
};

static int place_unix(const struct command *c, struct place *ret)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&ret->address;
	struct stat st;

	if (stat(c->text, &st) < 0 || strlen(c->text) >= sizeof(un->sun_path)) {
		fprintf(stderr, "opensocket: %s: %s\n", c->text,
			strerror(strlen(c->text) >= sizeof(un->sun_path) ? ENAMETOOLONG : errno));
		return -1;
	}
	un->sun_family = AF_UNIX;
	strcpy(un->sun_path, c->text);
	ret->len = sizeof(*un);
	snprintf(ret->path, sizeof(ret->path), "%s", c->text);
	printf("Connect to PMDA on socket %s\n", c->text);
	return 0;
}

static int place_inet(const struct command *c, struct place *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&ret->address;

	in->sin_family = AF_INET;
	in->sin_port = htons((in_port_t)c->number);
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ret->len = sizeof(*in);
	snprintf(ret->path, sizeof(ret->path), "inet port %d", c->number);
	printf("Connect to PMDA on inet port %d\n", c->number);
	return 0;
}

static int place_ipv6(const struct command *c, struct place *ret)
{
	struct sockaddr_in6 *in = (struct sockaddr_in6 *)&ret->address;

	in->sin6_family = AF_INET6;
	in->sin6_port = htons((in_port_t)c->number);
	in->sin6_addr = in6addr_loopback;
	ret->len = sizeof(*in);
	snprintf(ret->path, sizeof(ret->path), "ipv6 port %d", c->number);
	printf("Connect to PMDA on ipv6 port %d\n", c->number);
	return 0;
}

static int place_of(const struct command *c, struct place *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (c->form == FORM_UNIX)
		return place_unix(c, ret);
	return c->form == FORM_INET ? place_inet(c, ret) : place_ipv6(c, ret);
}

struct agent *agent_socket_open(const struct command *c, const struct agent_settings *s)
{
	struct place place;
	int fd;

	if (place_of(c, &place) < 0)
		return NULL;
	fd = socket(place.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		fprintf(stderr, "opensocket: socket: %s\n", strerror(errno));
		return NULL;
	}
	if (connect(fd, (struct sockaddr *)&place.address, place.len) < 0) {
		fprintf(stderr, "opensocket: connect: %s\n", strerror(errno));
		close(fd);
		return NULL;
	}
	return agent_daemon_new(place.path, fd, fd, 0, s);
}
