/*
 * log_format - the bytes of a trace log; pure functions of memory. docs/spec/trace-log.md is the
 * normative description.
 *
 *     head      512 bytes: magic, format version, kind of machine, block size, attributes
 *     blocks    32 bytes and a payload each; all payloads but the last have one size
 *     trailer   valid range, final status, counts, event types with names and descriptions
 * The payloads, concatenated in order of block number, are one stream of bytes that contains the
 * events. An event may begin in one block and end in another; a block has the offset of the first
 * event that begins in it. A log of limited size has a fixed number of places, and block n is at
 * place n modulo that number, so the newest block replaces the oldest.
 * Numbers are little-endian. Each part ends or begins with a CRC-32C over the rest of it, and
 * unused room is zero: a changed, missing or additional byte is refused.
 */
#ifndef LIBTRACE_LOG_FORMAT_H
#define LIBTRACE_LOG_FORMAT_H

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <trace_np.h>

#include "libtrace/event.h"
#include "libtrace/geometry.h"

enum {
	LOG_VERSION = 1,
	LOG_HEAD = 512,
	LOG_BLOCK_HEAD = 32,
	LOG_EVENT_HEAD = 40,
	LOG_EVENT_GLANCE = 8,
	LOG_PAYLOAD_MIN = 256, /* a power of two, like the maximum */
	LOG_PAYLOAD_MAX = 65536,
	LOG_TRAILER_HEAD = 192,
	LOG_TRAILER_TAIL = 16,
	LOG_TRAILER_MAX = 8 * 1024 * 1024,
	LOG_TYPE_MAX = 2048,    /* name and description of a type, encoded */
	LOG_NAMES_MAX = 262080, /* all names of a family, encoded */
	LOG_NO_NAME = 255,      /* instead of the length of a name: the type does not exist */
};

/* The first 512 bytes. */
struct log_head {
	uint64_t id;      /* of the stream: unique on its machine until the next boot */
	uint32_t salt;    /* also in every block; changed by a clear */
	uint32_t payload; /* payload bytes of a block */
	uint32_t places;  /* number of places for blocks; 0: unlimited */
	int32_t target, controller;
	trace_attr_t attr;
};

void log_head_encode(const struct log_head *head, uint8_t out[LOG_HEAD]);
/* 0, or -EINVAL: not a log, damaged, or of another version or kind of machine. */
int log_head_decode(const uint8_t in[LOG_HEAD], struct log_head *ret_head);

/* The head of a block. */
struct log_block {
	uint64_t number;
	uint32_t used;   /* bytes of the payload */
	uint32_t first;  /* offset of the first event that begins in it; `used` if none does */
	uint32_t events; /* number of events that begin in it */
	uint32_t salt;
};

/* crc: of the payload, by crc32c(0, ...). */
void log_block_encode(const struct log_block *block, uint32_t crc, uint8_t out[LOG_BLOCK_HEAD]);
/* Ignores the checksum, which log_block_verify() checks: 0, -EINVAL. */
int log_block_decode(const uint8_t in[LOG_BLOCK_HEAD], struct log_block *ret_block);
bool log_block_verify(const uint8_t in[LOG_BLOCK_HEAD], uint32_t crc);

/* Bits of an event's flags. */
enum {
	LOG_EVENT_TRUNCATED = 1u, /* cut to max-data-size */
	LOG_EVENT_TYPE = 2u,      /* not an event: the data is the name and description of a type */
};

/* Bytes of an event with so much data in the stream of payloads: a multiple of 8. */
static inline uint64_t log_event_size(uint32_t length)
{
	return LOG_EVENT_HEAD + (((uint64_t)length + 7) & ~(uint64_t)7);
}

void log_event_encode(const struct event *event, uint32_t flags, uint8_t out[LOG_EVENT_HEAD]);
/* Everything except the data: 0, -EINVAL. */
int log_event_decode(const uint8_t in[LOG_EVENT_HEAD], struct event *ret_event,
		     uint32_t *ret_flags);

/* The fields that a walk over events needs, from the first bytes of each. */
struct log_glance {
	uint32_t length, id, flags;
};

static inline bool log_event_plausible(uint32_t length, uint32_t id, uint32_t flags)
{
	return flags <= (LOG_EVENT_TRUNCATED | LOG_EVENT_TYPE) && length <= GEOMETRY_DATA_MAX &&
	       id != 0 && id < LAYOUT_IDS;
}

/* 0, or -EINVAL: not an event. */
static inline int log_event_glance(const uint8_t in[LOG_EVENT_GLANCE],
				   struct log_glance *ret_glance)
{
	uint64_t word; /* length 32 | id 16 | flags 16 */

	memcpy(&word, in, sizeof(word));
	word = le64toh(word);
	ret_glance->length = (uint32_t)word;
	ret_glance->id = (uint16_t)(word >> 32);
	ret_glance->flags = (uint16_t)(word >> 48);
	return log_event_plausible(ret_glance->length, ret_glance->id, ret_glance->flags) ? 0
											  : -EINVAL;
}

/* Encodes a type's description, {length, name, number of fields, fields}: bytes written to out. */
size_t log_type_encode(const char *name, const struct posix_trace_field_np *fields, size_t count,
		       uint8_t out[LOG_TYPE_MAX]);
/* Bytes read, or -EINVAL. name: TRACE_EVENT_NAME_MAX + 1 bytes; fields: ..._FIELDS_MAX_NP. */
int log_type_decode(const uint8_t *in, size_t len, char *name, struct posix_trace_field_np *fields,
		    size_t *ret_count);

/* Bits of a trailer's flags. */
enum {
	LOG_TRAILER_DEAD = 1u, /* a place without a valid block could not be zeroed */
};

/* The end of a log. */
struct log_trailer {
	uint32_t salt, bytes;            /* bytes: size of the whole trailer */
	uint32_t flags;                  /* LOG_TRAILER_... */
	uint64_t first_block, end_block; /* numbers of the blocks in the file */
	uint64_t end; /* end of the last complete event, as an offset from block 0 */
	struct posix_trace_status_info status;
	struct posix_trace_counts_np counts;
	uint32_t names;        /* number of types from LAYOUT_USER_FIRST on, in order */
	uint32_t descriptions; /* number, after the names: {id 16 bits, type} */
};

void log_trailer_encode(const struct log_trailer *trailer, uint8_t out[LOG_TRAILER_HEAD]);
int log_trailer_decode(const uint8_t in[LOG_TRAILER_HEAD], struct log_trailer *ret_trailer);
/* crc: of all bytes before the tail. */
void log_tail_encode(uint32_t bytes, uint32_t crc, uint8_t out[LOG_TRAILER_TAIL]);
int log_tail_decode(const uint8_t in[LOG_TRAILER_TAIL], uint32_t *ret_bytes, uint32_t *ret_crc);

/* Position of block n in the file. */
static inline uint64_t log_block_at(const struct log_head *head, uint64_t number)
{
	uint64_t place = head->places == 0 ? number : number % head->places;

	return LOG_HEAD + place * (head->payload + (uint64_t)LOG_BLOCK_HEAD);
}

/* Payload and places of a log for its policy: 0, -EINVAL (too small, docs/spec/posix-trace.md
 * 9.4). */
int log_geometry(int policy, uint64_t max_size, uint64_t data_max, uint32_t *ret_payload,
		 uint32_t *ret_places);

#endif
