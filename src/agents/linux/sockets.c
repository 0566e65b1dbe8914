/*
 * sockets - how many sockets are in which state: /proc/net/{tcp,udp,raw}, the same with a 6, and
 * /proc/net/unix.
 *
 *      sl  local_address rem_address   st ...           Num  RefCount Protocol Flags Type St ...
 *       0: 0100007F:1F90 00000000:0000 0A ...           0000: 00000002 00000000 00010000 0001 01
 *
 * A busy host has many thousands of lines, and the kernel needs long to make them. So each file is
 * a cluster, and one that came late once is read by a thread of its own.
 */
#include <errno.h>
#include <sys/socket.h>

#include "linux.h"
#include "scan.h"
#include "sockdiag.h"

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
static int read_states(struct agent_refresh *r, const char *path, struct sockets *sockets)
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
		return read_states(r, path, sockets);
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
CLUSTER(udp, 0, read_states(r, "proc/net/udp", snapshot));
CLUSTER(udp6, 1, read_states(r, "proc/net/udp6", snapshot));
CLUSTER(raw, 0, read_states(r, "proc/net/raw", snapshot));
CLUSTER(raw6, 1, read_states(r, "proc/net/raw6", snapshot));

const struct agent_cluster unix_cluster = {
    .name = "unix",
    .source = "/proc/net/unix",
    .size = sizeof(struct unix_sockets),
    .refresh = unix_refresh,
    .metrics = unix_metrics,
    .nmetrics = NROWS(unix_metrics),
    .wait_ms = SOCKETS_WAIT_MS,
};
