/* sockets - sockets by state, and sockets in use by protocol. */
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "linux.h"
#include "scan.h"

/*
 * ---- TCP sockets by state, as the kernel answers over netlink ----
 *
 * It skips the empty part of its tables, which /proc/net/tcp walks through entry by entry. For the
 * root / alone.
 */

/* A kernel that does not answer at all is not waited for longer than this. */
enum { ANSWER_S = 1 };

static int open_socket(void)
{
	const struct timeval wait = {.tv_sec = ANSWER_S};
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (sock >= 0)
		setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return sock;
}

static bool sockdiag_ask(int sock, int family)
{
	const struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 request;
	} question = {
	    .head = {.nlmsg_len = sizeof(question),
		     .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	    .request = {.sdiag_family = (uint8_t)family,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = UINT32_MAX},
	};

	return send(sock, &question, sizeof(question), 0) == (ssize_t)sizeof(question);
}

/* One datagram of the answer: 1 there are more, 0 it was the last, -1 it is an error or no answer.
 */
static int read_part(int sock, uint32_t *counts, unsigned int n)
{
	union {
		struct nlmsghdr head;
		char bytes[32768];
	} part;
	ssize_t len = recv(sock, &part, sizeof(part), 0);
	unsigned int left = len > 0 ? (unsigned int)len : 0;

	if (len <= 0)
		return -1;
	for (struct nlmsghdr *m = &part.head; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
		const struct inet_diag_msg *s = NLMSG_DATA(m);

		if (m->nlmsg_type == NLMSG_DONE)
			return 0;
		if (m->nlmsg_type != SOCK_DIAG_BY_FAMILY || m->nlmsg_len < NLMSG_LENGTH(sizeof(*s)))
			return -1;
		if (s->idiag_state < n)
			counts[s->idiag_state]++;
	}
	return 1;
}

/* Adds the sockets of a family (AF_INET, AF_INET6) in each state to counts, which has n elements;
 * states beyond are left out. False if the kernel has no answer: counts is worth nothing then, and
 * the file is to be read. */
static bool sockdiag_count_tcp(const struct agent_refresh *r, int family, uint32_t *counts,
			       unsigned int n)
{
	int sock, more = -1;

	if (agent_root(r)[0] != '\0')
		return false;
	sock = open_socket();
	if (sock < 0)
		return false;
	if (sockdiag_ask(sock, family))
		do
			more = read_part(sock, counts, n);
		while (more > 0);
	close(sock);
	return more == 0;
}

/*
 * ---- sockets ----
 *
 * How many sockets are in which state: /proc/net/{tcp,udp,raw}, the same with a 6, and
 * /proc/net/unix.
 *
 *      sl  local_address rem_address   st ...           Num  RefCount Protocol Flags Type St ...
 *       0: 0100007F:1F90 00000000:0000 0A ...           0000: 00000002 00000000 00010000 0001 01
 *
 * A busy host has many thousands of lines, and the kernel needs long to make them. So each file is
 * a cluster, and one that came late once is read by a thread of its own.
 */

/* The kernel's numbers of TCP's states; the other protocols use some of them. */
enum {
	ESTABLISHED = 1,
	SYN_SENT,
	SYN_RECV,
	FIN_WAIT1,
	FIN_WAIT2,
	TIME_WAIT,
	CLOSE,
	CLOSE_WAIT,
	LAST_ACK,
	LISTEN,
	CLOSING,
	NSTATES
};

/* Types and states of Unix sockets. */
enum { UNIX_STREAM = 1, UNIX_DGRAM = 2, UNIX_UNCONNECTED = 1, UNIX_CONNECTED = 3 };

enum { SOCKETS_WAIT_MS = 50 };

struct sockets {
	uint32_t state[NSTATES];
	uint32_t count;
};

struct unix_sockets {
	uint32_t datagrams;
	uint32_t streams;
	uint32_t established;
	uint32_t listening;
};

/* clang-format off */
#define STATE(c, n, name, number, text)                                                            \
	{ "network." name, c, n, U32, INSTANT, ONE, AGENT_COUNT, FIELD(sockets, state[number]),    \
	  text, NULL, 0 }
#define TCP_ROWS(c, name, in)                                                                      \
	STATE(c, 1, name ".established", ESTABLISHED, "Open connections (" in ")"),                \
	STATE(c, 2, name ".syn_sent", SYN_SENT, "Connections asked for (" in ")"),                 \
	STATE(c, 3, name ".syn_recv", SYN_RECV, "Connections being accepted (" in ")"),            \
	STATE(c, 4, name ".fin_wait1", FIN_WAIT1, "Connections closed here (" in ")"),             \
	STATE(c, 5, name ".fin_wait2", FIN_WAIT2,                                                  \
	      "Connections closed here, which the other side knows (" in ")"),                     \
	STATE(c, 6, name ".time_wait", TIME_WAIT,                                                  \
	      "Connections closed on both sides that wait for stray segments (" in ")"),           \
	STATE(c, 7, name ".close", CLOSE, "Sockets without a connection (" in ")"),                \
	STATE(c, 8, name ".close_wait", CLOSE_WAIT,                                                \
	      "Connections closed by the other side, not yet here (" in ")"),                      \
	STATE(c, 9, name ".last_ack", LAST_ACK,                                                    \
	      "Connections closed by the other side first, then here (" in ")"),                   \
	STATE(c, 10, name ".listen", LISTEN, "Sockets that wait for connections (" in ")"),        \
	STATE(c, 11, name ".closing", CLOSING,                                                     \
	      "Connections closed on both sides at once (" in ")")
#define UDP_ROWS(c, name, in)                                                                      \
	STATE(c, 1, name ".established", ESTABLISHED, "Sockets with a fixed peer (" in ")"),       \
	STATE(c, 2, name ".listen", CLOSE, "Sockets without a fixed peer (" in ")")
#define RAW(c, name, text)                                                                         \
	{ "network." name ".count", c, 1, U32, INSTANT, ONE, AGENT_COUNT, FIELD(sockets, count),   \
	  text, NULL, 0 }
#define UNIX(n, name, member, text)                                                                \
	{ "network.unix." name, 81, n, U32, INSTANT, ONE, AGENT_COUNT,                             \
	  FIELD(unix_sockets, member), text, NULL, 0 }

static const struct agent_metric tcp_metrics[] = { TCP_ROWS(19, "tcpconn", "TCP") };
static const struct agent_metric tcp6_metrics[] = { TCP_ROWS(76, "tcpconn6", "TCP over IPv6") };
static const struct agent_metric udp_metrics[] = { UDP_ROWS(79, "udpconn", "UDP") };
static const struct agent_metric udp6_metrics[] = { UDP_ROWS(80, "udpconn6", "UDP over IPv6") };
static const struct agent_metric raw_metrics[] = {
	RAW(77, "rawconn", "Raw sockets (IPv4)"),
};
static const struct agent_metric raw6_metrics[] = {
	RAW(78, "rawconn6", "Raw sockets (IPv6)"),
};
static const struct agent_metric unix_metrics[] = {
	UNIX(1, "datagram.count", datagrams, "Unix sockets for datagrams"),
	UNIX(2, "stream.established", established, "Unix sockets for streams that are connected"),
	UNIX(3, "stream.listen", listening,
	     "Unix sockets for streams that are not connected: listeners, mostly"),
	UNIX(4, "stream.count", streams, "Unix sockets for streams"),
};
/* clang-format on */

/* The state is the fourth word of each line after the first. */
static int sockets_read_states(struct agent_refresh *r, const char *path, struct sockets *sockets)
{
	uint64_t state;
	struct scan s;
	long n = agent_read(r, path, &s.p);

	if (n < 0)
		return (int)n;
	*sockets = (struct sockets){{0}, 0};
	while (scan_next_line(&s))
		if (scan_skip(&s, 3) && scan_hex(&s, &state) && state < NSTATES) {
			sockets->state[state]++;
			sockets->count++;
		}
	return 0;
}

static int unix_refresh(struct agent_refresh *r, void *snapshot)
{
	struct unix_sockets *sockets = snapshot;
	uint64_t type, state;
	struct scan s;
	long n = agent_read(r, "proc/net/unix", &s.p);

	if (n < 0)
		return (int)n;
	*sockets = (struct unix_sockets){0};
	while (scan_next_line(&s)) {
		if (!scan_skip(&s, 4) || !scan_hex(&s, &type) || !scan_hex(&s, &state))
			continue;
		sockets->datagrams += type == UNIX_DGRAM;
		sockets->streams += type == UNIX_STREAM;
		sockets->established += type == UNIX_STREAM && state == UNIX_CONNECTED;
		sockets->listening += type == UNIX_STREAM && state == UNIX_UNCONNECTED;
	}
	return 0;
}

/* TCP's tables are large however few sockets there are. */
static int read_tcp(struct agent_refresh *r, const char *path, int family, struct sockets *sockets)
{
	struct sockets counted = {{0}, 0};

	if (!sockdiag_count_tcp(r, family, counted.state, NSTATES))
		return sockets_read_states(r, path, sockets);
	*sockets = counted;
	return 0;
}

#define CLUSTER(name_, optional_, read)                                                            \
	static int name_##_refresh(struct agent_refresh *r, void *snapshot)                        \
	{                                                                                          \
		return read;                                                                       \
	}                                                                                          \
	const struct agent_cluster name_##_cluster = {                                             \
	    .name = #name_,                                                                        \
	    .source = "/proc/net/" #name_,                                                         \
	    .size = sizeof(struct sockets),                                                        \
	    .refresh = name_##_refresh,                                                            \
	    .optional = optional_,                                                                 \
	    .metrics = name_##_metrics,                                                            \
	    .nmetrics = NROWS(name_##_metrics),                                                    \
	    .wait_ms = SOCKETS_WAIT_MS,                                                            \
	}

CLUSTER(tcp, 0, read_tcp(r, "proc/net/tcp", AF_INET, snapshot));
CLUSTER(tcp6, 1, read_tcp(r, "proc/net/tcp6", AF_INET6, snapshot));
CLUSTER(udp, 0, sockets_read_states(r, "proc/net/udp", snapshot));
CLUSTER(udp6, 1, sockets_read_states(r, "proc/net/udp6", snapshot));
CLUSTER(raw, 0, sockets_read_states(r, "proc/net/raw", snapshot));
CLUSTER(raw6, 1, sockets_read_states(r, "proc/net/raw6", snapshot));

const struct agent_cluster unix_cluster = {
    .name = "unix",
    .source = "/proc/net/unix",
    .size = sizeof(struct unix_sockets),
    .refresh = unix_refresh,
    .metrics = unix_metrics,
    .nmetrics = NROWS(unix_metrics),
    .wait_ms = SOCKETS_WAIT_MS,
};

/*
 * ---- sockstat ----
 *
 * Sockets in use by protocol: /proc/net/sockstat and sockstat6.
 *
 *     TCP: inuse 2 orphan 0 tw 0 alloc 2 mem 222
 */

enum { SOCKSTAT_NITEMS = 17, SOCKSTAT6_NITEMS = 6 };

struct sockstat {
	int64_t item[SOCKSTAT_NITEMS]; /* by the item of the row */
};

struct sockstat6 {
	int64_t item[SOCKSTAT6_NITEMS];
};

/* Where the number after a word goes. */
struct place {
	const char *group; /* the first word of the line */
	const char *word;
	size_t offset;
};

/* clang-format off */

/* X(item, name, group, word, text) */
#define SOCKSTAT_ROWS(X)                                                                           \
	X(0, "tcp.inuse", "TCP:", "inuse", "TCP sockets in use")                                   \
	X(3, "udp.inuse", "UDP:", "inuse", "UDP sockets in use")                                   \
	X(6, "raw.inuse", "RAW:", "inuse", "Raw sockets in use")                                   \
	X(8, "udplite.inuse", "UDPLITE:", "inuse", "UDP-Lite sockets in use")                      \
	X(9, "total", "sockets:", "used", "Sockets in use, of any kind")                           \
	X(10, "tcp.orphan", "TCP:", "orphan", "TCP sockets that no program holds any more")        \
	X(11, "tcp.tw", "TCP:", "tw", "TCP sockets in TIME_WAIT")                                  \
	X(12, "tcp.alloc", "TCP:", "alloc", "TCP sockets allocated, in any state")                 \
	X(13, "tcp.mem", "TCP:", "mem", "Pages of memory of TCP sockets")                          \
	X(14, "udp.mem", "UDP:", "mem", "Pages of memory of UDP sockets")                          \
	X(15, "frag.inuse", "FRAG:", "inuse", "Queues of fragments that wait for more")            \
	X(16, "frag.memory", "FRAG:", "memory", "Bytes of fragments that wait for more")

#define SOCKSTAT6_ROWS(X)                                                                          \
	X(0, "tcp6.inuse", "TCP6:", "inuse", "TCP sockets of IPv6 in use")                         \
	X(1, "udp6.inuse", "UDP6:", "inuse", "UDP sockets of IPv6 in use")                         \
	X(2, "udplite6.inuse", "UDPLITE6:", "inuse", "UDP-Lite sockets of IPv6 in use")            \
	X(3, "raw6.inuse", "RAW6:", "inuse", "Raw sockets of IPv6 in use")                         \
	X(4, "frag6.inuse", "FRAG6:", "inuse", "Queues of fragments of IPv6 that wait for more")   \
	X(5, "frag6.memory", "FRAG6:", "memory", "Bytes of fragments of IPv6 that wait for more")

#define ROW(c, type, n, leaf, text)                                                                \
	{ "network.sockstat." leaf, c, n, S32, INSTANT, ONE, AGENT_COUNT, FIELD(type, item[n]),    \
	  text, NULL, 0 },
#define ROW4(n, leaf, group, word, text)   ROW(11, sockstat, n, leaf, text)
#define ROW6(n, leaf, group, word, text)   ROW(73, sockstat6, n, leaf, text)
#define PLACE4(n, leaf, group, word, text) { group, word, offsetof(struct sockstat, item[n]) },
#define PLACE6(n, leaf, group, word, text) { group, word, offsetof(struct sockstat6, item[n]) },

static const struct agent_metric sockstat_metrics[] = { SOCKSTAT_ROWS(ROW4) };
static const struct agent_metric sockstat6_metrics[] = { SOCKSTAT6_ROWS(ROW6) };
static const struct place places[] = { SOCKSTAT_ROWS(PLACE4) };
static const struct place places6[] = { SOCKSTAT6_ROWS(PLACE6) };
/* clang-format on */

static bool sockstat_is(const char *word, size_t len, const char *text)
{
	return strncmp(word, text, len) == 0 && text[len] == '\0';
}

static int64_t *sockstat_find(const struct place *table, size_t n, void *base, const char *group,
			      size_t group_len, const char *word, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (sockstat_is(group, group_len, table[i].group) &&
		    sockstat_is(word, len, table[i].word))
			return (int64_t *)(void *)((char *)base + table[i].offset);
	return NULL;
}

static int sockstat_read_file(struct agent_refresh *r, const char *path, const struct place *table,
			      size_t n, void *base)
{
	const char *group, *word;
	size_t group_len, len;
	struct scan s;
	long size = agent_read(r, path, &s.p);
	int64_t value;

	if (size < 0)
		return (int)size;
	do {
		if (!scan_word(&s, &group, &group_len))
			continue;
		while (scan_word(&s, &word, &len) && scan_i64(&s, &value)) {
			int64_t *at = sockstat_find(table, n, base, group, group_len, word, len);

			if (at != NULL)
				*at = value;
		}
	} while (scan_next_line(&s));
	return 0;
}

static int sockstat_refresh(struct agent_refresh *r, void *snapshot)
{
	return sockstat_read_file(r, "proc/net/sockstat", places, NROWS(places), snapshot);
}

static int sockstat6_refresh(struct agent_refresh *r, void *snapshot)
{
	return sockstat_read_file(r, "proc/net/sockstat6", places6, NROWS(places6), snapshot);
}

const struct agent_cluster sockstat_cluster = {
    .name = "sockstat",
    .source = "/proc/net/sockstat",
    .size = sizeof(struct sockstat),
    .refresh = sockstat_refresh,
    .metrics = sockstat_metrics,
    .nmetrics = NROWS(sockstat_metrics),
};

const struct agent_cluster sockstat6_cluster = {
    .name = "sockstat6",
    .source = "/proc/net/sockstat6",
    .size = sizeof(struct sockstat6),
    .refresh = sockstat6_refresh,
    .optional = 1,
    .metrics = sockstat6_metrics,
    .nmetrics = NROWS(sockstat6_metrics),
};
