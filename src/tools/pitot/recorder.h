/*
 * recorder - the pmlogger of `pitot up`: what it is given, and how much it may keep.
 */
#ifndef PITOT_RECORDER_H
#define PITOT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "place.h"
#include "recorder_state.h"
#include "supervise.h"

#define RECORDER_INTERVAL_S "10" /* of what the configuration gives no interval */

struct recorder {
	bool off;
	uint64_t keep;      /* bytes of archives in all; 0: 2 GB, or a twentieth of the disk where that is less */
	const char *config; /* NULL: the installed one */
	struct daemon daemon;
	const struct place *place; /* once it is described */
	struct recorder_state state;
	/* The memory of its arguments. */
	char program[PLACE_PATH + 16];
	char config_path[PLACE_PATH + 64];
	char keep_text[48];
	char volume_text[32];
	char note[48];
	char base[2 * PLACE_PATH + 32];
};

/* Takes "500m", "2g", "800000000": bytes, with 1024 a step. 0, or -1 after a message that names the
 * option. */
int recorder_take_keep(struct recorder *r, const char *text);

/* Removes what a recorder that was stopped while it started has left in the place. */
void recorder_clean(const struct place *p, pid_t pid);

/*
 * Makes its daemon of the place, after its configuration was parsed. 0, or -1 after a message, which
 * for a configuration is the parser's.
 */
int recorder_describe(struct recorder *r, const struct place *p);

#endif
