/*
 * record - see record.h: the fast path. docs/spec/trace-design.md 5 has the numbered steps and the
 * reasons for their order; docs/trace-internals.md has the memory orderings.
 */
#define _TRACE_CALLS_ONLY /* the function that it would call is defined here */
#include "libtrace/record.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The start of the trace point's frame: the same for every call from the same place. */
#define FRAME  ((uintptr_t)__builtin_dwarf_cfa())
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* <trace.h> reads this word before it calls; the page always has this address. */
__attribute__((visibility("default"))) extern const volatile unsigned int *const __posix_trace_gate;
const volatile unsigned int *const __posix_trace_gate = &trace_registry.word.gate;

/* Copies the rest of a record in a loop. A function of its own, so that posix_trace_event() has
 * enough registers and saves none. */
__attribute__((noinline)) static void record_rest(trace_event_id_t id, const void *data, size_t len,
						  struct tblk *b, struct cursor *c, uint8_t *next)
{
	uint8_t *p = c->hold.pos;

	record_copy_long(p + LAYOUT_RECORD_HEAD, data, len);
	record_commit(c, p, next, id, len);
	record_leave(b);
}

/* An event that passed a filter, or that needs another clock. */
__attribute__((noinline)) static void record_here(trace_event_id_t id, const void *data, size_t len,
						  struct tblk *b, struct cursor *c,
						  uintptr_t address)
{
	record_write(c, record_next(c, len), record_tick_of(b, c), id, data, len, address);
	record_leave(b);
}

/* The same, whether the chunk has room or not. */
__attribute__((noinline)) static void record_judged(trace_event_id_t id, const void *data,
						    size_t len, struct tblk *b, struct cursor *c,
						    uintptr_t address)
{
	uintptr_t frame;

	if (__builtin_expect(record_has_room(c, record_next(c, len)), 1)) {
		record_here(id, data, len, b, c, address);
		return;
	}
	frame = atomic_load_explicit(&b->in, memory_order_relaxed);
	record_leave(b);
	record_slow(id, data, len, address, frame);
}

/*
 * The likely case runs straight on: each taken branch costs as much as three loads.
 * The counter is read as early as a tick can be, right after `in` is set. The processor completes
 * all earlier instructions before rdtsc and starts no later one before it is done. So the cost of
 * an event is the longest chain of loads between two reads of the counter, not the number of loads;
 * and most of an event comes after its tick, where it overlaps with the next one. A tick that is
 * older than the look at ctl does no harm: a start makes another ctl, and a stop has a later tick.
 */
void posix_trace_event(trace_event_id_t id, const void *__restrict data, size_t len)
{
	uint32_t gate = atomic_load_explicit(&trace_registry.gate, memory_order_relaxed);
	struct tblk *b = thread_self;
	struct cursor *c;
	uint64_t tick;
	uint8_t *p, *next;

	if (UNLIKELY((int32_t)gate <= 0)) { /* nothing runs, or GATE_MANY */
		if (gate != 0)
			record_many(id, data, len, CALLER, FRAME);
		return;
	}
	if (UNLIKELY(!record_may_enter(b, id)))
		goto slow;
	c = (struct cursor *)((char *)b->c + (gate & THREAD_GATE_MASK));
	record_enter(b, FRAME);
	if (UNLIKELY(len >= c->plain)) {
		if (UNLIKELY(!record_current(c, len)))
			goto leave;
		if (UNLIKELY(!record_filtered(c, id))) {
			record_judged(id, data, len, b, c, CALLER);
			return;
		}
		__asm__ volatile(""); /* keeps this exit here, without a jump */
		record_leave(b);
		return;
	}
	tick = record_counter();
	if (UNLIKELY(!record_started(c)))
		goto leave;
	next = record_next(c, len);
	if (UNLIKELY(!record_has_room(c, next)))
		goto leave;
	p = c->hold.pos;
	record_begin(p, next, id, data, len, CALLER);
	record_stamp(p, record_tick_at(b, tick));
	if (UNLIKELY(len > RECORD_COPY_BRIEF)) {
		record_rest(id, data, len, b, c, next);
		return;
	}
	record_copy_brief(p + LAYOUT_RECORD_HEAD, data, len);
	record_commit(c, p, next, id, len);
	record_leave(b);
	return;
leave:
	record_leave(b);
slow:
	record_slow(id, data, len, CALLER, FRAME);
}

void record_many(trace_event_id_t id, const void *data, size_t length, uintptr_t address,
		 uintptr_t frame)
{
	struct record_event e = {id, data, length, address, frame};
	struct tblk *b = thread_self;
	uint64_t tick = 0;

	if (UNLIKELY(!record_may_enter(b, id))) {
		record_slow(id, data, length, address, frame);
		return;
	}
	record_enter(b, frame);
	for (unsigned i = 0; i < REGISTRY_SLOTS / 32; i++) {
		uint32_t bits = (uint32_t)atomic_load_explicit(&trace_registry.running[i],
							       memory_order_acquire);

		for (; bits != 0; bits &= bits - 1) {
			unsigned slot = i * 32 + (unsigned)__builtin_ctz(bits);
			struct cursor *c = &b->c[slot + 1];
			uint8_t *next;

			if (UNLIKELY(!record_current(c, length))) {
				record_in(b, slot, &e);
				continue;
			}
			if (record_filtered(c, id))
				continue;
			next = record_next(c, length);
			if (UNLIKELY(!record_has_room(c, next))) {
				record_in(b, slot, &e);
				continue;
			}
			if (tick == 0 && !c->other_clock)
				tick = record_tick(b);
			record_write(c, next, c->other_clock ? record_other_tick(c) : tick, id,
				     data, length, address);
		}
	}
	record_leave(b);
}
