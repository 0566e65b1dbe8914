/*
 * drain - move events from a stream into its log; used by the flusher, an explicit flush, a reader
 * of a stream with log, shutdown and the keeper. System calls only.
 */
#ifndef LIBTRACE_DRAIN_H
#define LIBTRACE_DRAIN_H

#include <stdint.h>

#include "libtrace/log_writer.h"
#include "libtrace/reader.h"

/* Moves every event up to a tick that was recorded before the call, whatever a target does
 * meanwhile. If an UNTIL_FULL log becomes full, the stream is suspended, and reader->halted says
 * that gates may be closed. Returns 0, or the error of log_writer_add(): then the rest stays in
 * the stream. */
int drain(struct reader *reader, struct log_writer *writer, uint64_t tick);

/* Moves all that is left of a stream that has ended, and completes its log. Events that cannot be
 * written are counted as lost. Returns 0, or -errno of the first failure. */
int drain_end(struct reader *reader, struct log_writer *writer);

#endif
