/*
 * log_recover - make a complete log of the intact parts of an incomplete one, after the controller and its
 * keeper were killed, or the machine went down. Accepts any bytes; memory for one block and one event.
 */
#ifndef LIBTRACE_LOG_RECOVER_H
#define LIBTRACE_LOG_RECOVER_H

#include <stdint.h>

/* Number of events kept, and bytes of blocks that were damaged or have only parts of events. 0,
 * -EINVAL: no valid head, or both descriptors have the same file; -EBADF, -EFBIG, -ENOSPC,
 * -ENOMEM. */
int log_recover(int from, int to, uint64_t *ret_kept, uint64_t *ret_dropped);

#endif
