/*
 * keeper - a small process that outlives its controller briefly. If the controller exits without
 * shutdown, execs, or is killed, the keeper shuts its streams down, completes their logs, and saves
 * the remains of streams without log.
 * There is one per controller, made with its first stream by a clone without exit signal (a wait()
 * of the application does not see it). The controller sends it the descriptors of segment, control
 * memory and log over a socket pair. It is also the holder: targets open segments as
 * /proc/KEEPER/fd/N, so an application that closes all its descriptors loses nothing. N is the
 * number in the controller, so /proc/CONTROLLER/fd/N works as well. docs/spec/trace-design.md 11.
 *
 * PITOT_TRACE_KEEPER=0 in the environment disables it. One lock guards all exchanges with it.
 */
#ifndef LIBTRACE_KEEPER_H
#define LIBTRACE_KEEPER_H

#include "libtrace/layout.h"

struct registry_slot;
struct stream;

/* Passes a stream to the keeper (started if there is none, or if it died), and sets the holder
 * and the descriptor's number in the slot that is to be published; without a keeper the holder is
 * the caller. A slot with a handoff socket needs a keeper. Returns 0, -EPERM, -errno. */
int keeper_add(const struct stream *stream, struct registry_slot *slot);

/* The stream is shut down properly: the keeper drops it. The last stream ends the keeper. Must be
 * called before the stream's descriptors are closed. */
void keeper_remove(const struct stream *stream);

/* Replaces a keeper that was killed. Two system calls; called by flushers and waiting readers. */
void keeper_check(void);

#endif
