/*
 * memory - how much of it a process can be given: what the machine has without swapping, and what the
 * cgroups leave that the process is in (version 2, every one on the way to the root).
 */
#ifndef LIBTRACE_MEMORY_H
#define LIBTRACE_MEMORY_H

#include <stdint.h>

/* Bytes; a machine that does not tell: UINT64_MAX. A few small files. */
uint64_t memory_available(void);

/* The same where /proc and /sys/fs/cgroup lie below a folder. */
uint64_t memory_available_below(const char *root);

#endif
