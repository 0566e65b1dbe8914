/*
 * drain - moves events from a stream into its log. What the flusher, an explicit flush, a reader of
 * a stream with log, shutdown and the keeper do. System calls only.
 */
#ifndef LIBTRACE_DRAIN_H
#define LIBTRACE_DRAIN_H

#include <stdint.h>

#include "libtrace/log_writer.h"
#include "libtrace/reader.h"

/* Every event up to a tick that was recorded before the call, whatever a target does meanwhile. When an UNTIL_FULL log becomes full the stream is suspended: reader->
 * halted tells that gates may be closed. 0, or what log_writer_add() says: the rest stays. */
int drain(struct reader *reader, struct log_writer *writer, uint64_t tick);

/* Everything that is left of a stream that has ended, and the end of its log. What cannot be written
 * is counted as lost: 0, or -errno of the first failure. */
int drain_end(struct reader *reader, struct log_writer *writer);

#endif
