/*
 * event_store - copies of events, in the order they came, as long as somebody wants them.
 *
 *     first                        next
 *       |--- event -- event -- event |          numbers only grow
 *
 * The headers are a ring, so that an event is found by its number; the bytes lie one behind the
 * other in blocks, each freed with its last event. New events come in at the end, old ones leave at
 * the front; whose turn it is to leave is the queue's business (event_queue.h).
 */
#ifndef LIBPCP_PMDA_EVENT_STORE_H
#define LIBPCP_PMDA_EVENT_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

/* As the queue's resolution is. */
union event_stamp {
	struct timeval tv;
	struct timespec ts;
};

struct event {
	void *data; /* aligned to 16, as malloc's */
	size_t size;
	union event_stamp stamp;
	uint32_t readers;       /* clients that stand here: they had all before this one */
	uint32_t image_records; /* in the image before those of this event (event_image.h) */
	uint64_t image_at;      /* where its own begin */
};

struct event_block {
	struct event_block *next; /* newer */
	size_t room;
	size_t used;
	size_t live; /* events in it */
	_Alignas(16) char bytes[];
};

struct event_store {
	struct event *ring; /* number n is at n modulo cap */
	size_t cap;         /* 0 or a power of two */
	uint64_t first;     /* number of the oldest event */
	uint64_t next;      /* of the event to come */
	uint64_t bytes;     /* of all events held */
	struct event_block *oldest;
	struct event_block *newest;
	struct event_block *spare; /* empty ones, kept for the next events */
	size_t nspare;
	size_t block_room; /* bytes of a block, but for large events */
};

/* An empty store for up to about so many bytes. */
void event_store_init(struct event_store *s, size_t bytes_max);

static inline uint64_t event_store_count(const struct event_store *s)
{
	return s->next - s->first;
}

/* The event of a number from first to next - 1. */
static inline struct event *event_store_at(const struct event_store *s, uint64_t number)
{
	return &s->ring[number & (s->cap - 1)];
}

int event_store_reserve_slow(struct event_store *s, size_t size);

/* Memory for one more event of size bytes. 0, or -ENOMEM with the store as it was. */
static inline int event_store_reserve(struct event_store *s, size_t size)
{
	/* What is left of a block is a multiple of 16, so padding needs no look. */
	if (event_store_count(s) < s->cap && s->newest != NULL &&
	    size <= s->newest->room - s->newest->used)
		return 0;
	return event_store_reserve_slow(s, size);
}

/* Copies an event to the end; nobody reads it yet. There must be room reserved for it. */
struct event *event_store_append(struct event_store *s, const void *data, size_t size,
				 const union event_stamp *stamp);

/* Frees the oldest event; there must be one. What was reserved stays so. */
void event_store_drop(struct event_store *s);

/* An empty store gives back what a burst or a large event made it allocate. */
void event_store_trim(struct event_store *s);

/* Frees all. */
void event_store_done(struct event_store *s);

#endif
