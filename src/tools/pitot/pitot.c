/* pitot - see pitot.h. */
#include "pitot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct pitot_command commands[] = {
    {"up", "collect this host's metrics until interrupted", up_run},
};

void pitot_complain(const char *fmt, ...)
{
	va_list ap;

	fputs("pitot: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void print_help(FILE *f)
{
	fputs("Usage: pitot COMMAND [OPTIONS]\n\n"
	      "Performance metrics of this host, in one command.\n\n"
	      "Commands:\n",
	      f);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\nOptions:\n"
	      "  --help     show this text; `pitot COMMAND --help` shows a command's\n"
	      "  --version  show the version\n",
	      f);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (name == NULL) {
		print_help(stderr);
		return PITOT_USAGE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0 || strcmp(name, "-?") == 0) {
		print_help(stdout);
		return PITOT_OK;
	}
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("pitot " PITOT_VERSION " (compatible with PCP " PCP_VERSION_STRING ")");
		return PITOT_OK;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(name, commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	pitot_complain("unknown command '%s': see pitot --help", name);
	return PITOT_USAGE;
}
