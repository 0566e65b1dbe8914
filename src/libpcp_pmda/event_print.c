/* event_print - an event's bytes as text, for traces (docs/spec/pmda.md 14.6). */
#include <ctype.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { EVENT_PRINT_MIN = 4 };

static char printable(char c)
{
	if (isspace((unsigned char)c))
		return ' ';
	return isprint((unsigned char)c) ? c : '.';
}

char *__pmdaEventPrint(const char *event, int length, char *buf, int size)
{
	int n = length < size ? length : size;

	if (size < EVENT_PRINT_MIN)
		return NULL;
	if (n < 0)
		n = 0;
	for (int i = 0; i < n - 1; i++)
		buf[i] = printable(event[i]);
	memset(buf + n, '.', (size_t)(size - n));
	/* The last byte taken makes room for the end. */
	buf[n > 0 ? n - 1 : 0] = '\0';
	return buf;
}
