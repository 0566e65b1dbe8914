/*
 * streams - the list of streams: adding them, and the time of their removal.
 *
 * Only the thread makes and frees streams.
 */
#ifndef TRACING_STREAMS_H
#define TRACING_STREAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "stream.h"

/* The live stream of a process, or NULL. */
struct stream *streams_of(pid_t pid, uint64_t start);

/* Without the lock: a new one. 0; -errno, which is counted and logged. */
int streams_attach(const struct process *p, const struct stream_options *o);

/* With the lock, which is given up meanwhile: its last events are taken out, and it ends. */
void streams_end(struct stream *s, bool detached);

/* With the lock: those that have ended go when they had their time. */
void streams_remove_old(uint64_t now_ms);

/* When the thread has ended: all end and go. */
void streams_done(void);

#endif
