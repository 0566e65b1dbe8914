/*
 * format - formatting, copying and reading text without surprises (docs/spec/pmapi.md 13.2 ..
 * 13.5); a value of any size in seven characters (11); real numbers in the locale "C" (format.h).
 *
 * That locale is made once and kept. Where there is no memory for it, that of the process is used.
 */
#include "libpcp/format.h"

#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

int pmsprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (size == 0)
		return 0;
	va_start(ap, fmt);
	n = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	if (n <= 0) { /* older callers rely on the result 1 for no output */
		buf[0] = '\0';
		return 1;
	}
	return (size_t)n < size ? n : (int)size - 1;
}

size_t pmstrlen(const char *s)
{
	return s == NULL ? 0 : strlen(s);
}

int pmstrncpy(char *dst, size_t size, const char *src)
{
	size_t len = strlen(src);

	if (size == 0)
		return -1;
	if (len < size) {
		memcpy(dst, src, len + 1);
		return 0;
	}
	memcpy(dst, src, size - 1);
	dst[size - 1] = '\0';
	return -1;
}

int pmstrncat(char *dst, size_t size, const char *src)
{
	size_t used = strnlen(dst, size);

	return used < size ? pmstrncpy(dst + used, size - used, src) : -1;
}

/* The first character of the next word; EOF at the end of the file, 0 at the end of a line. */
static int skip_to_word(FILE *f)
{
	int c;

	do
		c = getc(f);
	while (c != EOF && c != '\n' && isspace(c));
	return c == '\n' ? 0 : c;
}

ssize_t pmfstring(FILE *f, char **ret_word)
{
	size_t len = 0, cap = 0;
	char *word = NULL;
	int c = skip_to_word(f);

	if (c == EOF)
		return -1;
	for (; c > 0 && !isspace(c); c = getc(f)) {
		if (len + 2 > cap) {
			char *bigger = realloc(word, cap = 2 * cap + 32);

			if (bigger == NULL) {
				free(word);
				return -2;
			}
			word = bigger;
		}
		word[len++] = (char)c;
	}
	if (word == NULL)
		return 0;
	word[len] = '\0';
	*ret_word = word;
	return (ssize_t)len;
}

/* ---- Numbers -------------------------------------------------------------------------------- */

struct magnitude {
	double limit; /* values at or above it (below: at or under it) */
	double scale;
	char letter;
};

/* clang-format off */
static const struct magnitude above[] = {
	{ 999995e6, 1e12, 'T' },
	{ 999995e3, 1e9,  'G' },
	{ 999995,   1e6,  'M' },
	{ 999.995,  1e3,  'K' },
	{ 0.005,    1,    ' ' },
};
static const struct magnitude below[] = {
	{ -99995e6, 1e12, 'T' },
	{ -99995e3, 1e9,  'G' },
	{ -99995,   1e6,  'M' },
	{ -99.995,  1e3,  'K' },
	{ -0.005,   1,    ' ' },
};
/* clang-format on */

static void number_print(double value, const struct magnitude *table, int sign, char *buf,
			 size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(above); i++)
		if (sign * value >= sign * table[i].limit) {
			pmsprintf(buf, size, "%6.2f%c", value / table[i].scale, table[i].letter);
			return;
		}
	pmsprintf(buf, size, "  0.00 "); /* NaN too */
}

char *pmNumberStr_r(double value, char *buf, int buflen)
{
	size_t size = buflen > 0 ? (size_t)buflen : 0;

	if (value >= 999995e9)
		pmsprintf(buf, size, " inf?  ");
	else if (value <= -99995e9)
		pmsprintf(buf, size, "-inf?  ");
	else if (value >= 0)
		number_print(value, above, 1, buf, size);
	else
		number_print(value, below, -1, buf, size);
	return buf;
}

const char *pmNumberStr(double value)
{
	static char buf[8];

	return pmNumberStr_r(value, buf, sizeof(buf));
}

static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make_locale(void)
{
	c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

double cnumber_parse(const char *text, char **ret_end)
{
	pthread_once(&c_locale_once, make_locale);
	return c_locale == (locale_t)0 ? strtod(text, ret_end) : strtod_l(text, ret_end, c_locale);
}

int cnumber_print(char *buf, size_t size, const char *format, double value)
{
	locale_t own;
	int r;

	pthread_once(&c_locale_once, make_locale);
	if (c_locale == (locale_t)0)
		return snprintf(buf, size, format, value);
	own = uselocale(c_locale);
	r = snprintf(buf, size, format, value);
	uselocale(own);
	return r;
}

/* ---- Faults in a text ----------------------------------------------------------------------- */

char *parse_error(const char *text, const char *at, const char *why)
{
	char *message;

	if (asprintf(&message, "%s\n%*s^ -- %s\n", text, (int)(at - text), "", why) < 0)
		return NULL;
	return message;
}
