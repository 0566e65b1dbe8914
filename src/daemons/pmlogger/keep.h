/*
 * keep - the folder that archives are written to: caps on what it takes (--keep-size, --keep-age),
 * and archives that a recorder left which was killed. In a thread of libuv's pool: folders and
 * files are looked at there, never in the loop.
 */
#ifndef PMLOGGER_KEEP_H
#define PMLOGGER_KEEP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "libdisk/log_label.h"

struct compress;
struct options;
struct recorder;

enum { KEEP_LOOK_MS = 60000 };

struct keep {
	struct recorder *recorder;
	struct compress *compress; /* looks for volumes after each look here */
	uv_timer_t timer;
	uv_work_t work;
	bool started, busy;
	bool repair; /* to do, or being done: once, at the start */
	/* For the thread. */
	char dir[PATH_MAX];
	char base[PATH_MAX];
	char host[LOG_LABEL_TEXT];
	int volume;
	uint64_t bytes, age_s;
	bool of_disk; /* instead of bytes: 2 GB, or a twentieth of the disk where that is less */
	int err;
	uint64_t removed;
};

/* The first archive has begun: repairs those before it, and looks at the caps from now on. */
void keep_start(struct keep *k, const struct options *o, struct recorder *recorder,
		struct compress *compress);

/* Looks at the caps now: another volume or archive has begun. */
void keep_look(struct keep *k);

/* Waits for the thread. */
void keep_stop(struct keep *k);

#endif
