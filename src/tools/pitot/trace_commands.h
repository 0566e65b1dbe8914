/*
 * trace_commands - the commands below `pitot trace`, one row each in trace_commands.c.
 *
 *     trace_target   the traced process, its end, and the signals that stop us
 *     trace_stream   the stream that records it: options, filter, making and ending
 *     trace_source   events out of a stream or a log, with the names and fields of their types
 *     trace_select   which of them are wanted
 *     trace_line     an event as a line of text or JSON
 *     trace_account  how many events were emitted, and where they are
 *     trace_log      a stream that writes a log while a process runs
 *     trace_live     a stream that is read while a process runs
 *     export_sink    where an export goes: ctf, perfetto, export_json
 *     metric_track   metrics of an archive, for exports
 *
 * All but the last use only <trace.h> and <trace_np.h>.
 */
#ifndef PITOT_TRACE_COMMANDS_H
#define PITOT_TRACE_COMMANDS_H

#include <stdint.h>
#include <trace_np.h>

int trace_record_run(int argc, char **argv);
int trace_run_run(int argc, char **argv);
int trace_follow_run(int argc, char **argv);
int trace_list_run(int argc, char **argv);
int trace_status_run(int argc, char **argv);
int trace_dump_run(int argc, char **argv);
int trace_export_run(int argc, char **argv);
int trace_recover_run(int argc, char **argv);

/* A message "pitot: trace COMMAND: SUBJECT: the error of a <trace.h> function". PITOT_FAILED. */
int trace_failed(const char *command, const char *subject, int error);

/* A size with an optional k, M or G (of 1024). 0, or -1 after a message that names the option. */
int trace_size(const char *option, const char *text, uint64_t *ret_size);

/* Takes a time zone from the command line. 0, or -1 after a message: there is none of that name. */
int trace_take_zone(const char *value, const char **ret_zone);

/* Shows times in a time zone from here on; NULL: leaves it. */
void trace_zone(const char *zone);

/* Opens a complete log for reading. 0, or -1 after a message that also says what would help. */
int trace_open_log(const char *command, const char *path, trace_id_t *ret_trid);

#endif
