/*
 * record_slow - see record.h: every event that the fast path does not handle. The first event of a
 * thread or in a stream, several streams, a full chunk, an unusual clock, long data, a change of
 * ctl, a handler that interrupted a record, and a record that was left by siglongjmp.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "libtrace/family.h"
#include "libtrace/record.h"
#include "libtrace/sys.h"

enum {
	STUCK_LOOK = 1024, /* nested events before a check whether the record still exists */
};

/* ---- one record ---- */

uint64_t record_other_tick(const struct cursor *c)
{
	const struct attached *a = atomic_load_explicit(&c->att, memory_order_relaxed);

	switch (a->seg.clock_kind) {
	case CLOCK_KIND_SEQ:
		return clock_sequenced(&a->seg.state->sequence);
	case RECORD_FAST_KIND:
		return record_counter_fenced();
	default:
		return clock_mono();
	}
}

/* A tick for opening or closing a chunk; no event gets it. */
static uint64_t about_now(const struct attached *a)
{
	return a->fast ? record_counter() : clock_fenced((enum clock_kind)a->seg.clock_kind);
}

/* Writes the record, with `extra` (16 bytes) before its data if that is not NULL. */
static void record_put(const struct geometry *g, struct chunk_hold *hold, uint64_t tick,
		       const struct record_event *e, const struct layout_nested *extra)
{
	uint32_t flags = RECORD_COMMITTED | (e->length > g->data_max ? RECORD_TRUNCATED : 0) |
			 (extra != NULL ? RECORD_NESTED : 0);
	uint32_t before = extra != NULL ? sizeof(*extra) : 0;
	uint32_t length = e->length > g->data_max ? g->data_max : (uint32_t)e->length;
	struct layout_record *r = (struct layout_record *)(void *)hold->pos;
	uint8_t *data = hold->pos + LAYOUT_RECORD_HEAD, *next;

	next = hold->pos + geometry_record(g, before + length);
	record_end(next);
	r->tick = tick;
	r->address = e->address;
	if (extra != NULL)
		memcpy(data, extra, sizeof(*extra));
	if (length > 0)
		memcpy(data + before, e->data, length);
	atomic_store_explicit(&r->header, record_header(flags, before + length, e->id),
			      memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	hold->pos = next;
	hold->count++;
	PROBE_EVENT(e->id, e->data, e->length, e->address);
}

static uint32_t bytes_of(const struct geometry *g, const struct record_event *e, uint32_t more)
{
	uint32_t length = e->length > g->data_max ? g->data_max : (uint32_t)e->length;

	return geometry_record(g, more + length);
}

/* ---- events that do not fit ---- */

/* Counts an event as lost, as the standard demands while a stream is full. The reader has set the
 * log's own overrun when it found the log full. */
static void lose_stopped(struct layout_state *state, uint32_t ctl)
{
	if ((ctl & CTL_FULL) == 0) {
		atomic_fetch_add(&state->lost[LOST_LOG], 1);
		return;
	}
	atomic_fetch_add(&state->lost[LOST_FULL], 1);
	atomic_store_explicit(&state->overrun, 1, memory_order_relaxed);
}

/* No chunk is free: stops the stream automatically. In a LOOP stream the event is lost, which
 * takes a hostile process or hundreds of interrupted writers. */
static void found_full(const struct attached *a, uint32_t ctl)
{
	struct layout_state *state = a->seg.state;
	uint64_t none = 0, now;

	if (a->seg.g.policy == POSIX_TRACE_LOOP) {
		atomic_fetch_add(&state->lost[LOST_ATTACH], 1);
		return;
	}
	lose_stopped(state, CTL_FULL);
	/* The tick belongs to the thread that stopped the stream. If that thread dies, the reader
	 * takes a tick. */
	if (!atomic_compare_exchange_strong(&state->ctl, &ctl, (ctl & ~CTL_RUNNING) | CTL_FULL))
		return;
	now = segment_tick(&a->seg, (enum clock_kind)a->seg.clock_kind);
	atomic_compare_exchange_strong(&state->t_full, &none, now);
}

/* ---- decided by ctl and filter ---- */

static const _Atomic uint64_t *filter_of(const struct attached *a, uint32_t ctl)
{
	return a->seg.state->filter[(ctl & CTL_HALF) != 0];
}

/* Must the event be recorded? */
static bool record_wanted(const struct attached *a, uint32_t ctl, trace_event_id_t id)
{
	const _Atomic uint64_t *filter = filter_of(a, ctl);

	if ((ctl & (CTL_RUNNING | CTL_FULL | CTL_LOG_FULL)) == 0)
		return false;
	if (atomic_load_explicit(&filter[id / 64], memory_order_relaxed) >> id % 64 & 1)
		return false;
	if ((ctl & CTL_RUNNING) == 0)
		lose_stopped(a->seg.state, ctl);
	return (ctl & CTL_RUNNING) != 0;
}

/* ---- a borrowed chunk: in an interrupted record, or beyond the quota ---- */

/* Names the record that the interrupted frame of this thread is writing in this stream. */
static struct layout_nested interrupted(const struct tblk *b, const struct attached *a)
{
	const struct cursor *c = &b->c[a->slot + 1];
	struct layout_nested n = {.chunk = UINT32_MAX, .tid = (uint32_t)b->writer.tid};

	if (atomic_load_explicit(&c->att, memory_order_relaxed) != a || c->hold.pos == NULL ||
	    c->hold.index >= a->seg.g.chunks)
		return n;
	n.chunk = c->hold.index;
	n.gen = c->hold.gen;
	n.offset = (uint32_t)(c->hold.pos - (uint8_t *)segment_chunk(&a->seg, n.chunk));
	return n;
}

static void record_borrowed(struct tblk *b, struct attached *a, uint32_t ctl,
			    const struct record_event *e, bool nested)
{
	struct layout_nested extra = interrupted(b, a);
	uint64_t now = about_now(a);
	struct chunk_hold hold;

	if (!chunk_borrow(&a->seg, &b->writer, bytes_of(&a->seg.g, e, nested ? sizeof(extra) : 0),
			  now, &hold)) {
		found_full(a, ctl);
		return;
	}
	/* The tick is taken after the chunk, so that ticks ascend in the chunk. */
	now = segment_tick(&a->seg, (enum clock_kind)a->seg.clock_kind);
	record_put(&a->seg.g, &hold, now, e, nested ? &extra : NULL);
	chunk_give(&a->seg, &b->writer, &hold, now);
}

/* ---- a chunk of the thread's own ---- */

static void set_cursor(struct tblk *b, struct cursor *c, struct attached *a)
{
	uint32_t at = (uint32_t)(c - b->c);

	c->hold = (struct chunk_hold){NULL};
	c->ctl_at = &a->seg.state->ctl;
	c->filter = a->seg.state->filter[0];
	c->ctl = 0;
	c->limit = a->seg.g.data_max < RECORD_FAST_MAX ? (uint16_t)(a->seg.g.data_max + 1)
						       : RECORD_FAST_MAX + 1;
	c->other_clock = !a->fast;
	c->plain = 0;
	b->burst = clock_burst((enum clock_kind)a->seg.clock_kind);
	if (b->top <= at)
		b->top = at + 1;
	atomic_store_explicit(&c->att, a, memory_order_release);
}

/* Makes sure that the cursor has a chunk with room for so many bytes. */
static bool has_room(struct tblk *b, struct cursor *c, struct attached *a, uint32_t bytes)
{
	struct chunk_hold hold = c->hold;
	uint64_t now;

	if (hold.pos != NULL && chunk_end(&a->seg, hold.index) - hold.pos >= (ptrdiff_t)bytes)
		return true;
	now = about_now(a);
	if (hold.pos != NULL) {
		c->hold.pos = c->hold.end = NULL; /* before another thread can own it */
		atomic_signal_fence(memory_order_seq_cst);
		chunk_close(&a->seg, &b->writer, &hold, now);
	}
	if (!chunk_take(&a->seg, &b->writer, bytes, now, &hold))
		return false;
	if (a->seg.g.align != 8)
		hold.end = NULL; /* no fast path: it pads to 8 bytes */
	c->hold = hold;
	return true;
}

/* The thread's cursor for this stream, with its run and its filter. */
static struct cursor *current(struct tblk *b, struct attached *a, uint32_t ctl)
{
	struct cursor *c = &b->c[a->slot + 1];

	if (atomic_load_explicit(&c->att, memory_order_relaxed) != a)
		set_cursor(b, c, a);
	if (c->ctl != ctl) {
		c->ctl = ctl;
		c->filter = filter_of(a, ctl);
		c->plain = !c->other_clock && (ctl & CTL_UNFILTERED) ? c->limit : 0;
		b->last = 0; /* no tick from before the start */
	}
	return c;
}

/* The stream is full: makes events take the path that looks at ctl before it reads the clock.
 * This ends with the next start, which makes another ctl, for which the cursor is made again. */
static void look_first(struct tblk *b, const struct attached *a)
{
	struct cursor *c = &b->c[a->slot + 1];

	if (atomic_load_explicit(&c->att, memory_order_relaxed) == a)
		c->plain = 0;
}

static void record_own(struct tblk *b, struct attached *a, uint32_t ctl,
		       const struct record_event *e)
{
	struct cursor *c = current(b, a, ctl);

	if (has_room(b, c, a, bytes_of(&a->seg.g, e, 0)))
		record_put(&a->seg.g, &c->hold, record_tick_of(b, c), e, NULL);
	else
		record_borrowed(b, a, ctl, e, false);
}

/* ---- the running streams ---- */

static void record_attached(struct tblk *b, struct attached *a, const struct record_event *e,
			    bool nested)
{
	uint32_t ctl = atomic_load_explicit(&a->seg.state->ctl, memory_order_acquire);

	if (!nested && (ctl & CTL_RUNNING) != 0)
		current(b, a, ctl); /* filtered events take the fast path next time */
	else if (!nested)
		look_first(b, a);
	if (!record_wanted(a, ctl, e->id))
		return;
	if (nested)
		record_borrowed(b, a, ctl, e, true);
	else
		record_own(b, a, ctl, e);
}

static void record_found(struct tblk *b, unsigned slot, const struct record_event *e, bool nested)
{
	uint32_t users = atomic_load_explicit(&b->users, memory_order_relaxed);
	struct attached *a;

	atomic_store(&b->users, users + 1); /* before the table is read */
	a = attach_slot(slot);
	if (a != NULL)
		record_attached(b, a, e, nested);
	atomic_store_explicit(&b->users, users, memory_order_release);
}

void record_in(struct tblk *b, unsigned slot, const struct record_event *e)
{
	int saved = errno;
	struct attached *a;

	if (slot < REGISTRY_SLOTS) {
		/* A mapping stays as long as a cursor has it. */
		a = atomic_load_explicit(&b->c[slot + 1].att, memory_order_relaxed);
		if (a != NULL && attach_holds(a))
			record_attached(b, a, e, false);
		else
			record_found(b, slot, e, false);
	}
	errno = saved;
}

static void record_in_each(struct tblk *b, uint32_t gate, const struct record_event *e, bool nested)
{
	if ((gate & GATE_MANY) == 0) {
		unsigned slot = gate / LAYOUT_LINE - 1;

		if (gate != 0 && nested)
			record_found(b, slot, e, true);
		else if (gate != 0)
			record_in(b, slot, e);
		return;
	}
	for (unsigned i = 0; i < REGISTRY_SLOTS / 32; i++) {
		uint32_t bits = (uint32_t)atomic_load_explicit(&trace_registry.running[i],
							       memory_order_acquire);

		for (; bits != 0; bits &= bits - 1) {
			unsigned slot = i * 32 + (unsigned)__builtin_ctz(bits);

			if (nested)
				record_found(b, slot, e, true);
			else
				record_in(b, slot, e);
		}
	}
}

/* ---- a frame that was left by siglongjmp ---- */

static bool on_signal_stack(const struct tblk *b, uintptr_t frame)
{
	return frame >= b->alt_low && frame < b->alt_high;
}

static void look_at_signal_stack(struct tblk *b)
{
	stack_t s;

	if (SYS(SYS_sigaltstack, NULL, &s) != 0 || (s.ss_flags & SS_DISABLE) != 0)
		return;
	b->alt_low = (uintptr_t)s.ss_sp;
	b->alt_high = b->alt_low + s.ss_size;
}

/*
 * Has the frame that is in a record gone? It has if this frame is on the same stack and not deeper.
 * Frames on the signal stack and elsewhere cannot be compared; but if this frame is not on the
 * signal stack, then no frame is.
 */
static bool is_abandoned(struct tblk *b, uintptr_t in, uintptr_t frame)
{
	if (frame < in && ++b->stuck % STUCK_LOOK != 0)
		return false;
	if (on_signal_stack(b, frame) && !on_signal_stack(b, in))
		return false;
	look_at_signal_stack(b);
	if (on_signal_stack(b, frame) != on_signal_stack(b, in))
		return on_signal_stack(b, in);
	return frame >= in;
}

/* Repairs every chunk of this thread, in every mapped stream. */
static void repair(struct tblk *b)
{
	atomic_store(&b->users, 1); /* the frames that it counted are gone */
	for (unsigned slot = 0; slot < REGISTRY_SLOTS; slot++) {
		struct cursor *c = &b->c[slot + 1];
		struct attached *a = attach_mapped(slot);

		if (b->top > slot + 1 &&
		    atomic_load_explicit(&c->att, memory_order_relaxed) != NULL)
			a = thread_repair(b, c);
		if (a != NULL)
			chunk_recover(&a->seg, &b->writer, thread_keeps(c, a),
				      clock_fenced((enum clock_kind)a->seg.clock_kind));
	}
	atomic_store(&b->users, 0);
	b->nested = b->stuck = 0;
	b->last = 0;
}

/* ---- the entry ---- */

static bool is_assigned(struct tblk *b, trace_event_id_t id)
{
	trace_event_id_t n = id - POSIX_TRACE_UNNAMED_USEREVENT, end;

	if (n < b->ids)
		return true;
	end = family_end(b->family);
	b->ids = end < LAYOUT_USER_END ? end - POSIX_TRACE_UNNAMED_USEREVENT
				       : LAYOUT_USER_END - POSIX_TRACE_UNNAMED_USEREVENT;
	return n < b->ids;
}

static void record_outermost(struct tblk *b, uint32_t gate, const struct record_event *e)
{
	record_enter(b, e->frame);
	if (is_assigned(b, e->id))
		record_in_each(b, gate, e, false);
	record_leave(b);
}

static void record_nested(struct tblk *b, uint32_t gate, const struct record_event *e)
{
	b->nested++;
	if (is_assigned(b, e->id))
		record_in_each(b, gate, e, true);
	b->nested--;
}

void record_slow(trace_event_id_t id, const void *data, size_t length, uintptr_t address,
		 uintptr_t frame)
{
	const struct record_event e = {id, data, length, address, frame};
	struct tblk *b;
	int saved = errno;

	b = thread_block();
	if (b != NULL) {
		/* After thread_block(): a child has another gate from there on. */
		uint32_t gate = atomic_load_explicit(&trace_registry.gate, memory_order_acquire);
		uintptr_t in = atomic_load_explicit(&b->in, memory_order_relaxed);

		if (in != 0 && is_abandoned(b, in, frame)) {
			repair(b);
			in = 0;
		}
		if (in == 0)
			record_outermost(b, gate, &e);
		else
			record_nested(b, gate, &e);
	}
	errno = saved;
}
