/*
 * geometry - sizes and offsets of a segment, computed from the attributes; pure arithmetic.
 *
 * Each process works with its own, validated copy (docs/spec/trace-design.md 2 has the rules).
 */
#ifndef LIBTRACE_GEOMETRY_H
#define LIBTRACE_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "libtrace/layout.h"

enum {
	GEOMETRY_DATA_MAX = 1 << 20, /* largest max-data-size */
};

#define GEOMETRY_STREAM_MAX ((uint64_t)1 << 33) /* largest stream-min-size */

struct geometry {
	uint64_t bytes;       /* of the whole segment, a multiple of the page */
	uint64_t stream_size; /* in force: at least the requested size */
	uint32_t chunk_size, chunks, quota, data_max;
	uint32_t align; /* alignment of a record: max(8, chunk_size / 16384) */
	uint32_t policy;
	/* Offsets in the segment. */
	uint64_t cs, lostc, freemap, order, partial, chunk0;
};

/* Computes the geometry: 0, -EINVAL (data_max above the limit), -ENOMEM (too large). */
int geometry_make(uint64_t stream_size, uint32_t data_max, uint32_t policy,
		  struct geometry *ret_geometry);

/* Computes it again from page 0 of a segment of so many bytes, and checks each field: 0, -EINVAL.
 * */
int geometry_check(const struct layout_id *id, uint64_t bytes, struct geometry *ret_geometry);

/* Bytes of a record with so much data. */
static inline uint32_t geometry_record(const struct geometry *g, uint32_t length)
{
	return (LAYOUT_RECORD_HEAD + length + g->align - 1) & ~(g->align - 1);
}

/* posix_trace_attr_getmaxusereventsize() and ..._getmaxsystemeventsize(). */
uint64_t geometry_user_event_max(uint64_t length, uint64_t data_max);
uint64_t geometry_system_event_max(void);

#endif
