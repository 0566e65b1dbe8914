/*
 * door - where a process gets the segment of a stream whose holder it may not look into: it cannot open
 * what that holds (/proc/PID/fd wants the right to trace the holder), so it asks. Such are processes of
 * others that root traces, and those that a program traces which has changed its user.
 *
 * A listening socket of the keeper, one a stream. Its abstract name is made of a number that stands
 * in the registry slot, and is no secret (/proc/net/unix shows it): each side looks at the other's
 * credentials instead. The target believes root and its own user; whom the keeper believes is in keeper_door.h.
 * Who knocks says nothing: he gets one packet with one descriptor, or a hang-up. So nobody waits for
 * him.
 */
#ifndef LIBTRACE_DOOR_H
#define LIBTRACE_DOOR_H

#include <stdint.h>
#include <sys/types.h>

#include "libtrace/layout.h"

/* Keeper's side: a listening socket (close-on-exec, never blocks) in the network name space of a
 * process, which the caller joins: -EADDRINUSE, -EPERM (may not join it), .... */
int door_listen(uint64_t number, const struct proc_id *target);

/* The next who knocks: a connected socket, -EAGAIN, .... His credentials: 0, -errno. */
int door_next(int door);
struct door_guest {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};
int door_guest(int peer, struct door_guest *ret);

/* Gives a guest a memory file, freshly opened: flags that he changes are his own. 0, -errno. */
int door_give(int peer, int fd);

/* Target's side: a descriptor (close-on-exec), -ECONNREFUSED (nobody is there), -EPERM (it is a
 * stranger's), -EPIPE (sent away), -ETIMEDOUT. In tens of milliseconds at most. Signal-safe; keeps errno;
 * to be called with cancellation off. */
int door_knock(uint64_t number);

#endif
