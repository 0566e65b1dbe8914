/* word - see word.h. */
#include "word.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

const char *word_quote(const char *word, char *text, size_t size)
{
	size_t n = 0;

	if (word[0] != '\0' && word[strcspn(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}")] == '\0') {
		snprintf(text, size, "%s", word);
		return text;
	}
	text[n++] = '\'';
	for (; *word != '\0' && n + 6 < size; word++) {
		if (*word == '\'') {
			memcpy(text + n, "'\\''", 4);
			n += 4;
		} else {
			text[n++] = *word;
		}
	}
	text[n++] = '\'';
	text[n] = '\0';
	return text;
}

void word_clean(char *text)
{
	uint8_t *p = (uint8_t *)text, *end = p + strlen(text);

	while (p < end) {
		size_t len = utf8_length(p, (size_t)(end - p));

		if (len == 0 || (len == 1 && (*p < ' ' || *p == 0x7f)))
			*p = '?';
		else if (len == 2 && p[0] == 0xc2 && p[1] < 0xa0) /* control characters of Latin-1 */
			p[0] = p[1] = '?';
		p += len > 0 ? len : 1;
	}
}
