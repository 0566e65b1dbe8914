/*
 * log_reader - a complete log, verified as a whole when opened, read with positioned reads through
 * a duplicate of the descriptor. Never crashes, hangs, or allocates without bound on what it finds:
 * memory for one block, one event, and the names; work in proportion to the file.
 */
#ifndef LIBTRACE_LOG_READER_H
#define LIBTRACE_LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <trace_np.h>

#include "libtrace/event.h"

struct log_reader;

/* A descriptor that can be read, on a complete log; its offset is left alone: 0, -EINVAL, -ENOMEM. */
int log_reader_open(int fd, struct log_reader **ret);
void log_reader_close(struct log_reader *log);

/* The next event: 1, 0 at the end, -EINVAL: the file has changed since. */
int log_reader_next(struct log_reader *log, struct event *ret);
void log_reader_rewind(struct log_reader *log);

const trace_attr_t *log_reader_attr(const struct log_reader *log);
const struct posix_trace_status_info *log_reader_status(const struct log_reader *log);
const struct posix_trace_counts_np *log_reader_counts(const struct log_reader *log);

/* Types in order of id, the predefined ones too: the id after `after` (0: the first) and its name;
 * false at the end. */
bool log_reader_type(const struct log_reader *log, trace_event_id_t after, trace_event_id_t *ret_id,
		     const char **ret_name);
/* Up to max fields of a type, and how many it has: 0, -EINVAL (no such type). */
int log_reader_fields(const struct log_reader *log, trace_event_id_t id,
		      struct posix_trace_field_np *fields, size_t max, size_t *ret_count);

#endif
