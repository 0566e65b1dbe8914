/*
 * status - what a stream is like, for whoever holds its mutex: the interface, and who completes a
 * log. System calls only.
 */
#ifndef LIBTRACE_STATUS_H
#define LIBTRACE_STATUS_H

#include <stdbool.h>

#include <trace_np.h>

#include "libtrace/reader.h"

/* reset: overruns and flush error are taken, as posix_trace_get_status() does. */
void status_read(struct reader *reader, bool reset, struct posix_trace_status_info *ret);

/* User events by what became of them; they sum up to what was emitted, when nobody is in the middle
 * of recording. */
void status_counts(struct reader *reader, struct posix_trace_counts_np *ret);

#endif
