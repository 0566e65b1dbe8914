/*
 * log_reader - reads a complete log: verified as a whole when it is opened, then read with
 * positioned reads through a duplicate of the descriptor. Whatever the file contains, it does not
 * crash, hang, or allocate without bound: memory for one block, one event, and the names; work
 * proportional to the file.
 */
#ifndef LIBTRACE_LOG_READER_H
#define LIBTRACE_LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <trace_np.h>

#include "libtrace/event.h"

struct log_reader;

/* Opens a complete log through a readable descriptor, whose offset does not change: 0, -EINVAL,
 * -ENOMEM. */
int log_reader_open(int fd, struct log_reader **ret_reader);
void log_reader_close(struct log_reader *log);

/* The next event: 1, 0 at the end, -EINVAL: the file has changed meanwhile. */
int log_reader_next(struct log_reader *log, struct event *ret_event);
void log_reader_rewind(struct log_reader *log);

const trace_attr_t *log_reader_attr(const struct log_reader *log);
const struct posix_trace_status_info *log_reader_status(const struct log_reader *log);
const struct posix_trace_counts_np *log_reader_counts(const struct log_reader *log);

/* Types in order of id, predefined ones included: the id that follows `after` (0: the first) and
 * its name; false at the end. */
bool log_reader_type(const struct log_reader *log, trace_event_id_t after, trace_event_id_t *ret_id,
		     const char **ret_name);
/* Up to max fields of a type, and their number: 0, -EINVAL (no such type). */
int log_reader_fields(const struct log_reader *log, trace_event_id_t id,
		      struct posix_trace_field_np *fields, size_t max, size_t *ret_count);

/*
 * ---- log_recover.c ----
 * Makes a complete log of the intact parts of an incomplete one, after the controller and its
 * keeper were killed, or the machine went down. Accepts any bytes; memory for one block and one
 * event.
 */

/* Number of events kept, and bytes of blocks that were damaged or have only parts of events. 0,
 * -EINVAL: no valid head, or both descriptors have the same file; -EBADF, -EFBIG, -ENOSPC,
 * -ENOMEM. */
int log_recover(int from, int to, uint64_t *ret_kept, uint64_t *ret_dropped);

#endif
