/*
 * archive_track - the instances of one metric around a time: the last value before it and the first
 * one after it (docs/spec/archive.md 10.4).
 *
 *        prior                      next
 *     ---[value]------------- t ----[value]---   no value and no mark in between
 *
 * Everything between prior and next is known, so a time in there costs no reading. Times are
 * seconds from the start of the first archive.
 *
 * A search goes through records back from t, until every instance that is open has a prior, and
 * then forward from t for the next ones. A record is read once for all metrics that are open.
 */
#ifndef LIBPCP_ARCHIVE_TRACK_H
#define LIBPCP_ARCHIVE_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct archive_meta;
struct result_view;
struct vset_view;

enum bound_kind {
	BOUND_UNKNOWN, /* nothing up to its time, and not looked further */
	BOUND_NONE,    /* nothing to the end of the archives */
	BOUND_MARK,
	BOUND_VALUE,
};

/* A value block as it lay in a record. */
struct held_block {
	uint32_t len;
	uint8_t bytes[];
};

struct bound {
	enum bound_kind kind;
	double t;
	union { /* of a value, by the type of the metric */
		pmAtomValue number;
		struct held_block *block;
	};
};

struct track {
	int inst;
	bool open;
	struct bound prior;
	struct bound next;
	double birth; /* outside of birth to death there is nothing to look for */
	double death;
};

struct archive_track {
	pmDesc desc;
	bool numeric;
	bool in_place; /* values of 32 bits are words */
	size_t n;
	struct track *tracks; /* ascending by instance */
	size_t open;
	/* The last fetch: a counter has no value if a mark is between it and the next one. */
	bool fetched;
	struct timespec last;
	size_t last_count;
};

/* The instances that a metric ever had; nothing is known of their values. 0; -ENOMEM, and what
 * reading the metadata says. */
int archive_track_new(struct archive_meta *meta, const pmDesc *desc, const struct timespec *base,
		      struct archive_track **ret_track);
void archive_track_free(struct archive_track *m);

/*
 * Before a search back: opens a track if it must be searched to know what was at t. True if so;
 * *floor is lowered to the time where what is known begins, at which the search may end.
 */
bool archive_track_open_back(struct archive_track *m, struct track *track, double t, double *floor);

/* The same before a search forward. */
bool archive_track_open_forward(struct archive_track *m, struct track *track, double t);

/* A record of time rt has this set: the open tracks that it has values for are closed. 0, -ENOMEM,
 * PM_ERR_LOGREC. */
int archive_track_see(struct archive_track *m, const struct result_view *view,
		      const struct vset_view *set, double rt, bool back);

/* There is a mark at rt: all open tracks end there. */
void archive_track_see_mark(struct archive_track *m, double rt, bool back);

/* Nothing more to see: what is open stays as it was known before, or has nothing. */
void archive_track_see_end(struct archive_track *m, double t, bool back);

/* The archives end later than when nothing was found up to end. */
void archive_track_grown(struct archive_track *m, double end);

/* After a failure: forget all. */
void archive_track_forget(struct archive_track *m);

#endif
