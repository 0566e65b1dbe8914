/*
 * recorder - the archive that is being written: when it begins and ends, marks, volumes, the sync
 * of the disk, and what becomes of all that when the disk is full (docs/spec/logger.md A5, A6).
 *
 *     recording ---- a write fails: one line, a mark from the reserve ----> paused
 *         ^                                                                    |
 *         +-------- the newest result could be written: one line --------------+  tried every 3 s
 *
 * In the loop's thread; only the sync waits for the disk, in a thread of libuv's pool.
 */
#ifndef PMLOGGER_RECORDER_H
#define PMLOGGER_RECORDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <pcp/pmapi.h>
#include <uv.h>

#include "daemons/pmlogger/metadata.h"
#include "libdisk/log_label.h"
#include "libstore/archive_writer.h"

struct fetch_group;
struct meta_query;
struct logging_task;

/* The name of an archive (docs/spec/logger.md A6). */
struct archive_base {
	const char *given;   /* as on the command line */
	char dir[PATH_MAX];  /* of a relative one: where we started */
	char name[PATH_MAX]; /* the last one made, absolute */
};

/* Remembers the current folder. 0 or -errno. */
int archive_base_init(struct archive_base *b, const char *given);

/* True if names come from times, so that there is always another one. */
static inline bool archive_base_is_template(const struct archive_base *b)
{
	for (const char *p = b->given; *p != '\0'; p++) {
		if (*p == '%')
			return true;
	}
	return false;
}

/*
 * Makes the n-th name (0: the plain one, then "-00" to "-98") of a time. 0; -EEXIST when n is over;
 * -ENAMETOOLONG; -EINVAL for a template without a text.
 */
int archive_base_name(struct archive_base *b, time_t when, int n);

enum {
	RECORDER_SYNC_MS = 10000,
	RECORDER_RETRY_MS = 3000,
	RECORDER_META_MAX = 64 << 20, /* bytes of metadata; a volume switch does not reduce them */
	RECORDER_JUMP_MS = 1000,      /* of the clock on the wall */
};

/* The contents of the first and the last record (archive.md 6.3). */
struct recorder_who {
	char host[LOG_LABEL_TEXT]; /* ours */
	uint32_t port;             /* of the control port */
	uint64_t pmcd_pid;
	uint32_t pmcd_seqnum;
};

struct recorder {
	uv_loop_t *loop;
	struct archive_writer *w; /* NULL: none yet */
	struct archive_base base;
	struct log_label label; /* of the next archive */
	struct recorder_who who;
	struct metadata metadata;
	struct timespec last;  /* stamp of the last record; 0: none in this archive */
	uint64_t last_mono_ms; /* when it came */
	bool mark_owed;        /* before the next record */
	bool roll_owed;        /* a new archive */
	int began_day;         /* local day of the year */
	int next_volume;       /* that the next record begins, if it is above the writer's */

	bool paused;
	int pause_error;
	pmHighResResult *pending; /* the newest result that could not be written */

	uv_timer_t sync_timer, retry_timer;
	uv_work_t sync_work;
	struct archive_sync *sync;      /* under way */
	struct archive_writer *sync_of; /* whose; another one than w when an archive has ended */
	bool sync_failed_said;
	void (*begun)(void *arg); /* an archive was begun */
	void *arg;
};

/* base is borrowed; label gives version, host and zones. 0 or -errno. */
int recorder_init(struct recorder *r, uv_loop_t *loop, const char *base,
		  const struct log_label *label);

/* Begins the first archive with its prologue of this time. 0; -errno, said. */
int recorder_begin(struct recorder *r, const struct timespec *stamp);

/* True if a result of this stamp begins another archive (a new day, a clock set back, too much
 * metadata), which is begun then, with a prologue. To be asked before the questions. */
bool recorder_turn_over(struct recorder *r, const struct timespec *stamp);

/* Takes the result over and writes it, with answers to its questions before it. 0; -errno when it
 * could not be written. */
int recorder_write(struct recorder *r, struct fetch_group *g, const struct logging_task *task,
		   pmHighResResult *result, const struct meta_query *answers);

/* Takes metadata that was asked for ahead, answered, which is written before the next record. 0;
 * -errno. */
int recorder_describe(struct recorder *r, const struct meta_query *answers);

/* Before the next record nothing is known (A5). */
void recorder_mark(struct recorder *r);

/* A new volume: its number, or an error; the log says why. */
int recorder_volume(struct recorder *r, const char *cause);

/* The epilogue, and the end of the archive. stamp NULL: the last one plus 1 ms. */
void recorder_end(struct recorder *r, const struct timespec *stamp);

struct archive_writer_state recorder_state(const struct recorder *r);

/*
 * In prologue.c, the first and the last record of an archive: whose it is
 * (docs/spec/archive.md 6.3). Writes the record, with its metadata where there is none yet. 0, or
 * the writer's error.
 */
int prologue_write(struct archive_writer *w, const struct recorder_who *who, const char *base,
		   const struct timespec *stamp);

#endif
