/*
 * keeper_handoff - which processes a keeper passes the segment of a stream with a handoff socket to.
 *
 *     the target itself: same pid and start time, and still the user that it had
 *     POSIX_TRACE_INHERITED: processes of the same user and group that are not older than the target
 *     ... if the target is protected from its own user (not dumpable): its descendants only
 *
 * So only processes that could read the target's memory get its events. The keeper does not check
 * further which of them are children of the target: the middle one of three processes may have ended,
 * and what they say about themselves is in files that their user writes.
 * System calls only.
 */
#ifndef LIBTRACE_KEEPER_DOOR_H
#define LIBTRACE_KEEPER_DOOR_H

#include <stdint.h>

#include "libtrace/keeper_end.h"

/* Opens the handoff socket of a kept stream: 0, -errno. */
int handoff_open(struct kept *kept, uint64_t number);

/* Serves waiting clients. Bounded; the next call continues with the remaining ones. */
void handoff_serve(struct kept *kept);

#endif
