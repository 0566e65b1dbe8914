/*
 * handoff - passes the segment of a stream to a target that may not open the holder's descriptor.
 * Opening /proc/PID/fd/N needs the right to trace the holder. Targets without that right are the
 * processes of other users that root traces, and those that have changed their user. They ask for
 * the segment over a socket instead.
 * The keeper has one listening socket per stream. Its abstract name contains a number from the
 * registry slot, which is not a secret (/proc/net/unix shows it). So each side checks the
 * credentials of the other. The target accepts root and its own user; the keeper's rules are below.
 * The target sends nothing: it receives one packet with one descriptor, or the connection is
 * closed. So the keeper never waits for it.
 */
#ifndef LIBTRACE_HANDOFF_H
#define LIBTRACE_HANDOFF_H

#include <stdint.h>
#include <sys/types.h>

#include "libtrace/layout.h"

struct kept;

/* ---- packets with descriptors, over any socket; also between controller and keeper ---- */

enum {
	HANDOFF_FDS = 3 /* segment, control memory, and the log if there is one */
};

/* Sends one packet; fds may be NULL: 0, -EPIPE (no peer), -errno. */
int handoff_send(int sock, const void *packet, size_t len, const int *fds, unsigned nfds);
/* Receives a packet of exactly this length: the number of descriptors that came with it
 * (close-on-exec, up to HANDOFF_FDS), -EPIPE, -EPROTO, -errno. */
int handoff_receive(int sock, void *packet, size_t len, int fds[HANDOFF_FDS]);

/* ---- handoff of a segment ---- */

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
int handoff_peer(int peer, struct handoff_peer *ret_peer);

/* Sends a client a newly opened descriptor of a memory file, so that the client cannot change the
 * flags of the keeper's own. 0, -errno. */
int handoff_pass(int peer, int fd);

/* Target: receives the descriptor (close-on-exec), or -ECONNREFUSED (nothing listens), -EPERM
 * (the listener is another user), -EPIPE (refused), -ETIMEDOUT. Takes tens of milliseconds at
 * most. Signal-safe; keeps errno; cancellation must be off. */
int handoff_request(uint64_t number);

/*
 * ---- which processes a keeper passes a segment to ----
 *
 *     the target itself: same pid and start time, and still the user that it had
 *     POSIX_TRACE_INHERITED: processes of its user and group that are not older than the target
 *     ... if the target is protected from its own user (not dumpable): its descendants only
 * So only processes that could read the target's memory get its events. The keeper does not check
 * further which of them are children of the target: the middle one of three processes may have
 * ended, and what they say about themselves is in files that their user writes. System calls only.
 */

/* Opens the handoff socket of a kept stream: 0, -errno. */
int handoff_open(struct kept *kept, uint64_t number);

/* Serves waiting clients. Bounded; the next call continues with the remaining ones. */
void handoff_serve(struct kept *kept);

#endif
