#include "libpcp/parse_error.h"

#include <stdio.h>

char *parse_error(const char *text, const char *at, const char *why)
{
	char *message;

	if (asprintf(&message, "%s\n%*s^ -- %s\n", text, (int)(at - text), "", why) < 0)
		return NULL;
	return message;
}
