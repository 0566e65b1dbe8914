/* pitot - see pitot.h. */
#include "pitot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "nearest.h"
#include "tools/common/output.h"

static const struct pitot_command commands[] = {
    {"up", "collect this host's metrics until interrupted", up_run},
    {"status", "what runs, what it costs, and what is wrong with it", status_run},
    {"doctor", "what is wrong, and the command that mends it", doctor_run},
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

void pitot_complain(const char *fmt, ...)
{
	va_list ap;

	fputs("pitot: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static int print_help(FILE *f)
{
	fputs("Usage: pitot COMMAND [OPTIONS]\n\n"
	      "Performance metrics of this host, in one command.\n\n"
	      "Commands:\n",
	      f);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\nOptions:\n"
	      "  --help     show this text; `pitot COMMAND --help` shows a command's\n"
	      "  --version  show the version\n",
	      f);
	return f == stdout ? PITOT_OK : PITOT_USAGE;
}

static const struct pitot_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[COMMANDS], *near;

	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	near = nearest(name, names, COMMANDS);
	if (near != NULL)
		pitot_complain("unknown command '%s': did you mean 'pitot %s'?", name, near);
	else
		pitot_complain("unknown command '%s': see pitot --help", name);
	return PITOT_USAGE;
}

/* `pitot help COMMAND` is `pitot COMMAND --help`. */
static int help(int argc, char **argv)
{
	char *help_argv[] = {argc > 1 ? argv[1] : NULL, "--help", NULL};
	const struct pitot_command *command;

	if (argc < 2)
		return output_finish(print_help(stdout));
	command = find_command(argv[1]);
	return command != NULL ? command->run(2, help_argv) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct pitot_command *command;

	pmSetProgname("pitot");
	if (name == NULL)
		return print_help(stderr);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-?") == 0)
		return output_finish(print_help(stdout));
	if (strcmp(name, "help") == 0)
		return help(argc - 1, argv + 1);
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("pitot " PITOT_VERSION " (compatible with PCP " PCP_VERSION_STRING ")");
		return output_finish(PITOT_OK);
	}
	command = find_command(name);
	return command != NULL ? command->run(argc - 1, argv + 1) : unknown_command(name);
}
