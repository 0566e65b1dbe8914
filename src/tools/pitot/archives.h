/*
 * archives - what the recorder of `pitot up` has kept in its folder, and what its cap takes next.
 */
#ifndef PITOT_ARCHIVES_H
#define PITOT_ARCHIVES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "place.h"

enum { ARCHIVES_NAME = 128 };

struct archives {
	pid_t recorder; /* that writes; 0: none */
	int count;      /* archives; 0: nothing was recorded, or the folder can't be read */
	uint64_t bytes;
	double since; /* the first time in the oldest, seconds since the epoch; NAN: unknown */
	double until; /* the last one in the newest */
	char oldest[ARCHIVES_NAME]; /* its name */
	uint64_t oldest_bytes;
	char next[ARCHIVES_NAME]; /* what goes next: a volume of it, or all of it; "": nothing can */
	uint64_t next_bytes;
	uint64_t cap; /* bytes in all; 0: none, or unknown */
	char writing[ARCHIVES_NAME]; /* the archive that the recorder writes, without its folder; "" */
	bool writing_gone;           /* its files are not in the folder */
	char covered[ARCHIVES_NAME]; /* an archive whose time another one covers, wholly or in part */
	char covering[ARCHIVES_NAME];
	double overlap_s; /* for so long; 0: none overlap */
};

/* The note with a recorder's cap in its port map file. text holds at least 48 bytes. */
const char *archives_note(uint64_t cap, char *text);

/* Looks into the folder, and for the recorder of a place. */
void archives_look(struct archives *a, const struct place *p, const char *folder);

#endif
