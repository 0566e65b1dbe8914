/*
 * collector - the thread that finds processes, attaches them, and takes the events out.
 *
 *     thread      find -> attach -> take out -> rings           never calls libpcp or libpcp_pmda
 *     requests    lock -> take out what is there -> queues, instances, values -> unlock
 *
 * One lock guards everything here. The thread holds it for a few hundred events at most, and steps
 * back when a request waits for it; what may take long (looking at /proc, making and ending
 * streams) is done without it. Only the thread makes and frees streams.
 */
#ifndef TRACING_COLLECTOR_H
#define TRACING_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "stream.h"

struct collector {
	struct stream *streams; /* the newest first */
	struct process **processes; /* in order of pid */
	size_t nprocesses;
	unsigned int nlive, nstreams;
	unsigned int removals; /* grows when a stream or process goes */
	bool watched; /* somebody wants the events of new streams too */
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

/* Reads the configuration: 0, or -EINVAL, -errno with a message. */
int collector_configure(const char *path, char *message, size_t size);

/* Starts the thread, if it does not run in this process yet; ends it, and all streams. */
int collector_start(void);
void collector_stop(void);

void collector_lock(void);
void collector_unlock(void);

/* With the lock: takes out what is there, with so much processor time at most. */
void collector_drain(unsigned int ms);

/* With the lock: notes what went wrong. */
void collector_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * With the lock, which is given up meanwhile: a user asks for a process to be attached (only:
 * names by commas, "" for all) or detached. 0; -ESRCH, -EEXIST, PM_ERR_PERMISSION; PM_ERR_AGAIN when
 * the thread has not done it in time: it does then, and who asks again is told how it went if it is
 * still under way.
 */
int collector_attach(pid_t pid, const char *only, uid_t who);
int collector_detach(pid_t pid, uid_t who);

/* May this user control the processes of that one? */
bool collector_permits(uid_t who, uid_t owner);

#endif
