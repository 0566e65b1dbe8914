/*
 * trace - what happened last: a ring of events for the diagnosis of clients and agents that
 * misbehave (option -T and pmcd.control.trace*; docs/spec/pmcd.md 2, 11.1).
 *
 * Off, an event costs a test of one bit. On, it is kept in the ring until that is dumped into the
 * log (by a store into pmcd.control.dumptrace, and when an agent ends), or, unbuffered, logged at
 * once.
 */
#ifndef PMCD_TRACE_H
#define PMCD_TRACE_H

#include <stdint.h>
#include <time.h>

enum trace_mask {
	TRACE_CONNECTIONS = 1u << 0,
	TRACE_PDUS = 1u << 1,
	TRACE_UNBUFFERED = 1u << 8,
};

enum trace_kind {
	TRACE_NEW_CLIENT, /* detail: its index */
	TRACE_END_CLIENT,
	TRACE_NEW_AGENT, /* detail: its domain */
	TRACE_END_AGENT,
	TRACE_RECV, /* type of the PDU; detail: the code of an ERROR */
	TRACE_XMIT,
};

enum {
	TRACE_EVENTS_DEFAULT = 20,
	TRACE_EVENTS_MAX = 1 << 20,
};

struct trace_event {
	time_t when;
	enum trace_kind kind;
	int fd; /* -1: none */
	uint32_t type;
	int detail;
};

struct trace {
	unsigned int mask; /* enum trace_mask bits */
	struct trace_event *ring;
	unsigned int size, next, count;
};

/* A trace with an empty ring. 0 or -ENOMEM. */
int trace_init(struct trace *t, unsigned int mask);
void trace_done(struct trace *t);

/* Another size of the ring, which is empty then. 0, PM_ERR_BADSTORE for one below 1 or above
 * TRACE_EVENTS_MAX, -ENOMEM (the ring stays as it is). */
int trace_resize(struct trace *t, int size);

/* An event whose kind is asked for: use the two below. */
void trace_add(struct trace *t, enum trace_kind kind, int fd, uint32_t type, int detail);

/* A connection came or went: a client's or an agent's. */
static inline void trace_conn(struct trace *t, enum trace_kind kind, int fd, int detail)
{
	if ((t->mask & TRACE_CONNECTIONS) != 0)
		trace_add(t, kind, fd, 0, detail);
}

/* A PDU was received or sent. */
static inline void trace_pdu(struct trace *t, enum trace_kind kind, int fd, uint32_t type,
			     int detail)
{
	if ((t->mask & TRACE_PDUS) != 0)
		trace_add(t, kind, fd, type, detail);
}

/* Logs what is in the ring, which is empty then. */
void trace_dump(struct trace *t);

#endif
