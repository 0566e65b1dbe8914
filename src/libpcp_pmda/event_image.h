/*
 * event_image - the records of a queue's events, encoded once for all clients that see them
 * (pmdaEventQueueShare).
 *
 *     | gap | records of event | records of event | records of event |
 *     |              first  -->|<-- a client's array: from its position to the end
 *
 * A client's array is the end of the image, so it costs no more than its header. The header is
 * written over the bytes before the array's first record, which belong to events that the client
 * has had, or to the gap; they are restored when the next array is requested.
 */
#ifndef LIBPCP_PMDA_EVENT_IMAGE_H
#define LIBPCP_PMDA_EVENT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libpcp_pmda/event_array.h"
#include "libpcp_pmda/event_store.h"

/* An array's header and a record for missed events, of the longer kind. */
enum { EVENT_IMAGE_GAP = 32 };

struct event_image {
	int array; /* handle of the bytes; -1: the queue is not shared */
	uint64_t first;
	uint64_t next;    /* events from first to before next are in it */
	uint32_t removed; /* bytes taken from its front, so that offsets stay true; both wrap */
	size_t covered_at;
	size_t covered; /* bytes under the last array's header */
	char under[EVENT_IMAGE_GAP];
};

/* An image that is not used until its array has a handle. */
void event_image_init(struct event_image *img);

/* Makes the image begin at an event or before, and end there or after. */
void event_image_begin(struct event_image *img, const struct event_store *s, uint64_t number);

/* Forgets what is in it: it begins at an event. */
void event_image_reset(struct event_image *img, uint64_t number);

/* The records of event img->next were added: they begin where the array stood before. */
void event_image_add(struct event_image *img, struct event *e, const struct event_mark *before);

/*
 * The array from an event to the end of the image, beginning with how many were missed (0: none);
 * NULL if it has no records.
 */
pmValueBlock *event_image_array(struct event_image *img, const struct event_store *s,
				uint64_t number, bool highres, int missed,
				const union event_stamp *stamp);

#endif
