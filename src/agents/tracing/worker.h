/*
 * worker - the thread that finds processes, attaches them, and takes the events out.
 */
#ifndef TRACING_WORKER_H
#define TRACING_WORKER_H


/* Starts the thread, if it does not run in this process yet: 0, -errno. Ends it, and all streams. */
int worker_start(void);
void worker_stop(void);

#endif
