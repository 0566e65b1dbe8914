/*
 * archive_interp - values at a time, from the records before and after it in archives: pmFetch in
 * the mode INTERP (docs/spec/archive.md 10.4).
 */
#ifndef LIBPCP_ARCHIVE_INTERP_H
#define LIBPCP_ARCHIVE_INTERP_H

#include <stddef.h>

#include <pcp/pmapi.h>

struct archive_interp;
struct context;

/*
 * The values at the context's time, which moves on by delta, whatever comes of it. As the operation
 * fetch, but that the result is not yet known to results.h.
 */
int archive_interp_fetch(struct context *ctx, size_t n, const pmID *pmids,
			 pmHighResResult **ret_result);

/* The context's time was set: what is known of values stays, the memory of marks does not. NULL is
 * allowed. */
void archive_interp_moved(struct archive_interp *ip);

void archive_interp_free(struct archive_interp *ip);

#endif
