/* text - format and parse numbers in short strings, where stdio must not be called. */
#ifndef LIBTRACE_TEXT_H
#define LIBTRACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* A string under construction in a fixed buffer; text that does not fit is cut off. */
struct text {
	char *pos, *end; /* end: the place of the last NUL */
};

static inline struct text text_init(char *buf, size_t size)
{
	struct text t = {buf, buf + size - 1};

	*buf = '\0';
	return t;
}

static inline void text_add(struct text *t, const char *s)
{
	while (*s != '\0' && t->pos < t->end)
		*t->pos++ = *s++;
	*t->pos = '\0';
}

static inline void text_add_number(struct text *t, uint64_t n)
{
	char digits[21];
	char *p = digits + sizeof(digits) - 1;

	*p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	text_add(t, p);
}

/* Parses decimal digits at *s and moves *s past them: false if there are none, or too many. */
static inline bool text_number(const char **s, uint64_t *ret_value)
{
	const char *p = *s;
	uint64_t n = 0;

	if (*p < '0' || *p > '9')
		return false;
	while (*p >= '0' && *p <= '9') {
		if (n > (UINT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (uint64_t)(*p++ - '0');
	}
	*s = p;
	*ret_value = n;
	return true;
}

#endif
