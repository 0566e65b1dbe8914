/*
 * pdu_inner - what the codec of PDUs consists of: the table, a PDU being read, a PDU being written,
 * value sets.
 */
#ifndef LIBWIRE_PDU_INNER_H
#define LIBWIRE_PDU_INNER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/endian_be.h"
#include "libbase/frame.h"
#include "libbase/reader.h"
#include "libvalue/value_block.h"
#include "libwire/pdu.h"

/*
 * ---- the table ----
 *
 * The table of PDUs: one row says all there is to know about one.
 *
 * Names, rights, decoding, encoding, the fuzz dictionary and the golden test come from its rows.
 * The get and put functions are in one file a family: pdu.c, pdu_fetch.c, pdu_meta.c, pdu_log.c.
 */

struct pdu_in;
struct frame_out;
union pdu_body;

struct pdu_kind {
	const char *name; /* NULL: a number without a PDU */
	unsigned int roles;
	uint32_t min_len; /* of the shortest one, header included */
	void (*get)(struct pdu_in *in, union pdu_body *body); /* NULL: a number without a layout */
	void (*put)(struct frame_out *out, const union pdu_body *body);
};

/* The row of a type; NULL if there is no such PDU. */
const struct pdu_kind *pdu_kind(uint32_t type);

/* All types in ascending order: start with 0, gives 0 after the last. */
uint32_t pdu_kind_next(uint32_t type);

/* get reads what follows the header, put appends it. */
#define PDU_CODEC(noun)                                                                            \
	void pdu_get_##noun(struct pdu_in *in, union pdu_body *body);                              \
	void pdu_put_##noun(struct frame_out *out, const union pdu_body *body)

PDU_CODEC(error);
PDU_CODEC(creds);
PDU_CODEC(attr);
PDU_CODEC(profile);
PDU_CODEC(fetch);
PDU_CODEC(result);
PDU_CODEC(highres_result);
PDU_CODEC(desc_req);
PDU_CODEC(desc);
PDU_CODEC(desc_ids);
PDU_CODEC(descs);
PDU_CODEC(instance_req);
PDU_CODEC(instance);
PDU_CODEC(text_req);
PDU_CODEC(text);
PDU_CODEC(pmns_ids);
PDU_CODEC(pmns_names);
PDU_CODEC(pmns_child);
PDU_CODEC(label_req);
PDU_CODEC(label);
PDU_CODEC(log_control);
PDU_CODEC(log_request);
PDU_CODEC(log_status_v2);
PDU_CODEC(log_status);

/*
 * ---- a PDU being read ----
 *
 * A PDU being decoded: a reader with its place in the PDU, and an arena for the arrays.
 *
 * Sticky like the reader below it. Every count is held against the bytes that are left before
 * anything is allocated for it, so what decoding takes is bounded by the length of the PDU.
 */

struct pdu_in {
	struct reader r;
	const uint8_t *pdu; /* its first byte: positions in RESULT and LABEL count from here */
	size_t len;         /* of the whole PDU */
	struct arena *mem;
};

/* Bytes from the start of the PDU to the reader's position. */
static inline size_t pdu_in_offset(const struct pdu_in *in)
{
	return (size_t)(in->r.pos - in->pdu);
}

/* A count of elements that each take at least size bytes of what follows; from min up. */
static inline uint32_t pdu_in_count(struct pdu_in *in, int32_t min, size_t size)
{
	int32_t n = get_i32(&in->r);

	if (n < min || (size_t)n > reader_left(&in->r) / size)
		reader_fail(&in->r);
	return in->r.err == 0 ? (uint32_t)n : 0;
}

/* Room for n elements; NULL after any failure. Test the reader, or the pointer, before use. */
static inline void *pdu_in_alloc(struct pdu_in *in, size_t n, size_t size)
{
	size_t total;
	void *p;

	if (in->r.err != 0)
		return NULL;
	p = __builtin_mul_overflow(n, size, &total) ? NULL : arena_alloc(in->mem, total);
	if (p == NULL)
		in->r.err = -ENOMEM;
	return p;
}

/* len bytes and the padding to a word, whose content does not matter. */
static inline struct wire_str pdu_in_padded(struct pdu_in *in, int32_t len)
{
	struct wire_str str = {NULL, 0};
	const char *s;

	if (len < 0)
		reader_fail(&in->r);
	if (in->r.err != 0)
		return str;
	s = get_bytes(&in->r, pad4((size_t)len));
	if (s != NULL) {
		str.s = s;
		str.len = (uint32_t)len;
	}
	return str;
}

/* A length word, then that many bytes and padding. */
static inline struct wire_str pdu_in_str(struct pdu_in *in)
{
	int32_t len = get_i32(&in->r);

	return pdu_in_padded(in, len);
}

/* n words in host order; NULL after a failure. n has passed pdu_in_count. */
static inline uint32_t *pdu_in_words(struct pdu_in *in, uint32_t n)
{
	uint32_t *words = pdu_in_alloc(in, n, sizeof(*words));
	const uint8_t *p = get_bytes(&in->r, (size_t)n * 4);

	if (words == NULL || p == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++)
		words[i] = load_be32(p + 4 * i);
	return words;
}

/*
 * ---- a PDU being written ----
 *
 * It is a frame (libbase/frame.h), as the records of archives are. Here are the values that only
 * PDUs have.
 */

static inline void put_u16(struct frame_out *out, uint16_t v)
{
	uint8_t *p = frame_out_room(out, 2);

	if (p != NULL)
		store_be16(p, v);
}

static inline void put_u64(struct frame_out *out, uint64_t v)
{
	uint8_t *p = frame_out_room(out, 8);

	if (p != NULL)
		store_be64(p, v);
}

static inline void put_i32(struct frame_out *out, int32_t v)
{
	frame_put_u32(out, (uint32_t)v);
}

static inline void put_i64(struct frame_out *out, int64_t v)
{
	put_u64(out, (uint64_t)v);
}

/* The low 32 bits of a number that is wider in memory than on the wire (times of 32 bits). */
static inline void put_low32(struct frame_out *out, int64_t v)
{
	frame_put_u32(out, (uint32_t)(uint64_t)v);
}

static inline void put_words(struct frame_out *out, const uint32_t *words, size_t n)
{
	uint8_t *p = n > PDU_PEER_MAX / 4 ? NULL : frame_out_room(out, n * 4);

	if (p == NULL) {
		frame_out_fail(out, -EINVAL);
		return;
	}
	for (size_t i = 0; i < n; i++)
		store_be32(p + 4 * i, words[i]);
}

/* '~' up to the next word of the PDU. */
static inline void put_padding(struct frame_out *out)
{
	size_t n = -out->len & 3;
	uint8_t *p = frame_out_room(out, n);

	if (p != NULL)
		memset(p, VALUE_PAD_BYTE, n);
}

/* A length word, the bytes, the padding. */
static inline void put_str(struct frame_out *out, struct wire_str str)
{
	frame_put_u32(out, str.len);
	frame_put_bytes(out, str.s, str.len);
	put_padding(out);
}

/* The header; its length is filled in at the end. */
static inline void pdu_out_begin(struct frame_out *out, struct buffer *b, uint32_t type,
				 int32_t from)
{
	frame_out_begin(out, b, PDU_PEER_MAX);
	frame_put_u32(out, type);
	put_i32(out, from);
}

/* ---- value sets (docs/spec/pdu.md 5.2) ---- */

struct vset_cursor;
struct vset_len;

/* Room for what was measured, after what the PDU holds already. False: the PDU has failed. */
bool vset_cursor_init(struct vset_cursor *c, struct frame_out *out, const struct vset_len *total);

#endif
