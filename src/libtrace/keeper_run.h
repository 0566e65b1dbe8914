/*
 * keeper_run - the keeper process: waits for the end of its controller, then does what the
 * controller has not done. System calls only: it is a clone of a process whose other threads it
 * does not have, and which may hold locks.
 *
 * keeper_image.c has the part about process images.
 */
#ifndef LIBTRACE_KEEPER_RUN_H
#define LIBTRACE_KEEPER_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libtrace/control.h"
#include "libtrace/family.h"
#include "libtrace/layout.h"
#include "libtrace/segment.h"

struct keeper_start {
	struct proc_id controller;
	int sock;
	int pidfd; /* of the controller; negative: not supported by the kernel */
	char *stack;
	size_t stack_bytes;
};

/* For clone(): takes a struct keeper_start, never returns. */
int keeper_run(void *arg);

/* ---- messages: one request, one answer, over a socket pair of packets (handoff.h) ---- */

enum keeper_op {
	KEEPER_ADD = 1,    /* with descriptors */
	KEEPER_REMOVE = 2, /* stream_id only */
};

struct keeper_request {
	uint32_t op;  /* enum keeper_op */
	uint32_t uid; /* whose registry directory */
	uint64_t stream_id;
	uint64_t handoff; /* 0: none */
	int32_t number;   /* number of the segment's descriptor in the controller */
	uint32_t nfds;
};

struct keeper_answer {
	int32_t result;   /* 0, -errno */
	uint32_t streams; /* number of streams kept; 0: the keeper ends */
};

/*
 * ---- kept streams ----
 * A stream in its keeper, and its end without its controller: it is stopped, withdrawn and drained;
 * its log is completed, or its remains are saved.
 */

struct kept {
	uint64_t stream_id; /* 0: none */
	uint32_t uid;       /* whose registry directory */
	int seg_fd, ctl_fd, log_fd;
	int handoff_fd;     /* handoff socket; -1: targets open the segment themselves */
	bool guarded, seen; /* see handoff.h; seen: gid is the target's */
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

/* ---- process images: keeper_image.c ---- */

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
