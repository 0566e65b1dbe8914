/*
 * pdu_out - a PDU being appended to a buffer.
 *
 * Sticky: after the first failure (-EINVAL for what no PDU can carry, -ENOMEM) every put does
 * nothing, and pdu_out_end takes the unfinished PDU off the buffer again.
 */
#ifndef LIBWIRE_PDU_OUT_H
#define LIBWIRE_PDU_OUT_H

#include <errno.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libbase/endian_be.h"
#include "libvalue/value_block.h"
#include "libwire/pdu.h"

struct pdu_out {
	struct buffer *b;
	size_t len; /* of the PDU so far; it ends where the buffer ends */
	int err;
	int buffer_err; /* the buffer's own, as it was before */
};

static inline void pdu_out_fail(struct pdu_out *out, int err)
{
	if (out->err == 0)
		out->err = err;
}

/* n bytes that count as written: the caller fills them. NULL after any failure. */
static inline uint8_t *pdu_out_room(struct pdu_out *out, size_t n)
{
	uint8_t *p;

	if (n > PDU_PEER_MAX - out->len)
		pdu_out_fail(out, -EINVAL);
	if (out->err != 0)
		return NULL;
	p = buffer_reserve(out->b, n);
	if (p == NULL) {
		pdu_out_fail(out, out->b->err);
		return NULL;
	}
	buffer_commit(out->b, n);
	out->len += n;
	return p;
}

static inline void put_u16(struct pdu_out *out, uint16_t v)
{
	uint8_t *p = pdu_out_room(out, 2);

	if (p != NULL)
		store_be16(p, v);
}

static inline void put_u32(struct pdu_out *out, uint32_t v)
{
	uint8_t *p = pdu_out_room(out, 4);

	if (p != NULL)
		store_be32(p, v);
}

static inline void put_u64(struct pdu_out *out, uint64_t v)
{
	uint8_t *p = pdu_out_room(out, 8);

	if (p != NULL)
		store_be64(p, v);
}

static inline void put_i32(struct pdu_out *out, int32_t v)
{
	put_u32(out, (uint32_t)v);
}

static inline void put_i64(struct pdu_out *out, int64_t v)
{
	put_u64(out, (uint64_t)v);
}

/* The low 32 bits of a number that is wider in memory than on the wire (times of 32 bits). */
static inline void put_low32(struct pdu_out *out, int64_t v)
{
	put_u32(out, (uint32_t)(uint64_t)v);
}

static inline void put_words(struct pdu_out *out, const uint32_t *words, size_t n)
{
	uint8_t *p = n > PDU_PEER_MAX / 4 ? NULL : pdu_out_room(out, n * 4);

	if (p == NULL) {
		pdu_out_fail(out, -EINVAL);
		return;
	}
	for (size_t i = 0; i < n; i++)
		store_be32(p + 4 * i, words[i]);
}

static inline void put_bytes(struct pdu_out *out, const void *bytes, size_t n)
{
	uint8_t *p = pdu_out_room(out, n);

	if (p != NULL && n > 0)
		memcpy(p, bytes, n);
}

/* '~' up to the next word of the PDU. */
static inline void put_padding(struct pdu_out *out)
{
	size_t n = -out->len & 3;
	uint8_t *p = pdu_out_room(out, n);

	if (p != NULL)
		memset(p, VALUE_PAD_BYTE, n);
}

/* A length word, the bytes, the padding. */
static inline void put_str(struct pdu_out *out, struct wire_str str)
{
	put_u32(out, str.len);
	put_bytes(out, str.s, str.len);
	put_padding(out);
}

/* The header; its length is filled in at the end. */
static inline void pdu_out_begin(struct pdu_out *out, struct buffer *b, uint32_t type, int32_t from)
{
	out->b = b;
	out->len = 0;
	out->err = b->err;
	out->buffer_err = b->err;
	put_u32(out, 0);
	put_u32(out, type);
	put_i32(out, from);
}

/* 0, or the first failure, and then the buffer holds what it held before. */
static inline int pdu_out_end(struct pdu_out *out)
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
