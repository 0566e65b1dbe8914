/*
 * chunk_over - the lower half of chunk.c: walks over the records of a chunk, opening it for a new
 * owner, and overwriting the oldest one of a LOOP stream, with the count of the events that this
 * drops; see chunk.h.
 *
 *     FULL --compare-and-swap, generation + 1, reader position kept--> OVER
 *          first_dropped, overrun, full, horizon; lostc; head and end mark of the chunk
 *     OVER --compare-and-swap--> ACTIVE
 *
 * Writers      lostc[i]: the owner of chunk i in state OVER, or the thread that recovers it for a
 *              dead owner: one at a time, so a load and a store suffice. head: overwriters,
 *              compare-and-swap. tail and order[]: closers (chunk_close).
 * Invariants   The word in state OVER still has the reader position, so the unread events are
 *              exactly those from there on. The new generation makes the reader's compare-and-swap
 *              fail: its copy does not count. Hence each event is either taken or counted as
 *              dropped.
 * Checked by   test_chunk overwriting_counts_what_was_unread, model/test_model (LOOP programs),
 *              kill/test_kill
 */
#include "libtrace/chunk.h"

/* ---- walks ---- */

/* The header at an offset of a chunk; 0 if no record fits there. Acquire: pairs with the release
 * store of the header, so its record is complete. */
uint64_t chunk_header(const struct segment *s, uint32_t i, uint32_t offset)
{
	struct layout_record *r;

	if (offset > s->g.chunk_size - LAYOUT_RECORD_HEAD)
		return 0;
	r = (struct layout_record *)(void *)((uint8_t *)segment_chunk(s, i) + offset);
	return atomic_load_explicit(&r->header, memory_order_acquire);
}

/* Size of the record with that header; 0: invalid. Works on one loaded value, which a hostile
 * process can no longer change. The size is at least a record's head and ends in the chunk, so
 * every walk ends. */
uint32_t chunk_step(const struct segment *s, uint64_t header, uint32_t offset)
{
	uint32_t length = record_length(header), size;

	if (!(record_flags(header) & RECORD_COMMITTED) ||
	    length > s->g.data_max + sizeof(struct layout_nested) + CHUNK_THREAD_LENGTH)
		return 0;
	size = geometry_record(&s->g, length);
	return size <= s->g.chunk_size - offset ? size : 0;
}

uint64_t chunk_count(const struct segment *s, uint32_t index, uint32_t offset)
{
	uint64_t header, n = 0;
	uint32_t size;

	for (; (header = chunk_header(s, index, offset)) != 0; offset += size) {
		size = chunk_step(s, header, offset);
		if (size == 0)
			break;
		n += (record_flags(header) & RECORD_THREAD) == 0;
	}
	return n;
}

/* ---- opening ---- */

/* The caller owns the chunk in state TAKEN or OVER, so no other thread reads its head: readers
 * skip these states, and the compare-and-swap to ACTIVE publishes the stores. Exceptions: an
 * overwriter may read the ticket of any chunk (ticket_of), and a late reader may still copy the
 * old records, which its compare-and-swap then rejects. UINT64_MAX is not a ticket. The end mark
 * at the first record comes last. */
void chunk_open(const struct segment *s, const struct chunk_writer *w, uint32_t i, uint32_t gen,
		uint64_t tick, struct chunk_hold *ret_hold)
{
	struct layout_chunk *head = segment_chunk(s, i);

	atomic_store_explicit(&head->ticket, UINT64_MAX, memory_order_relaxed);
	head->pid = w->pid;
	head->tid = w->tid;
	head->thread = w->thread;
	head->start_tick = tick;
	atomic_store_explicit(&head->count, CHUNK_UNCOUNTED, memory_order_relaxed);
	atomic_store_explicit(&head->close_tick, 0, memory_order_relaxed);
	head->used = LAYOUT_CHUNK_HEAD;
	head->writer = w->serial;
	*ret_hold = (struct chunk_hold){
	    .pos = chunk_begin(s, i), .end = chunk_end(s, i), .index = i, .gen = gen};
	chunk_set_header(ret_hold->pos, 0);
}

/* ---- counting ---- */

/* Bounded: a hostile word may have any position. */
static uint32_t reader_offset(const struct segment *s, uint64_t word)
{
	uint64_t at = LAYOUT_CHUNK_HEAD + (uint64_t)truth_pos(word) * s->g.align;

	return at < s->g.chunk_size ? (uint32_t)at : s->g.chunk_size;
}

/* Unread events. The closer's count is used if nothing was read and it is plausible; otherwise,
 * and if it is CHUNK_UNCOUNTED, a walk counts. Relaxed: the compare-and-swap to OVER has acquired
 * it. */
static uint64_t unread(const struct segment *s, uint32_t i, uint64_t word)
{
	struct layout_chunk *head = segment_chunk(s, i);
	uint64_t count = atomic_load_explicit(&head->count, memory_order_relaxed);

	if (truth_pos(word) == 0 && count <= s->g.chunk_size / LAYOUT_RECORD_HEAD)
		return count;
	return chunk_count(s, i, reader_offset(s, word));
}

/* Generation and sum are stored at once, sequentially consistent, before the records are
 * overwritten. So after a death lostc[i] shows whether this generation has been counted, and if
 * not, the records are still there. */
void chunk_count_dropped(const struct segment *s, uint32_t i, uint64_t word)
{
	uint64_t before = atomic_load_explicit(&s->lostc[i], memory_order_relaxed);
	uint64_t mask = ((uint64_t)1 << LOSTC_BITS) - 1, gen = truth_gen(word);

	if (before >> LOSTC_BITS == gen)
		return;
	atomic_store(&s->lostc[i], gen << LOSTC_BITS | ((before + unread(s, i, word)) & mask));
}

/* Raises a word to at least this value; a failed attempt has seen another overwriter's larger
 * value or retries. Bounded, because a hostile process may keep changing it. */
static void raise_to(_Atomic uint64_t *word, uint64_t value)
{
	uint64_t now = atomic_load_explicit(word, memory_order_relaxed);

	for (int n = 0; n < 64 && now < value; n++)
		if (atomic_compare_exchange_weak(word, &now, value))
			return;
}

/* Tick of the first event from an offset on; 0: none. Each header is checked like in a walk. */
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

/* Reports a drop to readers, before lostc and before the chunk is ACTIVE: a reader that sees the
 * new generation (acquire of the truth word) sees the horizon that makes older records obsolete.
 * first_dropped is set once, from 0; the reader resets it. */
static void report_drop(const struct segment *s, uint32_t i, uint64_t word)
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

/* ---- choosing a chunk ---- */

/* Relaxed atomic: a chunk's new owner may be storing it. A stale value only makes a chunk look
 * unsuitable, because overwrite() compares the whole truth word. */
static uint64_t ticket_of(const struct segment *s, uint32_t i)
{
	return atomic_load_explicit(&segment_chunk(s, i)->ticket, memory_order_relaxed);
}

/* FULL to OVER to ACTIVE. The first compare-and-swap fails if the reader freed the chunk, moved
 * its position, or another thread overwrote it since `word` was read. The second fails only if
 * this thread was taken for dead. */
static bool overwrite(const struct segment *s, const struct chunk_writer *w, uint32_t i,
		      uint64_t word, uint64_t tick, struct chunk_hold *ret_hold)
{
	uint32_t gen = (truth_gen(word) + 1) & TRUTH_GEN_MAX;
	uint64_t over = truth_make(CHUNK_OVER, truth_pos(word), gen, (uint32_t)w->tid);

	if (!atomic_compare_exchange_strong(&s->cs[i], &word, over))
		return false;
	report_drop(s, i, over);
	chunk_count_dropped(s, i, over);
	chunk_open(s, w, i, gen, tick, ret_hold);
	return atomic_compare_exchange_strong(&s->cs[i], &over,
					      truth_make(CHUNK_ACTIVE, 0, gen, (uint32_t)w->tid));
}

/* The next ticket, if there is one. The compare-and-swap of head gives each ticket to one thread.
 * */
static bool next_ticket(const struct segment *s, uint64_t *ret_value)
{
	uint64_t head = atomic_load(&s->state->head), tail = atomic_load(&s->state->tail);

	if (head < tail && tail - head > s->g.chunks) {
		/* its queue entry was reused for a newer ticket */
		atomic_compare_exchange_strong(&s->state->head, &head, tail - s->g.chunks);
		head = atomic_load(&s->state->head);
	}
	if (head >= tail || !atomic_compare_exchange_strong(&s->state->head, &head, head + 1))
		return false;
	*ret_value = head;
	return true;
}

/* Overwrites the chunk that was closed with a ticket, if it is unchanged. The entry (acquire) may
 * be missing, if its closer was killed, or be another round's; so state and the ticket in the
 * head are checked. */
static bool overwrite_ticket(const struct segment *s, const struct chunk_writer *w, uint64_t ticket,
			     uint64_t tick, struct chunk_hold *ret_hold)
{
	uint64_t entry =
	    atomic_load_explicit(&s->order[ticket % s->g.chunks], memory_order_acquire);
	uint32_t i = entry & LAYOUT_CHUNKS_MAX;
	uint64_t word;

	if (entry >> 16 != ticket + 1 || i >= s->g.chunks)
		return false;
	word = atomic_load_explicit(&s->cs[i], memory_order_acquire);
	return truth_state(word) == CHUNK_FULL && ticket_of(s, i) == ticket &&
	       overwrite(s, w, i, word, tick, ret_hold);
}

/* Finds chunks that the queue does not have: the closer is slow or was killed, or the reader
 * closed the chunk for a dead thread. Takes the one with the least ticket. */
static bool overwrite_by_scan(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
			      struct chunk_hold *ret_hold)
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
	return at != UINT32_MAX && overwrite(s, w, at, found, tick, ret_hold);
}

/* Tickets that lead nowhere are skipped; the number of attempts is bounded, whatever head and
 * tail contain. */
bool chunk_overwrite(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
		     struct chunk_hold *ret_hold)
{
	uint64_t ticket;

	for (uint32_t n = 0; n < 2 * s->g.chunks; n++) {
		if (atomic_load(&s->state->head) >= atomic_load(&s->state->tail))
			break;
		if (next_ticket(s, &ticket) && overwrite_ticket(s, w, ticket, tick, ret_hold))
			return true;
	}
	return overwrite_by_scan(s, w, tick, ret_hold);
}
