/*
 * result_record - whole data records: to the host's form, from it, and copied (docs/spec/archive.md
 * 6.1, 6.2). Readers that need speed read a record in place: result_view.h.
 */
#ifndef LIBDISK_RESULT_RECORD_H
#define LIBDISK_RESULT_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libdisk/limits.h"

struct buffer;
struct result_view;

/*
 * Makes a result of one whole record (frame included): one malloc'd block, as host_result_new
 * describes it. 0; PM_ERR_LOGREC for anything that does not follow the layout; -ENOMEM.
 */
int result_record_to_host(int version, const void *record, size_t len,
			  pmHighResResult **ret_result);

/*
 * Appends the record of n value sets in host form; without sets it is a mark. One reservation in
 * the buffer, no other memory. A set that can't be carried (bad valfmt, a block shorter than its
 * header or its numeric type, a malformed event array) gets numval PM_ERR_CONV. 0, -ERANGE for a
 * time that the version can't hold, PM_ERR_TOOBIG if the record would exceed RECORD_MAX, -ENOMEM;
 * after a failure the buffer is as it was.
 */
int result_record_put(struct buffer *out, int version, const struct timespec *stamp,
		      pmValueSet *const *sets, uint32_t n);

static inline int result_record_put_mark(struct buffer *out, int version,
					 const struct timespec *stamp)
{
	return result_record_put(out, version, stamp, NULL, 0);
}

/*
 * Appends a record with the sets and blocks of a view: of a record of any version, or of a RESULT
 * or HIGHRES_RESULT (view->at is then 24 or 32). They are copied; only positions change. The view
 * must have passed result_view_check. Errors as above.
 */
int result_record_copy(struct buffer *out, int version, const struct timespec *stamp,
		       const struct result_view *view);

#endif
