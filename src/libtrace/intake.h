/*
 * intake - takes records out of the chunks of a segment into the copies of the control memory, one
 * chunk at a time: copy first, then one compare-and-swap of the chunk's truth word. If that fails,
 * somebody else moved the chunk: its owner closed it (looked at again), or an overwriter took it
 * and counted what it dropped.
 *
 *     slot i of the copies    struct intake_slot, then the records of chunk i as they lay there
 *
 * Who writes   slots: the holder of the stream's mutex, or the keeper. A slot is filled, then
 *              marked TRIED with the truth words before and after, then the word is swapped, then
 *              it is marked TAKEN: whoever comes after a kill knows what happened.
 * Trust        nothing: the segment may change under every load. Extents are found in the segment
 *              with bounded steps; records are parsed from the copy, each length checked again.
 * Dead owners  docs/spec/trace-design.md 3, 12: moved on by intake_bury().
 */
#ifndef LIBTRACE_INTAKE_H
#define LIBTRACE_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "libtrace/control.h"
#include "libtrace/event.h"
#include "libtrace/segment.h"

enum intake_state {
	SLOT_EMPTY,
	SLOT_TRIED,
	SLOT_TAKEN,
};

/* The head of a copy, as long as that of a chunk. */
struct intake_slot {
	uint64_t before, after; /* truth words */
	uint32_t state;		/* enum intake_state */
	uint32_t bytes;		/* of records behind the head */
	uint32_t pos;		/* of them, those done with */
	uint32_t pad;
	int32_t pid, tid; /* of the thread that the records from pos on belong to */
	uint64_t thread;
	uint64_t floor; /* no tick is taken for less: those of a chunk ascend */
	uint64_t last;	/* nor for more: that of the last record */
};

/* What intake keeps in mind of a chunk from round to round, to notice that it does not move. */
struct intake_watch {
	uint64_t word, looked_ns; /* its owner was looked for then */
	uint64_t pause_ns;	  /* until the next look */
};

/* What came of a chunk. */
struct intake_result {
	uint64_t events;
	uint64_t held; /* tick of an event that has to wait, and was left; UINT64_MAX: none */
};

struct intake {
	const struct segment *seg;
	struct control *ctl;
	uint8_t *slots;
	struct intake_watch *watch; /* one a chunk */
	bool final;		    /* nothing is waited for: what is whole is taken */
};

/* Bytes of private memory that an intake of this geometry needs, zeroed, at `memory`. */
uint64_t intake_bytes(const struct geometry *g);
void intake_init(struct intake *in, const struct segment *seg, struct control *ctl, void *memory);

/* Where the copy of a chunk lies. */
static inline struct intake_slot *intake_slot(const struct intake *in, uint32_t chunk)
{
	return (struct intake_slot *)(void *)(in->slots + (uint64_t)chunk * in->seg->g.chunk_size);
}

/* Takes what lies in a chunk with ticks up to limit: user events copied (slot filled; it must be
 * empty). discard: not copied, just taken. */
struct intake_result intake_chunk(struct intake *in, uint32_t chunk, uint64_t limit, bool discard);

/* A record of a copy, where its data lies too. */
struct intake_record {
	struct event event;
	uint64_t tick;
	uint32_t size; /* to the next one */
};

/* The record at the slot's position: false at its end (the slot is then marked empty). Steps over
 * what is no event. */
bool intake_record(const struct intake *in, struct intake_slot *slot, struct intake_record *ret);

/* User events from the slot's position on; in a chunk from its reader position on. */
uint64_t intake_left(const struct intake *in, const struct intake_slot *slot);
uint64_t intake_count(const struct intake *in, uint32_t chunk);

/* Moves on what the owner of a chunk leaves if he is dead, once the chunk has not moved for 20 ms
 * (or at once if final). True: it did. */
bool intake_bury(struct intake *in, uint32_t chunk, uint64_t now_ns);

/* After a take-over: a slot that was TRIED becomes TAKEN or EMPTY. */
void intake_settle(const struct intake *in, uint32_t chunk);

#endif
