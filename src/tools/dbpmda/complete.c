/* complete - see complete.h. */
#include "tools/dbpmda/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <editline/readline.h>
#include <pcp/pmapi.h>

static const char *const verbs[] = {
    "attr", "children", "close", "debug", "desc",      "fetch",    "getdesc", "getiname",
    "help", "instance", "label", "name",  "namespace", "open",     "pmid",    "profile",
    "quit", "status",   "store", "text",  "timer",     "traverse", "wait",    "watch",
};

enum { VERB_COUNT = sizeof(verbs) / sizeof(verbs[0]) };

/* The line editor asks again with state 1, 2, … until there is no more. */
static char *next_verb(const char *text, int state)
{
	static int at;

	if (state == 0)
		at = 0;
	while (at < VERB_COUNT) {
		const char *verb = verbs[at++];

		if (strncmp(verb, text, strlen(text)) == 0)
			return strdup(verb);
	}
	return NULL;
}

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

static char *next_metric(const char *text, int state)
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

static char **complete(const char *text, int start, int end)
{
	rl_attempted_completion_over = 1; /* names of files are not meant */
	return rl_completion_matches(text, start == 0 ? next_verb : next_metric);
}

void complete_begin(void)
{
	rl_attempted_completion_function = complete;
}
