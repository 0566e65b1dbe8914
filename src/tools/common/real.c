/* real - see real.h. */
#include "tools/common/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *real_float(float v, char buf[REAL_TEXT])
{
	for (int digits = 6; digits <= 9; digits++) {
		snprintf(buf, REAL_TEXT, "%.*g", digits, (double)v);
		if (strtof(buf, NULL) == v)
			break;
	}
	return buf;
}

const char *real_double(double v, char buf[REAL_TEXT])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, REAL_TEXT, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return buf;
}

const char *real_text(double v, size_t size, char buf[REAL_TEXT])
{
	return size == sizeof(float) ? real_float((float)v, buf) : real_double(v, buf);
}

/* After the string that begins at s. */
static char *skip_string(char *s)
{
	for (s++; *s != '\0' && *s != '"'; s++) {
		if (*s == '\\' && s[1] != '\0')
			s++;
	}
	return *s == '"' ? s + 1 : s;
}

/* Writes a number at to, shortened if that leaves it a real number; returns the end. */
static char *put_number(char *to, const char *number, size_t len)
{
	char buf[REAL_TEXT];
	const char *text = real_double(strtod(number, NULL), buf);

	if (strcspn(number, ".eE") < len && strpbrk(text, ".e") != NULL && strlen(text) < len) {
		len = strlen(text);
		number = text;
	}
	memmove(to, number, len);
	return to + len;
}

void real_shorten_json(char *json)
{
	char *to = json;

	while (*json != '\0') {
		size_t n = strspn(json, "+-.0123456789eE");

		if (*json == '"')
			n = (size_t)(skip_string(json) - json);
		else if (n > 0 && strchr("eE", *json) == NULL) {
			to = put_number(to, json, n);
			json += n;
			continue;
		}
		n = n > 0 ? n : 1;
		memmove(to, json, n);
		to += n;
		json += n;
	}
	*to = '\0';
}
