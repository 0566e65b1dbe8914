/*
 * scan - the small words of /proc: numbers, words and lines, from left to right.
 *
 * A scan is a position in a text that ends with a NUL. A missing word is not an error: a get
 * returns false and does not move, and the caller goes on with the next line. A number that does
 * not fit 64 bits becomes all ones, which the framework takes as absent.
 */
#ifndef AGENT_LINUX_SCAN_H
#define AGENT_LINUX_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct scan {
	const char *p;
};

static inline void scan_blanks(struct scan *s)
{
	while (*s->p == ' ' || *s->p == '\t')
		s->p++;
}

/* Decimal digits after blanks. */
static inline bool scan_u64(struct scan *s, uint64_t *ret_value)
{
	uint64_t v = 0;

	scan_blanks(s);
	if (*s->p < '0' || *s->p > '9')
		return false;
	for (; *s->p >= '0' && *s->p <= '9'; s->p++) {
		unsigned int digit = (unsigned int)(*s->p - '0');

		v = v > (UINT64_MAX - digit) / 10 ? UINT64_MAX : 10 * v + digit;
	}
	*ret_value = v;
	return true;
}

/* The next n numbers of the line, as many as there are; those that are not stay untouched. */
static inline int scan_u64s(struct scan *s, uint64_t *values, int n)
{
	int i = 0;

	while (i < n && scan_u64(s, &values[i]))
		i++;
	return i;
}

/* As scan_u64 with an optional minus. */
static inline bool scan_i64(struct scan *s, int64_t *ret_value)
{
	struct scan at;
	bool minus;
	uint64_t v;

	scan_blanks(s);
	minus = *s->p == '-';
	at.p = s->p + minus;
	if (*at.p < '0' || *at.p > '9' || !scan_u64(&at, &v) || v > INT64_MAX)
		return false;
	*ret_value = minus ? -(int64_t)v : (int64_t)v;
	s->p = at.p;
	return true;
}

/* Hexadecimal digits after blanks; "0x" before them is passed over. */
static inline bool scan_hex(struct scan *s, uint64_t *ret_value)
{
	uint64_t v = 0;
	const char *start;

	scan_blanks(s);
	if (s->p[0] == '0' && (s->p[1] == 'x' || s->p[1] == 'X'))
		s->p += 2;
	for (start = s->p;; s->p++) {
		unsigned int digit;

		if (*s->p >= '0' && *s->p <= '9')
			digit = (unsigned int)(*s->p - '0');
		else if ((*s->p | 0x20) >= 'a' && (*s->p | 0x20) <= 'f')
			digit = (unsigned int)((*s->p | 0x20) - 'a') + 10;
		else
			break;
		v = v >> 60 != 0 ? UINT64_MAX : v << 4 | digit;
	}
	if (s->p == start)
		return false;
	*ret_value = v;
	return true;
}

/* Digits with an optional fraction, as "0.25": no exponents, no signs. */
static inline bool scan_double(struct scan *s, double *ret_value)
{
	uint64_t digits;
	double unit = 1;

	if (!scan_u64(s, &digits))
		return false;
	if (*s->p == '.')
		for (s->p++; *s->p >= '0' && *s->p <= '9'; s->p++) {
			if (digits > UINT64_MAX / 10 - 10)
				continue; /* beyond the precision of a double */
			digits = 10 * digits + (uint64_t)(*s->p - '0');
			unit *= 10;
		}
	*ret_value = (double)digits / unit;
	return true;
}

/* Up to the next blank or the end of the line. */
static inline bool scan_word(struct scan *s, const char **ret_word, size_t *ret_len)
{
	const char *start;

	scan_blanks(s);
	start = s->p;
	while (*s->p != '\0' && *s->p != ' ' && *s->p != '\t' && *s->p != '\n')
		s->p++;
	*ret_word = start;
	*ret_len = (size_t)(s->p - start);
	return s->p != start;
}

/* Past n words; false when the line ends before. */
static inline bool scan_skip(struct scan *s, int n)
{
	const char *word;
	size_t len;

	while (n-- > 0)
		if (!scan_word(s, &word, &len))
			return false;
	return true;
}

/* To the start of the next line; false when there is none. */
static inline bool scan_next_line(struct scan *s)
{
	while (*s->p != '\0' && *s->p != '\n')
		s->p++;
	if (*s->p == '\0')
		return false;
	s->p++;
	return *s->p != '\0';
}

/* The rest of the line, without blanks at both ends. */
static inline size_t scan_rest(struct scan *s, const char **ret_text)
{
	const char *end;

	scan_blanks(s);
	end = s->p;
	while (*end != '\0' && *end != '\n')
		end++;
	*ret_text = s->p;
	while (end > s->p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	return (size_t)(end - s->p);
}

/* Exactly this text, and past it. */
static inline bool scan_text(struct scan *s, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(s->p, text, len) != 0)
		return false;
	s->p += len;
	return true;
}

#endif
