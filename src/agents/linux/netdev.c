/*
 * netdev - traffic of the network interfaces: /proc/net/dev.
 *
 *      face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop ...
 *      eth0: 4711  20      1    2    3    4     5          6         7000  70      8    9 ...
 *
 * network.all adds up the interfaces that do not copy others: loopback, bonds, bridges of virtual
 * machines and containers, and tunnels count again the traffic of an interface below them.
 */
#include <errno.h>
#include <string.h>

#include "linux.h"
#include "netdev.h"
#include "scan.h"

/* Columns in the file's order, received and sent, and what is the sum of both. */
enum { IN_BYTES, IN_PACKETS, IN_ERRORS, IN_DROPS, IN_FIFO, IN_FRAME, IN_COMPRESSED, IN_MCASTS };
enum { OUT_BYTES = IN_MCASTS + 1, OUT_PACKETS, OUT_ERRORS, OUT_DROPS, OUT_FIFO };
enum { COLLISIONS = OUT_FIFO + 1, OUT_CARRIER, OUT_COMPRESSED, NCOLUMNS };
enum { BYTES, PACKETS, ERRORS, DROPS, NTOTALS };

struct interface {
	uint64_t column[NCOLUMNS];
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
#define EACH(name, item, units, member, text, more)                                                \
	{ "network.interface." name, 3, item, U64, COUNTER, &interface_indom, units,               \
	  FIELD(interface, member), text " each interface", more, 0 }
#define ALL(name, item, units, member, text)                                                       \
	{ "network.all." name, 90, item, U64, COUNTER, ONE, units, FIELD(netdev, all.member),      \
	  text " all interfaces", "Interfaces that only pass on what others count are left out.", \
	  0 }

static const struct agent_metric netdev_metrics[] = {
	EACH("in.bytes", 0, AGENT_BYTE, column[IN_BYTES], "Bytes received by", NULL),
	EACH("in.packets", 1, AGENT_COUNT, column[IN_PACKETS], "Packets received by", NULL),
	EACH("in.errors", 2, AGENT_COUNT, column[IN_ERRORS], "Packets received in error by", NULL),
	EACH("in.drops", 3, AGENT_COUNT, column[IN_DROPS], "Packets received and dropped by",
	     "For want of room, or because nobody wanted them."),
	EACH("in.fifo", 4, AGENT_COUNT, column[IN_FIFO], "Overruns of the receive queue of", NULL),
	EACH("in.frame", 5, AGENT_COUNT, column[IN_FRAME], "Framing errors of packets received by",
	     "Wrong length, alignment or checksum."),
	EACH("in.compressed", 6, AGENT_COUNT, column[IN_COMPRESSED],
	  "Compressed packets received by", NULL),
	EACH("in.mcasts", 7, AGENT_COUNT, column[IN_MCASTS], "Multicast packets received by", NULL),
	EACH("out.bytes", 8, AGENT_BYTE, column[OUT_BYTES], "Bytes sent by", NULL),
	EACH("out.packets", 9, AGENT_COUNT, column[OUT_PACKETS], "Packets sent by", NULL),
	EACH("out.errors", 10, AGENT_COUNT, column[OUT_ERRORS], "Packets that could not be sent by",
	  NULL),
	EACH("out.drops", 11, AGENT_COUNT, column[OUT_DROPS], "Packets to be sent and dropped by",
	  NULL),
	EACH("out.fifo", 12, AGENT_COUNT, column[OUT_FIFO], "Overruns of the send queue of", NULL),
	EACH("collisions", 13, AGENT_COUNT, column[COLLISIONS], "Collisions on the wire of", NULL),
	EACH("out.carrier", 14, AGENT_COUNT, column[OUT_CARRIER],
	  "Losses of carrier while sending, of", NULL),
	EACH("out.compressed", 15, AGENT_COUNT, column[OUT_COMPRESSED],
	  "Compressed packets sent by", NULL),
	EACH("total.bytes", 16, AGENT_BYTE, total[BYTES], "Bytes received and sent by", NULL),
	EACH("total.packets", 17, AGENT_COUNT, total[PACKETS], "Packets received and sent by",
	  NULL),
	EACH("total.errors", 18, AGENT_COUNT, total[ERRORS],
	  "Errors of packets received and sent by", NULL),
	EACH("total.drops", 19, AGENT_COUNT, total[DROPS], "Packets dropped, either way, by", NULL),
	EACH("total.mcasts", 20, AGENT_COUNT, column[IN_MCASTS], "Multicast packets of",
	     "Received: the kernel does not count those sent."),

	ALL("in.bytes", 0, AGENT_BYTE, column[IN_BYTES], "Bytes received by"),
	ALL("in.packets", 1, AGENT_COUNT, column[IN_PACKETS], "Packets received by"),
	ALL("in.errors", 2, AGENT_COUNT, column[IN_ERRORS], "Packets received in error by"),
	ALL("in.drops", 3, AGENT_COUNT, column[IN_DROPS], "Packets received and dropped by"),
	ALL("out.bytes", 4, AGENT_BYTE, column[OUT_BYTES], "Bytes sent by"),
	ALL("out.packets", 5, AGENT_COUNT, column[OUT_PACKETS], "Packets sent by"),
	ALL("out.errors", 6, AGENT_COUNT, column[OUT_ERRORS], "Packets that could not be sent by"),
	ALL("out.drops", 7, AGENT_COUNT, column[OUT_DROPS], "Packets to be sent and dropped by"),
	ALL("total.bytes", 8, AGENT_BYTE, total[BYTES], "Bytes received and sent by"),
	ALL("total.packets", 9, AGENT_COUNT, total[PACKETS], "Packets received and sent by"),
	ALL("total.errors", 10, AGENT_COUNT, total[ERRORS],
	  "Errors of packets received and sent by"),
	ALL("total.drops", 11, AGENT_COUNT, total[DROPS], "Packets dropped, either way, by"),

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

static uint64_t sum(uint64_t a, uint64_t b)
{
	if (a == UINT64_MAX)
		return b;
	return b == UINT64_MAX ? a : a + b;
}

static void compute(struct interface *i)
{
	for (int k = 0; k < NTOTALS; k++)
		i->total[k] = sum(i->column[IN_BYTES + k], i->column[OUT_BYTES + k]);
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

static int read_line(struct agent_refresh *r, struct scan *s, struct netdev *all)
{
	struct interface *i;
	const char *name;
	size_t len;

	if (!netdev_name(s, &name, &len))
		return 0;
	i = agent_add(r, &interface_indom, name, len);
	if (i == NULL)
		return -ENOMEM;
	scan_u64s(s, i->column, NCOLUMNS);
	compute(i);
	all->ninterface++;
	if (is_copy(name, len))
		return 0;
	for (int k = 0; k < NCOLUMNS; k++)
		all->all.column[k] = sum(all->all.column[k], i->column[k]);
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
		status = read_line(r, &s, all);
	} while (status == 0 && scan_next_line(&s));
	compute(&all->all);
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
