/*
 * keeper_end - a stream as its keeper has it, and how it ends without its controller: stopped,
 * withdrawn, drained; its log completed, or its remains saved. System calls only.
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
	int door_fd;	       /* -1: targets open the segment themselves */
	bool guarded, seen;    /* keeper_door.h; seen: gid is the target's */
	gid_t gid;
	uint64_t inode; /* of the control memory */
	struct segment seg;
	struct control *ctl;
	struct family *family; /* NULL: cannot be had */
};

/* Maps what the descriptors stand for: 0, -EINVAL, -ENOMEM. */
int kept_open(struct kept *kept);
/* Unmaps, closes, and makes it none; whatever state it is in. */
void kept_close(struct kept *kept);

/* Ends every stream that was not shut down. */
void kept_end_all(struct kept *kept, unsigned count);

#endif
