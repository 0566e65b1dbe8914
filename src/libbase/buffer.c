/* buffer - see buffer.h. */
#include "libbase/buffer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/endian_be.h"

enum { BUFFER_MIN = 256 };

void buffer_done(struct buffer *b)
{
	free(b->data);
	*b = BUFFER_INIT;
}

void buffer_reset(struct buffer *b)
{
	b->start = 0;
	b->len = 0;
	b->err = 0;
}

void buffer_trim(struct buffer *b, size_t keep)
{
	buffer_reset(b);
	if (b->cap > keep) {
		free(b->data);
		b->data = NULL;
		b->cap = 0;
	}
}

/* Moves what is pending to the front, so that consumed bytes are room again. */
static void buffer_compact(struct buffer *b)
{
	if (b->start == 0)
		return;
	memmove(b->data, b->data + b->start, b->len - b->start);
	b->len -= b->start;
	b->start = 0;
}

uint8_t *buffer_reserve(struct buffer *b, size_t n)
{
	size_t cap;
	uint8_t *p;

	if (b->err != 0)
		return NULL;
	if (b->cap - b->len >= n && b->data != NULL)
		return b->data + b->len;
	if (b->start > 0 && b->start >= b->cap / 2) {
		buffer_compact(b);
		if (b->cap - b->len >= n)
			return b->data + b->len;
	}
	cap = b->cap < BUFFER_MIN ? BUFFER_MIN : b->cap;
	while (cap - b->len < n) {
		if (cap > SIZE_MAX / 2) {
			b->err = -ENOMEM;
			return NULL;
		}
		cap *= 2;
	}
	p = realloc(b->data, cap);
	if (p == NULL) {
		b->err = -ENOMEM;
		return NULL;
	}
	b->data = p;
	b->cap = cap;
	return b->data + b->len;
}

void buffer_consume(struct buffer *b, size_t n)
{
	b->start += n;
	if (b->start == b->len) {
		b->start = 0;
		b->len = 0;
	}
}

void buffer_put(struct buffer *b, const void *bytes, size_t n)
{
	uint8_t *p = buffer_reserve(b, n);

	if (p == NULL || n == 0)
		return;
	memcpy(p, bytes, n);
	b->len += n;
}

void buffer_fill(struct buffer *b, uint8_t byte, size_t n)
{
	uint8_t *p = buffer_reserve(b, n);

	if (p == NULL || n == 0)
		return;
	memset(p, byte, n);
	b->len += n;
}

void buffer_put_u8(struct buffer *b, uint8_t v)
{
	buffer_put(b, &v, sizeof(v));
}

void buffer_put_u32(struct buffer *b, uint32_t v)
{
	v = htobe32(v);
	buffer_put(b, &v, sizeof(v));
}

void buffer_patch_u32(struct buffer *b, size_t at, uint32_t v)
{
	if (b->err == 0)
		store_be32(b->data + at, v);
}

void buffer_vprintf(struct buffer *b, const char *fmt, va_list ap)
{
	va_list again;
	uint8_t *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	p = buffer_reserve(b, (size_t)n + 1);
	if (p == NULL)
		return;
	vsnprintf((char *)p, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
}

void buffer_printf(struct buffer *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buffer_vprintf(b, fmt, ap);
	va_end(ap);
}

const char *buffer_str(struct buffer *b)
{
	uint8_t *p = buffer_reserve(b, 1);

	if (p == NULL)
		return "";
	*p = '\0';
	return (const char *)b->data + b->start;
}
