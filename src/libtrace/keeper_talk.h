/*
 * keeper_talk - what controller and keeper say to each other: one request, one answer, over a
 * socket pair of packets. System calls only.
 */
#ifndef LIBTRACE_KEEPER_TALK_H
#define LIBTRACE_KEEPER_TALK_H

#include <stdint.h>
#include <sys/types.h>

enum keeper_op {
	KEEPER_ADD = 1,	   /* with the descriptors */
	KEEPER_REMOVE = 2, /* stream_id alone */
};

enum {
	KEEPER_FDS = 3 /* segment, control memory, log; the last where there is one */
};

struct keeper_request {
	uint32_t op; /* enum keeper_op */
	uint32_t uid; /* whose registry directory */
	uint64_t stream_id;
	uint64_t door; /* 0: none */
	int32_t number; /* of the segment's descriptor in the controller */
	uint32_t nfds;
};

struct keeper_answer {
	int32_t result; /* 0, -errno */
	uint32_t streams; /* that it keeps now; 0: it ends */
};

/* One packet; fds may be NULL: 0, -EPIPE (nobody is there), -errno. */
int keeper_send(int sock, const void *packet, size_t len, const int *fds, unsigned nfds);
/* The next packet of exactly so many bytes: number of descriptors that came with it (close-on-exec,
 * up to KEEPER_FDS), -EPIPE, -EPROTO, -errno. */
int keeper_receive(int sock, void *packet, size_t len, int fds[KEEPER_FDS]);

#endif
