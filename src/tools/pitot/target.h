/*
 * target - which collector is meant: the one of the user's `pitot up`, the one that tools reach
 * without -h, or the one that -h names.
 */
#ifndef PITOT_TARGET_H
#define PITOT_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "place.h"

enum target_kind {
	TARGET_UP,      /* the user's own: a lock or a socket is in its place */
	TARGET_DEFAULT, /* local: as PCP's tools have it */
	TARGET_HOST,    /* -h */
};

struct target {
	enum target_kind kind;
	struct place place;        /* of the user's `pitot up`, whether it runs or not */
	pid_t up_pid;              /* that runs; 0: none */
	bool lock_left;            /* there is a lock of one that does not */
	int socket_error;          /* of the place's socket: 0, or -errno of connecting */
	char spec[PLACE_PATH + 8]; /* what to give to -h */
	uid_t uid;                 /* who asks */
	bool here;                 /* the specification means this host */
	pid_t socket_pid;          /* who listens at the Unix socket of spec; 0: unknown */
};

/* Decides. host: what -h says, or NULL. 0, or -1 after a message. */
int target_find(struct target *t, const char *host);

#endif
