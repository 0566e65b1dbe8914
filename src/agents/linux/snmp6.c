/*
 * snmp6 - IPv6, ICMPv6, UDP and UDP-Lite over IPv6: /proc/net/snmp6, a key and a number a line.
 */
#include <errno.h>

#include "keys.h"
#include "linux.h"

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
	  "Packets received of a protocol that nobody handles")					\
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
#define KEY(n, leaf, key, text)          { key, offsetof(struct snmp6, item[n]) },

static const struct agent_metric snmp6_metrics[] = {
	IP6_ROWS(IP6_ROW)
	ICMP6_ROWS(ICMP6_ROW)
	UDP6_ROWS(UDP6_ROW)
	UDPLITE6_ROWS(UDPLITE6_ROW)
};

static const struct key snmp6_keys[] = {
	IP6_ROWS(KEY)
	ICMP6_ROWS(KEY)
	UDP6_ROWS(KEY)
	UDPLITE6_ROWS(KEY)
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
