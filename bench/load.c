/*
 * load - raw-protocol clients in a closed loop: prints the fetches per second and the time of each.
 *
 *     load ADDRESS CLIENTS[+IDLE] MILLISECONDS CPU PMID...
 *
 * ADDRESS is the path of a Unix socket or the number of a port of 127.0.0.1; CPU is the processor
 * to stay on, -1 for any. Each client does the handshake, sends a profile that includes everything
 * and then one FETCH after the other; IDLE more clients only do the handshake; the program then
 * prints the line "idle" and waits for a line on standard input. At the end it prints one line:
 *
 *     fetches elapsed_ns p50_ns p99_ns bytes_a_reply fetches_before (to warm up) longest_ns
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/clock.h"
#include "libbase/file.h"
#include "libwire/pdu.h"

enum { SAMPLES_MAX = 1 << 20, RECEIVE = 1 << 18, REPLY_MS = 20000 };

struct client {
	int fd;
	size_t have;   /* bytes of the reply so far */
	size_t expect; /* its length, 0: header not complete */
	uint8_t header[PDU_HEADER_LEN];
	uint64_t sent_ns;
};

static uint32_t *samples;
static size_t nsamples;
static size_t reply_bytes;

static void die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int connect_to(const char *address)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int one = 1, fd;

	if (strchr(address, '/') != NULL) {
		strncpy(un.sun_path, address, sizeof(un.sun_path) - 1);
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)) < 0)
			die(address);
		return fd;
	}
	in.sin_port = htons((uint16_t)atoi(address));
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&in, sizeof(in)) < 0)
		die(address);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void handshake(int fd)
{
	const uint32_t cred = pdu_cred_version(PDU_VERSION, 0);
	const union pdu_body creds = {.creds = {1, &cred}};
	const union pdu_body profile = {.profile = {0}};
	struct buffer out = BUFFER_INIT;
	uint8_t challenge[20];

	if (file_read_full(fd, challenge, sizeof(challenge)) < 0)
		die("challenge");
	pdu_encode(&out, PDU_CREDS, (int32_t)getpid(), &creds);
	pdu_encode(&out, PDU_PROFILE, 0, &profile);
	if (out.err != 0 || file_write_full(fd, buffer_head(&out), buffer_pending(&out)) < 0)
		die("handshake");
	buffer_done(&out);
}

static void send_fetch(struct client *c, const struct buffer *fetch)
{
	c->have = 0;
	c->expect = 0;
	c->sent_ns = clock_mono_ns();
	if (send(c->fd, buffer_head(fetch), buffer_pending(fetch), MSG_NOSIGNAL) !=
	    (ssize_t)buffer_pending(fetch))
		die("send");
}

/* Counts n more bytes of a reply; returns true when it is complete. */
static bool take(struct client *c, const uint8_t *bytes, size_t n)
{
	if (c->have < PDU_HEADER_LEN) {
		size_t part = PDU_HEADER_LEN - c->have;

		if (part > n)
			part = n;
		memcpy(c->header + c->have, bytes, part);
	}
	c->have += n;
	if (c->expect == 0 && c->have >= PDU_HEADER_LEN) {
		struct pdu_header h;

		if (pdu_header_get(c->header, &h) < 0 || h.type != PDU_RESULT) {
			fprintf(stderr, "load: the reply is no RESULT (type 0x%x)\n", h.type);
			exit(1);
		}
		c->expect = h.len;
		reply_bytes = h.len;
	}
	return c->expect != 0 && c->have >= c->expect;
}

static int compare_samples(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Runs the loop until the end; returns the number of complete replies. */
static uint64_t loop(int ep, struct client *clients, const struct buffer *fetch, uint64_t end_ns)
{
	static uint8_t bytes[RECEIVE];
	struct epoll_event events[64];
	uint64_t done = 0, now;

	do {
		int n = epoll_wait(ep, events, 64, REPLY_MS);

		if (n <= 0) {
			fprintf(stderr, "load: no reply within %d s\n", REPLY_MS / 1000);
			exit(1);
		}
		for (int i = 0; i < n; i++) {
			struct client *c = &clients[events[i].data.u32];
			ssize_t got = recv(c->fd, bytes, sizeof(bytes), 0);

			if (got <= 0)
				die("recv");
			if (!take(c, bytes, (size_t)got))
				continue;
			now = clock_mono_ns();
			if (nsamples < SAMPLES_MAX)
				samples[nsamples++] = (uint32_t)(now - c->sent_ns);
			done++;
			send_fetch(c, fetch);
		}
		now = clock_mono_ns();
	} while (now < end_ns);
	return done;
}

static pmID parse_pmid(const char *text)
{
	unsigned int domain, cluster, item;

	if (sscanf(text, "%u.%u.%u", &domain, &cluster, &item) != 3) {
		fprintf(stderr, "load: '%s' is no metric identifier\n", text);
		exit(2);
	}
	return (pmID)(domain << 22 | cluster << 10 | item);
}

/* Connects clients that do only the handshake; they stay connected until the process ends. */
static void connect_idle(const char *address, const char *clients)
{
	const char *plus = strchr(clients, '+');
	const int n = plus != NULL ? atoi(plus + 1) : 0;
	struct rlimit limit;
	char line[16];

	if (n <= 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	for (int i = 0; i < n; i++)
		handshake(connect_to(address));
	puts("idle");
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin) == NULL)
		exit(1);
}

int main(int argc, char **argv)
{
	const int nclients = argc > 5 ? atoi(argv[2]) : 0;
	struct client *clients = calloc((size_t)nclients + 1, sizeof(*clients));
	const int npmids = argc - 5;
	struct buffer fetch = BUFFER_INIT;
	union pdu_body body = {.fetch = {0}};
	uint64_t start, end, warm, done;
	pmID *pmids;
	int ep = epoll_create1(EPOLL_CLOEXEC);

	if (nclients <= 0 || clients == NULL) {
		fprintf(stderr, "usage: load ADDRESS CLIENTS[+IDLE] MILLISECONDS CPU PMID...\n");
		return 2;
	}
	stay_on(atoi(argv[4]));
	connect_idle(argv[1], argv[2]);
	samples = malloc(SAMPLES_MAX * sizeof(*samples));
	pmids = malloc((size_t)npmids * sizeof(*pmids));
	if (samples == NULL || pmids == NULL)
		die("malloc");
	for (int i = 0; i < npmids; i++)
		pmids[i] = parse_pmid(argv[5 + i]);
	body.fetch.numpmid = (uint32_t)npmids;
	body.fetch.pmids = pmids;
	if (pdu_encode(&fetch, PDU_FETCH, 0, &body) < 0)
		die("encode");
	for (int i = 0; i < nclients; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data = {.u32 = (uint32_t)i}};

		clients[i].fd = connect_to(argv[1]);
		handshake(clients[i].fd);
		epoll_ctl(ep, EPOLL_CTL_ADD, clients[i].fd, &e);
	}
	for (int i = 0; i < nclients; i++)
		send_fetch(&clients[i], &fetch);
	warm = loop(ep, clients, &fetch, clock_mono_ns() + 20000000);
	nsamples = 0;
	start = clock_mono_ns();
	done = loop(ep, clients, &fetch, start + (uint64_t)atoi(argv[3]) * 1000000u);
	end = clock_mono_ns();
	qsort(samples, nsamples, sizeof(*samples), compare_samples);
	printf("%llu %llu %u %u %zu %llu %u\n", (unsigned long long)done,
	       (unsigned long long)(end - start), nsamples ? samples[nsamples / 2] : 0,
	       nsamples ? samples[nsamples * 99 / 100] : 0, reply_bytes, (unsigned long long)warm,
	       nsamples ? samples[nsamples - 1] : 0);
	return 0;
}
