/*
 * select - the choice of events: by name, process and time.
 *
 * The options are those of `dump`, `follow` and `export`.
 */
#ifndef PITOT_TRACE_SELECT_H
#define PITOT_TRACE_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "tools/common/names.h"
#include "tools/pitot/pitot.h"

struct trace_event;

struct trace_select {
	struct wordlist names, pids; /* none: all; names may be patterns */
	const char *since, *until;
	int64_t since_ns, until_ns;
};

/* Rows of the command whose struct has the choice at this place: offsetof(struct command, select).
 */
/* clang-format off */
#define TRACE_SELECT_AT(at, member) ((at) + offsetof(struct trace_select, member))
#define TRACE_SELECT_NAME(at) \
	{ { "name",  1, 'n', "NAMES", "events of these types; *, ? and [] match" }, CMDLINE_SET, TRACE_SELECT_AT(at, names), .set = trace_set_names }
#define TRACE_SELECT_ROWS(at) \
	TRACE_SELECT_NAME(at), \
	{ { "pid",   1, 'p', "PIDS", "events of these processes" }, CMDLINE_SET, TRACE_SELECT_AT(at, pids), .set = trace_set_pids }, \
	{ { "since", 1, 0, "TIME", "not before: [DATE-]HH:MM[:SS.N], @SECONDS, +SECONDS" }, CMDLINE_TEXT, TRACE_SELECT_AT(at, since) }, \
	{ { "until", 1, 0, "TIME", "before then" }, CMDLINE_TEXT, TRACE_SELECT_AT(at, until) }
/* clang-format on */

/* Add to a struct wordlist: names of event types, at least one; process ids. */
void trace_set_names(pmOptions *opts, const struct cmdline_row *row, void *target);
void trace_set_pids(pmOptions *opts, const struct cmdline_row *row, void *target);

/*
 * Parses the times in the current time zone. A time without a date means the day, and the time
 * after the moment, when the stream was made. Returns 0, or -1 after a message.
 */
int trace_select_times(struct trace_select *s, const struct timespec *created);

bool trace_select_wants(const struct trace_select *s, const struct trace_event *e);

void trace_select_done(struct trace_select *s);

#endif
