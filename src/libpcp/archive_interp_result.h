/* archive_interp_result - the result of archive_interp, in memory as host_form has it. */
#ifndef LIBPCP_ARCHIVE_INTERP_RESULT_H
#define LIBPCP_ARCHIVE_INTERP_RESULT_H

#include <stddef.h>

#include <pcp/pmapi.h>

#include "libpcp/archive_track.h"

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
