/*
 * input - lines of commands, from a terminal with editing, history and completion, or from a
 * stream.
 */
#include "tools/pmlc/pmlc.h"

#include <editline/readline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"

/*
 * complete - completion of words of the language, then of names of metrics, for the Tab key.
 */

static const char *const words[] = {
    "advisory", "connect", "disconnect", "every",     "flush",   "help", "hour",     "local",
    "log",      "logger",  "loggers",    "mandatory", "maybe",   "min",  "msec",     "new",
    "off",      "on",      "once",       "port",      "primary", "qa",   "query",    "quit",
    "sec",      "show",    "sleep",      "socket",    "status",  "sync", "timezone", "volume",
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

static char **input_complete(const char *text, int start, int end)
{
	rl_attempted_completion_over = 1; /* do not complete file names */
	return rl_completion_matches(text, next_word);
}

/* Installs the completion. Names come from the current context, if there is one. */
static void complete_begin(void)
{
	rl_attempted_completion_function = input_complete;
}

/*
 * Lines
 */

static char *edit_line(const char *prompt)
{
	char *line;

	complete_begin();
	line = readline(prompt);
	if (line != NULL && line[0] != '\0')
		add_history(line);
	return line;
}

static char *read_line(const struct input *in, const char *prompt)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (in->prompts)
		fputs(prompt, stdout);
	fflush(stdout);
	n = getline(&line, &size, stdin);
	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n > 0 && line[n - 1] == '\n')
		line[n - 1] = '\0';
	if (in->echoes)
		puts(line);
	return line;
}

char *input_next(const struct input *in, bool more)
{
	const char *prompt = more ? "? " : "pmlc> ";
	char *line = in->edits ? edit_line(prompt) : read_line(in, prompt);

	if (line == NULL && in->prompts)
		putchar('\n');
	return line;
}
