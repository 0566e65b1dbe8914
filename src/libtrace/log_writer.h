/*
 * log_writer - append events to a log, by its full policy.
 *
 *            written       first                   end
 *      |--------|------------|----- committed -------|------ free ------|     stream of payloads
 *               |------- current block --------| next
 * Its state, and the bytes that are not yet in the file, are in control memory, so that the keeper
 * can continue after a killed controller. Offsets only grow; the buffer is a ring.
 *
 * Writers      the controller with the stream's mutex held; after its death the keeper.
 * Invariants   written <= first <= end <= written + ring. Bytes are stored before the commit that
 *              makes them count. A commit is one store: {end, token, lost, full} exist twice, and
 *              `current` selects one. The payload of a block is in the file before the head that
 *              covers it.
 * Never here   malloc, stdio, locks: system calls only. errno may change.
 * Checked by   test_log_writer another_goes_on, an_event_is_added_once; test_log_recover;
 *              test_keeper killed_at_any_system_call
 */
#ifndef LIBTRACE_LOG_WRITER_H
#define LIBTRACE_LOG_WRITER_H

#include <stdbool.h>

#include "libtrace/control.h"
#include "libtrace/event.h"
#include "libtrace/log_types.h"

struct log_writer;

/* Bytes of control memory that a log needs for blocks and the largest event. */
uint64_t log_writer_memory(uint32_t data_max);

/* Checks descriptor and attributes (docs/spec/posix-trace.md 9.4, 10.3): 0, -EBADF, -EINVAL. */
int log_writer_check(int fd, const trace_attr_t *attr);

/* Truncates the file and writes the head, through a descriptor of its own. block:
 * log_writer_memory() bytes of zeroed memory. types: provides names; copied. 0, -EBADF, -EINVAL
 * (O_APPEND cannot be removed), -ENOSPC, -EFBIG, -ENOMEM, .... */
int log_writer_open(int fd, struct control *ctl, uint8_t *block, const struct log_types *types,
		    struct log_writer **ret_writer);

/* Continues the log of a dead controller; takes ownership of fd. 0, -EINVAL: there is none;
 * -ENOMEM. */
int log_writer_resume(int fd, struct control *ctl, uint8_t *block, const struct log_types *types,
		      struct log_writer **ret_writer);

/* Adds an event to the current block, and writes full blocks. token: identifies the event in its
 * source; the last event added is not added again (0: always add). -ENOSPC, -EFBIG, -EIO, ...:
 * nothing was added, and the caller may repeat the event. 1: the log is full by its policy, and
 * the event was counted as lost. */
int log_writer_add(struct log_writer *writer, const struct event *event, uint64_t token);

/* Counts an event as lost instead: 1. */
int log_writer_lose(struct log_writer *writer, const struct event *event, uint64_t token);

/* Does an UNTIL_FULL log end with a STOP event when it becomes full (default: yes)? */
void log_writer_set_stop(struct log_writer *writer, bool wanted);
/* Is it full? Then nothing is added until it is cleared. */
bool log_writer_full(const struct log_writer *writer);

/* Writes the current block. log_writer_peek() does not report events that were flushed. */
int log_writer_flush(struct log_writer *writer);

/* Empties the log (posix_trace_clear). */
int log_writer_clear(struct log_writer *writer);

/* For a getnext on a stream with log: the event of the current block at *position (0 at first),
 * or the oldest one left; advances *position. 1, 0: none. ret_event->data is borrowed. */
int log_writer_peek(struct log_writer *writer, uint64_t *position, struct event *ret_event);

/* Its descriptor, for the keeper. */
int log_writer_fd(const struct log_writer *writer);

/* Completes the log: writes pending events, names, status and trailer. If there is not enough
 * room, complete events are kept, the rest is counted in counts->lost_log, and the log is
 * complete in any case. 0, or -errno of the first failure. */
int log_writer_complete(struct log_writer *writer, const struct posix_trace_status_info *status,
			struct posix_trace_counts_np *counts);
void log_writer_close(struct log_writer *writer);

#endif
