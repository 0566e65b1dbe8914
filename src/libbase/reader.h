/*
 * reader - bytes from outside, taken in order.
 *
 * A reader remembers its first failure, so a decoder is a straight list of fields with one check
 * at the end. After a failure every get returns 0 or NULL and consumes nothing. The error code is
 * the room's (PM_ERR_IPC for a PDU, PM_ERR_LOGREC for an archive record): it is given once.
 */
#ifndef LIBBASE_READER_H
#define LIBBASE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/endian_be.h"

struct reader {
	const uint8_t *pos;
	const uint8_t *end;
	int err;      /* 0, or the first failure */
	int err_code; /* what a failure is called here: negative */
};

static inline void reader_init(struct reader *r, const void *buf, size_t len, int err_code)
{
	r->pos = buf;
	r->end = r->pos + len;
	r->err = 0;
	r->err_code = err_code;
}

static inline size_t reader_left(const struct reader *r)
{
	return (size_t)(r->end - r->pos);
}

static inline void reader_fail(struct reader *r)
{
	if (r->err == 0)
		r->err = r->err_code;
}

/* True if n more bytes are there; else the reader has failed. */
static inline bool reader_need(struct reader *r, size_t n)
{
	if (r->err == 0 && reader_left(r) < n)
		reader_fail(r);
	return r->err == 0;
}

static inline uint8_t get_u8(struct reader *r)
{
	if (!reader_need(r, 1))
		return 0;
	return *r->pos++;
}

static inline uint16_t get_u16(struct reader *r)
{
	if (!reader_need(r, 2))
		return 0;
	r->pos += 2;
	return load_be16(r->pos - 2);
}

static inline uint32_t get_u32(struct reader *r)
{
	if (!reader_need(r, 4))
		return 0;
	r->pos += 4;
	return load_be32(r->pos - 4);
}

static inline int32_t get_i32(struct reader *r)
{
	return (int32_t)get_u32(r);
}

static inline uint64_t get_u64(struct reader *r)
{
	if (!reader_need(r, 8))
		return 0;
	r->pos += 8;
	return load_be64(r->pos - 8);
}

static inline int64_t get_i64(struct reader *r)
{
	return (int64_t)get_u64(r);
}

/* The next n bytes, borrowed from the buffer; NULL on failure. */
static inline const void *get_bytes(struct reader *r, size_t n)
{
	if (!reader_need(r, n))
		return NULL;
	r->pos += n;
	return r->pos - n;
}

#endif
