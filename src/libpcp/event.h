/*
 * event - event records: docs/spec/pmapi.md 21.1.
 *
 * An event array in a value block is walked record by record, in both resolutions alike; every
 * length is checked against the block before it is used.
 *
 * The special metrics, event.flags and event.missed, exist without a source: unpacking adds them to
 * each event record as parameters (docs/spec/pdu.md 6), so every context knows their names and
 * descriptors. They have no values outside event records.
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

struct special {
	const char *name;
	pmDesc desc;
	const char *oneline;
	const char *help;
};

/* NULL: not one of them. */
const struct special *special_by_name(const char *name);
const struct special *special_find(pmID pmid);

/* Asked for every metric of a fetch, so the answer for ordinary ones is quick. */
static inline const struct special *special_by_pmid(pmID pmid)
{
	return pmid >> 22 == DYNAMIC_PMID ? special_find(pmid) : NULL;
}

/* Walks them in their order: NULL, then what came last. NULL at the end. */
const struct special *special_next(const struct special *last);

#endif
