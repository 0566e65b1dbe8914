/*
 * ring - events of a stream on their way from the thread that takes them out to the one that has
 * the queues. Bounded: the oldest go first, and are counted. No lock of its own.
 */
#ifndef TRACING_RING_H
#define TRACING_RING_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* An event as it is kept, here and in a queue; its data follow it. */
struct ring_event {
	uint32_t size; /* of the data */
	uint32_t type; /* which one of the stream's types */
	struct timespec stamp;
	uint64_t address;
	int32_t pid, tid;
	uint32_t truncation;
	uint32_t system; /* 1: an event of the system */
	uint8_t data[];
};

/*
 *     |          head ... tail          |     end is 0, or
 *     | ... tail          head ... end  |     the newest continue at the front
 */
struct ring {
	uint8_t *bytes;
	size_t head, tail, end, cap;
	size_t used;                   /* bytes of the events */
	uint32_t count;                /* of them */
	uint64_t dropped;              /* before those, since the last ring_clear() */
	struct timespec dropped_stamp; /* of the newest of them */
};

/* Bytes of an event as it is kept. */
static inline size_t ring_size(const struct ring_event *e)
{
	return sizeof(*e) + e->size;
}

static inline size_t ring_used(const struct ring *ring)
{
	return ring->used;
}

/* Adds an event; there will be at most room bytes in use, and no more allocated for it. */
void ring_put(struct ring *ring, const struct ring_event *event, const void *data, size_t room);

/* Drops the oldest until there are no more than so many. */
void ring_trim(struct ring *ring, uint32_t most);

/* Calls visit for each event, oldest first. */
void ring_each(const struct ring *ring, void (*visit)(const struct ring_event *e, void *arg),
	       void *arg);

/* Frees all. */
void ring_clear(struct ring *ring);

#endif
