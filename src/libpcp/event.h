/*
 * event - the records of an event array in a value block: docs/spec/pmapi.md 21.1.
 *
 * Both resolutions are walked alike; every length is held against the block before it is believed.
 */
#ifndef LIBPCP_EVENT_H
#define LIBPCP_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

/* The position of a walk. */
struct event_walk {
	const uint8_t *pos;
	const uint8_t *end;
	int left; /* records not yet seen */
	bool highres;
};

/* One record; its parameters are taken with event_param. */
struct event_record {
	struct timespec stamp;
	uint32_t flags;
	int nparams; /* parameters, or for PM_EVENT_FLAG_MISSED how many events are missing */
	const uint8_t *params;
};

/* Starts at the first record. The number of records, or PM_ERR_TOOSMALL for lengths that cannot
 * be. */
int event_walk_begin(struct event_walk *w, const pmValueBlock *block, bool highres);

/* The next record: 1, 0 at the end, or PM_ERR_TOOBIG, PM_ERR_TOOSMALL, PM_ERR_CONV, PM_ERR_TYPE. */
int event_walk_next(struct event_walk *w, struct event_record *ret_record);

/* Parameter at *pos, which is moved on; the walk has checked it. Its value is ep_len - 4 bytes at
 * *ret_value. */
pmEventParameter event_param(const uint8_t **pos, const uint8_t **ret_value);

#endif
