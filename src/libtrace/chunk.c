/*
 * chunk - see chunk.h, which has the rules; chunk_over.c overwrites.
 * The comments below say for each store which load it is for. Where no ordering is given, the words
 * are accessed by the owner of the chunk only, and the compare-and-swap that takes or leaves the
 * chunk orders them.
 */
#include "libtrace/chunk.h"

enum {
	TRIES = 64,    /* attempts to change a word that the reader or others keep changing */
	RECOUNT = 256, /* refusals by quota between two checks of the count */
};

/* ---- truth words ---- */

/* Acquire: pairs with the compare-and-swap that stored the word. A thread that sees a state sees
 * all that the chunk's owner stored before it. */
static uint64_t truth(const struct segment *s, uint32_t i)
{
	return atomic_load_explicit(&s->cs[i], memory_order_acquire);
}

/* The only way in which this file changes a truth word. Sequentially consistent, so all threads
 * agree on the order of owners; it releases the owner's stores and acquires the previous owner's.
 * */
static bool move(const struct segment *s, uint32_t i, uint64_t from, uint64_t to)
{
	return atomic_compare_exchange_strong(&s->cs[i], &from, to);
}

/* Does the writer hold the chunk? Generation and tid are both needed: PART -> ACTIVE keeps the
 * generation and changes the tid; TAKEN and OVER change the generation. */
static bool is_held(uint64_t word, const struct chunk_writer *w, uint32_t gen)
{
	return truth_state(word) == CHUNK_ACTIVE && truth_gen(word) == gen &&
	       truth_tid(word) == ((uint32_t)w->tid & TRUTH_TID_MAX);
}

/* ACTIVE to another state. Two others may change the word meanwhile: the reader, which moves its
 * position (kept, try again), and a process that takes this thread for dead (then the chunk is
 * lost). The number of attempts bounds what a hostile process can cause. */
static bool chunk_leave(const struct segment *s, const struct chunk_writer *w, uint32_t i,
			uint32_t gen, enum chunk_state state)
{
	for (int n = 0; n < TRIES; n++) {
		uint64_t word = truth(s, i);

		if (!is_held(word, w, gen))
			return false;
		if (move(s, i, word, truth_make(state, truth_pos(word), gen, truth_tid(word))))
			return true;
	}
	return false;
}

/* ---- new owners ---- */

static uint32_t thread_bytes(const struct segment *s)
{
	return geometry_record(&s->g, CHUNK_THREAD_LENGTH);
}

/* Writes a record that names the writer of the following records. The end mark after it comes
 * first, the header last: until then the old end mark, at hold->pos, ends the chunk, so a kill in
 * between leaves no trace. head->writer is for the next owner, which reads it after its
 * compare-and-swap. */
static void name_writer(const struct segment *s, const struct chunk_writer *w,
			struct layout_chunk *head, struct chunk_hold *hold)
{
	struct layout_record *r = (struct layout_record *)(void *)hold->pos;
	uint64_t *data = (uint64_t *)(void *)(hold->pos + LAYOUT_RECORD_HEAD);

	chunk_set_header(hold->pos + thread_bytes(s), 0);
	r->tick = 0;
	r->address = 0;
	data[0] = w->thread;
	data[1] = (uint64_t)(uint32_t)w->pid << 32 | (uint32_t)w->tid;
	chunk_set_header(hold->pos,
			 record_header(RECORD_COMMITTED | RECORD_THREAD, CHUNK_THREAD_LENGTH, 0));
	hold->pos += thread_bytes(s);
	head->writer = w->serial;
}

/* ---- the quota: chunks ACTIVE or PART ---- */

/* Of the quota, the chunks that threads may keep; the rest is for borrowing. */
static uint32_t own_limit(const struct segment *s)
{
	return s->g.quota - s->g.quota / 4;
}

/* Corrects part_filled. The compare-and-swap fails if the counter has changed since it was read,
 * so no concurrent increment is lost; the next check tries again. */
static void recount(const struct segment *s)
{
	uint32_t n = 0, before = atomic_load(&s->state->part_filled);

	for (uint32_t i = 0; i < s->g.chunks; i++) {
		enum chunk_state state = truth_state(truth(s, i));

		n += state == CHUNK_ACTIVE || state == CHUNK_PART;
	}
	atomic_compare_exchange_strong(&s->state->part_filled, &before, n);
}

/* A killed process leaves the count too high, a hostile one leaves any value. `refusals` only
 * paces the checks: relaxed. */
static void doubt_quota(const struct segment *s)
{
	static _Atomic uint32_t refusals;

	if (atomic_fetch_add_explicit(&refusals, 1, memory_order_relaxed) % RECOUNT == RECOUNT - 1)
		recount(s);
}

/* ---- PART ---- */

/* PART to ACTIVE, keeping the reader's position. The compare-and-swap acquires the stores of the
 * previous owner: used, count, writer, records. */
static bool chunk_enter(const struct segment *s, const struct chunk_writer *w, uint32_t i,
			uint32_t *ret_gen)
{
	for (int n = 0; n < TRIES; n++) {
		uint64_t word = truth(s, i);
		uint32_t gen = truth_gen(word);

		if (truth_state(word) != CHUNK_PART)
			return false;
		if (!move(s, i, word,
			  truth_make(CHUNK_ACTIVE, truth_pos(word), gen, (uint32_t)w->tid)))
			continue;
		*ret_gen = gen;
		return true;
	}
	return false;
}

/* Continues a chunk of another thread, or an earlier one of this thread. count becomes
 * CHUNK_UNCOUNTED only after it was read: a kill before that leaves a correct count, a kill after
 * it makes the recovery count by a walk. */
static bool resume(const struct segment *s, const struct chunk_writer *w, uint32_t i,
		   uint32_t bytes, uint64_t tick, struct chunk_hold *ret_hold)
{
	struct layout_chunk *head = segment_chunk(s, i);
	struct chunk_hold hold = {.index = i, .end = chunk_end(s, i)};
	uint32_t used, more;

	if (!chunk_enter(s, w, i, &hold.gen))
		return false;
	used = head->used;
	if (used < LAYOUT_CHUNK_HEAD || used > s->g.chunk_size || used % s->g.align != 0)
		used = s->g.chunk_size; /* not written by this library */
	more = head->writer == w->serial ? 0 : thread_bytes(s);
	hold.pos = (uint8_t *)head + used;
	hold.count = atomic_load_explicit(&head->count, memory_order_relaxed);
	if (hold.end - hold.pos < (ptrdiff_t)(bytes + more)) {
		chunk_close(s, w, &hold, tick);
		return false;
	}
	atomic_store_explicit(&head->count, CHUNK_UNCOUNTED, memory_order_relaxed);
	if (more != 0)
		name_writer(s, w, head, &hold);
	*ret_hold = hold;
	return true;
}

/* Each thread starts at another hint, to avoid contention. */
static uint32_t first_hint(const struct chunk_writer *w)
{
	return (uint32_t)w->serial % LAYOUT_PARTIAL;
}

/* Removes a hint, then tries its chunk. The compare-and-swap gives the hint to one thread;
 * whether the chunk is PART is decided by the truth word in resume(). */
static bool resume_hint(const struct segment *s, const struct chunk_writer *w, uint32_t at,
			uint32_t bytes, uint64_t tick, struct chunk_hold *ret_hold)
{
	_Atomic uint32_t *hint = &s->partial[at % LAYOUT_PARTIAL];
	uint32_t i = atomic_load_explicit(hint, memory_order_relaxed);

	return i != 0 && atomic_compare_exchange_strong(hint, &i, 0) && i <= s->g.chunks &&
	       resume(s, w, i - 1, bytes, tick, ret_hold);
}

/*
 * npartial is 0 if a thread found no hint. A thread that searches stores 0 first, then reads the
 * hints; a thread that adds a hint stores the hint first, then reads npartial (hint_part). So at
 * least one of them sees the other's store. The reads of hints are relaxed: on a machine where such
 * a read comes too early, a hint is missed until the next one is added, which costs a fresh chunk,
 * never an event. A searcher that finds a hint stores 1 again, because there may be more.
 */
static bool resume_any(const struct segment *s, const struct chunk_writer *w, uint32_t bytes,
		       uint64_t tick, struct chunk_hold *ret_hold)
{
	uint32_t first = first_hint(w);

	if (atomic_load(&s->state->npartial) == 0)
		return false;
	if (resume_hint(s, w, first, bytes, tick, ret_hold))
		return true;
	atomic_exchange(&s->state->npartial, 0);
	for (uint32_t n = 1; n <= LAYOUT_PARTIAL; n++) {
		if (!resume_hint(s, w, first + n, bytes, tick, ret_hold))
			continue;
		atomic_store(&s->state->npartial, 1);
		return true;
	}
	return false;
}

/* Finds chunks that no hint names: the hint table was full, or the thread that gave the chunk
 * back was killed before it added a hint. */
static bool resume_by_scan(const struct segment *s, const struct chunk_writer *w, uint32_t bytes,
			   uint64_t tick, struct chunk_hold *ret_hold)
{
	for (uint32_t i = 0; i < s->g.chunks; i++)
		if (truth_state(truth(s, i)) == CHUNK_PART &&
		    resume(s, w, i, bytes, tick, ret_hold))
			return true;
	return false;
}

/* Adds a hint for a chunk that is PART; drops it if the table is full. Hint before npartial: see
 * resume_any(). */
static void hint_part(const struct segment *s, const struct chunk_writer *w, uint32_t i)
{
	uint32_t first = first_hint(w);

	for (uint32_t n = 0; n < LAYOUT_PARTIAL; n++) {
		_Atomic uint32_t *hint = &s->partial[(first + n) % LAYOUT_PARTIAL];
		uint32_t empty = 0;

		if (atomic_load_explicit(hint, memory_order_relaxed) != 0 ||
		    !atomic_compare_exchange_strong(hint, &empty, i + 1))
			continue;
		if (atomic_load(&s->state->npartial) == 0)
			atomic_store(&s->state->npartial, 1);
		return;
	}
}

/* ---- FREE ---- */

/* Relaxed: ordered by the truth word, see open_free(). */
static void clear_free_hint(const struct segment *s, uint32_t i)
{
	atomic_fetch_and_explicit(&s->freemap[i / 64], ~((uint64_t)1 << i % 64),
				  memory_order_relaxed);
}

/*
 * FREE to TAKEN to ACTIVE. The owner clears the hint bit while the chunk is TAKEN. The bit is set
 * again only after the chunk is FREE again, hence after this owner's compare-and-swap to ACTIVE: so
 * a set never comes before the clear of an earlier round, and only a death between the two steps
 * loses a hint. The second compare-and-swap fails only if this thread was taken for dead (TAKEN ->
 * FREE).
 */
static bool open_free(const struct segment *s, const struct chunk_writer *w, uint32_t i,
		      uint64_t tick, struct chunk_hold *ret_hold)
{
	uint64_t word = truth(s, i), taken;
	uint32_t gen = (truth_gen(word) + 1) & TRUTH_GEN_MAX;

	if (truth_state(word) != CHUNK_FREE)
		return false;
	taken = truth_make(CHUNK_TAKEN, 0, gen, (uint32_t)w->tid);
	if (!move(s, i, word, taken))
		return false;
	clear_free_hint(s, i);
	chunk_open(s, w, i, gen, tick, ret_hold);
	return move(s, i, taken, truth_make(CHUNK_ACTIVE, 0, gen, (uint32_t)w->tid));
}

/* Relaxed: a wrong bit costs a failed open_free(), a missing one a scan. */
static bool open_free_by_hint(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
			      struct chunk_hold *ret_hold)
{
	uint32_t words = (s->g.chunks + 63) / 64;
	uint32_t first = (uint32_t)w->serial % words;

	for (uint32_t n = 0; n < words; n++) {
		uint32_t at = (first + n) % words;
		uint64_t bits = atomic_load_explicit(&s->freemap[at], memory_order_relaxed);

		for (; bits != 0; bits &= bits - 1) {
			uint32_t i = at * 64 + (uint32_t)__builtin_ctzll(bits);

			if (i < s->g.chunks && open_free(s, w, i, tick, ret_hold))
				return true;
		}
	}
	return false;
}

static bool open_free_by_scan(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
			      struct chunk_hold *ret_hold)
{
	for (uint32_t i = 0; i < s->g.chunks; i++)
		if (truth_state(truth(s, i)) == CHUNK_FREE && open_free(s, w, i, tick, ret_hold))
			return true;
	return false;
}

/* ---- taking ---- */

/* Takes a fresh chunk. In a LOOP stream the hints suffice, because an overwrite costs old events
 * only; another stream looks at every chunk before it counts as full. */
static bool open_any(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
		     struct chunk_hold *ret_hold)
{
	if (open_free_by_hint(s, w, tick, ret_hold))
		return true;
	if (s->g.policy == POSIX_TRACE_LOOP)
		return chunk_overwrite(s, w, tick, ret_hold) ||
		       open_free_by_scan(s, w, tick, ret_hold);
	return open_free_by_scan(s, w, tick, ret_hold);
}

/* part_filled goes up before a chunk leaves FREE or FULL, and down after it has reached FULL or
 * FREE (chunk_close, recover_one). So it is an upper bound at any time, and too high after a
 * death. */
static bool open_counted(const struct segment *s, const struct chunk_writer *w, uint32_t limit,
			 uint64_t tick, struct chunk_hold *ret_hold)
{
	_Atomic uint32_t *filled = &s->state->part_filled;

	if (atomic_fetch_add(filled, 1) < limit) {
		if (open_any(s, w, tick, ret_hold))
			return true;
		atomic_fetch_sub(filled, 1);
		return false;
	}
	atomic_fetch_sub(filled, 1);
	doubt_quota(s);
	return false;
}

/* Relaxed: the count only selects between an existing chunk and a fresh one. */
bool chunk_take(const struct segment *s, const struct chunk_writer *w, uint32_t bytes,
		uint64_t tick, struct chunk_hold *ret_hold)
{
	if (atomic_load_explicit(&s->state->part_filled, memory_order_relaxed) <= own_limit(s) &&
	    resume_any(s, w, bytes, tick, ret_hold))
		return true;
	return open_counted(s, w, own_limit(s), tick, ret_hold);
}

/* Ignores the limit: a quarter of the quota, and one chunk more, are never owned for long. */
bool chunk_borrow(const struct segment *s, const struct chunk_writer *w, uint32_t bytes,
		  uint64_t tick, struct chunk_hold *ret_hold)
{
	return resume_any(s, w, bytes, tick, ret_hold) ||
	       open_counted(s, w, UINT32_MAX, tick, ret_hold) ||
	       resume_by_scan(s, w, bytes, tick, ret_hold);
}

/* ---- leaving ---- */

/*
 * Order: count, close tick and ticket; the compare-and-swap to FULL, which publishes them;
 * part_filled; the queue entry, release. An overwriter accepts an entry only if the chunk is FULL
 * and its head has the same ticket (chunk_over.c). Killed before FULL: the reader recovers an
 * ACTIVE chunk, and no entry has the ticket, which overwriters skip. Killed after FULL: overwriters
 * find the chunk by a scan, and part_filled stays too high until a recount. test_record
 * loop_keeps_the_newest, kill/test_kill.
 */
void chunk_close(const struct segment *s, const struct chunk_writer *w,
		 const struct chunk_hold *hold, uint64_t tick)
{
	struct layout_chunk *head = segment_chunk(s, hold->index);
	uint64_t ticket;

	if (!is_held(truth(s, hold->index), w, hold->gen))
		return; /* this thread was taken for dead, or the segment is detached */
	atomic_store_explicit(&head->count, hold->count, memory_order_relaxed);
	atomic_store_explicit(&head->close_tick, tick, memory_order_relaxed);
	ticket = atomic_fetch_add(&s->state->tail, 1);
	atomic_store_explicit(&head->ticket, ticket, memory_order_relaxed);
	if (!chunk_leave(s, w, hold->index, hold->gen, CHUNK_FULL))
		return;
	atomic_fetch_sub(&s->state->part_filled, 1);
	atomic_store_explicit(&s->order[ticket % s->g.chunks], (ticket + 1) << 16 | hold->index,
			      memory_order_release);
}

/* Keeps room for a record that names the next writer and a small one. count and used are
 * published by the compare-and-swap to PART; the hint comes after it. test_record
 * short_threads_share_memory. */
void chunk_give(const struct segment *s, const struct chunk_writer *w,
		const struct chunk_hold *hold, uint64_t tick)
{
	struct layout_chunk *head = segment_chunk(s, hold->index);

	if (hold->end - hold->pos < (ptrdiff_t)(2 * thread_bytes(s))) {
		chunk_close(s, w, hold, tick);
		return;
	}
	if (!is_held(truth(s, hold->index), w, hold->gen))
		return;
	atomic_store_explicit(&head->count, hold->count, memory_order_relaxed);
	head->used = (uint32_t)(hold->pos - (uint8_t *)head);
	if (chunk_leave(s, w, hold->index, hold->gen, CHUNK_PART))
		hint_part(s, w, hold->index);
}

/* ---- after a siglongjmp ---- */

/* Finds the end mark. Runs in the owning thread, or for a thread that has ended, so the records
 * do not change meanwhile; the owner of a frame that was left by siglongjmp is the frame that
 * calls this. test_chunk what_a_jump_left_is_recovered. */
bool chunk_repair(const struct segment *s, const struct chunk_writer *w, struct chunk_hold *hold)
{
	uint32_t offset = LAYOUT_CHUNK_HEAD, size;
	uint64_t header;

	if (hold->index >= s->g.chunks || !is_held(truth(s, hold->index), w, hold->gen))
		return false;
	for (; (header = chunk_header(s, hold->index, offset)) != 0; offset += size) {
		size = chunk_step(s, header, offset);
		if (size == 0)
			return false;
	}
	hold->pos = (uint8_t *)segment_chunk(s, hold->index) + offset;
	hold->end = chunk_end(s, hold->index);
	hold->count = chunk_count(s, hold->index, LAYOUT_CHUNK_HEAD);
	return true;
}

/*
 * Recovers a chunk for `w`: the calling thread, or a dead one, whose tid the truth word has.
 * ACTIVE: closed as by its owner, with a count from a walk. OVER: its owner may have died before or
 * after it counted the dropped events; the generation in lostc shows which, and the records are
 * intact as long as it has not. TAKEN and OVER become FREE; then the counter goes down and the hint
 * bit is set, in this order. Each change is a compare-and-swap from the word that was read, so a
 * second recovery does nothing.
 */
static void recover_one(const struct segment *s, const struct chunk_writer *w, uint32_t i,
			uint64_t tick)
{
	uint64_t word = truth(s, i);
	struct chunk_hold hold = {.index = i, .gen = truth_gen(word)};

	if (truth_state(word) == CHUNK_ACTIVE) {
		hold.count = chunk_count(s, i, LAYOUT_CHUNK_HEAD);
		chunk_close(s, w, &hold, tick);
		return;
	}
	if (truth_state(word) == CHUNK_OVER)
		chunk_count_dropped(s, i, word);
	if (!move(s, i, word, truth_make(CHUNK_FREE, 0, truth_gen(word), 0)))
		return;
	atomic_fetch_sub(&s->state->part_filled, 1);
	atomic_fetch_or(&s->freemap[i / 64], (uint64_t)1 << i % 64);
}

void chunk_recover(const struct segment *s, const struct chunk_writer *w, uint32_t keep,
		   uint64_t tick)
{
	for (uint32_t i = 0; i < s->g.chunks; i++) {
		uint64_t word = truth(s, i);
		enum chunk_state state = truth_state(word);

		if (i != keep && truth_tid(word) == ((uint32_t)w->tid & TRUTH_TID_MAX) &&
		    (state == CHUNK_ACTIVE || state == CHUNK_TAKEN || state == CHUNK_OVER))
			recover_one(s, w, i, tick);
	}
}
