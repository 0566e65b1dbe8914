/*
 * netstat - counters of TCP, IP and MPTCP beyond the standards: /proc/net/netstat.
 *
 * Nearly every kernel version adds a few; a missing counter is absent.
 */
#include "keys.h"
#include "linux.h"

enum { NETSTAT_NITEMS = 205 };

struct netstat {
	uint64_t item[NETSTAT_NITEMS]; /* by the item of the row */
};

/* clang-format off */

/* X(item, last part of the name, key, text): counters. */
#define TCPEXT_ROWS(X)										\
	X(17, "syncookiessent", "SyncookiesSent", "SYN cookies sent")				\
	X(18, "syncookiesrecv", "SyncookiesRecv", "SYN cookies that came back")			\
	X(19, "syncookiesfailed", "SyncookiesFailed", "SYN cookies that came back wrong")	\
	X(20, "embryonicrsts", "EmbryonicRsts",							\
	  "Resets received while a connection was being made")					\
	X(21, "prunecalled", "PruneCalled", "Times that a receive queue was cut for want of room")\
	X(22, "rcvpruned", "RcvPruned", "Segments dropped from receive queues for want of room")\
	X(23, "ofopruned", "OfoPruned",								\
	  "Times that segments out of order were dropped for want of room")			\
	X(24, "outofwindowicmps", "OutOfWindowIcmps",						\
	  "ICMP messages dropped because they are not of the window")				\
	X(25, "lockdroppedicmps", "LockDroppedIcmps",						\
	  "ICMP messages dropped because a program had the socket")				\
	X(26, "arpfilter", "ArpFilter",								\
	  "ARP requests not answered because of their source address")				\
	X(27, "timewaited", "TW", "Connections that came to the end of TIME_WAIT")		\
	X(28, "timewaitrecycled", "TWRecycled", "Connections in TIME_WAIT that were used again")\
	X(29, "timewaitkilled", "TWKilled", "Connections in TIME_WAIT that ended early")	\
	X(30, "pawspassiverejected", "PAWSPassive",						\
	  "Connections of others refused for their timestamp")					\
	X(31, "pawsactiverejected", "PAWSActive",						\
	  "Answers to connections refused for their timestamp")					\
	X(32, "pawsestabrejected", "PAWSEstab",							\
	  "Segments of open connections refused for their timestamp")				\
	X(33, "delayedacks", "DelayedACKs", "Acknowledgements sent late on purpose")		\
	X(34, "delayedacklocked", "DelayedACKLocked",						\
	  "Late acknowledgements that waited because a program had the socket")			\
	X(35, "delayedacklost", "DelayedACKLost",						\
	  "Late acknowledgements that came too late: the segment came again")			\
	X(36, "listenoverflows", "ListenOverflows",						\
	  "Connections not accepted because the queue of a listener was full")			\
	X(37, "listendrops", "ListenDrops", "Connections that a listener dropped, for any reason")\
	X(38, "prequeued", "TCPPrequeued", "Segments queued for the program that was reading")	\
	X(39, "directcopyfrombacklog", "TCPDirectCopyFromBacklog",				\
	  "Bytes copied to a program from the backlog")						\
	X(40, "directcopyfromprequeue", "TCPDirectCopyFromPrequeue",				\
	  "Bytes copied to a program from the prequeue")					\
	X(41, "prequeueddropped", "TCPPrequeueDropped", "Segments dropped from the prequeue")	\
	X(42, "hphits", "TCPHPHits", "Segments received that were as foreseen: the fast path")	\
	X(43, "hphitstouser", "TCPHPHitsToUser",						\
	  "Segments as foreseen that went straight to the program")				\
	X(44, "pureacks", "TCPPureAcks", "Acknowledgements received without data")		\
	X(45, "hpacks", "TCPHPAcks", "Acknowledgements received that were as foreseen")		\
	X(46, "renorecovery", "TCPRenoRecovery",						\
	  "Recoveries from a loss without selective acknowledgement")				\
	X(47, "sackrecovery", "TCPSackRecovery",						\
	  "Recoveries from a loss with selective acknowledgement")				\
	X(48, "sackreneging", "TCPSACKReneging",						\
	  "Times that a receiver took a selective acknowledgement back")			\
	X(49, "fackreorder", "TCPFACKReorder", "Reorderings found by forward acknowledgement")	\
	X(50, "sackreorder", "TCPSACKReorder", "Reorderings found by selective acknowledgement")\
	X(51, "renoreorder", "TCPRenoReorder", "Reorderings found by duplicate acknowledgements")\
	X(52, "tsreorder", "TCPTSReorder", "Reorderings found by timestamps")			\
	X(53, "fullundo", "TCPFullUndo", "Windows restored in full: nothing was lost")		\
	X(54, "partialundo", "TCPPartialUndo", "Windows restored in part")			\
	X(55, "dsackundo", "TCPDSACKUndo",							\
	  "Windows restored because a duplicate was acknowledged")				\
	X(56, "lossundo", "TCPLossUndo", "Windows restored after a timeout that was none")	\
	X(57, "lostretransmit", "TCPLostRetransmit", "Retransmissions lost")			\
	X(58, "renofailures", "TCPRenoFailures",						\
	  "Timeouts in a recovery without selective acknowledgement")				\
	X(59, "sackfailures", "TCPSackFailures",						\
	  "Timeouts in a recovery with selective acknowledgement")				\
	X(60, "lossfailures", "TCPLossFailures", "Timeouts in a recovery after a timeout")	\
	X(61, "fastretrans", "TCPFastRetrans", "Segments retransmitted before a timeout")	\
	X(62, "forwardretrans", "TCPForwardRetrans",						\
	  "Segments retransmitted that were not known as lost")					\
	X(63, "slowstartretrans", "TCPSlowStartRetrans", "Segments retransmitted in slow start")\
	X(64, "timeouts", "TCPTimeouts", "Timeouts of other kinds than in a recovery")		\
	X(65, "lossprobes", "TCPLossProbes",							\
	  "Segments sent to find a loss at the end of the data")				\
	X(66, "lossproberecovery", "TCPLossProbeRecovery",					\
	  "Losses at the end of the data that such a segment repaired")				\
	X(67, "renorecoveryfail", "TCPRenoRecoveryFail",					\
	  "Recoveries without selective acknowledgement that failed")				\
	X(68, "sackrecoveryfail", "TCPSackRecoveryFail",					\
	  "Recoveries with selective acknowledgement that failed")				\
	X(69, "schedulerfail", "TCPSchedulerFailed",						\
	  "Retransmissions that the queue below refused, as older kernels tell it")		\
	X(70, "rcvcollapsed", "TCPRcvCollapsed",						\
	  "Segments put together in a receive queue for want of room")				\
	X(71, "dsackoldsent", "TCPDSACKOldSent",						\
	  "Duplicates acknowledged that came a second time")					\
	X(72, "dsackofosent", "TCPDSACKOfoSent", "Duplicates acknowledged that came out of order")\
	X(73, "dsackrecv", "TCPDSACKRecv", "Acknowledgements of duplicates received")		\
	X(74, "dsackoforecv", "TCPDSACKOfoRecv",						\
	  "Acknowledgements of duplicates out of order received")				\
	X(75, "abortondata", "TCPAbortOnData",							\
	  "Connections reset because data came after the program had closed")			\
	X(76, "abortonclose", "TCPAbortOnClose",						\
	  "Connections reset because the program closed without reading all")			\
	X(77, "abortonmemory", "TCPAbortOnMemory", "Connections reset for want of memory")	\
	X(78, "abortontimeout", "TCPAbortOnTimeout", "Connections reset after a timeout")	\
	X(79, "abortonlinger", "TCPAbortOnLinger",						\
	  "Connections reset because they lingered too long")					\
	X(80, "abortfailed", "TCPAbortFailed", "Resets that could not be sent")			\
	X(81, "memorypressures", "TCPMemoryPressures",						\
	  "Times that the memory of the protocol became scarce")				\
	X(82, "sackdiscard", "TCPSACKDiscard", "Selective acknowledgements that made no sense")	\
	X(83, "dsackignoredold", "TCPDSACKIgnoredOld",						\
	  "Acknowledgements of duplicates ignored: too old")					\
	X(84, "dsackignorednoundo", "TCPDSACKIgnoredNoUndo",					\
	  "Acknowledgements of duplicates ignored: nothing to restore")				\
	X(85, "spuriousrtos", "TCPSpuriousRTOs", "Timeouts found to be needless")		\
	X(86, "md5notfound", "TCPMD5NotFound", "Segments dropped: the MD5 signature is missing")\
	X(87, "md5unexpected", "TCPMD5Unexpected",						\
	  "Segments dropped: an MD5 signature was not expected")				\
	X(88, "sackshifted", "TCPSackShifted", "Acknowledged segments moved into the one before")\
	X(89, "sackmerged", "TCPSackMerged", "Acknowledged segments merged with the one before")\
	X(90, "sackshiftfallback", "TCPSackShiftFallback",					\
	  "Acknowledged segments that could not be moved")					\
	X(91, "backlogdrop", "TCPBacklogDrop",							\
	  "Segments dropped because the backlog of a socket was full")				\
	X(92, "minttldrop", "TCPMinTTLDrop", "Segments dropped because they came from too far")	\
	X(93, "deferacceptdrop", "TCPDeferAcceptDrop",						\
	  "Acknowledgements dropped while a listener waits for data")				\
	X(94, "iprpfilter", "IPReversePathFilter",						\
	  "Packets dropped because no route leads back to their source")			\
	X(95, "timewaitoverflow", "TCPTimeWaitOverflow",					\
	  "Connections closed because too many were in TIME_WAIT")				\
	X(96, "reqqfulldocookies", "TCPReqQFullDoCookies",					\
	  "Times that a full queue of requests was met with SYN cookies")			\
	X(97, "reqqfulldrop", "TCPReqQFullDrop", "Requests dropped because their queue was full")\
	X(98, "retransfail", "TCPRetransFail", "Retransmissions that the layer below refused")	\
	X(99, "rcvcoalesce", "TCPRcvCoalesce",							\
	  "Segments put to the one before in a receive queue")					\
	X(100, "ofoqueue", "TCPOFOQueue", "Segments queued out of order")			\
	X(101, "ofodrop", "TCPOFODrop", "Segments out of order dropped for want of room")	\
	X(102, "ofomerge", "TCPOFOMerge",							\
	  "Segments out of order that others in the queue contain")				\
	X(103, "challengeack", "TCPChallengeACK",						\
	  "Acknowledgements sent to challenge a suspect segment")				\
	X(104, "synchallenge", "TCPSYNChallenge",						\
	  "The same, sent for a SYN on an open connection")					\
	X(105, "fastopenactive", "TCPFastOpenActive", "Fast opens that this host began")	\
	X(106, "fastopenactivefail", "TCPFastOpenActiveFail",					\
	  "Fast opens of this host that failed")						\
	X(107, "fastopenpassive", "TCPFastOpenPassive", "Fast opens that others began")		\
	X(108, "fastopenpassivefail", "TCPFastOpenPassiveFail",					\
	  "Fast opens of others that failed")							\
	X(109, "fastopenlistenoverflow", "TCPFastOpenListenOverflow",				\
	  "Fast opens not accepted because the queue was full")					\
	X(110, "fastopencookiereqd", "TCPFastOpenCookieReqd", "Requests for a fast-open cookie")\
	X(111, "spuriousrtxhostqueues", "TCPSpuriousRtxHostQueues",				\
	  "Retransmissions left out: the segment was still queued here")			\
	X(112, "busypollrxpackets", "BusyPollRxPackets",					\
	  "Packets received by a program that polled the device")				\
	X(113, "autocorking", "TCPAutoCorking", "Times that a small segment waited to be filled")\
	X(114, "fromzerowindowadv", "TCPFromZeroWindowAdv",					\
	  "Windows announced that opened a closed one")						\
	X(115, "tozerowindowadv", "TCPToZeroWindowAdv",						\
	  "Windows announced that closed an open one")						\
	X(116, "wantzerowindowadv", "TCPWantZeroWindowAdv",					\
	  "Windows that would have been closed but could not")					\
	X(117, "synretrans", "TCPSynRetrans", "SYN segments retransmitted")			\
	X(118, "origdatasent", "TCPOrigDataSent", "Segments sent with new data")		\
	X(132, "tcpbacklogcoalesce", "TCPBacklogCoalesce",					\
	  "Segments put to another one in a backlog")						\
	X(134, "tcpmd5failure", "TCPMD5Failure", "Segments dropped: the MD5 signature is wrong")\
	X(135, "pfmemallocdrop", "PFMemallocDrop",						\
	  "Packets dropped because they lie in memory kept for emergencies")			\
	X(137, "tcpfastopenblackhole", "TCPFastOpenBlackhole",					\
	  "Times that fast open was turned off because a path drops it")			\
	X(141, "tcphystarttraindetect", "TCPHystartTrainDetect",				\
	  "Slow starts ended early by a train of acknowledgements")				\
	X(142, "tcphystarttraincwnd", "TCPHystartTrainCwnd",					\
	  "Windows at the end of those slow starts, added up")					\
	X(143, "tcphystartdelaydetect", "TCPHystartDelayDetect",				\
	  "Slow starts ended early by a growing delay")						\
	X(144, "tcphystartdelaycwnd", "TCPHystartDelayCwnd",					\
	  "Windows at the end of those slow starts, added up")					\
	X(145, "tcpackskippedsynrecv", "TCPACKSkippedSynRecv",					\
	  "Acknowledgements not sent, for the limit of their rate: in SYN_RECV")		\
	X(146, "tcpackskippedpaws", "TCPACKSkippedPAWS",					\
	  "Acknowledgements not sent, for the limit of their rate: old timestamps")		\
	X(147, "tcpackskippedseq", "TCPACKSkippedSeq",						\
	  "Acknowledgements not sent, for the limit of their rate: out of window")		\
	X(148, "tcpackskippedfinwait2", "TCPACKSkippedFinWait2",				\
	  "Acknowledgements not sent, for the limit of their rate: in FIN_WAIT2")		\
	X(149, "tcpackskippedtimewait", "TCPACKSkippedTimeWait",				\
	  "Acknowledgements not sent, for the limit of their rate: in TIME_WAIT")		\
	X(150, "tcpackskippedchallenge", "TCPACKSkippedChallenge",				\
	  "Acknowledgements not sent, for the limit of their rate: challenges")			\
	X(151, "tcpwinprobe", "TCPWinProbe", "Probes of a closed window sent")			\
	X(152, "tcpkeepalive", "TCPKeepAlive", "Keep-alive probes sent")			\
	X(153, "tcpmtupfail", "TCPMTUPFail", "Probes for a larger packet size that failed")	\
	X(154, "tcpmtupsuccess", "TCPMTUPSuccess",						\
	  "Probes for a larger packet size that succeeded")					\
	X(155, "tcpdelivered", "TCPDelivered", "Segments that arrived, retransmitted ones too")	\
	X(156, "tcpdeliveredce", "TCPDeliveredCE",						\
	  "Segments that arrived with the mark of a congestion")				\
	X(157, "tcpackcompressed", "TCPAckCompressed",						\
	  "Acknowledgements left out because one for many is enough")				\
	X(158, "tcpzerowindowdrop", "TCPZeroWindowDrop",					\
	  "Segments dropped because the window was closed")					\
	X(159, "tcprcvqdrop", "TCPRcvQDrop",							\
	  "Segments dropped because the receive queue was full")				\
	X(160, "tcpwqueuetoobig", "TCPWqueueTooBig",						\
	  "Times that a send queue was too long for retransmissions")				\
	X(161, "tcpfastopenpassivealtkey", "TCPFastOpenPassiveAltKey",				\
	  "Fast opens of others with a cookie of the former key")				\
	X(162, "tcptimeoutrehash", "TcpTimeoutRehash", "Times that a timeout led to another path")\
	X(163, "tcpduplicatedatarehash", "TcpDuplicateDataRehash",				\
	  "Times that duplicates led to another path")						\
	X(164, "tcpdsackrecvsegs", "TCPDSACKRecvSegs",						\
	  "Segments in acknowledgements of duplicates received")				\
	X(165, "tcpdsackignoreddubious", "TCPDSACKIgnoredDubious",				\
	  "Acknowledgements of duplicates ignored: they may be false")				\
	X(166, "tcpmigratereqsuccess", "TCPMigrateReqSuccess",					\
	  "Connections moved to another listener")						\
	X(167, "tcpmigratereqfailure", "TCPMigrateReqFailure",					\
	  "Connections that could not be moved to another listener")				\
	X(189, "tcploss", "TCPLoss", "Segments found lost")

#define IPEXT_ROWS(X)										\
	X(0, "innoroutes", "InNoRoutes",							\
	  "Packets received and dropped because no route was known")				\
	X(1, "intruncatedpkts", "InTruncatedPkts",						\
	  "Packets received that were shorter than their header says")				\
	X(2, "inmcastpkts", "InMcastPkts", "Multicast packets received")			\
	X(3, "outmcastpkts", "OutMcastPkts", "Multicast packets sent")				\
	X(4, "inbcastpkts", "InBcastPkts", "Broadcast packets received")			\
	X(5, "outbcastpkts", "OutBcastPkts", "Broadcast packets sent")				\
	X(6, "inoctets", "InOctets", "Bytes received")						\
	X(7, "outoctets", "OutOctets", "Bytes sent")						\
	X(8, "inmcastoctets", "InMcastOctets", "Bytes of multicast packets received")		\
	X(9, "outmcastoctets", "OutMcastOctets", "Bytes of multicast packets sent")		\
	X(10, "inbcastoctets", "InBcastOctets", "Bytes of broadcast packets received")		\
	X(11, "outbcastoctets", "OutBcastOctets", "Bytes of broadcast packets sent")		\
	X(12, "csumerrors", "InCsumErrors", "Packets received with a wrong checksum")		\
	X(13, "noectpkts", "InNoECTPkts",							\
	  "Packets received of senders that know no congestion marks")				\
	X(14, "ect1pkts", "InECT1Pkts", "Packets received with the mark ECT(1)")		\
	X(15, "ect0pkts", "InECT0Pkts", "Packets received with the mark ECT(0)")		\
	X(16, "cepkts", "InCEPkts", "Packets received with the mark of a congestion on their way")\
	X(168, "reasmoverlaps", "ReasmOverlaps", "Packets dropped because fragments overlap")

#define MPTCPEXT_ROWS(X)									\
	X(119, "mpcapablesynrx", "MPCapableSYNRX", "SYN with MP_CAPABLE received")		\
	X(120, "mpcapableackrx", "MPCapableACKRX", "Third ACK with MP_CAPABLE received")	\
	X(121, "mpcapablefallbackack", "MPCapableFallbackACK",					\
	  "Connections of others that became plain TCP at their third ACK")			\
	X(122, "mpcapablefallbacksynack", "MPCapableFallbackSYNACK",				\
	  "Connections of this host that became plain TCP at the SYN/ACK")			\
	X(123, "mptcpretrans", "MPTCPRetrans", "Segments retransmitted by MPTCP itself")	\
	X(124, "mpjoinnotokenfound", "MPJoinNoTokenFound",					\
	  "MP_JOIN received with an unknown token")						\
	X(125, "mpjoinsynrx", "MPJoinSynRx", "SYN with MP_JOIN received")			\
	X(126, "mpjoinsynackrx", "MPJoinSynAckRx", "SYN/ACK with MP_JOIN received")		\
	X(127, "mpjoinsynackhmacfailure", "MPJoinSynAckHMacFailure",				\
	  "SYN/ACK with MP_JOIN received whose proof is wrong")					\
	X(128, "mpjoinackrx", "MPJoinAckRx", "ACK with MP_JOIN received")			\
	X(129, "mpjoinackhmacfailure", "MPJoinAckHMacFailure",					\
	  "ACK with MP_JOIN received whose proof is wrong")					\
	X(130, "dssnotmatching", "DSSNotMatching",						\
	  "Mappings received that differ from the one before")					\
	X(131, "infinitemaprx", "InfiniteMapRx", "Infinite mappings received")			\
	X(138, "mpcapablesyntx", "MPCapableSYNTX", "SYN with MP_CAPABLE sent")			\
	X(139, "mpcapablesynackrx", "MPCapableSYNACKRX", "SYN/ACK with MP_CAPABLE received")	\
	X(140, "mpfallbacktokeninit", "MPFallbackTokenInit",					\
	  "Connections that became plain TCP because no token was free")			\
	X(169, "dssnomatchtcp", "DSSNoMatchTCP", "Mappings received that do not fit the subflow")\
	X(170, "datacsumerr", "DataCsumErr", "Checksums of data that were wrong")		\
	X(171, "ofoqueuetail", "OFOQueueTail",							\
	  "Segments put to the end of the queue of those out of order")				\
	X(172, "ofoqueue", "OFOQueue", "Segments queued out of order")				\
	X(173, "ofomerge", "OFOMerge", "Segments out of order merged with others")		\
	X(174, "nodssinwindow", "NoDSSInWindow",						\
	  "Segments received without a mapping in the window")					\
	X(175, "duplicatedata", "DuplicateData", "Segments received that were duplicates")	\
	X(176, "addaddr", "AddAddr", "ADD_ADDR received")					\
	X(177, "echoadd", "EchoAdd", "Echoes of ADD_ADDR received")				\
	X(178, "portadd", "PortAdd", "ADD_ADDR with a port received")				\
	X(179, "mpjoinportsynrx", "MPJoinPortSynRx", "SYN with MP_JOIN received for another port")\
	X(180, "mpjoinportsynackrx", "MPJoinPortSynAckRx",					\
	  "SYN/ACK with MP_JOIN received for another port")					\
	X(181, "mpjoinportackrx", "MPJoinPortAckRx", "ACK with MP_JOIN received for another port")\
	X(182, "mismatchportsynrx", "MismatchPortSynRx",					\
	  "SYN with MP_JOIN received for a wrong port")						\
	X(183, "mismatchportackrx", "MismatchPortAckRx",					\
	  "ACK with MP_JOIN received for a wrong port")						\
	X(184, "rmaddr", "RmAddr", "RM_ADDR received")						\
	X(185, "rmsubflow", "RmSubflow", "Subflows removed")					\
	X(186, "mppriotx", "MPPrioTx", "MP_PRIO sent")						\
	X(187, "mppriorx", "MPPrioRx", "MP_PRIO received")					\
	X(188, "rcvpruned", "RcvPruned", "Segments dropped from receive queues for want of room")\
	X(190, "mpfailtx", "MPFailTx", "MP_FAIL sent")						\
	X(191, "mpfailrx", "MPFailRx", "MP_FAIL received")					\
	X(192, "subflowstale", "SubflowStale", "Subflows that made no progress")		\
	X(193, "subflowrecover", "SubflowRecover", "Subflows that made progress again")		\
	X(194, "addaddrdrop", "AddAddrDrop", "ADD_ADDR received and dropped")			\
	X(195, "rmaddrdrop", "RmAddrDrop", "RM_ADDR received and dropped")			\
	X(196, "mpfastclosetx", "MPFastcloseTx", "MP_FASTCLOSE sent")				\
	X(197, "mpfastcloserx", "MPFastcloseRx", "MP_FASTCLOSE received")			\
	X(198, "mprsttx", "MPRstTx", "MP_RST sent")						\
	X(199, "mprstrx", "MPRstRx", "MP_RST received")						\
	X(200, "infinitemaptx", "InfiniteMapTx", "Infinite mappings sent")			\
	X(201, "sndwndshared", "SndWndShared",							\
	  "Times that the send window of a subflow came from another one")			\
	X(202, "rcvwndshared", "RcvWndShared",							\
	  "Times that the receive window of a subflow came from another one")			\
	X(203, "rcvwndconflictupdate", "RcvWndConflictUpdate",					\
	  "Receive windows corrected after two subflows had changed them")			\
	X(204, "rcvwndconflict", "RcvWndConflict",						\
	  "Receive windows that two subflows changed at once")

#define ROW(n, name, unit, at, text, in)                                                           \
	{ "network." name, 53, n, U64, COUNTER, ONE, AGENT_##unit, FIELD(netstat, item[at]),       \
	  text " (" in ")", NULL, 0 },
#define TCP_ROW(n, leaf, key, text)   ROW(n, "tcp." leaf, COUNT, n, text, "TCP")
#define IP_ROW(n, leaf, key, text)    ROW(n, "ip." leaf, COUNT, n, text, "IPv4")
#define MPTCP_ROW(n, leaf, key, text) ROW(n, "mptcp." leaf, COUNT, n, text, "MPTCP")
#define KEY(n, leaf, key, text)       { key, offsetof(struct netstat, item[n]) },

/* Two of TCP do not count things, or equal another one; unit and name are PCP's. */
static const struct agent_metric netstat_metrics[] = {
	TCPEXT_ROWS(TCP_ROW)
	ROW(133, "tcp.tcpmemorypressureschrono", MBYTE, 133,
	    "Time that the memory of the protocol was scarce, in milliseconds", "TCP")
	ROW(136, "tcp.tcpfastopenactivefail", COUNT, 106, "As network.tcp.fastopenactivefail",
	    "TCP")
	IPEXT_ROWS(IP_ROW)
	MPTCPEXT_ROWS(MPTCP_ROW)
};

static const struct key tcp_keys[] = {
	TCPEXT_ROWS(KEY)
	KEY(133, "", "TCPMemoryPressuresChrono", "")
};
static const struct key ip_keys[] = { IPEXT_ROWS(KEY) };
static const struct key mptcp_keys[] = { MPTCPEXT_ROWS(KEY) };
/* clang-format on */

static struct pairs_group groups[] = {
    {"TcpExt", tcp_keys, NROWS(tcp_keys), {0}},
    {"IpExt", ip_keys, NROWS(ip_keys), {0}},
    {"MPTcpExt", mptcp_keys, NROWS(mptcp_keys), {0}},
};

static int netstat_refresh(struct agent_refresh *r, void *snapshot)
{
	const char *text;
	long n = agent_read(r, "proc/net/netstat", &text);

	return n < 0 ? (int)n : pairs_read(groups, NROWS(groups), NULL, snapshot, text);
}

const struct agent_cluster netstat_cluster = {
    .name = "netstat",
    .source = "/proc/net/netstat",
    .size = sizeof(struct netstat),
    .refresh = netstat_refresh,
    .metrics = netstat_metrics,
    .nmetrics = NROWS(netstat_metrics),
};
