/*
 * event_store - copies of events, in order of arrival, while a client still needs them.
 *
 *     first                        next
 *       |--- event -- event -- event |          numbers only grow
 *
 * The headers are a ring, so that an event is found by its number; the bytes are contiguous in
 * blocks, each freed with its last event. Events are added at the end and freed at the front; the
 * queue decides when (event_queue.h). An event costs no allocation, and freeing several at once
 * costs little more than one.
 */
#ifndef LIBPCP_PMDA_EVENT_STORE_H
#define LIBPCP_PMDA_EVENT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libpcp_pmda/event_array.h"

enum { EVENT_STORE_ALIGN = 16 }; /* of the bytes of an event, as malloc's */

/* As the queue's resolution is. */
union event_stamp {
	struct timeval tv;
	struct timespec ts;
};

struct event {
	void *data; /* aligned */
	size_t size;
	union event_stamp stamp;
	uint32_t image_at;      /* where its records begin (see event_image) */
	uint32_t image_records; /* how many are before them */
};

struct event_block {
	struct event_block *next; /* newer */
	size_t room;
	uint64_t end; /* the first event after it; the newest block has none yet */
	_Alignas(EVENT_STORE_ALIGN) char bytes[];
};

struct event_store {
	struct event *ring; /* number n is at n modulo cap */
	size_t cap;         /* 0 or a power of two */
	uint64_t first;     /* number of the oldest event */
	uint64_t next;      /* of the event to come */
	uint64_t bytes;     /* of all events held */
	char *free;         /* where the next event goes: in the newest block */
	size_t left;        /* bytes there; a multiple of EVENT_STORE_ALIGN */
	struct event_block *oldest;
	struct event_block *newest;
	struct event_block *spare; /* empty ones, kept for the next events */
	size_t nspare;
	size_t held;       /* bytes allocated */
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

/* Bytes that an event takes. */
static inline size_t event_store_padded(size_t size)
{
	return (size + EVENT_STORE_ALIGN - 1) & ~(size_t)(EVENT_STORE_ALIGN - 1);
}

/* Is there memory for one more event of size bytes, for sure? */
static inline bool event_store_has_room(const struct event_store *s, size_t size)
{
	/* An event that fits with a byte to spare fits with its padding, because the room is
	 * padded, too. */
	return event_store_count(s) < s->cap && size < s->left;
}

/* Memory for one more event of size bytes. 0, or -ENOMEM with the events as they were. */
int event_store_reserve(struct event_store *s, size_t size);

/* Copies an event to the end. There must be room for it. */
static inline struct event *event_store_append(struct event_store *s, const void *data, size_t size,
					       const union event_stamp *stamp)
{
	struct event *e = event_store_at(s, s->next);

	e->data = s->free;
	e->size = size;
	e->stamp = *stamp;
	s->free += event_store_padded(size);
	s->left -= event_store_padded(size);
	s->bytes += size;
	s->next++;
	if (size > 0)
		memcpy(e->data, data, size);
	return e;
}

/* Frees the events before a number from first to next. The reserved memory stays. */
void event_store_drop(struct event_store *s, uint64_t number);

/* An empty store gives back what a burst or a large event made it allocate. */
void event_store_trim(struct event_store *s);

/* Gives back what can be had again: spare blocks, and of an empty store everything. */
void event_store_trim_all(struct event_store *s);

/* Frees all. */
void event_store_done(struct event_store *s);

/* ---- The image ------------------------------------------------------------------------------ */

/*
 * The records of a queue's events, encoded once for all clients that see them
 * (pmdaEventQueueShare).
 *
 *     | gap | records of event | records of event | records of event |
 *     |              first  -->|<-- a client's array: from its position to the end
 *
 * A client's array is the end of the image, so it costs no more than its header. The header is
 * written over the bytes before the array's first record, which belong to events that the client
 * has had, or to the gap; they are restored when the next array is requested.
 */

/* An array's header and a record for missed events, of the longer kind. */
enum { EVENT_IMAGE_GAP = 32 };

struct event_image {
	int array; /* handle of the bytes; -1: the queue is not shared */
	uint64_t first;
	uint64_t next;    /* events from first to before next are in it */
	uint32_t removed; /* bytes taken from its front, so that offsets stay true; both wrap */
	size_t covered_at;
	size_t covered; /* bytes under the last array's header */
	char under[EVENT_IMAGE_GAP];
};

/* An image that is not used until its array has a handle. */
void event_image_init(struct event_image *img);

/* Makes the image begin at an event or before, and end there or after. */
void event_image_begin(struct event_image *img, const struct event_store *s, uint64_t number);

/* Forgets what is in it: it begins at an event. */
void event_image_reset(struct event_image *img, uint64_t number);

/* The records of event img->next were added: they begin where the array stood before. */
void event_image_add(struct event_image *img, struct event *e, const struct event_mark *before);

/*
 * The array from an event to the end of the image, beginning with how many were missed (0: none);
 * NULL if it has no records.
 */
pmValueBlock *event_image_array(struct event_image *img, const struct event_store *s,
				uint64_t number, bool highres, int missed,
				const union event_stamp *stamp);

#endif
