/*
 * archive_search - finds the values before and after a time in archives, for archive_interp.
 *
 * A track whose known values do not enclose the time is open (archive_track.h). The search reads
 * back from the time, then forward, and shows each record to the open tracks of the metrics in it,
 * until no track is open or an end or a mark is reached.
 */
#ifndef LIBPCP_ARCHIVE_SEARCH_H
#define LIBPCP_ARCHIVE_SEARCH_H

#include <time.h>

#include "libpcp/archive_marks.h"

struct archive_track;
struct context;

struct archive_search {
	struct timespec base; /* times in seconds are since this one */
	/* For each metric of the request in want; NULL: the archives don't know it. The owner's. */
	struct archive_track **list;
	struct archive_marks marks;
};

/*
 * Finds the values before and after the time t, which is the context's time, for the metrics and
 * instances that the context wants. 0; an error of reading, after which the tracks know
 * nothing.
 */
int archive_search_bounds(struct archive_search *s, struct context *ctx, double t);

#endif
