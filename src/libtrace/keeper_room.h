/*
 * keeper_image - how a keeper treats the process image that it inherited from its controller, and what
 * it can see of the controller's. System calls only.
 */
#ifndef LIBTRACE_KEEPER_ROOM_H
#define LIBTRACE_KEEPER_ROOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libtrace/keeper_run.h"

/* Closes every descriptor but these two, standard ones included: a process that waits for the end
 * of a pipe must not wait for the keeper. */
void image_close_others(int a, int b);

/* Unmaps large private memory: keeper and controller share its pages until one of them writes,
 * which would copy them. */
void image_release_memory(const struct keeper_start *start);

/* A number that changes when a process executes another program; 0: cannot be read. */
uint64_t image_of(pid_t pid);

/* Does a process map one of these files? */
bool image_maps_any(pid_t pid, const uint64_t *inodes, unsigned count);

#endif
