/* names - see names.h. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "names.h"

static bool is_letter(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

void names_instance(const char *event, char *ret, size_t size)
{
	size_t n = 0;

	for (; event[n] != '\0' && n + 1 < size; n++) {
		unsigned char c = (unsigned char)event[n];
		bool plain = is_letter(c) || is_digit(c) || strchr("_.-", c) != NULL;

		ret[n] = plain ? (char)c : '_';
	}
	ret[n] = '\0';
}

void names_component(const char *text, char *ret, size_t size)
{
	size_t n = 0;

	if (!is_letter((unsigned char)text[0]))
		ret[n++] = 'e';
	for (; *text != '\0' && n + 1 < size; text++) {
		unsigned char c = (unsigned char)*text;

		ret[n++] = is_letter(c) || is_digit(c) ? (char)c : '_';
	}
	ret[n] = '\0';
}

void names_hex(const char *text, char *ret, size_t size)
{
	size_t n = 0;

	for (; *text != '\0' && n + 2 < size; text++, n += 2)
		snprintf(ret + n, 3, "%02x", (unsigned char)*text);
	ret[n] = '\0';
}

/* The length in bytes of the character at text, 0 if it is not UTF-8. */
static size_t character(const unsigned char *text)
{
	size_t n = text[0] < 0x80             ? 1
		   : (text[0] & 0xe0) == 0xc0 ? 2
		   : (text[0] & 0xf0) == 0xe0 ? 3
					      : 4;

	if (n == 4 && (text[0] < 0xf0 || text[0] > 0xf4))
		return 0;
	if (n == 2 && text[0] < 0xc2)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if (n == 3 && ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f)))
		return 0;
	if (n == 4 && ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)))
		return 0;
	return n;
}

static bool is_utf8(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t n;

	for (; *at != '\0'; at += n)
		if ((n = character(at)) == 0)
			return false;
	return true;
}

void names_json(const char *text, char *ret, size_t size)
{
	bool whole = is_utf8(text);
	size_t n = 0;

	for (; *text != '\0' && n + 7 < size; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\') {
			ret[n++] = '\\';
			ret[n++] = (char)c;
		} else if (c < 0x20 || c == 0x7f || (c >= 0x80 && !whole)) {
			n += (size_t)snprintf(ret + n, 7, "\\u%04x", c);
		} else {
			ret[n++] = (char)c;
		}
	}
	ret[n] = '\0';
}
