/*
 * frame - a record or a PDU that is appended to a buffer, length word first.
 *
 * Sticky: after the first failure (-EINVAL for what no frame can carry, -ENOMEM, others of the
 * room's) every put does nothing, and frame_out_end takes the unfinished frame off the buffer
 * again. The functions are inline: each value of a fetch is written by them.
 */
#ifndef LIBBASE_FRAME_H
#define LIBBASE_FRAME_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libbase/endian_be.h"

struct frame_out {
	struct buffer *b;
	size_t len; /* so far; it ends where the buffer ends */
	size_t max; /* that it may have */
	int err;
	int buffer_err; /* the buffer's own, as it was before */
};

static inline void frame_out_fail(struct frame_out *out, int err)
{
	if (out->err == 0)
		out->err = err;
}

/* n bytes that count as written: the caller fills them. NULL after any failure. */
static inline uint8_t *frame_out_room(struct frame_out *out, size_t n)
{
	uint8_t *p;

	if (n > out->max - out->len)
		frame_out_fail(out, -EINVAL);
	if (out->err != 0)
		return NULL;
	p = buffer_reserve(out->b, n);
	if (p == NULL) {
		frame_out_fail(out, out->b->err);
		return NULL;
	}
	buffer_commit(out->b, n);
	out->len += n;
	return p;
}

static inline void frame_put_u32(struct frame_out *out, uint32_t v)
{
	uint8_t *p = frame_out_room(out, sizeof(v));

	if (p != NULL)
		store_be32(p, v);
}

static inline void frame_put_bytes(struct frame_out *out, const void *bytes, size_t n)
{
	uint8_t *p = frame_out_room(out, n);

	if (p != NULL && n > 0)
		memcpy(p, bytes, n);
}

/* Begins with the length word, which is filled in at the end. */
static inline void frame_out_begin(struct frame_out *out, struct buffer *b, size_t max)
{
	*out = (struct frame_out){.b = b, .max = max, .err = b->err, .buffer_err = b->err};
	frame_put_u32(out, 0);
}

/* 0, or the first failure, and then the buffer holds what it held before. */
static inline int frame_out_end(struct frame_out *out)
{
	struct buffer *b = out->b;

	if (out->err == 0) {
		buffer_patch_u32(b, b->len - out->len, (uint32_t)out->len);
		return 0;
	}
	b->len -= out->len;
	b->err = out->buffer_err;
	return out->err;
}

#endif
