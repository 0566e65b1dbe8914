/*
 * utf8 - text that should be UTF-8 but may contain any bytes.
 */
#include "tools/common/utf8.h"

#include <stdlib.h>

size_t utf8_length(const uint8_t *p, size_t n)
{
	size_t len = p[0] < 0x80                   ? 1
		     : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		     : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		     : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
						   : 0;

	if (len == 0 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	/* True for an overlong form, a surrogate, or a number beyond the last code point. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

bool utf8_is_control(const uint8_t *p, size_t len)
{
	return len == 1 ? *p < ' ' || *p == 0x7f : len == 2 && p[0] == 0xc2 && p[1] < 0xa0;
}

void utf8_print(FILE *out, const char *text, size_t n)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + n;

	while (p < end) {
		size_t len = *p != 0 ? utf8_length(p, (size_t)(end - p)) : 0;

		if (len == 0)
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(p, 1, len, out);
		p += len > 0 ? len : 1;
	}
}

char *utf8_copy(const char *text, size_t n)
{
	char *copy = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&copy, &size);

	if (out == NULL)
		return NULL;
	utf8_print(out, text, n);
	if (fclose(out) == 0)
		return copy;
	free(copy);
	return NULL;
}

void utf8_print_json(FILE *out, const char *text, size_t n)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + n;

	putc('"', out);
	while (p < end) {
		size_t len = utf8_length(p, (size_t)(end - p));

		if (len == 0)
			fputs("\\ufffd", out);
		else if (utf8_is_control(p, len)) /* the last byte is the number, up to U+009F */
			fprintf(out, "\\u%04x", p[len - 1]);
		else if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else
			fwrite(p, 1, len, out);
		p += len > 0 ? len : 1;
	}
	putc('"', out);
}
