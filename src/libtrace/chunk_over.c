/* chunk_over - see chunk_over.h. */
#include "libtrace/chunk_over.h"

/* ---- the account ---- */

static uint32_t reader_offset(const struct segment *s, uint64_t word)
{
	uint64_t at = LAYOUT_CHUNK_HEAD + (uint64_t)truth_pos(word) * s->g.align;

	return at < s->g.chunk_size ? (uint32_t)at : s->g.chunk_size;
}

static uint64_t unread(const struct segment *s, uint32_t i, uint64_t word)
{
	struct layout_chunk *head = segment_chunk(s, i);
	uint64_t count = atomic_load_explicit(&head->count, memory_order_relaxed);

	if (truth_pos(word) == 0 && count <= s->g.chunk_size / LAYOUT_RECORD_HEAD)
		return count;
	return chunk_count(s, i, reader_offset(s, word));
}

void chunk_count_dropped(const struct segment *s, uint32_t i, uint64_t word)
{
	uint64_t before = atomic_load_explicit(&s->lostc[i], memory_order_relaxed);
	uint64_t mask = ((uint64_t)1 << LOSTC_BITS) - 1, gen = truth_gen(word);

	if (before >> LOSTC_BITS == gen)
		return;
	atomic_store(&s->lostc[i], gen << LOSTC_BITS | ((before + unread(s, i, word)) & mask));
}

static void raise_to(_Atomic uint64_t *word, uint64_t value)
{
	uint64_t now = atomic_load_explicit(word, memory_order_relaxed);

	for (int n = 0; n < 64 && now < value; n++)
		if (atomic_compare_exchange_weak(word, &now, value))
			return;
}

/* Tick of the first event from an offset on; 0: none. */
static uint64_t first_tick(const struct segment *s, uint32_t i, uint32_t offset)
{
	while (offset <= s->g.chunk_size - LAYOUT_RECORD_HEAD) {
		struct layout_record *r =
			(struct layout_record *)(void *)((uint8_t *)segment_chunk(s, i) + offset);
		uint64_t header = atomic_load_explicit(&r->header, memory_order_acquire);

		if (!(record_flags(header) & RECORD_COMMITTED) ||
		    record_length(header) > s->g.chunk_size)
			return 0;
		if (!(record_flags(header) & RECORD_THREAD))
			return r->tick;
		offset += geometry_record(&s->g, record_length(header));
	}
	return 0;
}

/* What readers are told of a drop. */
static void tell(const struct segment *s, uint32_t i, uint64_t word)
{
	struct layout_state *state = s->state;
	uint64_t first = 0;

	if (atomic_load_explicit(&state->first_dropped, memory_order_relaxed) == 0) {
		uint64_t tick = first_tick(s, i, reader_offset(s, word));

		if (tick != 0)
			atomic_compare_exchange_strong(&state->first_dropped, &first, tick);
	}
	atomic_store_explicit(&state->overrun, 1, memory_order_relaxed);
	atomic_store_explicit(&state->full, 1, memory_order_relaxed);
	raise_to(&state->horizon,
		 atomic_load_explicit(&segment_chunk(s, i)->close_tick, memory_order_relaxed));
}

/* ---- the victim ---- */

/* Another owner may be giving it a new one. */
static uint64_t ticket_of(const struct segment *s, uint32_t i)
{
	return __atomic_load_n(&segment_chunk(s, i)->ticket, __ATOMIC_RELAXED);
}

/* FULL to OVER, account, ACTIVE. */
static bool overwrite(const struct segment *s, const struct chunk_writer *w, uint32_t i,
		      uint64_t word, uint64_t tick, struct chunk_hold *ret)
{
	uint32_t gen = (truth_gen(word) + 1) & TRUTH_GEN_MAX;
	uint64_t over = truth_make(CHUNK_OVER, truth_pos(word), gen, (uint32_t)w->tid);

	if (!atomic_compare_exchange_strong(&s->cs[i], &word, over))
		return false;
	tell(s, i, over);
	chunk_count_dropped(s, i, over);
	chunk_open(s, w, i, gen, tick, ret);
	return atomic_compare_exchange_strong(&s->cs[i], &over,
					      truth_make(CHUNK_ACTIVE, 0, gen, (uint32_t)w->tid));
}

/* The next ticket, if there is one: nobody else looks at it again. */
static bool next_ticket(const struct segment *s, uint64_t *ret)
{
	uint64_t head = atomic_load(&s->state->head), tail = atomic_load(&s->state->tail);

	if (head < tail && tail - head > s->g.chunks) {
		/* So old that its place in the queue is somebody else's. */
		atomic_compare_exchange_strong(&s->state->head, &head, tail - s->g.chunks);
		head = atomic_load(&s->state->head);
	}
	if (head >= tail || !atomic_compare_exchange_strong(&s->state->head, &head, head + 1))
		return false;
	*ret = head;
	return true;
}

/* The chunk that was closed with a ticket, if it still lies as it was closed. */
static bool overwrite_ticket(const struct segment *s, const struct chunk_writer *w, uint64_t ticket,
			     uint64_t tick, struct chunk_hold *ret)
{
	uint64_t entry = atomic_load_explicit(&s->order[ticket % s->g.chunks],
					      memory_order_acquire);
	uint32_t i = entry & LAYOUT_CHUNKS_MAX;
	uint64_t word;

	if (entry >> 16 != ticket + 1 || i >= s->g.chunks)
		return false;
	word = atomic_load_explicit(&s->cs[i], memory_order_acquire);
	return truth_state(word) == CHUNK_FULL && ticket_of(s, i) == ticket &&
	       overwrite(s, w, i, word, tick, ret);
}

/* What the queue does not know: its closer is slow, or was killed, or the reader closed it for a
 * dead thread. The one with the least ticket. */
static bool overwrite_by_scan(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
			      struct chunk_hold *ret)
{
	uint64_t least = UINT64_MAX, found = 0;
	uint32_t at = UINT32_MAX;

	for (uint32_t i = 0; i < s->g.chunks; i++) {
		uint64_t word = atomic_load_explicit(&s->cs[i], memory_order_acquire);
		uint64_t ticket = ticket_of(s, i);

		if (truth_state(word) != CHUNK_FULL || (at != UINT32_MAX && ticket >= least))
			continue;
		least = ticket;
		found = word;
		at = i;
	}
	return at != UINT32_MAX && overwrite(s, w, at, found, tick, ret);
}

bool chunk_overwrite(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
		     struct chunk_hold *ret)
{
	uint64_t ticket;

	for (uint32_t n = 0; n < 2 * s->g.chunks; n++) {
		if (atomic_load(&s->state->head) >= atomic_load(&s->state->tail))
			break;
		if (next_ticket(s, &ticket) && overwrite_ticket(s, w, ticket, tick, ret))
			return true;
	}
	return overwrite_by_scan(s, w, tick, ret);
}
