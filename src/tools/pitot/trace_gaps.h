/*
 * trace_gaps - where in a log events are missing, and how many.
 *
 * Two passes: the first counts the gaps, because how many events were lost is known as a total for
 * each reason, not for each gap: every gap but the last of its kind shows one, the last the rest.
 */
#ifndef PITOT_TRACE_GAPS_H
#define PITOT_TRACE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include <trace_np.h>

#include "trace_source.h"

enum { TRACE_GAP_KINDS = 2 };

/* Losses of one kind: a pair of events marks each. */
struct gap {
	trace_event_id_t begin, end;
	uint64_t lost, n; /* in all; gaps */
	uint64_t seen;
	bool open;
	int64_t from_ns;
};

struct trace_gaps {
	struct gap kinds[TRACE_GAP_KINDS];
};

void trace_gaps_init(struct trace_gaps *gaps, const struct posix_trace_counts_np *counts);

/* First pass: an event. */
void trace_gaps_count(struct trace_gaps *gaps, const struct trace_event *e);

/* Between the passes. */
void trace_gaps_rewind(struct trace_gaps *gaps);

/* Second pass: true if the event ends a gap, which began then and lost so many. */
bool trace_gaps_ends(struct trace_gaps *gaps, const struct trace_event *e, int64_t *ret_from_ns,
		     uint64_t *ret_lost);

/* Losses of the kinds that no pair of events marks. */
uint64_t trace_gaps_unmarked(const struct trace_gaps *gaps);

#endif
