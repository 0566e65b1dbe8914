/*
 * keeper_run - the process that a keeper is: it waits for the end of its controller, and then does
 * what the controller did not. System calls only: it is a clone of a process whose other threads,
 * and their locks, stayed behind.
 */
#ifndef LIBTRACE_KEEPER_RUN_H
#define LIBTRACE_KEEPER_RUN_H

#include <stddef.h>

#include "libtrace/layout.h"

struct keeper_start {
	struct proc_id controller;
	int sock;
	int pidfd; /* of the controller; below 0: the kernel has none */
	char *stack;
	size_t stack_bytes;
};

/* For clone(): takes a struct keeper_start, never returns. */
int keeper_run(void *arg);

#endif
