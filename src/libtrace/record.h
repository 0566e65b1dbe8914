/*
 * record - posix_trace_event(): the fast path (record.c) and all unlikely cases (record_slow.c).
 *
 *     gate -> block -> cursor -> tick -> ctl -> room -> data -> header
 *
 * Writers      a record: one frame of one thread. It stores the header last, with release: from
 *              then on the record exists. Before that it stores 0 into the next header, the end
 *              mark.
 * Never here   a lock, malloc, a changed errno, a cancellation point. System calls only in the
 *              first event of a thread, the mapping of a stream, and the repair after a siglongjmp.
 * Checked by   tests/libtrace/test_record.c; bench/trace_record.c for the cost
 */
#ifndef LIBTRACE_RECORD_H
#define LIBTRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include <trace_np.h>

#include "libtrace/clock.h"
#include "libtrace/record_copy.h"
#include "libtrace/thread.h"

/*
 * ---- probe ----
 *
 * Each record is also a static probe point, `libtrace:event`, for bpftrace, perf, SystemTap
 * and gdb. A note in the object file gives its place and the places of its arguments. It is one nop
 * as long as no tool is attached.
 *
 *     arg0 id of the event type, arg1 data, arg2 number of bytes, arg3 address of the call
 *
 * An event that several streams record hits the probe once per stream. There is no probe if
 * <sys/sdt.h> (systemtap-sdt-dev) is missing at build time.
 */

#ifdef HAVE_SYS_SDT_H
#include <sys/sdt.h>
#define PROBE_EVENT(id, data, length, address)                                                     \
	STAP_PROBE4(libtrace, event, id, data, length, address)
#else
#define PROBE_EVENT(id, data, length, address) ((void)0)
#endif

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

enum {
	RECORD_FAST_MAX = RECORD_COPY_MAX, /* longest data that is copied inline */
};

/* The arguments of a trace point. */
struct record_event {
	trace_event_id_t id;
	const void *data;
	size_t length;
	uintptr_t address; /* of the caller */
	uintptr_t frame;   /* the CFA of the trace point */
};

/* Handles every event that the fast path does not, from the gate on. */
void record_slow(trace_event_id_t id, const void *data, size_t length, uintptr_t address,
		 uintptr_t frame);

/* The fast path if several streams run: reads the clock once. */
void record_many(trace_event_id_t id, const void *data, size_t length, uintptr_t address,
		 uintptr_t frame);

/* Records in one stream, for the outermost frame of the thread (b->in is set), whatever the state
 * of the cursor. */
void record_in(struct tblk *b, unsigned slot, const struct record_event *e);

/* The kind of clock that the fast path reads on this architecture. */
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
enum { RECORD_FAST_KIND = CLOCK_KIND_TSC };
#else
enum { RECORD_FAST_KIND = CLOCK_KIND_MONO };
#endif

/* Can the fast path read the clock itself? If not, it calls record_other_tick(). */
static inline bool record_is_fast(uint32_t clock_kind, uint32_t clock_mode)
{
	return clock_kind == RECORD_FAST_KIND && clock_mode == POSIX_TRACE_CLOCK_ADAPTIVE_NP;
}

static inline uint64_t record_counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t t;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
	return t;
#else
	return clock_mono();
#endif
}

/* The same, ordered after all earlier loads. */
static inline uint64_t record_counter_fenced(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("lfence" ::: "memory"); /* the compiler may target older CPUs */
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
	return record_counter();
}

/* A tick for a strict stream, or for a stream with another kind of clock. */
uint64_t record_other_tick(const struct cursor *c);

/* The tick of an event from a counter value; the counter is read again, fenced, if this thread's
 * last event is not very recent. Never less than the thread's last tick, even if the counter goes
 * back. */
static inline uint64_t record_tick_at(struct tblk *b, uint64_t t)
{
	if (__builtin_expect(t - b->last > b->burst, 0)) {
		t = record_counter_fenced();
		if (t < b->last)
			t = b->last;
	}
	b->last = t;
	return t;
}

static inline uint64_t record_tick(struct tblk *b)
{
	return record_tick_at(b, record_counter());
}

static inline uint64_t record_tick_of(struct tblk *b, const struct cursor *c)
{
	return __builtin_expect(c->other_clock, 0) ? record_other_tick(c) : record_tick(b);
}

/* record_enter() comes before any access to a stream, record_leave() after all of them. In
 * between the signal handlers of this thread do not use the cursors. */
static inline void record_enter(struct tblk *b, uintptr_t frame)
{
	atomic_store_explicit(&b->in, frame, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void record_leave(struct tblk *b)
{
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&b->in, 0, memory_order_relaxed);
}

/* Does the block know the id, and are all frames of the thread outside a record? */
static inline bool record_may_enter(const struct tblk *b, trace_event_id_t id)
{
	return __builtin_expect(id - POSIX_TRACE_UNNAMED_USEREVENT < b->ids, 1) &&
	       __builtin_expect(atomic_load_explicit(&b->in, memory_order_relaxed) == 0, 1);
}

static inline size_t record_size(size_t length)
{
	return LAYOUT_RECORD_HEAD + ((length + 7) & ~(size_t)7);
}

/* Is the stream unchanged since the cursor was made: same run, same filter? One comparison covers
 * all control operations. */
static inline bool record_started(const struct cursor *c)
{
	return __builtin_expect(atomic_load_explicit(c->ctl_at, memory_order_acquire) == c->ctl, 1);
}

/* The same for any cursor: an unused one has limit 0. */
static inline bool record_current(const struct cursor *c, size_t length)
{
	return __builtin_expect(length < c->limit, 1) && record_started(c);
}

/* Place of the record after one of that length; a cursor without chunk has no room. */
static inline uint8_t *record_next(const struct cursor *c, size_t length)
{
	return (uint8_t *)((uintptr_t)c->hold.pos + record_size(length));
}

static inline bool record_has_room(const struct cursor *c, const uint8_t *next)
{
	return __builtin_expect(next <= c->hold.end, 1);
}

static inline bool record_filtered(const struct cursor *c, trace_event_id_t id)
{
	return atomic_load_explicit(&c->filter[id / 64], memory_order_relaxed) >> id % 64 & 1;
}

/*
 * The steps of writing a record; there must be room for it. If the thread is killed, or leaves by
 * siglongjmp, between any two of them, the record is either complete or does not exist.
 */
static inline void record_begin(uint8_t *p, uint8_t *next, trace_event_id_t id, const void *data,
				size_t length, uintptr_t address)
{
	struct layout_record *r = (struct layout_record *)(void *)p;

	PROBE_EVENT(id, data, length, address); /* first: no registers are live for it */
	r->address = address;
	record_end(next);
	record_soon(p + RECORD_AHEAD);
}

static inline void record_stamp(uint8_t *p, uint64_t tick)
{
	((struct layout_record *)(void *)p)->tick = tick;
}

static inline void record_commit(struct cursor *c, uint8_t *p, uint8_t *next, trace_event_id_t id,
				 size_t length)
{
	struct layout_record *r = (struct layout_record *)(void *)p;

	atomic_store_explicit(&r->header, record_header(RECORD_COMMITTED, (uint32_t)length, id),
			      memory_order_release);
	c->hold.pos = next;
	c->hold.count++;
}

static inline void record_write(struct cursor *c, uint8_t *next, uint64_t tick, trace_event_id_t id,
				const void *data, size_t length, uintptr_t address)
{
	uint8_t *p = c->hold.pos;

	record_begin(p, next, id, data, length, address);
	record_stamp(p, tick);
	record_copy(p + LAYOUT_RECORD_HEAD, data, length);
	record_commit(c, p, next, id, length);
}

#endif
