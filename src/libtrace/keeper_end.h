/*
 * keeper_end - a stream in its keeper, and its end without its controller: it is stopped, withdrawn and
 * drained; its log is completed, or its remains are saved. System calls only.
 */
#ifndef LIBTRACE_KEEPER_END_H
#define LIBTRACE_KEEPER_END_H

#include "libtrace/control.h"
#include "libtrace/family.h"
#include "libtrace/segment.h"

struct kept {
	uint64_t stream_id; /* 0: none */
	uint32_t uid;	    /* whose registry directory */
	int seg_fd, ctl_fd, log_fd;
	int handoff_fd;	       /* handoff socket; -1: targets open the segment themselves */
	bool guarded, seen;    /* see keeper_handoff.h; seen: gid is the target's */
	gid_t gid;
	uint64_t inode; /* of the control memory */
	struct segment seg;
	struct control *ctl;
	struct family *family; /* NULL: not available */
};

/* Maps the files of the descriptors: 0, -EINVAL, -ENOMEM. */
int kept_open(struct kept *kept);
/* Unmaps and closes everything, and marks it unused; valid in any state. */
void kept_close(struct kept *kept);

/* Ends every stream that was not shut down. */
void kept_end_all(struct kept *kept, unsigned count);

#endif
