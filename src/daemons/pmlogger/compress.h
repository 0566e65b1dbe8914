/*
 * compress - compresses closed volumes (--compress): one after the other, each in a process of low
 * priority that is this program again (--compress-file).
 *
 *     idle --> looking --> [a closed volume that is plain] --> packing --> looking ...
 *               pool's thread                                  child
 *
 * Volumes of the archive that is being written, those before its last one, and of archives in the
 * same folder that a recorder of this host left, when keep has repaired them. At each moment either
 * the plain file or the compressed one exists, whole (archive_compress). The next recorder
 * compresses the volumes that this one did not finish.
 */
#ifndef PMLOGGER_COMPRESS_H
#define PMLOGGER_COMPRESS_H

#include <limits.h>
#include <stdbool.h>

#include <uv.h>

#include "libdisk/log_label.h"
#include "libstore/archive_compress.h"

struct keep;
struct options;
struct recorder;

enum { COMPRESS_END_MS = 3000 }; /* what an end waits for it */

struct compress_failed {
	char *path;   /* owned */
	bool for_now; /* until another one succeeds; else for good */
};

struct compress {
	struct recorder *recorder;
	const struct keep *keep; /* repairs archives before their volumes are looked for */
	bool started, again;
	enum { COMPRESS_IDLE, COMPRESS_LOOKS, COMPRESS_PACKS } state;
	uv_work_t work;
	uv_process_t child;
	uv_timer_t limit; /* of the end */
	bool over;        /* it has run out */
	bool given_up;    /* there is no library */
	int spawn_error;  /* said */
	int seen_volume;
	/* For the thread. */
	enum archive_form form;
	char dir[PATH_MAX];
	char base[PATH_MAX];
	char host[LOG_LABEL_TEXT];
	int volume;                     /* of base: it and what follows stay as they are */
	bool alone;                     /* base alone: the others are being repaired */
	char path[PATH_MAX];            /* what was found; "": nothing */
	struct compress_failed *failed; /* not tried again by this process */
	size_t nfailed;
};

/* The first archive has begun. Does nothing without --compress. */
void compress_start(struct compress *c, const struct options *o, struct recorder *recorder,
		    const struct keep *keep);

/* Volumes may have been closed: looks for them, unless it is at it. */
void compress_look(struct compress *c);

/* A record was written: looks if it began a volume. */
void compress_wrote(struct compress *c, int volume);

/* Recording has ended, all its volumes are closed. Waits for them, COMPRESS_END_MS at most; not at
 * all if hasty. */
void compress_stop(struct compress *c, bool hasty);

/* The child: compresses one file. Its exit status; what is wrong is said on stderr. */
int compress_file(const char *path, enum archive_form form);

#endif
