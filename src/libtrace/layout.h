/*
 * layout - the shared memory of a stream: the place of each part, and the meaning of its words.
 *
 *     page 0     struct layout_id      written once, before another process sees the segment
 *     page 1..   struct layout_state   control line, counters, two filters, chunk words, hints
 *     chunks     N x C bytes           each a header of 64 bytes, then records
 *
 * Writers      page 0: the controller, once. ctl: the controller; a writer may clear RUNNING. Truth
 *              words: by the rules of docs/spec/trace-design.md 3, compare-and-swap only. Hints
 *              (freemap, order, partial): any process; a wrong hint costs a scan, never an event.
 * Invariants   A truth word names at most one owner. A record whose header is 0 does not exist.
 *              Zero is not a state, so a punched or detached segment contains nothing.
 * Trust        The geometry is validated once, when the segment is mapped, and copied to private
 *              memory; it is never read from the segment again. A hostile process may change all
 *              other memory at any time: indexes and lengths are checked after each load, and every
 *              loop is bounded.
 */
#ifndef LIBTRACE_LAYOUT_H
#define LIBTRACE_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trace.h>

#define LAYOUT_MAGIC   0x3145434152544950u /* "PITRACE1" */
#define LAYOUT_VERSION 2

enum {
	LAYOUT_PAGE = 4096,
	LAYOUT_LINE = 64,
	LAYOUT_FILTER_WORDS = 66, /* of 64 ids: 4,224 */
	LAYOUT_IDS = LAYOUT_FILTER_WORDS * 64,
	LAYOUT_CHUNKS_MAX = 65535, /* an order entry has 16 bits for a chunk */
	LAYOUT_PARTIAL = 64,
	LAYOUT_CHUNK_HEAD = 64,
	LAYOUT_RECORD_HEAD = 24,
	LAYOUT_USER_FIRST = POSIX_TRACE_UNNAMED_USEREVENT + 1, /* first id that a name can have */
	LAYOUT_USER_END = POSIX_TRACE_UNNAMED_USEREVENT + TRACE_USER_EVENT_MAX,
};

/* Identifies a process even after its pid is reused: start is its start time in clock ticks after
 * boot, field 22 of /proc/PID/stat. */
struct proc_id {
	int32_t pid;
	uint32_t pad;
	uint64_t start;
};

/* The properties of a stream, fixed when it is made; the contents of page 0. */
struct layout_id {
	uint64_t magic;
	uint32_t version;
	uint32_t word_size;   /* sizeof(void *): a target of another word size does not attach */
	uint64_t bytes;       /* of the whole segment */
	uint64_t stream_id;   /* unique on this machine until it boots again */
	uint64_t stream_size; /* stream-min-size in force */
	uint32_t chunk_size;  /* C, a power of two */
	uint32_t chunks;      /* N */
	uint32_t quota;       /* Q, number of threads with a chunk of their own */
	uint32_t policy;      /* POSIX_TRACE_LOOP, UNTIL_FULL, FLUSH */
	uint32_t data_max;    /* max-data-size */
	uint32_t clock_kind;  /* enum clock_kind */
	uint32_t clock_mode;  /* POSIX_TRACE_CLOCK_..._NP */
	uint32_t inherited;
	uint64_t tick0, mono0; /* first calibration pair: tick, CLOCK_MONOTONIC ns */
	int64_t real_offset;   /* CLOCK_REALTIME - CLOCK_MONOTONIC at creation, ns */
	struct proc_id target, controller;
	uint64_t family;
};

/*
 * The control word: run epoch << 8 | LOG_FULL << 4 | UNFILTERED << 3 | FULL << 2 | filter half << 1
 * | RUNNING.
 * One load of it decides about an event. RUNNING: the event is recorded. FULL (automatic stop) or
 * LOG_FULL (the log has reached its limit): it is counted as lost. None of them: it has no effect.
 * A writer that finds no free chunk turns RUNNING into FULL with a compare-and-swap from the value
 * that decided about its event, so that a slow writer cannot stop a stream that was restarted
 * meanwhile; then it sets t_full.
 */
enum {
	CTL_RUNNING = 1u,
	CTL_HALF = 2u,
	CTL_FULL = 4u,
	CTL_UNFILTERED = 8u, /* the filter half in force is empty: writers skip it */
	CTL_LOG_FULL = 16u,  /* never with RUNNING: both change in one store */
	CTL_EPOCH = 256u,
};

enum lost_reason {
	LOST_FULL,   /* no free chunk, and the policy is not LOOP */
	LOST_LOG,    /* not recorded because the log is full */
	LOST_ATTACH, /* the process could not map the stream, or not take a chunk in bounded time */
	LOST_REASONS
};

/* From page 1 on; struct geometry has the offsets of the arrays that follow it. */
struct layout_state {
	_Alignas(LAYOUT_LINE) _Atomic uint32_t ctl;
	_Atomic uint32_t wait; /* not used by writers */
	_Atomic uint32_t ftx;  /* readers sleep on it; control operations wake them */
	uint32_t pad;
	_Alignas(LAYOUT_LINE) _Atomic uint64_t tail; /* next ticket of the order queue */
	_Atomic uint64_t head;                       /* next ticket to overwrite (LOOP) */
	_Atomic uint64_t lost[LOST_REASONS];
	_Atomic uint64_t horizon; /* tick: older records must not be delivered (LOOP) */
	_Atomic uint64_t
	    first_dropped;            /* tick of the first event overwritten; reset by the reader */
	_Atomic uint64_t t_full;      /* fenced tick of the automatic stop; 0: none pending */
	_Atomic uint64_t overrun;     /* not 0: an event was lost since this was last reset */
	_Atomic uint32_t full;        /* LOOP: an event did not fit since the reader took one */
	_Atomic uint32_t part_filled; /* chunks ACTIVE or PART: an upper bound */
	_Atomic uint32_t npartial, shared_now; /* hints */
	_Atomic uint64_t sequence;             /* used by CLOCK_KIND_SEQ only */
	_Alignas(LAYOUT_LINE) _Atomic uint64_t filter[2][LAYOUT_FILTER_WORDS];
};

/* The truth word of a chunk: state 4 | reader position 14 | generation 24 | owner tid 22. */
enum chunk_state {
	CHUNK_NONE, /* a punched or detached segment */
	CHUNK_FREE,
	CHUNK_TAKEN,
	CHUNK_ACTIVE,
	CHUNK_PART,
	CHUNK_FULL,
	CHUNK_OVER,
};

#define TRUTH_TID_BITS 22
#define TRUTH_GEN_BITS 24
#define TRUTH_POS_BITS 14
#define TRUTH_TID_MAX  ((1u << TRUTH_TID_BITS) - 1)
#define TRUTH_GEN_MAX  ((1u << TRUTH_GEN_BITS) - 1)
#define TRUTH_POS_MAX  ((1u << TRUTH_POS_BITS) - 1)

static inline uint64_t truth_make(enum chunk_state state, uint32_t pos, uint32_t gen, uint32_t tid)
{
	return (uint64_t)state << 60 | (uint64_t)(pos & TRUTH_POS_MAX) << 46 |
	       (uint64_t)(gen & TRUTH_GEN_MAX) << 22 | (tid & TRUTH_TID_MAX);
}

static inline enum chunk_state truth_state(uint64_t word)
{
	return (enum chunk_state)(word >> 60);
}

/* In units of geometry.align bytes from the first record. */
static inline uint32_t truth_pos(uint64_t word)
{
	return (uint32_t)(word >> 46) & TRUTH_POS_MAX;
}

static inline uint32_t truth_gen(uint64_t word)
{
	return (uint32_t)(word >> 22) & TRUTH_GEN_MAX;
}

static inline uint32_t truth_tid(uint64_t word)
{
	return (uint32_t)word & TRUTH_TID_MAX;
}

/* lostc[]: generation 24 | number of events ever overwritten in this chunk 40. */
#define LOSTC_BITS 40

/* The head of a chunk. Its owner writes it in state TAKEN or OVER, and count and close_tick when
 * it closes the chunk. */
struct layout_chunk {
	_Atomic uint64_t ticket;
	int32_t pid;
	int32_t tid;
	uint64_t thread; /* pthread_self() */
	uint64_t start_tick;
	_Atomic uint64_t count; /* user events in it; CHUNK_UNCOUNTED while it is ACTIVE */
	_Atomic uint64_t close_tick;
	uint32_t pad;
	uint32_t used;   /* PART: place of the next record, bytes from the chunk's start */
	uint64_t writer; /* serial of the thread that wrote the last record */
};

/* A process that drops or closes such a chunk for its dead owner counts the records by a walk. */
#define CHUNK_UNCOUNTED UINT64_MAX

/*
 * A record: header, tick, address, data; padded to geometry.align. The header is stored last, with
 * release: from then on the record exists.
 *
 *     flags 8 | length 32 << 8 | id 16 << 40
 */
enum {
	RECORD_COMMITTED = 1u,
	RECORD_TRUNCATED = 4u, /* length is max-data-size, the event had more data */
	RECORD_THREAD = 8u,    /* not an event: {thread, pid << 32 | tid} of the next writer */
	RECORD_NESTED = 16u,   /* data begins with 16 bytes that name the interrupted record */
};

/* The first 16 bytes of the data of a RECORD_NESTED: the record that the handler interrupted. The
 * reader holds the nested record back until the named one is complete, so that the ticks of a
 * thread never decrease. */
struct layout_nested {
	uint32_t chunk; /* UINT32_MAX: there is none, or it cannot be named */
	uint32_t gen;
	uint32_t offset; /* place of its header, bytes from the chunk's start */
	uint32_t tid;
};

struct layout_record {
	_Atomic uint64_t header;
	uint64_t tick;
	uint64_t address;
};

static inline uint64_t record_header(uint32_t flags, uint32_t length, uint32_t id)
{
	return (uint64_t)flags | (uint64_t)length << 8 | (uint64_t)id << 40;
}

static inline uint32_t record_flags(uint64_t header)
{
	return (uint32_t)header & 255;
}

static inline uint32_t record_length(uint64_t header)
{
	return (uint32_t)(header >> 8);
}

static inline uint32_t record_id(uint64_t header)
{
	return (uint32_t)(header >> 40) & 0x3fffff;
}

#endif
