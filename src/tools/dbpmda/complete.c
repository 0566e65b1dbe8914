/* complete - see complete.h. */
#include "tools/dbpmda/complete.h"

#include <stdio.h>
#include <string.h>

#include <editline/readline.h>

#include "tools/common/complete_name.h"

static const char *const verbs[] = {
    "attr", "children", "close", "debug", "desc",      "fetch",    "getdesc", "getiname",
    "help", "instance", "label", "name",  "namespace", "open",     "pmid",    "profile",
    "quit", "status",   "store", "text",  "timer",     "traverse", "wait",    "watch",
};

enum { VERB_COUNT = sizeof(verbs) / sizeof(verbs[0]) };

/* The line editor calls with state 0, then 1, 2, … until NULL is returned. */
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

static char **complete(const char *text, int start, int end)
{
	rl_attempted_completion_over = 1; /* do not complete file names */
	return rl_completion_matches(text, start == 0 ? next_verb : complete_name);
}

void complete_begin(void)
{
	rl_attempted_completion_function = complete;
}
