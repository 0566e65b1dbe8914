/*
 * handoff - passes the segment of a stream to a target that may not open the holder's descriptor.
 *
 * Opening /proc/PID/fd/N needs the right to trace the holder. Targets without that right are the
 * processes of other users that root traces, and those that have changed their user. They ask for the
 * segment over a socket instead.
 *
 * The keeper has one listening socket per stream. Its abstract name contains a number from the
 * registry slot, which is not a secret (/proc/net/unix shows it). So each side checks the credentials
 * of the other. The target accepts root and its own user; keeper_handoff.h has the keeper's rules. The
 * target sends nothing: it receives one packet with one descriptor, or the connection is closed. So
 * the keeper never waits for it.
 */
#ifndef LIBTRACE_DOOR_H
#define LIBTRACE_DOOR_H

#include <stdint.h>
#include <sys/types.h>

#include "libtrace/layout.h"

/* Keeper: makes a listening socket (close-on-exec, non-blocking) in the network name space of a
 * process, which the caller joins: a descriptor, -EADDRINUSE, -EPERM (may not join), .... */
int handoff_listen(uint64_t number, const struct proc_id *target);

/* Accepts the next client: a connected socket, -EAGAIN, .... And its credentials: 0, -errno. */
int handoff_accept(int listener);
struct handoff_peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};
int handoff_peer(int peer, struct handoff_peer *ret);

/* Sends a client a newly opened descriptor of a memory file, so that the client cannot change the
 * flags of the keeper's own. 0, -errno. */
int handoff_pass(int peer, int fd);

/* Target: receives the descriptor (close-on-exec), or -ECONNREFUSED (nothing listens), -EPERM
 * (the listener is another user), -EPIPE (refused), -ETIMEDOUT. Takes tens of milliseconds at
 * most. Signal-safe; keeps errno; cancellation must be off. */
int handoff_request(uint64_t number);

#endif
