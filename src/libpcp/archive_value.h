/*
 * archive_value - values at a time between two records (docs/spec/archive.md 10.4): computed one by
 * one, and as a result in memory, in the layout of libvalue/host_form.h.
 */
#ifndef LIBPCP_ARCHIVE_VALUE_H
#define LIBPCP_ARCHIVE_VALUE_H

#include <stddef.h>

#include <pcp/pmapi.h>

#include "libpcp/archive_track.h"

/*
 * The value at a time between two values of a numeric type, when done of all the time between them
 * has passed. A counter that goes down is taken as it is, or, if the environment has
 * PCP_COUNTER_WRAP, as one that went round once.
 */
pmAtomValue interpolate(int type, double done, double all, const pmAtomValue *from,
			const pmAtomValue *to);

/* A value at a time: a number if its metric is numeric, else a block of the archive's. */
struct interp_value {
	int inst;
	union {
		pmAtomValue number;
		const struct held_block *block;
	};
};

/* The values of one metric. */
struct interp_part {
	pmID pmid;
	const struct archive_track *m;     /* not looked at if n <= 0 */
	const struct interp_value *values; /* n of them */
	int n;                             /* or an error */
};

/* One block of memory, the caller's. 0, -ENOMEM. */
int archive_interp_result(const struct timespec *stamp, const struct interp_part *parts, size_t n,
			  pmHighResResult **ret_result);

#endif
