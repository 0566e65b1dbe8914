/*
 * keeper_run - the keeper process: waits for the end of its controller, then does what the controller has
 * not done. System calls only: it is a clone of a process whose other threads it does not have, and
 * which may hold locks.
 */
#ifndef LIBTRACE_KEEPER_RUN_H
#define LIBTRACE_KEEPER_RUN_H

#include <stddef.h>

#include "libtrace/layout.h"

struct keeper_start {
	struct proc_id controller;
	int sock;
	int pidfd; /* of the controller; negative: not supported by the kernel */
	char *stack;
	size_t stack_bytes;
};

/* For clone(): takes a struct keeper_start, never returns. */
int keeper_run(void *arg);

#endif
