/* utf8 - see utf8.h. */
#include "utf8.h"

size_t utf8_length(const uint8_t *p, size_t n)
{
	size_t len = p[0] < 0x80		 ? 1
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
	/* Longer than need be, a surrogate, or beyond the last code point. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
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
