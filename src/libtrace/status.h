/* status - the state of a stream, for the holder of its mutex and for the completion of a log.
 * System calls only. */
#ifndef LIBTRACE_STATUS_H
#define LIBTRACE_STATUS_H

#include <stdbool.h>

#include <trace_np.h>

#include "libtrace/reader.h"

/* reset: clears overruns and the flush error, as posix_trace_get_status() does. */
void status_read(struct reader *reader, bool reset, struct posix_trace_status_info *ret_status);

/* User events by their fate. The counts add up to the number emitted when no thread is in the
 * middle of a record. */
void status_counts(struct reader *reader, struct posix_trace_counts_np *ret_counts);

#endif
