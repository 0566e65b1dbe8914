/*
 * heavy - the expected cost of a request, and its class.
 *
 * There are two classes. In a turn the light requests are served first, for LOOP_TURN_NS at most,
 * and then one heavy one: a light one waits for one heavy one at most, however many there are, and
 * the heavy ones have the greater part of the time. Each class has its own fair order (fair.h).
 *
 * The expected cost is that of the type and the number of metrics, or the average of the client's
 * last requests if that is more: the collector's time and the agents' time. A client that is new is
 * expected to be heavy.
 *
 * A process answers in the order in which it is asked, so a request waits for all that was asked
 * before. An agent gets one heavy request at a time; the next one is held until the first is
 * answered, and light requests wait for one heavy one at most.
 */
#ifndef PMCD_HEAVY_H
#define PMCD_HEAVY_H

#include <stdbool.h>
#include <stdint.h>

#include "libwire/pdu.h"

struct agent;
struct inbox;
struct server;

enum {
	HEAVY_NS = 500000, /* a request that is expected to take longer is heavy */
};

enum heavy_class { HEAVY_NO, HEAVY_YES, HEAVY_CLASSES };

/* A guess in ns: by the type, and by the number of metrics. */
uint64_t heavy_expected_ns(const struct pdu_header *header);

/* True for types that name domains of agents: their answers show the client's use of agents. */
bool heavy_asks_agents(uint32_t type);

/* The first agent that is a process, has a domain that this request names (the next PDU, which is
 * whole), and is busy with a heavy request; NULL: none. */
struct agent *heavy_busy_agent(const struct server *server, const struct inbox *in,
			       const struct pdu_header *header);

#endif
