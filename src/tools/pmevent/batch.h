/*
 * batch - the events of one fetch, or of one record of an archive, whatever metric and instance
 * they are of, in the order of their times.
 */
#ifndef PMEVENT_BATCH_H
#define PMEVENT_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "tools/common/event.h"

struct record;

/* Of one instance of one metric. */
struct batch_part {
	const char *metric;
	const char *instance; /* NULL: the metric has none */
	char *owned;          /* what of the name is to be freed; or NULL */
	int inst;
	struct event_records records;
};

/* Where an event is. */
struct batch_item {
	struct timespec stamp;
	size_t part;
	int record;
};

/* All zero is empty. */
struct batch {
	struct batch_part *parts;
	size_t n, room;
	struct batch_item *items;
	size_t n_items, items_room;
};

/* Takes a part over, of which it frees the name and the records. False: there is no memory. */
bool batch_add(struct batch *b, const struct batch_part *part);

/* Shows each event, in order; those of the same time as they were added. */
void batch_each(struct batch *b, void (*show)(const struct record *r, void *arg), void *arg);

/* Empties it. */
void batch_done(struct batch *b);

#endif
