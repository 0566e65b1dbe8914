/*
 * bounds - when recording ends, and when a volume does: by itself (-s, -v, -T, -p;
 * docs/spec/logger.md A6), by a signal, or because a client wants it.
 */
#ifndef PMLOGGER_BOUNDS_H
#define PMLOGGER_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <uv.h>

struct compress;
struct keep;
struct options;
struct recorder;

struct bounds {
	const struct options *options;
	uv_loop_t *loop;
	struct recorder *recorder;
	struct keep *keep;                /* looks at its caps when a volume begins */
	struct compress *compress;        /* looks for closed volumes after a record */
	uint64_t started_ms, volume_ms;   /* since boot: when recording, and the volume, began */
	uint64_t samples, volume_samples; /* firings of tasks */
	struct timespec stop_at;          /* 0: never */
	uv_timer_t watch; /* -p, -T, times of -s and -v, notices to the service manager */
	bool ending;
	bool again; /* this program is then started again */
	int exit_status;
	char reason[64]; /* of the end */
};

/* Recording begins now. zone is the collector's, "" if it is unknown. 0, or -EINVAL for a -T
 * that is not a time, which is logged. */
int bounds_start(struct bounds *b, const char *zone);
void bounds_stop(struct bounds *b);

/* Recording ends for this reason: "Caught signal 15". The first one counts. */
void bounds_end(struct bounds *b, const char *reason);

/* The next record begins a new volume; the log has the cause. Its number, or a negative error. */
int bounds_new_volume(struct bounds *b, const char *cause);

/* After a firing of a task: the sizes of -s and -v. */
void bounds_count_sample(struct bounds *b);

/* The effect of each signal (docs/spec/logger.md A6). */
struct signals {
	uv_signal_t all[8];
	unsigned int n;
};

/* From the first moment on: what is ignored, and what ends us with a trace of where we were. */
void signals_early(void);

/* A new volume, the orderly end, and the restart, in the loop of bounds. 0 or -errno. */
int signals_watch(struct signals *s, struct bounds *bounds);
void signals_close(struct signals *s);

#endif
