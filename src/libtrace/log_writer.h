/*
 * log_writer - appends events to a log by its full policy.
 *
 *            written       first                   end
 *      |--------|------------|----- committed -------|------ free ------|     stream of payloads
 *               |------ block under way -----| next
 *
 * Its state, and the bytes that are not yet in the file, lie in the control memory, so that the
 * keeper goes on where a killed controller stopped. Offsets only grow; the buffer is a ring.
 *
 * Who writes   the controller with the stream's mutex held; after its death the keeper alone.
 * Always true  written <= first <= end <= written + ring. Bytes are stored before the commit that
 *              makes them count, and a commit is one store: {end, token, lost, full} exist twice. The
 *              payload of a block reaches the file before the head that says how much it is.
 * Never here   malloc, stdio, locks: system calls only. errno may change.
 */
#ifndef LIBTRACE_LOG_WRITER_H
#define LIBTRACE_LOG_WRITER_H

#include <stdbool.h>

#include "libtrace/control.h"
#include "libtrace/event.h"
#include "libtrace/log_types.h"

struct log_writer;

/* Bytes of the control memory that a log needs for blocks and the largest event. */
uint64_t log_writer_memory(uint32_t data_max);

/* Judges descriptor and attributes (docs/spec/posix-trace.md 9.4, 10.3): 0, -EBADF, -EINVAL. */
int log_writer_check(int fd, const trace_attr_t *attr);

/* Truncates the file and writes the head. Works on a descriptor of its own; block is zeroed memory
 * of log_writer_memory() bytes. types gives names and is copied: 0, -EBADF,
 * -EINVAL (O_APPEND that cannot be had without), -ENOSPC, -EFBIG, -ENOMEM, .... */
int log_writer_open(int fd, struct control *ctl, uint8_t *block,
		    const struct log_types *types, struct log_writer **ret);

/* Goes on with the log of a dead controller; takes fd over. 0, -EINVAL: there is none; -ENOMEM. */
int log_writer_resume(int fd, struct control *ctl, uint8_t *block,
		    const struct log_types *types, struct log_writer **ret);

/* Adds an event to the block under way; writes the block when it is full. token: names the event in
 * its source; the one that was added last is not added again (0: always is). -ENOSPC, -EFBIG, -EIO,
 * ...: nothing of it is lost, the same event may be given again. 1: the log is full by its policy,
 * and the event was counted as lost. */
int log_writer_add(struct log_writer *writer, const struct event *event, uint64_t token);

/* Counts an event as lost instead: 1. */
int log_writer_lose(struct log_writer *writer, const struct event *event, uint64_t token);

/* Whether an UNTIL_FULL log that becomes full ends with a STOP event (default: yes). */
void log_writer_set_stop(struct log_writer *writer, bool wanted);
/* Whether it is full: nothing is added any more until it is cleared. */
bool log_writer_full(const struct log_writer *writer);

/* Writes the block under way. What is in the log now is not reported by log_writer_peek(). */
int log_writer_flush(struct log_writer *writer);

/* Forgets everything written (posix_trace_clear). */
int log_writer_clear(struct log_writer *writer);

/* Events of the block under way, for a getnext on a stream with log: the one at *position (0 at
 * first), or the oldest that is left; moves *position on. 1, 0: none. ret->data is borrowed. */
int log_writer_peek(struct log_writer *writer, uint64_t *position, struct event *ret);

/* The descriptor, for the keeper. */
int log_writer_fd(const struct log_writer *writer);

/* Writes what waits, names, status and trailer: the log is complete. Where there is no room, what
 * is whole stays, the rest is counted in counts->lost_log and the log is complete all the same: 0,
 * or -errno of the first failure. */
int log_writer_complete(struct log_writer *writer, const struct posix_trace_status_info *status,
			struct posix_trace_counts_np *counts);
void log_writer_close(struct log_writer *writer);

#endif
