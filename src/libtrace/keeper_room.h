/*
 * keeper_room - what a keeper does about the process image that it got from its controller, and what
 * it can see of the controller's. System calls only.
 */
#ifndef LIBTRACE_KEEPER_ROOM_H
#define LIBTRACE_KEEPER_ROOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libtrace/keeper_run.h"

/* Closes every descriptor but these two, the standard ones included: whoever waits for the end of a
 * pipe must not wait for us. */
void room_close_others(int a, int b);

/* Gives back large private memory: the pages of a controller are shared with us until one of both
 * writes to them, and would be copied then. */
void room_release_memory(const struct keeper_start *start);

/* A number that a process keeps until it executes another program; 0: cannot be seen. */
uint64_t room_image(pid_t pid);

/* Whether a process maps one of these files. */
bool room_maps_any(pid_t pid, const uint64_t *inodes, unsigned count);

#endif
