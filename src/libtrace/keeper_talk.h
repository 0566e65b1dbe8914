/*
 * keeper_protocol - the messages between controller and keeper: one request, one answer, over a socket
 * pair of packets. System calls only.
 */
#ifndef LIBTRACE_KEEPER_TALK_H
#define LIBTRACE_KEEPER_TALK_H

#include <stdint.h>
#include <sys/types.h>

enum keeper_op {
	KEEPER_ADD = 1,	   /* with descriptors */
	KEEPER_REMOVE = 2, /* stream_id only */
};

enum {
	HANDOFF_FDS = 3 /* segment, control memory, and the log if there is one */
};

struct keeper_request {
	uint32_t op; /* enum keeper_op */
	uint32_t uid; /* whose registry directory */
	uint64_t stream_id;
	uint64_t handoff; /* 0: none */
	int32_t number; /* number of the segment's descriptor in the controller */
	uint32_t nfds;
};

struct keeper_answer {
	int32_t result; /* 0, -errno */
	uint32_t streams; /* number of streams kept; 0: the keeper ends */
};

/* Sends one packet; fds may be NULL: 0, -EPIPE (no peer), -errno. */
int handoff_send(int sock, const void *packet, size_t len, const int *fds, unsigned nfds);
/* Receives a packet of exactly this length: the number of descriptors that came with it
 * (close-on-exec, up to HANDOFF_FDS), -EPIPE, -EPROTO, -errno. */
int handoff_receive(int sock, void *packet, size_t len, int fds[HANDOFF_FDS]);

#endif
