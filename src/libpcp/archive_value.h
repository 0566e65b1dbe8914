/*
 * archive_value - values at a time between two records (docs/spec/archive.md 10.4): computed one by
 * one, and as a result in memory, in the layout of libvalue/host_form.h.
 */
#ifndef LIBPCP_ARCHIVE_VALUE_H
#define LIBPCP_ARCHIVE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libpcp/archive_track.h"

/* A part of the time between two values: done of all. */
struct interp_way {
	double done;
	double all;
	bool wrap; /* a counter that fell has wrapped once; else it is taken as it is */
};

/* The value of a numeric type after that part of the way from one value to another. */
pmAtomValue interpolate(int type, const struct interp_way *w, const pmAtomValue *from,
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
