/*
 * load - events of many writers whose loss, order and bytes can be checked.
 *
 * Each event has its writer, its number, and a sum of both. PITOT_TRACE_SOAK multiplies the length
 * of the stress tests (1 if it is not set).
 */
#ifndef TRACE_LOAD_H
#define TRACE_LOAD_H

#include "tool.h"

#include <trace_np.h>

#define LOAD_WRITERS 1024
#define LOAD_S       600 /* a test that takes longer hangs: most take some seconds on an idle machine */

struct load_event {
	uint32_t who, number;
	uint64_t check;
};

/* The events of each writer that a reader has received. */
struct load_seen {
	uint32_t next[LOAD_WRITERS]; /* number that is due */
	int64_t last[LOAD_WRITERS];  /* time of the last one */
	uint64_t count;
	bool gaps; /* numbers may be missing */
};

/* A count times PITOT_TRACE_SOAK. */
uint64_t load_times(uint64_t count);
void load_emit(trace_event_id_t id, uint32_t who, uint32_t number);
/* Looks at an event: whole, of a writer in order, no earlier than its last one. */
void load_see(struct load_seen *seen, const struct event *event);
/* Reads what there is of this type; other types are passed over. Gives how many. Nobody records
 * meanwhile: the end may never come otherwise. */
uint64_t load_drain(trace_id_t trid, trace_event_id_t id, struct load_seen *seen);
/* The same where others go on recording, who may outrun it: no longer than until then, in ns of
 * CLOCK_MONOTONIC. */
void load_drain_until(trace_id_t trid, trace_event_id_t id, struct load_seen *seen, int64_t end);

/* Bytes that a stream needs to hold this many of them for certain. */
size_t load_room(uint64_t count);
struct posix_trace_counts_np load_counts(trace_id_t trid);
/* Lines of /proc/self/maps. */
int load_mappings(void);
/* This process runs on so many processors from here on. */
void load_processors(int count);

#endif
