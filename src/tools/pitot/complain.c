/* complain - the messages of all commands; declared in pitot.h. */
#include <stdarg.h>
#include <stdio.h>

#include "pitot.h"

void pitot_complain(const char *fmt, ...)
{
	va_list ap;

	fputs("pitot: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
