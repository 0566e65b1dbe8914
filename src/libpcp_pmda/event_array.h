/*
 * event_array - event records under construction, in the form that clients decode
 * (docs/spec/pmda.md 13).
 *
 * An array is a handle, an index of a table of the process; its bytes are those of a pmEventArray
 * or a pmHighResEventArray: the functions used on it decide which. <pcp/pmda.h> has the interface
 * for agents; this one adds the rollback of an event's records, which a queue needs when it cannot
 * deliver the whole event.
 */
#ifndef LIBPCP_PMDA_EVENT_ARRAY_H
#define LIBPCP_PMDA_EVENT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ea_len has 24 bits: longer arrays do not exist. */
enum { EVENT_ARRAY_LEN_MAX = 0x00ffffff };

struct event_array {
	char *bytes;
	size_t cap;
	size_t used;       /* bytes, the array's header included */
	size_t nparams;    /* where er_nparams of the newest record is; 0: no record that has any */
	uint32_t nrecords; /* of an image, whose first ones go, it may wrap */
	int err;   /* why something was not added since the last reset or rollback, whichever call
		    * failed: 0 if all was, -E2BIG if it did not fit into the 24 bits of a length, or
		    * -ENOMEM */
	bool kept; /* by a queue: only the queue releases or empties it */
};

/* The array of a handle, or NULL. It stays where it is until it is released. */
struct event_array *event_array_of(int handle);

/* Makes it empty. */
void event_array_reset(struct event_array *a);

/* Empties it, and gives back what it has grown by. */
void event_array_shrink(struct event_array *a);

/* The position in an array. */
struct event_mark {
	size_t used;
	size_t nparams;
	uint32_t nrecords;
};

static inline struct event_mark event_array_mark(const struct event_array *a)
{
	return (struct event_mark){a->used, a->nparams, a->nrecords};
}

/* Back to there: whatever was added since is gone, and the error with it. */
void event_array_rollback(struct event_array *a, const struct event_mark *mark);

#endif
