/* event_store - see event_store.h. */
#include "libpcp_pmda/event_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	ALIGN = 16,
	RING_MIN = 64,
	RING_KEEP = 4096, /* headers that an empty store keeps room for */
	BLOCK_ROOM_MIN = 1024,
	BLOCK_ROOM_MAX = 64 * 1024,
	BLOCK_EVENTS = 4,    /* large events that share a block */
	BLOCK_SPARE_MAX = 4, /* empty blocks that are kept */
};

static size_t padded(size_t size)
{
	return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

void event_store_init(struct event_store *s, size_t bytes_max)
{
	*s = (struct event_store){.block_room = BLOCK_ROOM_MIN};
	while (s->block_room < bytes_max && s->block_room < BLOCK_ROOM_MAX)
		s->block_room *= 2;
}

/* ---- room ---- */

static int ring_grow(struct event_store *s)
{
	size_t cap = s->cap == 0 ? RING_MIN : s->cap * 2;
	struct event *ring = malloc(cap * sizeof(*ring));

	if (ring == NULL)
		return -ENOMEM;
	for (uint64_t n = s->first; n < s->next; n++)
		ring[n & (cap - 1)] = *event_store_at(s, n);
	free(s->ring);
	s->ring = ring;
	s->cap = cap;
	return 0;
}

static struct event_block *block_new(struct event_store *s, size_t need)
{
	struct event_block *b = s->spare;
	size_t room = s->block_room;

	/* The end of a block may be too small for the next event: with four in one a quarter is
	 * lost. */
	if (need > room / BLOCK_EVENTS) {
		if (__builtin_mul_overflow(need, (size_t)BLOCK_EVENTS, &room) ||
		    room > SIZE_MAX - sizeof(*b))
			return NULL;
	} else if (b != NULL) {
		s->spare = b->next;
		s->nspare--;
		return b;
	}
	b = malloc(sizeof(*b) + room);
	if (b != NULL)
		b->room = room;
	return b;
}

static int block_add(struct event_store *s, size_t need)
{
	struct event_block *b = block_new(s, need);

	if (b == NULL)
		return -ENOMEM;
	b->next = NULL;
	b->used = 0;
	b->live = 0;
	if (s->newest == NULL)
		s->oldest = b;
	else
		s->newest->next = b;
	s->newest = b;
	return 0;
}

int event_store_reserve_slow(struct event_store *s, size_t size)
{
	if (size > SIZE_MAX - ALIGN)
		return -ENOMEM;
	if (event_store_count(s) == s->cap && ring_grow(s) < 0)
		return -ENOMEM;
	if (s->newest != NULL && padded(size) <= s->newest->room - s->newest->used)
		return 0;
	return block_add(s, padded(size));
}

/* ---- coming and going ---- */

static void block_release(struct event_store *s, struct event_block *b)
{
	if (b->room != s->block_room || s->nspare == BLOCK_SPARE_MAX) {
		free(b);
		return;
	}
	b->next = s->spare;
	s->spare = b;
	s->nspare++;
}

/* The newest block stays, whether it has events or not: there is where the next one goes. */
static void blocks_release(struct event_store *s)
{
	while (s->oldest->live == 0 && s->oldest != s->newest) {
		struct event_block *b = s->oldest;

		s->oldest = b->next;
		block_release(s, b);
	}
	if (s->oldest->live == 0)
		s->oldest->used = 0;
}

struct event *event_store_append(struct event_store *s, const void *data, size_t size,
				 const union event_stamp *stamp)
{
	struct event_block *b = s->newest;
	struct event *e = event_store_at(s, s->next);

	e->data = b->bytes + b->used;
	e->size = size;
	e->stamp = *stamp;
	e->readers = 0;
	if (size > 0)
		memcpy(e->data, data, size);
	b->used += padded(size);
	b->live++;
	s->bytes += size;
	s->next++;
	if (s->oldest->live == 0) /* it was empty, and too small */
		blocks_release(s);
	return e;
}

void event_store_drop(struct event_store *s)
{
	s->bytes -= event_store_at(s, s->first)->size;
	s->first++;
	if (--s->oldest->live == 0)
		blocks_release(s);
}

void event_store_trim(struct event_store *s)
{
	if (s->first != s->next)
		return;
	if (s->cap > RING_KEEP) {
		free(s->ring);
		s->ring = NULL;
		s->cap = 0;
	}
	if (s->newest != NULL && s->newest->room > s->block_room) {
		free(s->newest);
		s->oldest = NULL;
		s->newest = NULL;
	}
}

static void blocks_free(struct event_block *b)
{
	while (b != NULL) {
		struct event_block *next = b->next;

		free(b);
		b = next;
	}
}

void event_store_done(struct event_store *s)
{
	free(s->ring);
	blocks_free(s->oldest);
	blocks_free(s->spare);
	*s = (struct event_store){0};
}
