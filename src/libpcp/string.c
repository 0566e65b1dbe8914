/*
 * string - formatting, copying and reading text without surprises: docs/spec/pmapi.md 13.2 .. 13.5.
 */
#include <ctype.h>
#include <stdarg.h>

#include <pcp/pmapi.h>

int pmsprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (size == 0)
		return 0;
	va_start(ap, fmt);
	n = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	if (n <= 0) { /* the result for nothing written is 1: callers of old count on it */
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
