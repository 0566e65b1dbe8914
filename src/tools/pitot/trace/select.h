/*
 * select - the choice of events: by name, process and time.
 *
 * The options are those of `dump`, `follow` and `export`.
 */
#ifndef PITOT_TRACE_SELECT_H
#define PITOT_TRACE_SELECT_H

#include <stdbool.h>
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

enum {
	TRACE_SELECT_SINCE = OPTIONS_NO_LETTER + 100,
	TRACE_SELECT_UNTIL,
};

/* clang-format off */
#define TRACE_SELECT_NAME { "name",  1, 'n', "NAMES", "events of these types; *, ? and [] match" }
#define TRACE_SELECT_ROWS                                                                          \
	TRACE_SELECT_NAME,                                                                         \
	{ "pid",   1, 'p', "PIDS", "events of these processes" },                               \
	{ "since", 1, TRACE_SELECT_SINCE, "TIME", "not before: [DATE-]HH:MM[:SS.N], @SECONDS, +SECONDS" }, \
	{ "until", 1, TRACE_SELECT_UNTIL, "TIME", "before then" }
/* clang-format on */

/* Handles one of the rows. Returns 0, or -1 after a message; 1: not one of them. */
int trace_select_take(struct trace_select *s, int letter, const char *value);

/*
 * Parses the times in the current time zone. A time without a date means the day, and the time
 * after the moment, when the stream was made. Returns 0, or -1 after a message.
 */
int trace_select_times(struct trace_select *s, const struct timespec *created);

bool trace_select_wants(const struct trace_select *s, const struct trace_event *e);

void trace_select_done(struct trace_select *s);

#endif
