/*
 * record - see record.h: the fast path. docs/spec/trace-design.md 5 numbers the steps and says why
 * they come in this order; docs/trace-internals.md has the orderings.
 */
#include "libtrace/record.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Where the frame of the trace point begins: the same for every call from the same place. */
#define FRAME ((uintptr_t)__builtin_dwarf_cfa())
#define CALLER ((uintptr_t)__builtin_return_address(0))

void posix_trace_event(trace_event_id_t id, const void *__restrict data, size_t len)
{
	uint32_t gate = atomic_load_explicit(&trace_registry.gate, memory_order_relaxed);
	struct tblk *b;
	struct cursor *c;

	if (__builtin_expect(gate == 0, 1))
		return;
	if (UNLIKELY((gate & GATE_MANY) != 0)) {
		record_many(id, data, len, CALLER, FRAME);
		return;
	}
	b = thread_self;
	if (UNLIKELY(!record_may_enter(b, id))) {
		record_slow(id, data, len, CALLER, FRAME);
		return;
	}
	c = (struct cursor *)((char *)b->c + (gate & THREAD_GATE_MASK));
	record_enter(b, FRAME);
	if (UNLIKELY(!record_current(c, len)))
		goto slow;
	if (!record_filtered(c, id)) {
		if (UNLIKELY(!record_has_room(c, len)))
			goto slow;
		record_write(c, record_tick_of(b, c), id, data, len, CALLER);
	}
	record_leave(b);
	return;
slow:
	record_leave(b);
	record_slow(id, data, len, CALLER, FRAME);
}

void record_many(trace_event_id_t id, const void *data, size_t length, uintptr_t address,
		 uintptr_t frame)
{
	struct record_event e = { id, data, length, address, frame };
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

			if (UNLIKELY(!record_current(c, length))) {
				record_in(b, slot, &e);
				continue;
			}
			if (record_filtered(c, id))
				continue;
			if (UNLIKELY(!record_has_room(c, length))) {
				record_in(b, slot, &e);
				continue;
			}
			if (tick == 0 && !c->other_clock)
				tick = record_tick(b);
			record_write(c, c->other_clock ? record_other_tick(c) : tick, id, data,
				     length, address);
		}
	}
	record_leave(b);
}
