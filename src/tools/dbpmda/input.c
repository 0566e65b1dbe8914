/* input - see input.h. */
#include "tools/dbpmda/input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <editline/readline.h>

#include "tools/dbpmda/complete.h"

static char *edit_line(const struct input *in)
{
	char *line;

	complete_begin();
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

	if (in->prompts) {
		fputs(in->prompt, stdout);
		fflush(stdout);
	}
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

int input_indent(const struct input *in)
{
	return (int)strlen(in->prompt) - 1;
}
