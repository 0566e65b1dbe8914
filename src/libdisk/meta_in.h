/*
 * meta_in - a metadata record being decoded: a reader, and an arena for the arrays.
 *
 * Sticky like the reader. Every count is held against the bytes that are left before anything is
 * allocated for it.
 */
#ifndef LIBDISK_META_IN_H
#define LIBDISK_META_IN_H

#include <errno.h>

#include "libbase/arena.h"
#include "libbase/reader.h"
#include "libdisk/stamp.h"
#include "libvalue/wire_form.h"

struct meta_in {
	struct reader r; /* ends before the record's last word */
	struct arena *mem;
};

/* A count of elements that each take at least size bytes of what follows. */
static inline uint32_t meta_in_count(struct meta_in *in, size_t size)
{
	int32_t n = get_i32(&in->r);

	if (n < 0 || (size_t)n > reader_left(&in->r) / size)
		reader_fail(&in->r);
	return in->r.err == 0 ? (uint32_t)n : 0;
}

/* Room for n elements; NULL after any failure. n has passed meta_in_count. */
static inline void *meta_in_alloc(struct meta_in *in, size_t n, size_t size)
{
	void *p;

	if (in->r.err != 0)
		return NULL;
	p = arena_alloc(in->mem, n * size);
	if (p == NULL)
		in->r.err = -ENOMEM;
	return p;
}

static inline struct timespec meta_in_stamp(struct meta_in *in, int version)
{
	const uint8_t *p = get_bytes(&in->r, stamp_len(version));

	return p != NULL ? stamp_load(p, version) : (struct timespec){0, 0};
}

/* A length word and that many bytes. */
static inline struct wire_str meta_in_str(struct meta_in *in)
{
	uint32_t len = get_u32(&in->r);
	const char *s = get_bytes(&in->r, len);

	return s != NULL ? (struct wire_str){s, len} : (struct wire_str){NULL, 0};
}

#endif
