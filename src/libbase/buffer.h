/*
 * buffer - bytes on their way out: grows at the end, is consumed at the front.
 *
 * Writes remember their first failure (out of memory) in err, so an encoder is a straight list of
 * puts with one check at the end. All multi-byte puts are big-endian.
 */
#ifndef LIBBASE_BUFFER_H
#define LIBBASE_BUFFER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
	uint8_t *data; /* owned */
	size_t start;  /* bytes before this were consumed */
	size_t len;    /* end of the written bytes, counted from data */
	size_t cap;
	int err; /* 0 or -ENOMEM */
};

#define BUFFER_INIT ((struct buffer){0})

void buffer_done(struct buffer *b);

/* Empty; the memory stays. */
void buffer_reset(struct buffer *b);

/* Empty, and memory beyond keep bytes is given back. */
void buffer_trim(struct buffer *b, size_t keep);

/* Room for n more bytes: pointer to write at (then buffer_commit), or NULL with err set. */
uint8_t *buffer_reserve(struct buffer *b, size_t n);

static inline void buffer_commit(struct buffer *b, size_t n)
{
	b->len += n;
}

static inline size_t buffer_pending(const struct buffer *b)
{
	return b->len - b->start;
}

static inline const uint8_t *buffer_head(const struct buffer *b)
{
	return b->data + b->start;
}

/* n bytes at the front are done with. */
void buffer_consume(struct buffer *b, size_t n);

void buffer_put(struct buffer *b, const void *bytes, size_t n);
void buffer_fill(struct buffer *b, uint8_t byte, size_t n);
void buffer_put_u8(struct buffer *b, uint8_t v);
void buffer_put_u32(struct buffer *b, uint32_t v);

/* Overwrites 4 bytes at offset at, counted from data; they must have been written. */
void buffer_patch_u32(struct buffer *b, size_t at, uint32_t v);

/* Text; buffer_str ends it with a NUL that is not counted, "" when nothing was written. */
void buffer_printf(struct buffer *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buffer_vprintf(struct buffer *b, const char *fmt, va_list ap);
const char *buffer_str(struct buffer *b);

#endif
