/* snmp - IP, ICMP, TCP, UDP and UDP-Lite as the standards count them, of both versions of IP. */
#include <errno.h>

#include "keys.h"
#include "linux.h"

/*
 * ---- snmp ----
 *
 * IP, ICMP, TCP, UDP and UDP-Lite as the standards count them: /proc/net/snmp.
 *
 * IcmpMsg counts messages by their number; the kernel lists numbers that occurred at least once.
 */

enum { SNMP_NITEMS = 94, ICMP_NTYPES = 256 };

struct snmp {
	uint64_t item[SNMP_NITEMS]; /* by the item of the row */
	uint64_t icmp_in[ICMP_NTYPES];
	uint64_t icmp_out[ICMP_NTYPES];
};

struct icmp_type {
	uint64_t in;
	uint64_t out;
};

static const struct agent_indom icmp_indom = {
    23, 1, NULL, 0, "Numbers of ICMP messages", "TypeN: Type8 is an echo request, for example.",
};

/* clang-format off */

/* X(item, last part of the name, key, text): counters. */
#define IP_ROWS(X)										\
	X(0, "forwarding", "Forwarding", "Whether this host forwards packets: 1 yes, 2 no")	\
	X(1, "defaultttl", "DefaultTTL", "Time to live that packets start with")		\
	X(2, "inreceives", "InReceives", "Packets received")					\
	X(3, "inhdrerrors", "InHdrErrors", "Packets received with a bad header")		\
	X(4, "inaddrerrors", "InAddrErrors",							\
	  "Packets received for an address that is not valid here")				\
	X(5, "forwdatagrams", "ForwDatagrams", "Packets forwarded")				\
	X(6, "inunknownprotos", "InUnknownProtos",						\
	  "Packets received of a protocol that is not handled")					\
	X(7, "indiscards", "InDiscards", "Packets received and dropped for want of room")	\
	X(8, "indelivers", "InDelivers", "Packets given to their protocol")			\
	X(9, "outrequests", "OutRequests", "Packets sent by protocols of this host")		\
	X(10, "outdiscards", "OutDiscards", "Packets to be sent and dropped for want of room")	\
	X(11, "outnoroutes", "OutNoRoutes", "Packets dropped because no route was known")	\
	X(12, "reasmtimeout", "ReasmTimeout",							\
	  "Times that fragments were given up because others did not come")			\
	X(13, "reasmreqds", "ReasmReqds", "Fragments received")					\
	X(14, "reasmoks", "ReasmOKs", "Packets put together from fragments")			\
	X(15, "reasmfails", "ReasmFails", "Packets that could not be put together")		\
	X(16, "fragoks", "FragOKs", "Packets split into fragments")				\
	X(17, "fragfails", "FragFails", "Packets that needed splitting and must not be")	\
	X(18, "fragcreates", "FragCreates", "Fragments made")

#define ICMP_ROWS(X)										\
	X(20, "inmsgs", "InMsgs", "Messages received")						\
	X(21, "inerrors", "InErrors", "Messages received with an error of ICMP")		\
	X(22, "indestunreachs", "InDestUnreachs", "\"Destination unreachable\" received")	\
	X(23, "intimeexcds", "InTimeExcds", "\"Time exceeded\" received")			\
	X(24, "inparmprobs", "InParmProbs", "\"Parameter problem\" received")			\
	X(25, "insrcquenchs", "InSrcQuenchs", "\"Source quench\" received")			\
	X(26, "inredirects", "InRedirects", "\"Redirect\" received")				\
	X(27, "inechos", "InEchos", "Echo requests received")					\
	X(28, "inechoreps", "InEchoReps", "Echo replies received")				\
	X(29, "intimestamps", "InTimestamps", "Timestamp requests received")			\
	X(30, "intimestampreps", "InTimestampReps", "Timestamp replies received")		\
	X(31, "inaddrmasks", "InAddrMasks", "Address mask requests received")			\
	X(32, "inaddrmaskreps", "InAddrMaskReps", "Address mask replies received")		\
	X(33, "outmsgs", "OutMsgs", "Messages sent")						\
	X(34, "outerrors", "OutErrors", "Messages that could not be sent")			\
	X(35, "outdestunreachs", "OutDestUnreachs", "\"Destination unreachable\" sent")		\
	X(36, "outtimeexcds", "OutTimeExcds", "\"Time exceeded\" sent")				\
	X(37, "outparmprobs", "OutParmProbs", "\"Parameter problem\" sent")			\
	X(38, "outsrcquenchs", "OutSrcQuenchs", "\"Source quench\" sent")			\
	X(39, "outredirects", "OutRedirects", "\"Redirect\" sent")				\
	X(40, "outechos", "OutEchos", "Echo requests sent")					\
	X(41, "outechoreps", "OutEchoReps", "Echo replies sent")				\
	X(42, "outtimestamps", "OutTimestamps", "Timestamp requests sent")			\
	X(43, "outtimestampreps", "OutTimestampReps", "Timestamp replies sent")			\
	X(44, "outaddrmasks", "OutAddrMasks", "Address mask requests sent")			\
	X(45, "outaddrmaskreps", "OutAddrMaskReps", "Address mask replies sent")		\
	X(46, "incsumerrors", "InCsumErrors", "Messages received with a wrong checksum")

#define TCP_ROWS(X)										\
	X(54, "activeopens", "ActiveOpens", "Connections that this host began")			\
	X(55, "passiveopens", "PassiveOpens", "Connections that others began")			\
	X(56, "attemptfails", "AttemptFails", "Connections that were not made")			\
	X(57, "estabresets", "EstabResets", "Connections reset")				\
	X(59, "insegs", "InSegs", "Segments received")						\
	X(60, "outsegs", "OutSegs", "Segments sent, retransmitted ones not counted")		\
	X(61, "retranssegs", "RetransSegs", "Segments retransmitted")				\
	X(62, "inerrs", "InErrs", "Segments received in error")					\
	X(63, "outrsts", "OutRsts", "Resets sent")						\
	X(64, "incsumerrors", "InCsumErrors", "Segments received with a wrong checksum")

#define UDP_ROWS(X)										\
	X(70, "indatagrams", "InDatagrams", "Datagrams given to programs")			\
	X(71, "noports", "NoPorts", "Datagrams received for a port where nobody listens")	\
	X(72, "inerrors", "InErrors", "Datagrams that could not be given to a program")		\
	X(74, "outdatagrams", "OutDatagrams", "Datagrams sent")					\
	X(75, "recvbuferrors", "RcvbufErrors",							\
	  "Datagrams received and dropped because the receive buffer was full")			\
	X(76, "sndbuferrors", "SndbufErrors",							\
	  "Datagrams not sent because the send buffer was full")				\
	X(83, "incsumerrors", "InCsumErrors", "Datagrams received with a wrong checksum")	\
	X(90, "ignoredmulti", "IgnoredMulti", "Multicast datagrams received that nobody wanted")\
	X(91, "memerrors", "MemErrors",								\
	  "Datagrams dropped because the memory of the protocol was used up")

#define UDPLITE_ROWS(X)										\
	X(77, "indatagrams", "InDatagrams", "Datagrams given to programs")			\
	X(78, "noports", "NoPorts", "Datagrams received for a port where nobody listens")	\
	X(79, "inerrors", "InErrors", "Datagrams that could not be given to a program")		\
	X(80, "outdatagrams", "OutDatagrams", "Datagrams sent")					\
	X(81, "recvbuferrors", "RcvbufErrors",							\
	  "Datagrams received and dropped because the receive buffer was full")			\
	X(82, "sndbuferrors", "SndbufErrors",							\
	  "Datagrams not sent because the send buffer was full")				\
	X(84, "incsumerrors", "InCsumErrors", "Datagrams received with a wrong checksum")	\
	X(92, "ignoredmulti", "IgnoredMulti", "Multicast datagrams received that nobody wanted")\
	X(93, "memerrors", "MemErrors",								\
	  "Datagrams dropped because the memory of the protocol was used up")

/* And what is none. */
#define TCP_STATE_ROWS(X)                                                                          \
	X(50, "rtoalgorithm", "RtoAlgorithm", NONE,                                                \
	  "How retransmission times are found: 1 other, 2 constant, 3 RSRE, 4 Jacobson")           \
	X(51, "rtomin", "RtoMin", MSEC, "Shortest time before a retransmission")                   \
	X(52, "rtomax", "RtoMax", MSEC, "Longest time before a retransmission")                    \
	X(53, "maxconn", "MaxConn", NONE, "Most connections that there can be, if that is fixed")  \
	X(58, "currestab", "CurrEstab", NONE, "Connections open")

#define COUNT_ROW(protocol, in, n, leaf, text)                                                     \
	{ "network." protocol "." leaf, 14, n, U64, COUNTER, ONE, AGENT_COUNT,                     \
	  FIELD(snmp, item[n]), text " (" in ")", NULL, 0 },
#define IP_ROW(n, leaf, key, text)      COUNT_ROW("ip", "IPv4", n, leaf, text)
#define ICMP_ROW(n, leaf, key, text)    COUNT_ROW("icmp", "ICMP", n, leaf, text)
#define TCP_ROW(n, leaf, key, text)     COUNT_ROW("tcp", "TCP", n, leaf, text)
#define UDP_ROW(n, leaf, key, text)     COUNT_ROW("udp", "UDP", n, leaf, text)
#define UDPLITE_ROW(n, leaf, key, text) COUNT_ROW("udplite", "UDP-Lite", n, leaf, text)
#define TCP_STATE_ROW(n, leaf, key, units, text)                                                   \
	{ "network.tcp." leaf, 14, n, U64, INSTANT, ONE, AGENT_##units, FIELD(snmp, item[n]),      \
	  text " (TCP)", NULL, 0 },
#define SNMP_KEY(n, leaf, key, text)              { key, offsetof(struct snmp, item[n]) },
#define STATE_KEY(n, leaf, key, units, text) { key, offsetof(struct snmp, item[n]) },

static const struct agent_metric snmp_metrics[] = {
	IP_ROWS(IP_ROW)
	ICMP_ROWS(ICMP_ROW)
	TCP_ROWS(TCP_ROW)
	TCP_STATE_ROWS(TCP_STATE_ROW)
	UDP_ROWS(UDP_ROW)
	UDPLITE_ROWS(UDPLITE_ROW)
	{ "network.icmpmsg.intype", 14, 88, U64, COUNTER, &icmp_indom, AGENT_COUNT,
	  FIELD(icmp_type, in), "Messages received of each number (ICMP)", NULL, 0 },
	{ "network.icmpmsg.outtype", 14, 89, U64, COUNTER, &icmp_indom, AGENT_COUNT,
	  FIELD(icmp_type, out), "Messages sent of each number (ICMP)", NULL, 0 },
};

static const struct key ip_keys[] = { IP_ROWS(SNMP_KEY) };
static const struct key icmp_keys[] = { ICMP_ROWS(SNMP_KEY) };
static const struct key tcp_keys[] = { TCP_ROWS(SNMP_KEY) TCP_STATE_ROWS(STATE_KEY) };
static const struct key udp_keys[] = { UDP_ROWS(SNMP_KEY) };
static const struct key udplite_keys[] = { UDPLITE_ROWS(SNMP_KEY) };
/* clang-format on */

static struct pairs_group groups[] = {
    {"Ip", ip_keys, NROWS(ip_keys), {0}},
    {"Icmp", icmp_keys, NROWS(icmp_keys), {0}},
    {"Tcp", tcp_keys, NROWS(tcp_keys), {0}},
    {"Udp", udp_keys, NROWS(udp_keys), {0}},
    {"UdpLite", udplite_keys, NROWS(udplite_keys), {0}},
};

/* "InType3 OutType11" and the numbers below. */
static void read_icmp_types(void *base, const char *name, size_t len, struct scan *names,
			    struct scan *numbers)
{
	struct snmp *snmp = base;
	uint64_t type, count;

	if (len != strlen("IcmpMsg") || strncmp(name, "IcmpMsg", len) != 0)
		return;
	for (;;) {
		uint64_t *counts = snmp->icmp_in;

		scan_blanks(names);
		if (scan_text(names, "OutType"))
			counts = snmp->icmp_out;
		else if (!scan_text(names, "InType"))
			return;
		if (!scan_u64(names, &type) || !scan_u64(numbers, &count))
			return;
		if (type < ICMP_NTYPES)
			counts[type] = count;
	}
}

static int add_icmp_types(struct agent_refresh *r, const struct snmp *snmp)
{
	char name[16];

	for (int i = 0; i < ICMP_NTYPES; i++) {
		struct icmp_type *type;

		if (snmp->icmp_in[i] == UINT64_MAX && snmp->icmp_out[i] == UINT64_MAX)
			continue;
		snprintf(name, sizeof(name), "Type%d", i);
		type = agent_add_id(r, &icmp_indom, i, name);
		if (type == NULL)
			return -ENOMEM;
		type->in = snmp->icmp_in[i];
		type->out = snmp->icmp_out[i];
	}
	return 0;
}

static int snmp_refresh(struct agent_refresh *r, void *snapshot)
{
	const char *text;
	long n = agent_read(r, "proc/net/snmp", &text);
	int status;

	if (n < 0)
		return (int)n;
	status = pairs_read(groups, NROWS(groups), read_icmp_types, snapshot, text);
	return status < 0 ? status : add_icmp_types(r, snapshot);
}

const struct agent_cluster snmp_cluster = {
    .name = "snmp",
    .source = "/proc/net/snmp",
    .size = sizeof(struct snmp),
    .refresh = snmp_refresh,
    .metrics = snmp_metrics,
    .nmetrics = NROWS(snmp_metrics),
    .fills = {{&icmp_indom, sizeof(struct icmp_type), 1}},
};

/* ---- IPv6, ICMPv6, UDP and UDP-Lite over IPv6: /proc/net/snmp6, a key and a number a line ---- */

enum { SNMP6_NITEMS = 82 };

struct snmp6 {
	uint64_t item[SNMP6_NITEMS]; /* by the item of the row */
};

/* clang-format off */

/* X(item, last part of the name, key, text): counters. */
#define IP6_ROWS(X)										\
	X(0, "inreceives", "Ip6InReceives", "Packets received")					\
	X(1, "inhdrerrors", "Ip6InHdrErrors", "Packets received with a bad header")		\
	X(2, "intoobigerrors", "Ip6InTooBigErrors", "Packets that were too big for the next link")\
	X(3, "innoroutes", "Ip6InNoRoutes",							\
	  "Packets received and dropped because no route was known")				\
	X(4, "inaddrerrors", "Ip6InAddrErrors",							\
	  "Packets received for an address that is not valid here")				\
	X(5, "inunknownprotos", "Ip6InUnknownProtos",						\
	  "Packets received of a protocol that is not handled")					\
	X(6, "intruncatedpkts", "Ip6InTruncatedPkts",						\
	  "Packets received that were shorter than their header says")				\
	X(7, "indiscards", "Ip6InDiscards", "Packets received and dropped for want of room")	\
	X(8, "indelivers", "Ip6InDelivers", "Packets given to their protocol")			\
	X(9, "outforwdatagrams", "Ip6OutForwDatagrams", "Packets forwarded")			\
	X(10, "outrequests", "Ip6OutRequests", "Packets sent by protocols of this host")	\
	X(11, "outdiscards", "Ip6OutDiscards", "Packets to be sent and dropped for want of room")\
	X(12, "outnoroutes", "Ip6OutNoRoutes", "Packets dropped because no route was known")	\
	X(13, "reasmtimeout", "Ip6ReasmTimeout",						\
	  "Times that fragments were given up because others did not come")			\
	X(14, "reasmreqds", "Ip6ReasmReqds", "Fragments received")				\
	X(15, "reasmoks", "Ip6ReasmOKs", "Packets put together from fragments")			\
	X(16, "reasmfails", "Ip6ReasmFails", "Packets that could not be put together")		\
	X(17, "fragoks", "Ip6FragOKs", "Packets split into fragments")				\
	X(18, "fragfails", "Ip6FragFails", "Packets that needed splitting and could not be")	\
	X(19, "fragcreates", "Ip6FragCreates", "Fragments made")				\
	X(20, "inmcastpkts", "Ip6InMcastPkts", "Multicast packets received")			\
	X(21, "outmcastpkts", "Ip6OutMcastPkts", "Multicast packets sent")			\
	X(22, "inoctets", "Ip6InOctets", "Bytes received")					\
	X(23, "outoctets", "Ip6OutOctets", "Bytes sent")					\
	X(24, "inmcastoctets", "Ip6InMcastOctets", "Bytes of multicast packets received")	\
	X(25, "outmcastoctets", "Ip6OutMcastOctets", "Bytes of multicast packets sent")		\
	X(26, "inbcastoctets", "Ip6InBcastOctets", "Bytes of broadcast packets received")	\
	X(27, "outbcastoctets", "Ip6OutBcastOctets", "Bytes of broadcast packets sent")		\
	X(28, "innoectpkts", "Ip6InNoECTPkts",							\
	  "Packets received of senders that know no congestion marks")				\
	X(29, "inect1pkts", "Ip6InECT1Pkts", "Packets received with the mark ECT(1)")		\
	X(30, "inect0pkts", "Ip6InECT0Pkts", "Packets received with the mark ECT(0)")		\
	X(31, "incepkts", "Ip6InCEPkts",							\
	  "Packets received with the mark of a congestion on their way")

#define ICMP6_ROWS(X)										\
	X(32, "inmsgs", "Icmp6InMsgs", "Messages received")					\
	X(33, "inerrors", "Icmp6InErrors", "Messages received with an error of ICMPv6")		\
	X(34, "outmsgs", "Icmp6OutMsgs", "Messages sent")					\
	X(35, "outerrors", "Icmp6OutErrors", "Messages that could not be sent")			\
	X(36, "incsumerrors", "Icmp6InCsumErrors", "Messages received with a wrong checksum")	\
	X(37, "indestunreachs", "Icmp6InDestUnreachs", "\"Destination unreachable\" received")	\
	X(38, "inpkttoobigs", "Icmp6InPktTooBigs", "\"Packet too big\" received")		\
	X(39, "intimeexcds", "Icmp6InTimeExcds", "\"Time exceeded\" received")			\
	X(40, "inparmproblems", "Icmp6InParmProblems", "\"Parameter problem\" received")	\
	X(41, "inechos", "Icmp6InEchos", "Echo requests received")				\
	X(42, "inechoreplies", "Icmp6InEchoReplies", "Echo replies received")			\
	X(43, "ingroupmembqueries", "Icmp6InGroupMembQueries",					\
	  "Multicast listener queries received")						\
	X(44, "ingroupmembresponses", "Icmp6InGroupMembResponses",				\
	  "Multicast listener reports received")						\
	X(45, "ingroupmembreductions", "Icmp6InGroupMembReductions",				\
	  "\"Multicast listener done\" received")						\
	X(46, "inroutersolicits", "Icmp6InRouterSolicits", "Router solicitations received")	\
	X(47, "inrouteradvertisements", "Icmp6InRouterAdvertisements",				\
	  "Router advertisements received")							\
	X(48, "inneighborsolicits", "Icmp6InNeighborSolicits", "Neighbour solicitations received")\
	X(49, "inneighboradvertisements", "Icmp6InNeighborAdvertisements",			\
	  "Neighbour advertisements received")							\
	X(50, "inredirects", "Icmp6InRedirects", "\"Redirect\" received")			\
	X(51, "inmldv2reports", "Icmp6InMLDv2Reports",						\
	  "Multicast listener reports of version 2 received")					\
	X(52, "outdestunreachs", "Icmp6OutDestUnreachs", "\"Destination unreachable\" sent")	\
	X(53, "outpkttoobigs", "Icmp6OutPktTooBigs", "\"Packet too big\" sent")			\
	X(54, "outtimeexcds", "Icmp6OutTimeExcds", "\"Time exceeded\" sent")			\
	X(55, "outparmproblems", "Icmp6OutParmProblems", "\"Parameter problem\" sent")		\
	X(56, "outechos", "Icmp6OutEchos", "Echo requests sent")				\
	X(57, "outechoreplies", "Icmp6OutEchoReplies", "Echo replies sent")			\
	X(58, "outgroupmembqueries", "Icmp6OutGroupMembQueries",				\
	  "Multicast listener queries sent")							\
	X(59, "outgroupmembresponses", "Icmp6OutGroupMembResponses",				\
	  "Multicast listener reports sent")							\
	X(60, "outgroupmembreductions", "Icmp6OutGroupMembReductions",				\
	  "\"Multicast listener done\" sent")							\
	X(61, "outroutersolicits", "Icmp6OutRouterSolicits", "Router solicitations sent")	\
	X(62, "outrouteradvertisements", "Icmp6OutRouterAdvertisements",			\
	  "Router advertisements sent")								\
	X(63, "outneighborsolicits", "Icmp6OutNeighborSolicits", "Neighbour solicitations sent")\
	X(64, "outneighboradvertisements", "Icmp6OutNeighborAdvertisements",			\
	  "Neighbour advertisements sent")							\
	X(65, "outredirects", "Icmp6OutRedirects", "\"Redirect\" sent")				\
	X(66, "outmldv2reports", "Icmp6OutMLDv2Reports",					\
	  "Multicast listener reports of version 2 sent")

#define UDP6_ROWS(X)										\
	X(67, "indatagrams", "Udp6InDatagrams", "Datagrams given to programs")			\
	X(68, "noports", "Udp6NoPorts", "Datagrams received for a port where nobody listens")	\
	X(69, "inerrors", "Udp6InErrors", "Datagrams that could not be given to a program")	\
	X(70, "outdatagrams", "Udp6OutDatagrams", "Datagrams sent")				\
	X(71, "rcvbuferrors", "Udp6RcvbufErrors",						\
	  "Datagrams received and dropped because the receive buffer was full")			\
	X(72, "sndbuferrors", "Udp6SndbufErrors",						\
	  "Datagrams not sent because the send buffer was full")				\
	X(73, "incsumerrors", "Udp6InCsumErrors", "Datagrams received with a wrong checksum")	\
	X(74, "ignoredmulti", "Udp6IgnoredMulti",						\
	  "Multicast datagrams received that nobody wanted")

#define UDPLITE6_ROWS(X)									\
	X(75, "indatagrams", "UdpLite6InDatagrams", "Datagrams given to programs")		\
	X(76, "noports", "UdpLite6NoPorts", "Datagrams received for a port where nobody listens")\
	X(77, "inerrors", "UdpLite6InErrors", "Datagrams that could not be given to a program")	\
	X(78, "outdatagrams", "UdpLite6OutDatagrams", "Datagrams sent")				\
	X(79, "rcvbuferrors", "UdpLite6RcvbufErrors",						\
	  "Datagrams received and dropped because the receive buffer was full")			\
	X(80, "sndbuferrors", "UdpLite6SndbufErrors",						\
	  "Datagrams not sent because the send buffer was full")				\
	X(81, "incsumerrors", "UdpLite6InCsumErrors", "Datagrams received with a wrong checksum")

#define ROW(protocol, in, n, leaf, text)                                                           \
	{ "network." protocol "." leaf, 58, n, U64, COUNTER, ONE, AGENT_COUNT,                     \
	  FIELD(snmp6, item[n]), text " (" in ")", NULL, 0 },
#define IP6_ROW(n, leaf, key, text)      ROW("ip6", "IPv6", n, leaf, text)
#define ICMP6_ROW(n, leaf, key, text)    ROW("icmp6", "ICMPv6", n, leaf, text)
#define UDP6_ROW(n, leaf, key, text)     ROW("udp6", "UDP over IPv6", n, leaf, text)
#define UDPLITE6_ROW(n, leaf, key, text) ROW("udplite6", "UDP-Lite over IPv6", n, leaf, text)
#define SNMP6_KEY(n, leaf, key, text)          { key, offsetof(struct snmp6, item[n]) },

static const struct agent_metric snmp6_metrics[] = {
	IP6_ROWS(IP6_ROW)
	ICMP6_ROWS(ICMP6_ROW)
	UDP6_ROWS(UDP6_ROW)
	UDPLITE6_ROWS(UDPLITE6_ROW)
};

static const struct key snmp6_keys[] = {
	IP6_ROWS(SNMP6_KEY)
	ICMP6_ROWS(SNMP6_KEY)
	UDP6_ROWS(SNMP6_KEY)
	UDPLITE6_ROWS(SNMP6_KEY)
};
/* clang-format on */

static int snmp6_refresh(struct agent_refresh *r, void *snapshot)
{
	static struct keys keys;
	struct scan s;
	long n = agent_read(r, "proc/net/snmp6", &s.p);

	if (n < 0)
		return (int)n;
	if (!keys_init(&keys, snmp6_keys, NROWS(snmp6_keys)))
		return -ENOMEM;
	do {
		keys_line(&keys, snapshot, &s);
	} while (scan_next_line(&s));
	return 0;
}

const struct agent_cluster snmp6_cluster = {
    .name = "snmp6",
    .source = "/proc/net/snmp6",
    .size = sizeof(struct snmp6),
    .refresh = snmp6_refresh,
    .optional = 1,
    .metrics = snmp6_metrics,
    .nmetrics = NROWS(snmp6_metrics),
};
