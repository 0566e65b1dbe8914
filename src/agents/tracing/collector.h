/*
 * collector - what the thread that takes events out and the requests that hand them on share.
 *
 *     thread      find -> attach -> take out -> rings           never calls libpcp or libpcp_pmda
 *     requests    lock -> take out what is there -> queues, instances, values -> unlock
 *
 * One lock guards everything here. The thread holds it for a few hundred events at most, and steps
 * back when a request waits for it; what may take long (looking at /proc, making and ending
 * streams) is done without it. Only the thread makes and frees streams (worker.h).
 */
#ifndef TRACING_COLLECTOR_H
#define TRACING_COLLECTOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <trace_np.h>

#include "stream.h"

enum {
	COLLECTOR_SLICE = 256, /* events that are taken out at once, with the lock held */
};

struct collector {
	struct stream *streams;     /* the newest first */
	struct process **processes; /* in order of pid */
	size_t nprocesses;
	unsigned int nlive, nstreams;
	unsigned int removals; /* grows when a stream or process goes */
	bool watched;          /* a watcher wants the events of new streams too */
	struct stream_budget budget;
	unsigned int linger_s;
	unsigned int patience_ms; /* of a request with a command: short unless we have a process */
	uint64_t attach_errors;
	char last_error[TRACING_TEXT];
	/* Handles of queues whose streams are gone: for the thread that answers requests. */
	int *queues;
	size_t nqueues, queues_room;
};

/* The one there is; to be looked at with the lock alone. */
extern struct collector collector;

/* The lock, as a request takes it: the thread steps back. */
void collector_lock(void);
void collector_unlock(void);

/* As the thread takes it; with it: lets those go first that wait for it; sleeps until cond is
 * signalled (0) or a moment of collector_after_ms has come (ETIMEDOUT). */
void collector_hold(void);
void collector_step_back(void);
int collector_wait(pthread_cond_t *cond, const struct timespec *until);

/* CLOCK_MONOTONIC; processor time of the calling thread. */
uint64_t collector_now_ms(void);
struct timespec collector_after_ms(uint64_t ms);
uint64_t collector_spent_us(void);

/* With the lock: takes out what is there, with so much processor time at most. */
void collector_drain(unsigned int ms);

/* With the lock: notes what went wrong. */
void collector_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* May this user control the processes of that one? */
bool collector_permits(uid_t who, uid_t owner);

/*
 * ---- the table of processes, in order of pid, which only the thread changes ----
 *
 * With the lock, where nothing else is said; the thread may look without it.
 */

/* The one of a pid, or NULL. */
struct process *processes_of(pid_t pid);

/* One that is in no table, to be freed; NULL: no memory. */
struct process *processes_new(const struct posix_trace_process_np *from);

/* Without the lock: the table has these, in order of pid, from now on. */
void processes_take(const struct posix_trace_process_np *list, size_t n);

/* When the thread has ended: the table is empty. */
void processes_done(void);

/* ---- the list of streams, which only the thread makes and frees ---- */

/* The live stream of a process, or NULL. */
struct stream *streams_of(pid_t pid, uint64_t start);

/* Without the lock: a new one. 0; -errno, which is counted and logged. */
int streams_attach(const struct process *p, const struct stream_options *o);

/* With the lock, which is given up meanwhile: its last events are taken out, and it ends. */
void streams_end(struct stream *s, bool detached);

/* With the lock: those that have ended go when they had their time. */
void streams_remove_old(uint64_t now_ms);

/* When the thread has ended: all end and go. */
void streams_done(void);

#endif
