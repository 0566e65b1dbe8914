/*
 * input - lines of commands, from a terminal with editing, history and completion, or from a
 * stream.
 */
#include "tools/common/input.h"

#include <editline/readline.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <pcp/pmapi.h>

/*
 * Names of metrics
 */

/* The children of the text up to the last dot. */
static struct {
	char **names;
	int n, at;
	size_t prefix; /* the length of that part, with its dot */
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

/*
 * A node that begins with text, up to its next dot. State 0 queries the name space and returns the
 * first one, other states return the next one; NULL after the last. The caller frees it.
 */
static char *complete_name(const char *text, int state)
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

/*
 * Words
 */

/* The input whose line is edited: the line editor's functions have no argument of ours. */
static const struct input *edited;

/* The line editor calls with state 0, then 1, 2, … until NULL is returned. */
static char *next_word(const char *text, int state)
{
	static int at;

	if (state == 0)
		at = 0;
	while (edited->words[at] != NULL) {
		const char *word = edited->words[at++];

		if (strncmp(word, text, strlen(text)) == 0)
			return strdup(word);
	}
	return NULL;
}

/* Words, then names of metrics. */
static char *next_word_or_name(const char *text, int state)
{
	static int names;
	char *word = next_word(text, state);

	if (state == 0)
		names = 0;
	if (word != NULL)
		return word;
	return pmWhichContext() < 0 ? NULL : complete_name(text, names++);
}

static char **input_complete(const char *text, int start, int end)
{
	rl_attempted_completion_over = 1; /* do not complete file names */
	if (!edited->verbs)
		return rl_completion_matches(text, next_word_or_name);
	return rl_completion_matches(text, start == 0 ? next_word : complete_name);
}

/*
 * Lines
 */

static char *edit_line(const struct input *in)
{
	char *line;

	edited = in;
	rl_attempted_completion_function = input_complete;
	line = readline(in->prompt);
	if (line != NULL && line[0] != '\0')
		add_history(line);
	return line;
}

static char *read_line(const struct input *in)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (in->prompts)
		fputs(in->prompt, stdout);
	fflush(stdout);
	n = getline(&line, &size, in->file);
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

char *input_next(struct input *in)
{
	char *line = in->edits ? edit_line(in) : read_line(in);

	in->line++;
	if (line == NULL && in->prompts && in->file == stdin)
		putchar('\n');
	return line;
}
