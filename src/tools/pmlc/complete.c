/* complete - see complete.h. */
#include "tools/pmlc/complete.h"

#include <stdio.h>
#include <string.h>

#include <editline/readline.h>
#include <pcp/pmapi.h>

#include "tools/common/complete_name.h"

static const char *const words[] = {
    "advisory", "connect", "disconnect", "every",  "flush", "help",  "hour",  "local",  "log",
    "logger",   "loggers", "mandatory",  "maybe",  "min",   "msec",  "new",   "off",    "on",
    "once",     "port",    "primary",    "qa",     "query", "quit",  "sec",   "show",   "sleep",
    "socket",   "status",  "sync",       "timezone", "volume",
};

enum { WORD_COUNT = sizeof(words) / sizeof(words[0]) };

/* The line editor calls with state 0, then 1, 2, … until NULL is returned. */
static char *next_word(const char *text, int state)
{
	static int at, names;

	if (state == 0)
		at = names = 0;
	while (at < WORD_COUNT) {
		const char *word = words[at++];

		if (strncmp(word, text, strlen(text)) == 0)
			return strdup(word);
	}
	return pmWhichContext() < 0 ? NULL : complete_name(text, names++);
}

static char **complete(const char *text, int start, int end)
{
	rl_attempted_completion_over = 1; /* do not complete file names */
	return rl_completion_matches(text, next_word);
}

void complete_begin(void)
{
	rl_attempted_completion_function = complete;
}
