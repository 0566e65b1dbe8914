/*
 * event_array - event records under construction, as clients will take them apart
 * (docs/spec/pmda.md 13).
 *
 * An array is a handle, an index of a table of the process; its bytes are those of a pmEventArray
 * or a pmHighResEventArray, and only the functions used on it tell which. What is said in
 * <pcp/pmda.h> is for agents; here is what a queue needs besides: to take back the records of an
 * event that could not be told whole.
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
	int err; /* why something was not added since the last reset or rollback, whoever was told:
		  * 0 if all was, -E2BIG if it did not fit into the 24 bits of a length, or
		  * -ENOMEM */
	bool kept; /* by a queue: nobody else releases or empties it */
};

/* The array of a handle, or NULL. It stays where it is until it is released. */
struct event_array *event_array_of(int handle);

/* Makes it empty. */
void event_array_reset(struct event_array *a);

/* Empties it, and gives back what it has grown by. */
void event_array_shrink(struct event_array *a);

/* Where an array stands. */
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
