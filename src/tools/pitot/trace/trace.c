/*
 * trace - the table of the commands below `pitot trace`.
 */
#include "tools/pitot/trace/trace.h"

#include "tools/pitot/pitot.h"

static const struct pitot_command commands[] = {
    {"record", "record the events of a command or a process into a log", trace_record_run},
    {"run", "run a command: record its events, and show them as they come", trace_run_run},
    {"follow", "show the events of a command or a process as they come", trace_follow_run},
    {"list", "which processes can be traced, and what killed tracers left", trace_list_run},
    {"status", "what is being traced, or what a log holds", trace_status_run},
    {"dump", "print the events of a log", trace_dump_run},
    {"export", "write a log in a format of other programs", trace_export_run},
    {"recover", "make a log of an incomplete one, or of what a killed tracer left",
     trace_recover_run},
};

static const struct commands table = {
    .program = "pitot trace",
    .about = "Records and reads the events of programs that use <trace.h>.",
    .options = "",
    .rows = commands,
    .n = sizeof(commands) / sizeof(commands[0]),
};

int trace_run(int argc, char **argv)
{
	return commands_run(&table, argc, argv);
}
