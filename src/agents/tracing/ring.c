/* ring - see ring.h. */
#include <stdbool.h>
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
	ring->used -= place_of(e);
	ring->count--;
	if (ring->count == 0) {
		ring->head = 0;
		ring->tail = 0;
		ring->end = 0;
	} else if (ring->head == ring->end) {
		ring->head = 0;
		ring->end = 0;
	}
}

void ring_trim(struct ring *ring, uint32_t most)
{
	while (ring->count > most)
		drop_oldest(ring);
}

/* More memory, but not more than room: whether there is. */
static bool grow(struct ring *ring, size_t room)
{
	size_t cap = ring->cap == 0 ? RING_FIRST : 2 * ring->cap, older;
	uint8_t *grown;

	if (cap > room)
		cap = room;
	if (cap <= ring->cap)
		return false;
	grown = malloc(cap);
	if (grown == NULL)
		return false;
	older = (ring->end != 0 ? ring->end : ring->tail) - ring->head;
	if (ring->used > 0)
		memcpy(grown, ring->bytes + ring->head, older);
	if (ring->end != 0)
		memcpy(grown + older, ring->bytes, ring->tail);
	free(ring->bytes);
	ring->bytes = grown;
	ring->cap = cap;
	ring->head = 0;
	ring->tail = ring->used;
	ring->end = 0;
	return true;
}

/* Is there room at the tail? It may go to the front for that. */
static bool ring_has_room(struct ring *ring, size_t need)
{
	if (ring->end != 0)
		return need <= ring->head - ring->tail;
	if (need <= ring->cap - ring->tail)
		return true;
	if (need > ring->head)
		return false;
	ring->end = ring->tail;
	ring->tail = 0;
	return true;
}

/* Makes room at the tail, of the oldest if need be: whether there is. */
static bool reserve(struct ring *ring, size_t need, size_t room)
{
	while (ring->count > 0 && ring->used + need > room)
		drop_oldest(ring);
	while (!ring_has_room(ring, need)) {
		if (grow(ring, room))
			continue;
		if (ring->count == 0)
			return false;
		drop_oldest(ring);
	}
	return true;
}

void ring_put(struct ring *ring, const struct ring_event *event, const void *data, size_t room)
{
	size_t need = place_of(event);

	if (need > room || !reserve(ring, need, room)) {
		ring_trim(ring, 0);
		count_dropped(ring, event);
		return;
	}
	memcpy(ring->bytes + ring->tail, event, sizeof(*event));
	if (event->size > 0)
		memcpy(ring->bytes + ring->tail + sizeof(*event), data, event->size);
	ring->tail += need;
	ring->used += need;
	ring->count++;
}

void ring_each(const struct ring *ring, void (*visit)(const struct ring_event *e, void *arg),
	       void *arg)
{
	size_t at = ring->head;

	for (uint32_t i = 0; i < ring->count; i++) {
		const struct ring_event *e = event_at(ring, at);

		visit(e, arg);
		at += place_of(e);
		if (at == ring->end)
			at = 0;
	}
}

void ring_clear(struct ring *ring)
{
	free(ring->bytes);
	*ring = (struct ring){0};
}
