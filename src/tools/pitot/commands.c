/* commands - see commands.h. */
#include "commands.h"

#include <string.h>

#include "nearest.h"
#include "tools/common/cmdline.h"

enum { COMMANDS_MAX = 32 };

/* The help text. PITOT_OK if it was asked for (stdout), else PITOT_USAGE. */
static int commands_help(const struct commands *table, FILE *f)
{
	fprintf(f, "Usage: %s COMMAND [OPTIONS]\n\n%s\n\nCommands:\n", table->program, table->about);
	for (size_t i = 0; i < table->n; i++)
		fprintf(f, "  %-10s %s\n", table->rows[i].name, table->rows[i].summary);
	fprintf(f, "\nOptions:\n"
		   "  --help     show this text; `%s COMMAND --help` shows a command's\n%s",
		table->program, table->options);
	return f == stdout ? PITOT_OK : PITOT_USAGE;
}

/* NULL if there is none. */
static const struct pitot_command *commands_find(const struct commands *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++) {
		if (strcmp(name, table->rows[i].name) == 0)
			return &table->rows[i];
	}
	return NULL;
}

static int unknown_command(const struct commands *table, const char *name)
{
	const char *names[COMMANDS_MAX], *near;
	const char *inner = strchr(table->program, ' ');
	size_t n = table->n < COMMANDS_MAX ? table->n : COMMANDS_MAX;

	for (size_t i = 0; i < n; i++)
		names[i] = table->rows[i].name;
	near = nearest(name, names, n);
	inner = inner != NULL ? inner + 1 : "";
	if (near != NULL)
		pitot_complain("%s%sunknown command '%s': did you mean '%s %s'?", inner,
			       inner[0] != '\0' ? ": " : "", name, table->program, near);
	else
		pitot_complain("%s%sunknown command '%s': see %s --help", inner,
			       inner[0] != '\0' ? ": " : "", name, table->program);
	return PITOT_USAGE;
}

int commands_run(const struct commands *table, int argc, char **argv)
{
	const struct pitot_command *command;

	if (argc < 2)
		return commands_help(table, stderr);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "-?") == 0)
		return output_finish(commands_help(table, stdout));
	command = commands_find(table, argv[1]);
	return command != NULL ? command->run(argc - 1, argv + 1) : unknown_command(table, argv[1]);
}
