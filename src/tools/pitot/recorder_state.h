/*
 * recorder_state - a file in the run folder in which `pitot up` keeps what `pitot doctor` can't see
 * from outside: that there is to be a recorder, and how often it has ended.
 */
#ifndef PITOT_RECORDER_STATE_H
#define PITOT_RECORDER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "place.h"

struct recorder_state {
	char folder[PLACE_PATH];
	char config[PLACE_PATH + 64];
	int64_t interval_ms; /* the shortest of its configuration; 0: it logs nothing repeatedly */
	pid_t pid;           /* 0: it does not run */
	int ends;            /* with an error, since `pitot up` started */
	double last_end;     /* seconds since the epoch; 0: never */
	char why[64];        /* "exited with status 1" */
};

/* Replaces the file. Without one the doctor knows less, and nothing else is wrong. */
void recorder_state_write(const struct place *p, const struct recorder_state *s);

/* False if there is no such file: nothing is to be recorded. */
bool recorder_state_read(const struct place *p, struct recorder_state *s);

void recorder_state_remove(const struct place *p);

#endif
