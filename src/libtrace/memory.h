/*
 * memory - how much memory a process can get: what the machine has available without swapping,
 * limited by every version 2 cgroup from the process up to the root.
 */
#ifndef LIBTRACE_MEMORY_H
#define LIBTRACE_MEMORY_H

#include <stdint.h>

/* Bytes; UINT64_MAX where the machine does not report it. Reads a few small files. */
uint64_t segment_available(void);

/* The same with /proc and /sys/fs/cgroup below another root. */
uint64_t segment_available_below(const char *root);

#endif
