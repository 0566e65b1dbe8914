/*
 * log_recover - a complete log of what is whole in an incomplete one: the controller and its keeper
 * were killed, or the machine went down. Any bytes may come in; memory for one block and one event.
 */
#ifndef LIBTRACE_LOG_RECOVER_H
#define LIBTRACE_LOG_RECOVER_H

#include <stdint.h>

/* Events kept, and bytes of blocks that were not whole or hold parts of events alone. 0, -EINVAL:
 * not the head of a log, or both descriptors are of one file; -EBADF, -EFBIG, -ENOSPC, -ENOMEM. */
int log_recover(int from, int to, uint64_t *ret_kept, uint64_t *ret_dropped);

#endif
