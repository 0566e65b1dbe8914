/*
 * batch - the events of one fetch, or of one record of an archive. They come from all metrics and
 * instances and are put in the order of their times.
 */
#ifndef PMEVENT_BATCH_H
#define PMEVENT_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "tools/common/event.h"

struct record;

/* The events of one instance of one metric. */
struct batch_part {
	const char *metric;
	const char *instance; /* NULL if the metric has no instances */
	char *owned;          /* the part of the name to be freed, or NULL */
	int inst;
	struct event_records records;
};

/* The place of an event. */
struct batch_item {
	struct timespec stamp;
	size_t part;
	int record;
};

/* An all-zero batch is empty. */
struct batch {
	struct batch_part *parts;
	size_t n, room;
	struct batch_item *items;
	size_t n_items, items_room;
};

/*
 * Takes over a part, whose name and records the batch frees. Returns false if there is no memory.
 */
bool batch_add(struct batch *b, const struct batch_part *part);

/*
 * Calls show for each event, in the order of time; events of the same time stay in the order in
 * which they were added.
 */
void batch_each(struct batch *b, void (*show)(const struct record *r, void *arg), void *arg);

/* Empties the batch. */
void batch_done(struct batch *b);

#endif
