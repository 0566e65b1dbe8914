/*
 * log_state - the memory of a log that is being written: its part of the control memory, its ring
 * of bytes, and the walk over the events there. For log_writer and log_complete only.
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
	LOG_RING_BLOCKS = 3, /* one being written, one being filled, one in case writing fails */
	LOG_RECENT = 64,
	LOG_PLACES_COUNTED = 512,
};

/* The state that an event changes at once. */
struct log_commit {
	uint64_t end;   /* end of the events, in the stream of payloads */
	uint64_t token; /* of the last event, in its source */
	uint64_t lost;  /* user events that did not get into the log */
	uint64_t full;  /* UNTIL_FULL: the log takes no more events */
};

/* At the start of the block memory; the ring follows. */
struct log_state {
	uint64_t magic;
	uint32_t payload, places;
	uint64_t ring; /* its size in bytes */
	_Atomic uint32_t salt;
	_Atomic uint32_t current; /* index of the valid commit */
	struct log_commit commits[2];
	_Atomic uint64_t base;      /* offset of block 0 */
	_Atomic uint64_t written;   /* offset of the current block */
	_Atomic uint64_t in_file;   /* end of its part in the file that its head covers */
	_Atomic uint64_t touched;   /* the block at touched - 1 may have been written partly */
	_Atomic uint64_t first;     /* first event that begins at or after written */
	_Atomic uint32_t tail_user; /* a user event before it extends past written */
	_Atomic uint64_t flushed;   /* end of the events that an explicit flush has written */
	_Atomic uint32_t clearing;  /* a clear is in progress */
	uint64_t names_bytes;       /* of types put into the stream since known was emptied */
	uint64_t known[LAYOUT_FILTER_WORDS]; /* types already in the stream */
	uint32_t recent[LOG_RECENT];         /* user events that end in each of the last blocks */
	/* Number of user events that begin in the block of each place, if there are not more
	 * places than this. Those of replaced blocks are lost. Their sum up to block n is in
	 * replaced[n % 2], and n + 1 in `accounted`, which is 0 as long as none was replaced. */
	uint32_t begun[LOG_PLACES_COUNTED];
	_Atomic uint64_t replaced[2];
	_Atomic uint64_t accounted;
};

_Static_assert(sizeof(struct log_state) <= LOG_STATE_BYTES, "the state has a page of its own");

/* The result of a walk over events. */
struct log_walk {
	uint64_t at;    /* the first event that begins at or after the limit */
	uint32_t begin; /* events and types that begin before the limit */
	uint32_t users; /* user events that end at or before it */
	bool last_user; /* a user event begins before it and ends after it */
};

/* Private memory of a process. */
struct log_writer {
	struct control *ctl;
	struct log_state *state;
	uint8_t *ring;
	struct log_types types;
	struct log_file file;
	struct log_head head;
	int error; /* of the last write; the next events do not retry it */
	bool no_stop;
	uint8_t *scratch; /* an event in one piece */
	size_t scratch_bytes;
	uint64_t origin;      /* an offset near the current ones that is at the ring's start */
	struct log_walk walk; /* the last walk to a limit that was committed, and its range */
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

/* Makes a commit valid, with one store. */
static inline void log_commit(struct log_state *s, const struct log_commit *next)
{
	uint32_t other = ~atomic_load_explicit(&s->current, memory_order_relaxed) & 1;

	s->commits[other] = *next;
	atomic_store_explicit(&s->current, other, memory_order_release);
}

/* The ring, addressed by offsets in the stream of payloads. at: the address of an offset; room:
 * the same for so many bytes, NULL if they wrap. */
static inline uint8_t *log_ring_at(struct log_writer *writer, uint64_t offset)
{
	uint64_t ring = writer->state->ring;

	if (offset - writer->origin >= ring) /* also if it is below the origin */
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

/* The event at an offset, without its data: its size in the stream, or 0: there is none, or it
 * extends past end. */
uint64_t log_ring_event(const struct log_writer *writer, uint64_t offset, uint64_t end,
			struct event *ret_event, uint32_t *ret_flags);

/* Walks over events; cached, because a block needs the same walk several times. */
struct log_walk log_walk(struct log_writer *writer, uint64_t from, uint64_t limit);

/* User events that end in the first `used` bytes of the current block. */
uint32_t log_users(struct log_writer *writer, uint64_t used);

/* Updates the words that depend on `written`: after a block, and after a take-over between those
 * stores. The events of the last block are still in the ring. */
void log_settle(struct log_writer *writer);

/* Can the state of another process be continued? */
bool log_state_valid(const struct log_state *state, uint64_t room);

/* Writes the current block with so much payload: 0, -errno. */
int log_write_block(struct log_writer *writer, uint32_t used);

/* Space that must be available after a block, for the trailer. */
uint64_t log_trailer_room(const struct log_writer *writer);

#endif
