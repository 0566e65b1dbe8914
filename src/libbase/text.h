/*
 * text - short text in a buffer of the caller: bounded, always terminated.
 *
 * Text that does not fit is cut off; no function fails or allocates.
 */
#ifndef LIBBASE_TEXT_H
#define LIBBASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct text {
	char *buf;
	size_t size;
	size_t len; /* < size, unless size is 0 */
};

/* An empty text in buf. */
static inline struct text text_in(char *buf, size_t size)
{
	if (size > 0)
		buf[0] = '\0';
	return (struct text){.buf = buf, .size = size};
}

static inline void text_add_bytes(struct text *t, const char *s, size_t len)
{
	size_t room = t->size > t->len ? t->size - t->len - 1 : 0;

	if (len > room)
		len = room;
	if (len > 0) {
		memcpy(t->buf + t->len, s, len);
		t->len += len;
		t->buf[t->len] = '\0';
	}
}

static inline void text_add(struct text *t, const char *s)
{
	text_add_bytes(t, s, strlen(s));
}

static inline void text_printf(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static inline void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, t->size - t->len, fmt, ap);
	va_end(ap);
	if (n > 0 && t->size > 0)
		t->len = (size_t)n < t->size - t->len ? t->len + (size_t)n : t->size - 1;
}

#endif
