/*
 * netdev - network interfaces: their traffic, questions that the kernel answers about them, and
 * packets that each processor took from them.
 */
#include "netdev.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "cpus.h"
#include "linux.h"
#include "scan.h"

/* ---- the kernel answers without a file (netdev.h) ---- */

/* One socket for all questions; it stays open. The clusters that ask run on the fetching thread. */
static int sock = -1;

/* Asks; answer may hold what the request wants. */
static bool netioctl_ask(unsigned long request, const char *name, struct ifreq *answer)
{
	if (strlen(name) >= sizeof(answer->ifr_name))
		return false;
	if (sock < 0)
		sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return false;
	strcpy(answer->ifr_name, name);
	return ioctl(sock, request, answer) >= 0;
}

bool netioctl(const struct agent_refresh *r, unsigned long request, const char *name,
	      struct ifreq *ret_answer)
{
	struct ifreq answer = {0};

	if (agent_root(r)[0] != '\0' || !netioctl_ask(request, name, &answer))
		return false;
	*ret_answer = answer;
	return true;
}

bool netioctl_speed(const struct agent_refresh *r, const char *name, unsigned int *ret_mbit,
		    unsigned int *ret_duplex)
{
	struct ethtool_cmd command = {.cmd = ETHTOOL_GSET};
	struct ifreq answer = {.ifr_data = (void *)&command};
	unsigned int mbit;

	if (agent_root(r)[0] != '\0')
		return false;
	*ret_mbit = 0;
	*ret_duplex = 0;
	if (!netioctl_ask(SIOCETHTOOL, name, &answer))
		return true;
	/* Unsigned, unlike the macro of the kernel's header. */
	mbit = (unsigned int)command.speed_hi << 16 | command.speed;
	if (mbit != (unsigned int)SPEED_UNKNOWN)
		*ret_mbit = mbit;
	if (command.duplex == DUPLEX_HALF || command.duplex == DUPLEX_FULL)
		*ret_duplex = command.duplex + 1u;
	return true;
}

/*
 * ---- netdev ----
 *
 * Traffic of the network interfaces: /proc/net/dev.
 *
 *      face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop ...
 *      eth0: 4711  20      1    2    3    4     5          6         7000  70      8    9 ...
 *
 * network.all adds up the interfaces that do not copy others: loopback, bonds, bridges of virtual
 * machines and containers, and tunnels count again the traffic of an interface below them.
 */

/* Columns in the file's order, received and sent, and what is the sum of both. */
enum { IN_BYTES, IN_PACKETS, IN_ERRORS, IN_DROPS, IN_FIFO, IN_FRAME, IN_COMPRESSED, IN_MCASTS };
enum { OUT_BYTES = IN_MCASTS + 1, OUT_PACKETS, OUT_ERRORS, OUT_DROPS, OUT_FIFO };
enum { COLLISIONS = OUT_FIFO + 1, OUT_CARRIER, OUT_COMPRESSED, NETDEV_NCOLUMNS };
enum { BYTES, PACKETS, ERRORS, DROPS, NTOTALS };

struct interface {
	uint64_t column[NETDEV_NCOLUMNS];
	uint64_t total[NTOTALS];
};

struct netdev {
	struct interface all;
	uint32_t ninterface;
};

const struct agent_indom interface_indom = {
    3, 0, NULL, 0, "Network interfaces", "By the kernel's name, as eth0.",
};

/* clang-format off */
#define NETDEV_EACH(name, item, units, member, text, more)                                                \
	{ "network.interface." name, 3, item, U64, COUNTER, &interface_indom, units,               \
	  FIELD(interface, member), text " each interface", more, 0 }
#define NETDEV_ALL(name, item, units, member, text)                                                       \
	{ "network.all." name, 90, item, U64, COUNTER, ONE, units, FIELD(netdev, all.member),      \
	  text " all interfaces", "Interfaces that only pass on what others count are left out.", \
	  0 }

static const struct agent_metric netdev_metrics[] = {
	NETDEV_EACH("in.bytes", 0, AGENT_BYTE, column[IN_BYTES], "Bytes received by", NULL),
	NETDEV_EACH("in.packets", 1, AGENT_COUNT, column[IN_PACKETS], "Packets received by", NULL),
	NETDEV_EACH("in.errors", 2, AGENT_COUNT, column[IN_ERRORS], "Packets received in error by", NULL),
	NETDEV_EACH("in.drops", 3, AGENT_COUNT, column[IN_DROPS], "Packets received and dropped by",
	     "For want of room, or because nobody wanted them."),
	NETDEV_EACH("in.fifo", 4, AGENT_COUNT, column[IN_FIFO], "Overruns of the receive queue of", NULL),
	NETDEV_EACH("in.frame", 5, AGENT_COUNT, column[IN_FRAME], "Framing errors of packets received by",
	     "Wrong length, alignment or checksum."),
	NETDEV_EACH("in.compressed", 6, AGENT_COUNT, column[IN_COMPRESSED],
	  "Compressed packets received by", NULL),
	NETDEV_EACH("in.mcasts", 7, AGENT_COUNT, column[IN_MCASTS], "Multicast packets received by", NULL),
	NETDEV_EACH("out.bytes", 8, AGENT_BYTE, column[OUT_BYTES], "Bytes sent by", NULL),
	NETDEV_EACH("out.packets", 9, AGENT_COUNT, column[OUT_PACKETS], "Packets sent by", NULL),
	NETDEV_EACH("out.errors", 10, AGENT_COUNT, column[OUT_ERRORS], "Packets that could not be sent by",
	  NULL),
	NETDEV_EACH("out.drops", 11, AGENT_COUNT, column[OUT_DROPS], "Packets to be sent and dropped by",
	  NULL),
	NETDEV_EACH("out.fifo", 12, AGENT_COUNT, column[OUT_FIFO], "Overruns of the send queue of", NULL),
	NETDEV_EACH("collisions", 13, AGENT_COUNT, column[COLLISIONS], "Collisions on the wire of", NULL),
	NETDEV_EACH("out.carrier", 14, AGENT_COUNT, column[OUT_CARRIER],
	  "Losses of carrier while sending, of", NULL),
	NETDEV_EACH("out.compressed", 15, AGENT_COUNT, column[OUT_COMPRESSED],
	  "Compressed packets sent by", NULL),
	NETDEV_EACH("total.bytes", 16, AGENT_BYTE, total[BYTES], "Bytes received and sent by", NULL),
	NETDEV_EACH("total.packets", 17, AGENT_COUNT, total[PACKETS], "Packets received and sent by",
	  NULL),
	NETDEV_EACH("total.errors", 18, AGENT_COUNT, total[ERRORS],
	  "Errors of packets received and sent by", NULL),
	NETDEV_EACH("total.drops", 19, AGENT_COUNT, total[DROPS], "Packets dropped, either way, by", NULL),
	NETDEV_EACH("total.mcasts", 20, AGENT_COUNT, column[IN_MCASTS], "Multicast packets of",
	     "Received: the kernel does not count those sent."),

	NETDEV_ALL("in.bytes", 0, AGENT_BYTE, column[IN_BYTES], "Bytes received by"),
	NETDEV_ALL("in.packets", 1, AGENT_COUNT, column[IN_PACKETS], "Packets received by"),
	NETDEV_ALL("in.errors", 2, AGENT_COUNT, column[IN_ERRORS], "Packets received in error by"),
	NETDEV_ALL("in.drops", 3, AGENT_COUNT, column[IN_DROPS], "Packets received and dropped by"),
	NETDEV_ALL("out.bytes", 4, AGENT_BYTE, column[OUT_BYTES], "Bytes sent by"),
	NETDEV_ALL("out.packets", 5, AGENT_COUNT, column[OUT_PACKETS], "Packets sent by"),
	NETDEV_ALL("out.errors", 6, AGENT_COUNT, column[OUT_ERRORS], "Packets that could not be sent by"),
	NETDEV_ALL("out.drops", 7, AGENT_COUNT, column[OUT_DROPS], "Packets to be sent and dropped by"),
	NETDEV_ALL("total.bytes", 8, AGENT_BYTE, total[BYTES], "Bytes received and sent by"),
	NETDEV_ALL("total.packets", 9, AGENT_COUNT, total[PACKETS], "Packets received and sent by"),
	NETDEV_ALL("total.errors", 10, AGENT_COUNT, total[ERRORS],
	  "Errors of packets received and sent by"),
	NETDEV_ALL("total.drops", 11, AGENT_COUNT, total[DROPS], "Packets dropped, either way, by"),

	{ "hinv.ninterface", 3, 27, U32, DISCRETE, ONE, AGENT_NONE, FIELD(netdev, ninterface),
	  "Network interfaces", "Instances of network.interface, up or not.", 0 },
};
/* clang-format on */

/* Interfaces that count what another one counts too: a prefix and digits, perhaps more. */
static const struct {
	const char *prefix;
	const char *suffix;
} copies[] = {
    {"bond", ""}, {"team", ""},       {"tun", ""},    {"virbr", ""}, {"virbr", "-nic"},
    {"cni", ""},  {"cni-podman", ""}, {"docker", ""}, {"veth", ""},
};

static bool is_copy(const char *name, size_t len)
{
	if ((len == 2 && memcmp(name, "lo", 2) == 0) || (len == 4 && memcmp(name, "face", 4) == 0))
		return true;
	for (size_t i = 0; i < NROWS(copies); i++) {
		size_t at = strlen(copies[i].prefix);
		size_t digits = at;

		if (len <= at || memcmp(name, copies[i].prefix, at) != 0)
			continue;
		while (at < len && name[at] >= '0' && name[at] <= '9')
			at++;
		if (at > digits && len - at == strlen(copies[i].suffix) &&
		    memcmp(name + at, copies[i].suffix, len - at) == 0)
			return true;
	}
	return false;
}

static uint64_t netdev_sum(uint64_t a, uint64_t b)
{
	if (a == UINT64_MAX)
		return b;
	return b == UINT64_MAX ? a : a + b;
}

static void netdev_compute(struct interface *i)
{
	for (int k = 0; k < NTOTALS; k++)
		i->total[k] = netdev_sum(i->column[IN_BYTES + k], i->column[OUT_BYTES + k]);
}

bool netdev_name(struct scan *s, const char **ret_name, size_t *ret_len)
{
	const char *colon = NULL;

	scan_blanks(s);
	for (const char *p = s->p; *p != '\0' && *p != '\n' && *p != '|'; p++)
		if (*p == ':')
			colon = p; /* the last one: an alias has one in its name */
	if (colon == NULL || colon == s->p)
		return false;
	*ret_name = s->p;
	*ret_len = (size_t)(colon - s->p);
	s->p = colon + 1;
	return true;
}

static int netdev_read_line(struct agent_refresh *r, struct scan *s, struct netdev *all)
{
	struct interface *i;
	const char *name;
	size_t len;

	if (!netdev_name(s, &name, &len))
		return 0;
	i = agent_add(r, &interface_indom, name, len);
	if (i == NULL)
		return -ENOMEM;
	scan_u64s(s, i->column, NETDEV_NCOLUMNS);
	netdev_compute(i);
	all->ninterface++;
	if (is_copy(name, len))
		return 0;
	for (int k = 0; k < NETDEV_NCOLUMNS; k++)
		all->all.column[k] = netdev_sum(all->all.column[k], i->column[k]);
	return 0;
}

static int netdev_refresh(struct agent_refresh *r, void *snapshot)
{
	struct netdev *all = snapshot;
	struct scan s;
	long n = agent_read(r, "proc/net/dev", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	all->ninterface = 0;
	/* Also where only loopback is there: nothing was received, which is known. */
	memset(all->all.column, 0, sizeof(all->all.column));
	do {
		status = netdev_read_line(r, &s, all);
	} while (status == 0 && scan_next_line(&s));
	netdev_compute(&all->all);
	return status;
}

const struct agent_cluster netdev_cluster = {
    .name = "netdev",
    .source = "/proc/net/dev",
    .size = sizeof(struct netdev),
    .refresh = netdev_refresh,
    .metrics = netdev_metrics,
    .nmetrics = NROWS(netdev_metrics),
    .fills = {{&interface_indom, sizeof(struct interface), 1}},
};

/*
 * ---- softnet ----
 *
 * Packets that each processor took from the network devices: /proc/net/softnet_stat.
 *
 * A line a processor, hexadecimal numbers of 32 bits. Before kernel 5.14 a line does not name its
 * processor: the lines are those of the processors that are online, in their order.
 */

/* Columns of the file. */
enum { PROCESSED = 0, DROPPED, TIME_SQUEEZE, CPU_COLLISION = 8, RECEIVED_RPS, FLOW_LIMIT };
enum { CPU = 12, SOFTNET_NCOLUMNS };

struct softnet {
	uint64_t column[SOFTNET_NCOLUMNS];
};

/* clang-format off */

/* X(item in all, item by processor, last part of the name, column, text) */
#define SOFTNET_ROWS(X)                                                                            \
	X(0, 6, "processed", PROCESSED, "Packets taken from the network devices")                  \
	X(1, 7, "dropped", DROPPED, "Packets dropped because the queue of a processor was full")   \
	X(2, 8, "time_squeeze", TIME_SQUEEZE,                                                      \
	  "Times that packets were left over because the share of time was used up")               \
	X(3, 9, "cpu_collision", CPU_COLLISION,                                                    \
	  "Times that a device was busy with another processor while sending")                     \
	X(4, 10, "received_rps", RECEIVED_RPS,                                                     \
	  "Times that another processor handed over packets (RPS)")                                \
	X(5, 11, "flow_limit_count", FLOW_LIMIT,                                                   \
	  "Packets dropped because their flow had more than its share")

#define SOFTNET_ALL(n, cpu_n, leaf, at, text)                                                              \
	{ "network.softnet." leaf, 57, n, U64, COUNTER, ONE, AGENT_COUNT,                          \
	  FIELD(softnet, column[at]), text, "Of all processors.", 0 },
#define SOFTNET_EACH(n, cpu_n, leaf, at, text)                                                             \
	{ "network.softnet.percpu." leaf, 57, cpu_n, U64, COUNTER, &cpu_indom, AGENT_COUNT,        \
	  FIELD(softnet, column[at]), text, "By processor.", 0 },

static const struct agent_metric softnet_metrics[] = {
	SOFTNET_ROWS(SOFTNET_ALL)
	SOFTNET_ROWS(SOFTNET_EACH)
};
/* clang-format on */

/* A value that is absent in both stays absent; absent in one counts as 0. */
static void add(struct softnet *sum, const struct softnet *one, int ncolumns)
{
	for (int i = 0; i < ncolumns; i++) {
		if (one->column[i] == UINT64_MAX)
			continue;
		if (sum->column[i] == UINT64_MAX)
			sum->column[i] = 0;
		sum->column[i] += one->column[i];
	}
}

static int softnet_refresh(struct agent_refresh *r, void *snapshot)
{
	struct softnet *all = snapshot;
	struct scan s;
	long n = agent_read(r, "proc/net/softnet_stat", &s.p);
	int number = -1;

	if (n < 0)
		return (int)n;
	do {
		struct softnet one;
		struct softnet *cpu;
		int ncolumns = 0;

		while (ncolumns < SOFTNET_NCOLUMNS && scan_hex(&s, &one.column[ncolumns]))
			ncolumns++;
		if (ncolumns == 0)
			continue;
		add(all, &one, ncolumns);
		number = ncolumns <= CPU              ? cpus_next_online(number)
			 : one.column[CPU] < CPUS_MAX ? (int)one.column[CPU]
						      : -1;
		if (number < 0)
			continue;
		cpu = agent_add_id(r, &cpu_indom, number, NULL);
		if (cpu == NULL)
			return -ENOMEM;
		add(cpu, &one, ncolumns);
	} while (scan_next_line(&s));
	return 0;
}

const struct agent_cluster softnet_cluster = {
    .name = "softnet",
    .source = "/proc/net/softnet_stat",
    .size = sizeof(struct softnet),
    .refresh = softnet_refresh,
    .metrics = softnet_metrics,
    .nmetrics = NROWS(softnet_metrics),
    .fills = {{&cpu_indom, sizeof(struct softnet), 0}},
};
