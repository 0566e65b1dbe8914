/*
 * log_state - the memory of a log that is being written: what of it lies in the control memory, its
 * ring of bytes, and the walk over the events there. For log_writer and log_complete alone.
 */
#ifndef LIBTRACE_LOG_STATE_H
#define LIBTRACE_LOG_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libtrace/control.h"
#include "libtrace/layout.h"
#include "libtrace/log_file.h"
#include "libtrace/log_format.h"
#include "libtrace/log_types.h"

#define LOG_STATE_MAGIC 0x31474f4c544950u /* "PITLOG1" */

enum {
	LOG_STATE_BYTES = 4096,
	LOG_RING_BLOCKS = 3, /* one being written, one being filled, one where that cannot be */
	LOG_RECENT = 64,
	LOG_PLACES_COUNTED = 512,
};

/* What an event changes, all at once. */
struct log_commit {
	uint64_t end;	  /* of the events, in the stream of payloads */
	uint64_t token;	  /* of the last one, in its source */
	uint64_t lost;	  /* user events that did not get into the log */
	uint64_t full;	  /* UNTIL_FULL: the log is closed */
};

/* At the start of the block memory; the ring follows. */
struct log_state {
	uint64_t magic;
	uint32_t payload, places;
	uint64_t ring; /* its bytes */
	_Atomic uint32_t salt;
	_Atomic uint32_t current; /* which commit counts */
	struct log_commit commits[2];
	_Atomic uint64_t base;	  /* where block 0 begins */
	_Atomic uint64_t written; /* where the block under way begins */
	_Atomic uint64_t in_file; /* end of what of it is in the file, and counted by its head */
	_Atomic uint64_t touched; /* the block at touched - 1 may have been written in part */
	_Atomic uint64_t first;	  /* first event that begins at or behind written */
	_Atomic uint32_t tail_user; /* the one before it is a user event and goes beyond written */
	_Atomic uint64_t flushed; /* end of what an explicit flush has taken */
	_Atomic uint32_t clearing; /* it is under way */
	uint64_t names_bytes;	  /* of types in the stream, since known was last emptied */
	uint64_t known[LAYOUT_FILTER_WORDS]; /* types that are in the stream */
	uint32_t recent[LOG_RECENT];	     /* user events that end in the last blocks written */
	/* User events that begin in the block of each place, where there are no more places; those of
	 * blocks that were replaced are lost, up to block `accounted`. */
	uint32_t begun[LOG_PLACES_COUNTED];
	uint64_t accounted;
	_Atomic uint64_t replaced;
};

_Static_assert(sizeof(struct log_state) <= LOG_STATE_BYTES, "the state has a page of its own");

/* What a walk over events found. */
struct log_walk {
	uint64_t at;	/* the first event that begins at or behind the limit */
	uint32_t begin; /* events and types that begin before the limit */
	uint32_t users; /* user events that end at or before it */
	bool last_user; /* a user event begins before it and ends behind it */
};

/* Private to a process. */
struct log_writer {
	struct control *ctl;
	struct log_state *state;
	uint8_t *ring;
	struct log_types types;
	struct log_file file;
	struct log_head head;
	int error; /* of the last write; not tried again by each event */
	bool no_stop;
	uint8_t *scratch; /* an event in one piece */
	size_t scratch_bytes;
	uint64_t origin;      /* an offset that lies at the ring's start, near those in use */
	struct log_walk walk; /* the last one to a limit that was written, from there to there */
	uint64_t walk_from, walk_limit;
};

static inline struct log_commit log_committed(const struct log_state *s)
{
	return s->commits[atomic_load_explicit(&s->current, memory_order_acquire) & 1];
}

static inline uint64_t log_block_number(const struct log_state *s, uint64_t offset)
{
	return (offset - s->base) / s->payload;
}

static inline bool log_is_user(uint32_t id)
{
	return id >= POSIX_TRACE_UNNAMED_USEREVENT;
}

/* Lets a commit count, in one store. */
static inline void log_commit(struct log_state *s, const struct log_commit *next)
{
	uint32_t other = ~atomic_load_explicit(&s->current, memory_order_relaxed) & 1;

	s->commits[other] = *next;
	atomic_store_explicit(&s->current, other, memory_order_release);
}

/* The ring, by offsets in the stream of payloads. at: where an offset lies; room: the same for that
 * many bytes, NULL where the ring ends in between. */
static inline uint8_t *log_ring_at(struct log_writer *writer, uint64_t offset)
{
	uint64_t ring = writer->state->ring;

	if (offset - writer->origin >= ring) /* as it is below the origin */
		writer->origin = offset - offset % ring;
	return writer->ring + (offset - writer->origin);
}

static inline uint8_t *log_ring_room(struct log_writer *writer, uint64_t offset, uint64_t len)
{
	uint8_t *at = log_ring_at(writer, offset);

	return len <= writer->state->ring - (uint64_t)(at - writer->ring) ? at : NULL;
}

void log_ring_put(struct log_writer *writer, uint64_t offset, const void *data, size_t len);
void log_ring_get(const struct log_writer *writer, uint64_t offset, void *data, size_t len);

/* The event there, without its data: its size in the stream, or 0: there is none, or it goes
 * beyond end. */
uint64_t log_ring_event(const struct log_writer *writer, uint64_t offset, uint64_t end,
			struct event *ret, uint32_t *ret_flags);

/* The same walk is not done again: a block needs it several times. */
struct log_walk log_walk(struct log_writer *writer, uint64_t from, uint64_t limit);

/* User events that end in the first `used` bytes of the block that begins at written. */
uint32_t log_users(struct log_writer *writer, uint64_t used);

/* Puts the words that follow from `written` right: after a block, and after a take-over between
 * those stores. The events of the last block are still in the ring. */
void log_settle(struct log_writer *writer);

/* Whether a state that another process left can be gone on with. */
bool log_state_valid(const struct log_state *state, uint64_t room);

/* Writes the block that begins at `written`, with so much payload: 0, -errno. */
int log_write_block(struct log_writer *writer, uint32_t used);

/* Room that the file must be able to get behind a block, for the trailer. */
uint64_t log_trailer_room(const struct log_writer *writer);

#endif
