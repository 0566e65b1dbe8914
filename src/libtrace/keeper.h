/*
 * keeper - a small process beside each controller that outlives it for a moment: when the
 * controller exits without shutdown, execs, or is killed, the keeper shuts its streams down,
 * completes their logs, and leaves the remains of streams without log.
 *
 * One a controller, made with its first stream by a clone without exit signal (no wait of the
 * application sees it), fed over a socket pair: descriptors of segment, control memory and log.
 * It also is the holder: targets open segments as /proc/KEEPER/fd/N, so that an application that
 * closes all descriptors loses nothing; N is the controller's own number, and /proc/CONTROLLER/fd/N
 * serves as well. docs/spec/trace-design.md 11.
 *
 * PITOT_TRACE_KEEPER=0 in the environment does without. One lock, for all that is said to it.
 */
#ifndef LIBTRACE_KEEPER_H
#define LIBTRACE_KEEPER_H

#include "libtrace/layout.h"

struct registry_slot;
struct stream;

/* Hands a stream to the keeper (started if there is none, or it died), and says in the slot that is
 * to be published who holds the segment now, and under which descriptor; where there can be no keeper
 * that is the caller. A slot with a door needs one: -EPERM, -errno, or 0. */
int keeper_add(const struct stream *stream, struct registry_slot *slot);

/* The stream is shut down properly: the keeper forgets it. The last one ends the keeper. Before its
 * descriptors are closed. */
void keeper_remove(const struct stream *stream);

/* Looks whether the keeper was killed, and makes another one. Two system calls; by flushers, and by
 * readers that wait. */
void keeper_check(void);

#endif
