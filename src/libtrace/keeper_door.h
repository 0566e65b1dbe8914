/*
 * keeper_door - whom a keeper gives the segment of a stream that has a door.
 *
 *     the target itself: pid and start time, and still of the user that it had
 *     POSIX_TRACE_INHERITED: processes of the same user and group that are no older than the target
 *     ... of a target that its own user cannot look into (not dumpable): its descendants alone
 *
 * So nobody gets at events who could not have looked into the process that they are of. Which
 * processes of that user are children of the target is not asked otherwise: the middle one of three
 * may have ended, and what they say of themselves stands in files that their user writes.
 * System calls only.
 */
#ifndef LIBTRACE_KEEPER_DOOR_H
#define LIBTRACE_KEEPER_DOOR_H

#include <stdint.h>

#include "libtrace/keeper_end.h"

/* Opens the door of a stream that is kept: 0, -errno. */
int keeper_door_open(struct kept *kept, uint64_t number);

/* Somebody knocks. Bounded; the next call goes on with those who still wait. */
void keeper_door_answer(struct kept *kept);

#endif
