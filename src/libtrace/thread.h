/*
 * thread - what a thread keeps between two events: one block from a pool, found by a thread-local
 * pointer of the initial-exec model.
 *
 *     struct tblk   in, last, ids, ...     64 bytes that every event touches
 *                   c[slot + 1]            a cursor a stream: where the next record goes
 *
 * Who writes   the thread itself, and signal handlers that interrupt it: plain words as far as the
 *              hardware is concerned. Others look at `users` and c[].att alone (attach.c: whether a
 *              mapping may go).
 * Always true  in == 0: no frame of this thread is in a record. Otherwise it is the frame address
 *              (the CFA) of the trace point that is: a handler sees it and keeps off the cursors.
 *              After a fork every block is zero (MADV_WIPEONFORK): no cursor of the parent is used.
 *              The blocks of the parent are never given out again in the child, where the frame
 *              that a handler interrupted to fork may still be about to store in one.
 * Checked by   tests/libtrace/test_thread.c, tests/libtrace/test_record.c
 */
#ifndef LIBTRACE_THREAD_H
#define LIBTRACE_THREAD_H

#include "libtrace/attach.h"
#include "libtrace/chunk.h"

/* A stream as this thread records into it. All zero: not yet. */
struct cursor {
	_Alignas(LAYOUT_LINE) struct chunk_hold hold; /* pos NULL: none */
	_Atomic(struct attached *) att;
	const _Atomic uint32_t *ctl_at;
	const _Atomic uint64_t *filter; /* the half that ctl names */
	uint32_t ctl;			/* as the cursor was made for */
	/* Data of the fast path are shorter; 0: not made. */
	uint16_t limit : 15;
	uint16_t other_clock : 1; /* record_other_tick() gives the ticks */
	uint16_t plain;		  /* limit, or 0: another clock, or a filter to look at */
};

enum {
	THREAD_CURSORS = 512, /* what the gate can name; REGISTRY_SLOTS of them are streams */
	THREAD_GATE_MASK = (THREAD_CURSORS - 1) * LAYOUT_LINE,
};

struct tblk {
	_Alignas(LAYOUT_LINE) uint64_t last; /* tick of the last event; 0: the next one is fenced */
	uint64_t burst; /* see clock_burst() */
	/* Not where a page begins: gate and ctl do, and a processor that compares 12 bits of addresses
	 * has their loads wait for the stores to this. */
	_Atomic uintptr_t in;
	uint32_t ids; /* ids from LAYOUT_USER_FIRST - 1 on that are known to be assigned */
	struct chunk_writer who; /* pid 0: wiped by a fork, or nobody's */
	_Atomic uint32_t users;	 /* frames that may use a mapping found in attach_slot() */
	uint32_t nested;	 /* frames that may hold a borrowed chunk */
	struct cursor c[THREAD_CURSORS];
	uint32_t top; /* cursors from this one on were never used */
	uint32_t index;
	_Atomic uint32_t next;	  /* in the free list: index + 1 */
	_Atomic uint32_t taken;	  /* tid of whose it is; UINT32_MAX: being collected */
	struct family *family;	  /* of this process; asked for once, for that takes a system call */
	uint32_t stuck;		  /* events beside a record that does not end */
	uintptr_t alt_low, alt_high; /* the signal stack as it was last seen */
};

_Static_assert(sizeof(struct cursor) == LAYOUT_LINE, "the gate counts cursors in lines");
_Static_assert(offsetof(struct tblk, c) == LAYOUT_LINE, "one line for every event");

/* The block of the calling thread; thread_nobody where it has none. */
extern __thread struct tblk *thread_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
extern struct tblk thread_nobody __attribute__((visibility("hidden")));

/* The same, made if need be: NULL when there is no memory. Signal-safe. In a child it first lets
 * the library find out that it is one. */
struct tblk *thread_block(void);

/* After a siglongjmp out of a record: the cursor (its att is set) goes on where the last whole record
 * ends, or has no chunk any more. Its stream. */
struct attached *thread_mend(const struct tblk *b, struct cursor *c);

/* The chunk of that stream that the cursor has; UINT32_MAX: none. */
uint32_t thread_keeps(const struct cursor *c, const struct attached *a);

/* Whether no thread may still use a mapping that is out of the table; from then on none will. One
 * frame of the calling thread may be counted in `users`: the one that asks. */
bool thread_all_left(unsigned slot, const struct attached *a);

#endif
