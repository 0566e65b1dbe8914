/*
 * counts - what the collector counts about itself: the source of the metrics pmcd.pdu_* and others
 * (docs/spec/pmcd.md 11).
 */
#ifndef PMCD_COUNTS_H
#define PMCD_COUNTS_H

#include <stdint.h>

#include "libwire/pdu.h"

enum {
	COUNTS_PDU_TYPES = PDU_LAST - PDU_FIRST + 1,
};

struct counts {
	uint64_t pdu_in[COUNTS_PDU_TYPES];
	uint64_t pdu_out[COUNTS_PDU_TYPES];
	uint64_t pdu_in_total;
	uint64_t requests; /* PDUs of clients, but for their introduction */
	uint32_t sighups;
	uint32_t seqnum; /* starts of agents */
	int highest_fd;
};

/* A PDU of this type was received. */
static inline void counts_received(struct counts *n, uint32_t type)
{
	if (type - PDU_FIRST >= COUNTS_PDU_TYPES)
		return;
	n->pdu_in[type - PDU_FIRST]++;
	n->pdu_in_total++;
}

/* A PDU of this type is on its way. */
static inline void counts_sent(struct counts *n, uint32_t type)
{
	if (type - PDU_FIRST < COUNTS_PDU_TYPES)
		n->pdu_out[type - PDU_FIRST]++;
}

/* A descriptor was opened. */
static inline void counts_fd(struct counts *n, int fd)
{
	if (fd > n->highest_fd)
		n->highest_fd = fd;
}

#endif
