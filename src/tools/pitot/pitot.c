/*
 * pitot - the table of commands, and main: apart from the rest, which tests link.
 */
#include "tools/pitot/pitot.h"

#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"

static const struct pitot_command commands[] = {
    {"up", "collect this host's metrics until interrupted", up_run},
    {"status", "what runs, what it costs, and what is wrong with it", status_run},
    {"doctor", "what is wrong, and the command that mends it", doctor_run},
    {"archives", "list, check, merge, compress and remove archives", archives_run},
    {"trace", "record and read the events of programs", trace_run},
};

static const struct commands table = {
    .program = "pitot",
    .about = "Performance metrics and events of this host, in one command.",
    .options = "  --version  show the version\n",
    .rows = commands,
    .n = sizeof(commands) / sizeof(commands[0]),
};

/* `pitot help COMMAND` is `pitot COMMAND --help`. */
static int help(int argc, char **argv)
{
	char *help_argv[] = {"pitot", argc > 1 ? argv[1] : "--help", argc > 1 ? "--help" : NULL,
			     NULL};

	return commands_run(&table, argc > 1 ? 3 : 2, help_argv);
}

int main(int argc, char **argv)
{
	pmSetProgname("pitot");
	if (argc > 1 && strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
		puts("pitot " PITOT_VERSION " (compatible with PCP " PCP_VERSION_STRING ")");
		return output_finish(PITOT_OK);
	}
	return commands_run(&table, argc, argv);
}
