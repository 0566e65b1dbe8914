/*
 * pdu_in - a PDU being decoded: a reader with its place in the PDU, and an arena for the arrays.
 *
 * Sticky like the reader below it. Every count is held against the bytes that are left before
 * anything is allocated for it, so what decoding takes is bounded by the length of the PDU.
 */
#ifndef LIBWIRE_PDU_IN_H
#define LIBWIRE_PDU_IN_H

#include <errno.h>

#include "libbase/arena.h"
#include "libbase/pad.h"
#include "libbase/reader.h"
#include "libwire/pdu.h"

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

#endif
