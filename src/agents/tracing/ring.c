/* ring - see ring.h. */
#include <stdlib.h>
#include <string.h>

#include "ring.h"

enum { RING_FIRST = 4096, RING_ALIGN = 8 };

static size_t place_of(const struct ring_event *e)
{
	return (ring_size(e) + RING_ALIGN - 1) / RING_ALIGN * RING_ALIGN;
}

static const struct ring_event *event_at(const struct ring *ring, size_t at)
{
	return (const struct ring_event *)(const void *)(ring->bytes + at);
}

static void count_dropped(struct ring *ring, const struct ring_event *e)
{
	ring->dropped++;
	ring->dropped_stamp = e->stamp;
}

static void drop_oldest(struct ring *ring)
{
	const struct ring_event *e = event_at(ring, ring->head);

	count_dropped(ring, e);
	ring->head += place_of(e);
	ring->count--;
}

void ring_trim(struct ring *ring, uint32_t most)
{
	while (ring->count > most)
		drop_oldest(ring);
}

/* Room behind the tail: 0 if there is none to be had. */
static int reserve(struct ring *ring, size_t need)
{
	size_t cap = ring->cap == 0 ? RING_FIRST : ring->cap;
	uint8_t *grown;

	if (ring->head > ring->cap / 2 || (ring->head > 0 && ring->tail + need > ring->cap)) {
		memmove(ring->bytes, ring->bytes + ring->head, ring_used(ring));
		ring->tail -= ring->head;
		ring->head = 0;
	}
	while (cap < ring->tail + need)
		cap *= 2;
	if (cap == ring->cap)
		return 1;
	grown = realloc(ring->bytes, cap);
	if (grown == NULL)
		return 0;
	ring->bytes = grown;
	ring->cap = cap;
	return 1;
}

void ring_put(struct ring *ring, const struct ring_event *event, const void *data, size_t room)
{
	size_t need = place_of(event);

	while (ring_used(ring) > 0 && ring_used(ring) + need > room)
		drop_oldest(ring);
	if (need > room || !reserve(ring, need)) {
		while (ring_used(ring) > 0)
			drop_oldest(ring);
		count_dropped(ring, event);
		return;
	}
	memcpy(ring->bytes + ring->tail, event, sizeof(*event));
	if (event->size > 0)
		memcpy(ring->bytes + ring->tail + sizeof(*event), data, event->size);
	ring->tail += need;
	ring->count++;
}

void ring_each(const struct ring *ring, void (*visit)(const struct ring_event *e, void *arg),
	       void *arg)
{
	for (size_t at = ring->head; at < ring->tail; at += place_of(event_at(ring, at)))
		visit(event_at(ring, at), arg);
}

void ring_clear(struct ring *ring)
{
	free(ring->bytes);
	*ring = (struct ring){0};
}
