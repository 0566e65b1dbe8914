/*
 * remains - what streams without log had recorded and not given out when their controller was
 * killed: complete logs in the directory of the user's registries, for an hour, 64 MiB at most
 * (docs/spec/posix-trace.md 11).
 *
 *     /dev/shm/pitot-UID/remains.ID     ID of the stream
 *
 * System calls only where a keeper comes by. Sweeping: oldest first, by whoever comes next.
 */
#ifndef LIBTRACE_REMAINS_H
#define LIBTRACE_REMAINS_H

#include <sys/types.h>

#include "libtrace/reader.h"

struct family;

/* Saves what is left in a stream that has ended, if that is a user event at least: 0, -ENOSPC, ....
 */
int remains_keep(struct reader *reader, struct family *family, uid_t uid);

#endif
