/*
 * scan - looks for processes: attaches those that are to be, ends the streams of those gone.
 */
#ifndef TRACING_SCAN_H
#define TRACING_SCAN_H


/* The thread's, without the lock. */
void scan_processes(void);

#endif
