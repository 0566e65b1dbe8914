/* input - see input.h. */
#include "tools/pmlc/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include <editline/readline.h>

#include "tools/pmlc/complete.h"

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
