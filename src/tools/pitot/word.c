/* word - see word.h. */
#include "word.h"

#include <stdio.h>
#include <string.h>

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

/* Those of the second half of Latin-1 are two bytes in UTF-8. */
void word_clean(char *text)
{
	unsigned char *p = (unsigned char *)text;

	for (; *p != '\0'; p++) {
		if (*p < ' ' || *p == 0x7f)
			*p = '?';
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
			p[0] = p[1] = '?';
	}
}
