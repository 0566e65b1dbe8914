/* complete_name - see complete_name.h. */
#include "tools/common/complete_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

/* The children of the part before the last dot. */
static struct {
	char **names;
	int n, at;
	size_t prefix; /* length of that part, with its dot */
} children;

static void find_children(const char *text)
{
	const char *dot = strrchr(text, '.');
	char *parent = dot != NULL ? strndup(text, (size_t)(dot - text)) : strdup("");

	free(children.names);
	memset(&children, 0, sizeof(children));
	if (parent == NULL)
		return;
	children.n = pmGetChildren(parent, &children.names);
	children.prefix = dot != NULL ? (size_t)(dot - text) + 1 : 0;
	free(parent);
}

char *complete_name(const char *text, int state)
{
	if (state == 0)
		find_children(text);
	while (children.at < children.n) {
		const char *base = children.names[children.at++];
		char *name;

		if (strncmp(base, text + children.prefix, strlen(text + children.prefix)) != 0)
			continue;
		if (asprintf(&name, "%.*s%s", (int)children.prefix, text, base) < 0)
			return NULL;
		return name;
	}
	return NULL;
}
