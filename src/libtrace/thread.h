/*
 * thread - the state that a thread keeps between two events: one block from a pool, found by a
 * thread-local pointer of the initial-exec model.
 *
 *     struct tblk   in, last, ids, ...     64 bytes that every event touches
 *                   c[slot + 1]            one cursor per stream: the place of the next record
 *
 * Writers      the thread itself, and signal handlers that interrupt it: no hardware ordering is
 *              needed, only compiler barriers. Other threads read `users` and c[].att only
 *              (attach.c: may a mapping be removed?), and change `taken` and `next` by the rules of
 *              thread.c.
 * Invariants   in == 0: no frame of this thread is in a record. Otherwise it is the frame address
 *              (CFA) of the trace point that is in one; a handler that sees it does not use the
 *              cursors. After a fork every block is zero (MADV_WIPEONFORK): the child uses no
 *              cursor of its parent. The child never reuses the parent's blocks, because a frame
 *              that a handler interrupted to fork may still store into one.
 * Checked by   tests/libtrace/test_thread.c, tests/libtrace/test_record.c
 */
#ifndef LIBTRACE_THREAD_H
#define LIBTRACE_THREAD_H

#include "libtrace/attach.h"
#include "libtrace/chunk.h"

/* A stream as this thread records into it. All zero: not set up. */
struct cursor {
	_Alignas(LAYOUT_LINE) struct chunk_hold hold; /* pos NULL: none */
	_Atomic(struct attached *) att;
	const _Atomic uint32_t *ctl_at;
	const _Atomic uint64_t *filter; /* the filter half that ctl selects */
	uint32_t ctl;                   /* the value for which the cursor was made */
	/* The fast path takes shorter data; 0: not set up. */
	uint16_t limit : 15;
	uint16_t other_clock : 1; /* record_other_tick() provides the ticks */
	uint16_t plain;           /* limit; or 0 if there is another clock, or a filter to check */
};

enum {
	THREAD_CURSORS = 512, /* range of the gate; REGISTRY_SLOTS of them are streams */
	THREAD_GATE_MASK = (THREAD_CURSORS - 1) * LAYOUT_LINE,
};

struct tblk {
	_Alignas(LAYOUT_LINE) uint64_t last; /* tick of the last event; 0: the next one is fenced */
	uint64_t burst;                      /* see clock_burst() */
	/* Not at the start of a page, as gate and ctl are: a processor that compares the low 12
	 * bits of addresses would delay their loads until the stores to this word are done. */
	_Atomic uintptr_t in;
	uint32_t ids;               /* ids from LAYOUT_USER_FIRST - 1 on, known to be assigned */
	struct chunk_writer writer; /* pid 0: wiped by a fork, or unused */
	_Atomic uint32_t users;     /* frames that may use a mapping found in attach_slot() */
	uint32_t nested;            /* frames that may hold a borrowed chunk */
	struct cursor c[THREAD_CURSORS];
	uint32_t top; /* cursors from this one on were never used */
	uint32_t index;
	_Atomic uint32_t next;       /* in the free list: index + 1 */
	_Atomic uint32_t taken;      /* tid of its thread; UINT32_MAX: being collected */
	struct family *family;       /* of this process; a lookup takes a system call */
	uint32_t stuck;              /* nested events during one record, which may have been left */
	uintptr_t alt_low, alt_high; /* the signal stack when it was last read */
};

_Static_assert(sizeof(struct cursor) == LAYOUT_LINE, "the gate counts cursors in lines");
_Static_assert(offsetof(struct tblk, c) == LAYOUT_LINE, "one line for every event");

/* The block of the calling thread; thread_none if it has none. */
extern __thread struct tblk *thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern struct tblk thread_none __attribute__((visibility("hidden")));

/* The same, made if necessary: NULL if there is no memory. Signal-safe. In a child it first makes
 * the library detect the fork. */
struct tblk *thread_block(void);

/* After a siglongjmp out of a record: makes the cursor (its att is set) continue after the last
 * complete record, or drop its chunk. Returns its stream. */
struct attached *thread_repair(const struct tblk *b, struct cursor *c);

/* The chunk of that stream that the cursor has; UINT32_MAX: none. */
uint32_t thread_keeps(const struct cursor *c, const struct attached *a);

/* ---- thread_pool.c ---- */

/* Takes a free block of this process; a new one: NULL if there is none, or no memory. Frees a
 * block. */
struct tblk *thread_pool_pop(int32_t pid);
struct tblk *thread_pool_new(int32_t pid);
void thread_pool_push(int32_t pid, struct tblk *b);
/* A block by its index, below thread_pool_used(): NULL if it was never handed out. */
struct tblk *thread_pool_at(uint32_t index);
uint32_t thread_pool_used(int32_t pid);
/* Would the next new block map more memory? */
bool thread_pool_full(int32_t pid);

/* Can no thread use a mapping any more that is out of the table? If so, none will. One frame of
 * the calling thread, the caller's, may be counted in `users`. */
bool thread_all_left(unsigned slot, const struct attached *a);

#endif
