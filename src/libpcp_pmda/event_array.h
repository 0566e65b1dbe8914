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

/* Where an array stands. */
struct event_mark {
	size_t used;      /* bytes, the array's header included */
	size_t record;    /* where the current record's er_flags are, 0: there is no record */
	uint32_t nparams; /* parameters of it */
	int nrecords;
};

/* Where the array stands, and forgets what did not fit. False for a handle that is none. */
bool event_array_mark(int handle, struct event_mark *ret_mark);

/* Back to there: whatever was added since is gone. */
void event_array_rollback(int handle, const struct event_mark *mark);

/*
 * What was not added since the last mark, whoever was told: 0 for nothing, -E2BIG if it did not fit
 * into the 24 bits of a length, -ENOMEM.
 */
int event_array_error(int handle);

/* Records in it. */
int event_array_records(int handle);

#endif
