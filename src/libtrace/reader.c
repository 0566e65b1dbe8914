/*
 * reader - see reader.h.
 * One process at a time runs this on a stream: the controller with the stream's mutex, or the
 * keeper after the controller's death. So control memory, slots and heap have a single writer; the
 * concurrent part is the segment, which writers change at the same time.
 *
 * Segment      truth words: acquire loads and sequentially consistent compare-and-swap, in
 *              intake.c. horizon, first_dropped, full, t_full, ctl: loaded here, stored by writers.
 *              A stale value is safe: see the functions that load them.
 * Control      Every step is ordered for a kill: data first, then the word that makes it count. The
 *              next reader starts from slots, queue, round and limit as they are; an event that was
 *              reported and not consumed is reported again, with the same token.
 * Private      the heap and struct reader: rebuilt by reader_init() from the slots in state TAKEN.
 * Checked by   test_reader (merging, held events, killed readers, dead owners, hostile segments),
 *              model/test_model, stress/test_order, stress/test_accounting
 */
#include "libtrace/reader.h"

#include <errno.h>
#include <sys/mman.h>

#include "libtrace/run.h"
#include "libtrace/control.h"

/* A slot with records, ordered by the tick of its next event. */
struct reader_heap {
	uint64_t tick;
	uint32_t chunk, pad;
};

/* The oldest item, before it is decided whether it is delivered. */
struct candidate {
	enum reader_source source; /* READER_RECORD, READER_QUEUE, or READER_NONE */
	uint64_t tick;
	struct event event;
	bool hidden;     /* READER_QUEUE */
	uint64_t queued; /* tick of the next control event, due or not; UINT64_MAX: none */
};

enum {
	ROUNDS = 3, /* per look; hidden control events can ask for a second one */
};

static uint64_t reader_bytes(const struct geometry *g)
{
	return g->chunks * sizeof(struct reader_heap) + intake_bytes(g);
}

/* ---- the heap ---- */

/* Ties are broken by chunk, so that a reader that takes over delivers in the same order. */
static bool older(const struct reader_heap *a, const struct reader_heap *b)
{
	return a->tick != b->tick ? a->tick < b->tick : a->chunk < b->chunk;
}

static void sift_down(struct reader *r, uint32_t i)
{
	for (;;) {
		uint32_t child = 2 * i + 1;
		struct reader_heap top = r->heap[i];

		if (child >= r->count)
			return;
		if (child + 1 < r->count && older(&r->heap[child + 1], &r->heap[child]))
			child++;
		if (!older(&r->heap[child], &top))
			return;
		r->heap[i] = r->heap[child];
		r->heap[child] = top;
		i = child;
	}
}

/* Adds a slot that is TAKEN. Parsing checks the copy, not the segment: its contents no longer
 * change. */
static void reader_push(struct reader *r, uint32_t chunk)
{
	uint32_t i = r->count;
	struct intake_record first;

	if (!intake_record(&r->intake, intake_slot(&r->intake, chunk), &first))
		return;
	r->top.size = 0;
	r->heap[r->count++] = (struct reader_heap){.tick = first.tick, .chunk = chunk};
	for (; i > 0 && older(&r->heap[i], &r->heap[(i - 1) / 2]); i = (i - 1) / 2) {
		struct reader_heap up = r->heap[(i - 1) / 2];

		r->heap[(i - 1) / 2] = r->heap[i];
		r->heap[i] = up;
	}
}

static struct intake_slot *top_slot(const struct reader *r)
{
	return intake_slot(&r->intake, r->heap[0].chunk);
}

/* The oldest record; NULL if there is none. Parsed once and kept, as long as its chunk is at the
 * top. */
static const struct intake_record *top(struct reader *r)
{
	if (r->count == 0)
		return NULL;
	if (r->top.size == 0 && !intake_record(&r->intake, top_slot(r), &r->top))
		r->top.size = 0;
	return r->top.size != 0 ? &r->top : NULL;
}

/* Consumes the oldest record. slot->pos is the word that counts: after a kill before it the
 * record is reported again, after it never. intake_record() marks a slot EMPTY when its last
 * record is consumed. */
static void reader_pop(struct reader *r)
{
	struct intake_slot *slot = top_slot(r);
	uint32_t chunk = r->heap[0].chunk;

	slot->pos += r->top.size;
	if (intake_record(&r->intake, slot, &r->top))
		r->heap[0].tick = r->top.tick;
	else
		r->heap[0] = r->heap[--r->count];
	sift_down(r, 0);
	if (r->count == 0 || r->heap[0].chunk != chunk)
		r->top.size = 0;
}

/* ---- rounds ---- */

/* Takes over from a reader that may have been killed anywhere: intake_settle() decides slots that
 * were TRIED from the truth word; slots that are TAKEN go on the heap again. test_reader
 * goes_on_after_a_killed_reader, settles_a_half_done_take. */
int reader_init(struct reader *reader, struct segment *seg, struct control *ctl)
{
	void *memory = mmap(NULL, reader_bytes(&seg->g), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -ENOMEM;
	madvise(memory, reader_bytes(&seg->g), MADV_DONTFORK);
	*reader = (struct reader){.seg = seg, .ctl = ctl, .heap = memory};
	intake_init(&reader->intake, seg, ctl, reader->heap + seg->g.chunks);
	control_clock_extend(ctl);
	for (uint32_t c = 0; c < seg->g.chunks; c++) {
		intake_settle(&reader->intake, c);
		if (intake_slot(&reader->intake, c)->state == SLOT_TAKEN)
			reader_push(reader, c);
	}
	return 0;
}

void reader_done(struct reader *reader)
{
	if (reader->heap != NULL)
		munmap(reader->heap, reader_bytes(&reader->seg->g));
	reader->heap = NULL;
}

void reader_finish(struct reader *reader)
{
	reader->intake.final = true;
}

static bool queued(const struct reader *r)
{
	return atomic_load(&r->ctl->queue_head) != atomic_load(&r->ctl->queue_tail);
}

/* Recovers chunks of dead owners. Runs only in rounds that found no events, and in a final drain:
 * it costs a read of /proc per chunk that has not changed for 20 ms. */
static void recover_dead(struct reader *r)
{
	uint64_t now = clock_mono();

	for (uint32_t c = 0; c < r->seg->g.chunks; c++)
		(void)intake_recover(&r->intake, c, now);
}

/*
 * Everything up to the last limit has been delivered: takes the records that are in the segment
 * now.
 * `now` is a fenced tick, read before any chunk. Let A happen before B, and let B be delivered up
 * to `now`. A's header was stored before B's tick was read, hence before `now` was read, hence
 * before the loads of this scan: so A is found by this scan, or was taken by an earlier one, or was
 * overwritten and counted. A scan stops inside a chunk only at a tick above `now`, which A cannot
 * come after, or at a held event; then the limit goes below that event's tick, so B is not
 * delivered either. A slot that still has records of an earlier round keeps its chunk out of this
 * one: every record left in that chunk is newer than the slot's last tick, to which the limit is
 * lowered.
 * The limit is stored last: a reader that takes over before that delivers only up to the old one,
 * and finds the new slots TAKEN. test_reader merges_at_random, nothing overtakes a held event:
 * holds_nested_records; stress/test_order.
 */
static void round_of(struct reader *r)
{
	uint64_t now = segment_tick(r->seg, (enum clock_kind)r->ctl->id.clock_kind), limit = now;
	bool found = false;

	r->ctl->round++;
	r->until = 0;
	r->line.to = 0;
	control_clock_extend(r->ctl);
	for (uint32_t c = 0; c < r->seg->g.chunks; c++) {
		struct intake_slot *slot = intake_slot(&r->intake, c);
		struct intake_result got;

		if (slot->state == SLOT_TAKEN) {
			if (slot->last < limit)
				limit = slot->last;
			continue;
		}
		got = intake_chunk(&r->intake, c, now, false);
		if (got.held <= limit)
			limit = got.held == 0 ? 0 : got.held - 1;
		if (got.events > 0)
			reader_push(r, c);
		found = found || got.events > 0;
	}
	r->ctl->limit = limit;
	if (!found || r->intake.final)
		recover_dead(r);
}

static bool is_loop(const struct reader *r)
{
	return r->seg->g.policy == POSIX_TRACE_LOOP;
}

/* The automatic STOP was delivered: all earlier records were delivered before it. Ends the stop;
 * sets `restarted` or `halted` for the caller, which owns the gates. */
static void end_automatic_stop(struct reader *r)
{
	if (run_after_full(r->seg, r->ctl))
		r->restarted = true;
	else
		r->halted = (atomic_load(&r->seg->state->ctl) & CTL_LOG_FULL) == 0;
}

/* ---- dropped items ---- */

/* The counter for a dropped user record; NULL: it is not dropped. horizon is stored by
 * overwriters before they reuse the chunk; if this load misses a new value, the record is
 * delivered, in order, which is right too: it was intact when it was taken. */
static _Atomic uint64_t *reason(struct reader *r, uint64_t tick)
{
	struct control *ctl = r->ctl;

	if (tick < ctl->t_clear)
		return &ctl->discarded;
	if (run_has(r->ctl, RUN_BETWEEN_AUTO))
		return &ctl->lost_late;
	if (run_has(r->ctl, RUN_BETWEEN))
		return &ctl->discarded;
	if (tick < ctl->t_open)
		return run_has(r->ctl, RUN_OPENED_AUTO) ? &ctl->lost_late : &ctl->discarded;
	if (is_loop(r) && tick < atomic_load(&r->seg->state->horizon)) {
		run_dropped(r->ctl, tick);
		return &ctl->lost_overwritten;
	}
	return NULL;
}

/* Drops the oldest item if it must not be delivered. The counter is increased before the record
 * is consumed. */
static bool reader_drop(struct reader *r, const struct candidate *c)
{
	_Atomic uint64_t *count;

	if (c->source == READER_QUEUE) {
		bool over = is_loop(r) && c->tick < atomic_load(&r->seg->state->horizon);

		if (over && !c->hidden)
			run_dropped(r->ctl, c->tick);
		if (over || c->hidden)
			run_pass(r->ctl, &r->seg->g, c->event.id, c->tick);
		return over || c->hidden;
	}
	count = reason(r, c->tick);
	if (count == NULL)
		return false;
	atomic_fetch_add(count, 1);
	reader_pop(r);
	return true;
}

/* ---- merge ---- */

/* Round, chunk and position identify a record: a slot is filled once in a round. Round and slots
 * are in control memory, so a reader that takes over computes the same token for the same event. */
static uint64_t record_token(const struct reader *r)
{
	return (uint64_t)2 << 62 | (r->ctl->round & 0x3fffff) << 40 |
	       (uint64_t)r->heap[0].chunk << 24 | (top_slot(r)->pos / 8 & 0xffffff);
}

/* The queue position identifies a control event. The top two bits separate the three kinds of
 * token. */
static uint64_t token_of(const struct reader *r, const struct candidate *c)
{
	if (c->source == READER_QUEUE)
		return (uint64_t)1 << 62 | atomic_load(&r->ctl->queue_head);
	return record_token(r);
}

/* The older one of the oldest record and the oldest control event, up to the limit. At equal
 * ticks START comes before the records that it permits, all other control events after the
 * records before them. */
static struct candidate reader_candidate(struct reader *r)
{
	struct candidate q = {.source = READER_NONE}, c = {.source = READER_NONE};
	const struct intake_record *record = top(r);

	c.queued = UINT64_MAX;
	if (control_peek(r->ctl, &r->seg->g, &q.tick, &q.event, &q.hidden)) {
		c.queued = q.tick;
		if (q.tick <= r->ctl->limit)
			q.source = READER_QUEUE;
	}
	if (record != NULL && record->tick <= r->ctl->limit) {
		c.source = READER_RECORD;
		c.tick = record->tick;
		c.event = record->event;
	}
	if (q.source == READER_NONE)
		return c;
	if (c.source == READER_NONE || q.tick < c.tick)
		return q;
	return q.tick == c.tick && q.event.id == POSIX_TRACE_START ? q : c;
}

/* Reports an event. Times never go back, even if ticks do between chunks. */
static const struct event *give(struct reader *r, enum reader_source source, uint64_t tick,
				uint64_t token, struct event *event)
{
	int64_t real = control_clock_real_by(r->ctl, &r->line, tick);

	r->source = source;
	r->tick = tick;
	r->real_ns = real > r->ctl->last_real ? real : r->ctl->last_real;
	event->real_ns = r->real_ns;
	event->token = token;
	return event;
}

/* An event that no memory contains. Its token is made of kind and tick. */
static const struct event *make_up(struct reader *r, enum reader_source source, uint64_t tick,
				   uint32_t id)
{
	uint64_t token = (uint64_t)3 << 62 | (uint64_t)id << 56 | (tick & 0xffffffffffffff);

	r->other = (struct event){.id = id, .pid = r->ctl->id.target.pid};
	if (source == READER_AUTO_STOP) {
		r->stop_data = 1;
		r->other.length = sizeof(r->stop_data);
		r->other.data = &r->stop_data;
	}
	return give(r, source, tick, token, &r->other);
}

/* OVERFLOW, then RESUME, before the first surviving event; NULL if neither is due. An overwriter
 * sets first_dropped from 0; the exchange takes it and lets the next drop set it again.
 * RUN_OVERFLOW_PENDING keeps it for a reader that takes over. */
static const struct event *overflow(struct reader *r, uint64_t survivor)
{
	struct control *ctl = r->ctl;
	_Atomic uint64_t *first = &r->seg->state->first_dropped;
	uint64_t dropped = atomic_load(first) != 0 ? atomic_exchange(first, 0) : 0;

	if (dropped != 0 && dropped >= ctl->t_clear)
		run_dropped(r->ctl, dropped);
	if (run_has(r->ctl, RUN_OVERFLOW_PENDING)) {
		if (ctl->t_dropped > survivor)
			ctl->t_dropped = survivor;
		if (!control_filtered(ctl, POSIX_TRACE_OVERFLOW))
			return make_up(r, READER_OVERFLOW, ctl->t_dropped, POSIX_TRACE_OVERFLOW);
		run_change(r->ctl, RUN_OVERFLOW_PENDING, RUN_RESUME_PENDING);
	}
	if (run_has(r->ctl, RUN_RESUME_PENDING)) {
		if (!control_filtered(ctl, POSIX_TRACE_RESUME))
			return make_up(r, READER_RESUME, survivor, POSIX_TRACE_RESUME);
		run_change(r->ctl, RUN_RESUME_PENDING, 0);
	}
	return NULL;
}

/* ---- runs of records ---- */

/*
 * Computes how far the following records can be delivered without another look: up to the limit,
 * the next control event, or a pending automatic stop. Nothing can come in between later: a control
 * event that is queued from now on has a tick of after the round, not below the limit; a writer
 * that stops the stream turns ctl into FULL and reads its tick after that. Changes by START,
 * clear() or an overwriter are checked for each record, in next() and reader_overwritten().
 */
static void note_until(struct reader *r, uint64_t queued, uint64_t full)
{
	r->until = r->ctl->limit;
	if (queued < r->until)
		r->until = queued;
	if (full != 0 && full < r->until)
		r->until = full;
	r->run = atomic_load_explicit(&r->ctl->run, memory_order_relaxed);
}

/* In a LOOP stream: must an OVERFLOW be reported first, or is this record obsolete? Relaxed: both
 * words are only hints for the order of reports; a value that is seen late makes OVERFLOW come a
 * record later. */
static bool reader_overwritten(const struct reader *r, uint64_t tick)
{
	const struct layout_state *state = r->seg->state;

	return is_loop(r) &&
	       (atomic_load_explicit(&state->horizon, memory_order_relaxed) > tick ||
		atomic_load_explicit(&state->first_dropped, memory_order_relaxed) != 0);
}

/* The next record, if it needs no other check; this is the usual case. */
static const struct event *next(struct reader *r)
{
	const struct control *ctl = r->ctl;
	struct intake_record *record = &r->top;

	if (record->size == 0 || record->tick >= r->until || record->tick < ctl->t_open ||
	    record->tick < ctl->t_clear ||
	    atomic_load_explicit(&ctl->run, memory_order_relaxed) != r->run ||
	    reader_overwritten(r, record->tick))
		return NULL;
	return give(r, READER_RECORD, record->tick, record_token(r), &record->event);
}

/* The oldest event up to the limit of the last round. Each iteration removes an item, reports
 * one, or ends. run_full_tick() decides about an automatic stop from ctl and t_full; a writer
 * that died between the two leaves t_full to it. */
static const struct event *merge(struct reader *r)
{
	for (;;) {
		struct candidate c = reader_candidate(r);
		uint64_t full = run_full_tick(r->seg, r->ctl);
		const struct event *made;

		if (full != 0 && full <= r->ctl->limit &&
		    (c.source == READER_NONE || c.tick > full)) {
			if (!control_filtered(r->ctl, POSIX_TRACE_STOP))
				return make_up(r, READER_AUTO_STOP, full, POSIX_TRACE_STOP);
			end_automatic_stop(r);
			continue;
		}
		if (c.source == READER_NONE)
			return NULL;
		if (reader_drop(r, &c))
			continue;
		made = is_loop(r) ? overflow(r, c.tick) : NULL;
		if (made != NULL)
			return made;
		if (c.source == READER_RECORD)
			note_until(r, c.queued, full);
		r->other = c.event;
		return give(r, c.source, c.tick, token_of(r, &c), &r->other);
	}
}

const struct event *reader_oldest(struct reader *reader)
{
	const struct event *event = next(reader);

	if (event != NULL)
		return event;
	reader->source = READER_NONE;
	for (int i = 0; i < ROUNDS; i++) {
		event = merge(reader);
		if (event != NULL)
			return event;
		if (i > 0 && !queued(reader))
			return NULL;
		round_of(reader);
	}
	return merge(reader);
}

int reader_peek(struct reader *reader, struct event *ret_event)
{
	const struct event *event = reader_oldest(reader);

	if (event == NULL)
		return 0;
	*ret_event = *event;
	return 1;
}

/* Not a read-modify-write: one process at a time writes it. Release, for a status call of another
 * process. */
static void count_reported(struct control *ctl)
{
	uint64_t n = atomic_load_explicit(&ctl->reported, memory_order_relaxed);

	atomic_store_explicit(&ctl->reported, n + 1, memory_order_release);
}

/* LOOP: an event was taken since the last one that did not fit. The plain check avoids a store
 * per event to a line that writers use. */
static void not_full(struct reader *r)
{
	_Atomic uint32_t *full = &r->seg->state->full;

	if (atomic_load_explicit(full, memory_order_relaxed) != 0)
		atomic_store(full, 0);
}

/*
 * The effects of delivering an event. After a kill before reader_pop() or run_pass() the next
 * reader reports the event again, and a log recognises its token; after it the event is gone.
 * last_tick and last_real are stored first: they only bound later times.
 */
void reader_consume(struct reader *reader)
{
	struct control *ctl = reader->ctl;
	struct candidate c;

	ctl->last_tick = reader->tick;
	ctl->last_real = reader->real_ns;
	switch (reader->source) {
	case READER_RECORD:
		reader_pop(reader);
		count_reported(ctl);
		break;
	case READER_QUEUE:
		c = reader_candidate(reader);
		run_pass(ctl, &reader->seg->g, c.event.id, c.tick);
		break;
	case READER_OVERFLOW:
		run_change(ctl, RUN_OVERFLOW_PENDING, RUN_RESUME_PENDING);
		break;
	case READER_RESUME:
		run_change(ctl, RUN_RESUME_PENDING, 0);
		break;
	case READER_AUTO_STOP:
		end_automatic_stop(reader);
		break;
	case READER_NONE:
		return;
	}
	if (reader->source == READER_RECORD || reader->source == READER_QUEUE)
		not_full(reader);
	reader->source = READER_NONE;
}

int reader_next(struct reader *reader, struct event *ret_event)
{
	int r = reader_peek(reader, ret_event);

	if (r == 1)
		reader_consume(reader);
	return r;
}

/* ---- clear and count ---- */

/* t_clear comes first: a reader that takes over in the middle drops what is older. intake_chunk()
 * with discard takes each chunk by compare-and-swap, so records that are written meanwhile are
 * either discarded and counted, or stay. */
void reader_clear(struct reader *reader, uint64_t tick)
{
	struct control *ctl = reader->ctl;

	reader->source = READER_NONE;
	reader->top.size = 0;
	reader->until = 0;
	ctl->t_clear = tick;
	for (uint32_t c = 0; c < reader->seg->g.chunks; c++) {
		struct intake_slot *slot = intake_slot(&reader->intake, c);

		if (slot->state == SLOT_TAKEN)
			atomic_fetch_add(&ctl->discarded, intake_left(&reader->intake, slot));
		slot->state = SLOT_EMPTY;
		atomic_fetch_add(&ctl->discarded,
				 intake_chunk(&reader->intake, c, tick, true).events);
	}
	reader->count = 0;
	control_drop(ctl);
	atomic_store(&reader->seg->state->first_dropped, 0);
	atomic_store(&reader->seg->state->full, 0);
	run_change(ctl,
		   RUN_BETWEEN | RUN_BETWEEN_AUTO | RUN_STOP_QUEUED | RUN_OVERFLOW_PENDING |
		       RUN_RESUME_PENDING,
		   0);
}

/* Slots and chunks may change while they are counted; status_counts() repeats until the number of
 * overwritten events is stable. */
uint64_t reader_unread(struct reader *reader)
{
	uint64_t events = 0;

	for (uint32_t c = 0; c < reader->seg->g.chunks; c++) {
		const struct intake_slot *slot = intake_slot(&reader->intake, c);

		if (slot->state == SLOT_TAKEN)
			events += intake_left(&reader->intake, slot);
		events += intake_count(&reader->intake, c);
	}
	return events;
}
