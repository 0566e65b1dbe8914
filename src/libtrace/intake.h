/*
 * intake - take records from the chunks of a segment into the copies in control memory, one chunk
 * at a time: first copy, then one compare-and-swap of the chunk's truth word. If that fails,
 * another thread has changed the chunk: its owner closed it (then it is examined again), or an
 * overwriter took it and counted the events that it dropped.
 *
 *     slot i of the copies    struct intake_slot, then the records of chunk i as they were there
 *
 * Writers      slots: the holder of the stream's mutex, or the keeper. A slot is filled, then
 *              marked TRIED with the truth words before and after; then the word is swapped; then
 *              the slot is marked TAKEN. So after a kill the next reader can find out what
 *              happened.
 * Trust        none: the segment may change at any load. Extents are found in the segment with
 *              bounded steps; records are parsed from the copy, and each length is checked again.
 * Dead owners  docs/spec/trace-design.md 3, 12: intake_recover() closes or frees their chunks.
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

/* The head of a copy; as long as that of a chunk. */
struct intake_slot {
	uint64_t before, after; /* truth words */
	_Atomic uint32_t state; /* enum intake_state */
	uint32_t bytes;         /* of records after the head */
	uint32_t pos;           /* of them, bytes already delivered */
	uint32_t pad;
	int32_t pid, tid; /* of the writer of the records from pos on */
	uint64_t thread;
	uint64_t floor; /* lower bound of the next ticks: those of a chunk ascend */
	uint64_t last;  /* upper bound: the tick of the last record */
};

/* Observations of a chunk from round to round, to detect one that does not change. */
struct intake_watch {
	uint64_t word, looked_ns; /* time of the last check of its owner */
	uint64_t pause_ns;        /* time until the next check */
};

/* The result of taking a chunk. */
struct intake_result {
	uint64_t events;
	uint64_t held; /* tick of an event that must wait, and was left; UINT64_MAX: none */
};

struct intake {
	const struct segment *seg;
	struct control *ctl;
	uint8_t *slots;
	struct intake_watch *watch; /* one per chunk */
	bool final;                 /* waits for nothing: takes all complete records */
};

/* Bytes of private, zeroed memory that intake_init() needs for this geometry. */
uint64_t intake_bytes(const struct geometry *g);
void intake_init(struct intake *in, const struct segment *seg, struct control *ctl, void *memory);

/* The copy of a chunk. */
static inline struct intake_slot *intake_slot(const struct intake *in, uint32_t chunk)
{
	return (struct intake_slot *)(void *)(in->slots + (uint64_t)chunk * in->seg->g.chunk_size);
}

/* Takes the records of a chunk with ticks up to limit; copies them to the slot, which must be
 * empty. discard: takes them without a copy. */
struct intake_result intake_chunk(struct intake *in, uint32_t chunk, uint64_t limit, bool discard);

/* A record in a copy; its data is there too. */
struct intake_record {
	struct event event;
	uint64_t tick;
	uint32_t size; /* distance to the next one */
};

/* The record at the slot's position: false at its end (the slot is then marked empty). Skips
 * records that are not events. */
bool intake_record(const struct intake *in, struct intake_slot *slot,
		   struct intake_record *ret_record);

/* Number of user events from the slot's position on; in a chunk from its reader position on. */
uint64_t intake_left(const struct intake *in, const struct intake_slot *slot);
uint64_t intake_count(const struct intake *in, uint32_t chunk);

/* Closes or frees a chunk whose owner is dead, if the chunk has not changed for 20 ms (or at once
 * if final). Returns whether it did. */
bool intake_recover(struct intake *in, uint32_t chunk, uint64_t now_ns);

/* After a take-over: turns a slot that was TRIED into TAKEN or EMPTY. */
void intake_settle(const struct intake *in, uint32_t chunk);

#endif
