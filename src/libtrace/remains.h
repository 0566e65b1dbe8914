/*
 * remains - the undelivered events of streams without log whose controller was killed, as complete
 * logs in the directory of the user's registries, for an hour, 64 MiB at most
 * (docs/spec/posix-trace.md 11).
 *
 *     /dev/shm/pitot-UID/remains.ID     ID of the stream
 *
 * The keeper's part uses system calls only. Each user of the library sweeps, oldest remains first.
 */
#ifndef LIBTRACE_REMAINS_H
#define LIBTRACE_REMAINS_H

#include <sys/types.h>

#include "libtrace/reader.h"

struct family;

/* Limits of the remains of a killed controller's streams (docs/spec/posix-trace.md 11). */
enum {
	LIMIT_REMAINS_BYTES = 64 * 1024 * 1024,
	LIMIT_REMAINS_SECONDS = 3600,
};

/* Saves what is left in a stream that has ended, if that includes a user event: 0, -ENOSPC, .... */
int remains_keep(struct reader *reader, struct family *family, uid_t uid);

#endif
