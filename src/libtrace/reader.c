/* reader - see reader.h. */
#include "libtrace/reader.h"

#include <errno.h>
#include <sys/mman.h>

#include "libtrace/run.h"
#include "libtrace/timeline.h"

/* A slot of the copies that holds something, by the tick of its next event. */
struct reader_heap {
	uint64_t tick;
	uint32_t chunk, pad;
};

/* The oldest thing there is, before it is known whether it is to be given out. */
struct candidate {
	enum reader_source source; /* READER_RECORD, READER_QUEUE, or READER_NONE */
	uint64_t tick;
	struct event event;
	bool hidden; /* READER_QUEUE */
	uint64_t queued; /* tick of the next control event, taken or not; UINT64_MAX: none */
};

enum {
	ROUNDS = 3, /* a look at the stream; hidden control events can ask for a second one */
};

static uint64_t reader_bytes(const struct geometry *g)
{
	return g->chunks * sizeof(struct reader_heap) + intake_bytes(g);
}

/* --- the heap ------------------------------------------------------------------------------- */

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

static void push(struct reader *r, uint32_t chunk)
{
	uint32_t i = r->count;
	struct intake_record first;

	if (!intake_record(&r->intake, intake_slot(&r->intake, chunk), &first))
		return;
	r->top.size = 0;
	r->heap[r->count++] = (struct reader_heap){ .tick = first.tick, .chunk = chunk };
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

/* The oldest record; NULL: there is none. */
static const struct intake_record *top(struct reader *r)
{
	if (r->count == 0)
		return NULL;
	if (r->top.size == 0 && !intake_record(&r->intake, top_slot(r), &r->top))
		r->top.size = 0;
	return r->top.size != 0 ? &r->top : NULL;
}

/* Done with it. */
static void pop(struct reader *r)
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

/* --- rounds --------------------------------------------------------------------------------- */

int reader_init(struct reader *reader, struct segment *seg, struct control *ctl)
{
	void *memory = mmap(NULL, reader_bytes(&seg->g), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -ENOMEM;
	madvise(memory, reader_bytes(&seg->g), MADV_DONTFORK);
	*reader = (struct reader){ .seg = seg, .ctl = ctl, .heap = memory };
	intake_init(&reader->intake, seg, ctl, reader->heap + seg->g.chunks);
	timeline_extend(ctl);
	for (uint32_t c = 0; c < seg->g.chunks; c++) {
		intake_settle(&reader->intake, c);
		if (intake_slot(&reader->intake, c)->state == SLOT_TAKEN)
			push(reader, c);
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

static void bury_dead(struct reader *r)
{
	uint64_t now = clock_mono();

	for (uint32_t c = 0; c < r->seg->g.chunks; c++)
		(void)intake_bury(&r->intake, c, now);
}

/* Nothing is left up to the last limit: what lies in the segment up to now is taken. */
static void round_of(struct reader *r)
{
	uint64_t now = segment_tick(r->seg, (enum clock_kind)r->ctl->id.clock_kind), limit = now;
	bool found = false;

	r->ctl->round++;
	r->until = 0;
	r->line.to = 0;
	timeline_extend(r->ctl);
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
			push(r, c);
		found = found || got.events > 0;
	}
	r->ctl->limit = limit;
	if (!found || r->intake.final)
		bury_dead(r);
}

static bool is_loop(const struct reader *r)
{
	return r->seg->g.policy == POSIX_TRACE_LOOP;
}

/* The automatic STOP has gone out: everything recorded before it is out. */
static void end_automatic_stop(struct reader *r)
{
	if (run_after_full(r->seg, r->ctl))
		r->restarted = true;
	else
		r->halted = (atomic_load(&r->seg->state->ctl) & CTL_LOG_FULL) == 0;
}

/* --- what is dropped ------------------------------------------------------------------------ */

/* Where a dropped user record is counted; NULL: it is not to be dropped. */
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

/* Whether the oldest thing is one that nobody will see; it is then gone. */
static bool drop(struct reader *r, const struct candidate *c)
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
	pop(r);
	return true;
}

/* --- merge ---------------------------------------------------------------------------------- */

static uint64_t record_token(const struct reader *r)
{
	return (uint64_t)2 << 62 | (r->ctl->round & 0x3fffff) << 40 |
	       (uint64_t)r->heap[0].chunk << 24 | (top_slot(r)->pos / 8 & 0xffffff);
}

static uint64_t token_of(const struct reader *r, const struct candidate *c)
{
	if (c->source == READER_QUEUE)
		return (uint64_t)1 << 62 | atomic_load(&r->ctl->queue_head);
	return record_token(r);
}

/* The older of the oldest record and the oldest control event: with equal ticks START is before
 * what it lets in, everything else behind what was recorded before it. */
static struct candidate oldest(struct reader *r)
{
	struct candidate q = { .source = READER_NONE }, c = { .source = READER_NONE };
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

static const struct event *give(struct reader *r, enum reader_source source, uint64_t tick,
				uint64_t token, struct event *event)
{
	int64_t real = timeline_real_by(r->ctl, &r->line, tick);

	r->source = source;
	r->tick = tick;
	r->real_ns = real > r->ctl->last_real ? real : r->ctl->last_real;
	event->real_ns = r->real_ns;
	event->token = token;
	return event;
}

/* An event that was in no memory. */
static const struct event *make_up(struct reader *r, enum reader_source source, uint64_t tick,
				   uint32_t id)
{
	uint64_t token = (uint64_t)3 << 62 | (uint64_t)id << 56 | (tick & 0xffffffffffffff);

	r->other = (struct event){ .id = id, .pid = r->ctl->id.target.pid };
	if (source == READER_AUTO_STOP) {
		r->stop_data = 1;
		r->other.length = sizeof(r->stop_data);
		r->other.data = &r->stop_data;
	}
	return give(r, source, tick, token, &r->other);
}

/* OVERFLOW, then RESUME, before what survived; NULL: neither is due. */
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

/* --- records one after the other ------------------------------------------------------------ */

/* What the record that is given out now tells of those behind it: up to the limit, the next control
 * event, and the stop that may be pending nothing comes between. What is put or stopped later has a
 * later tick than the limit; what a START or clear() changes is looked at each time. */
static void note_until(struct reader *r, uint64_t queued, uint64_t full)
{
	r->until = r->ctl->limit;
	if (queued < r->until)
		r->until = queued;
	if (full != 0 && full < r->until)
		r->until = full;
	r->run = atomic_load_explicit(&r->ctl->run, memory_order_relaxed);
}

/* Whether a LOOP stream has overwritten what is to be told of first, or this record would tell of
 * less. */
static bool overwritten(const struct reader *r, uint64_t tick)
{
	const struct layout_state *state = r->seg->state;

	return is_loop(r) &&
	       (atomic_load_explicit(&state->horizon, memory_order_relaxed) > tick ||
		atomic_load_explicit(&state->first_dropped, memory_order_relaxed) != 0);
}

/* The next record, if it needs no other look: most of them. */
static const struct event *next(struct reader *r)
{
	const struct control *ctl = r->ctl;
	struct intake_record *record = &r->top;

	if (record->size == 0 || record->tick >= r->until || record->tick < ctl->t_open ||
	    record->tick < ctl->t_clear ||
	    atomic_load_explicit(&ctl->run, memory_order_relaxed) != r->run ||
	    overwritten(r, record->tick))
		return NULL;
	return give(r, READER_RECORD, record->tick, record_token(r), &record->event);
}

/* The oldest event up to the limit of the last round. Each turn takes something away, or ends. */
static const struct event *merge(struct reader *r)
{
	for (;;) {
		struct candidate c = oldest(r);
		uint64_t full = run_full_tick(r->seg, r->ctl);
		const struct event *made;

		if (full != 0 && full <= r->ctl->limit && (c.source == READER_NONE || c.tick > full)) {
			if (!control_filtered(r->ctl, POSIX_TRACE_STOP))
				return make_up(r, READER_AUTO_STOP, full, POSIX_TRACE_STOP);
			end_automatic_stop(r);
			continue;
		}
		if (c.source == READER_NONE)
			return NULL;
		if (drop(r, &c))
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

int reader_peek(struct reader *reader, struct event *ret)
{
	const struct event *event = reader_oldest(reader);

	if (event == NULL)
		return 0;
	*ret = *event;
	return 1;
}

/* One process at a time writes it, and nobody waits for it. */
static void count_reported(struct control *ctl)
{
	uint64_t n = atomic_load_explicit(&ctl->reported, memory_order_relaxed);

	atomic_store_explicit(&ctl->reported, n + 1, memory_order_release);
}

/* LOOP: something was taken since an event did not fit. */
static void not_full(struct reader *r)
{
	_Atomic uint32_t *full = &r->seg->state->full;

	if (atomic_load_explicit(full, memory_order_relaxed) != 0)
		atomic_store(full, 0);
}

void reader_consume(struct reader *reader)
{
	struct control *ctl = reader->ctl;
	struct candidate c;

	ctl->last_tick = reader->tick;
	ctl->last_real = reader->real_ns;
	switch (reader->source) {
	case READER_RECORD:
		pop(reader);
		count_reported(ctl);
		break;
	case READER_QUEUE:
		c = oldest(reader);
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

int reader_next(struct reader *reader, struct event *ret)
{
	int r = reader_peek(reader, ret);

	if (r == 1)
		reader_consume(reader);
	return r;
}

/* --- the whole ------------------------------------------------------------------------------ */

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
