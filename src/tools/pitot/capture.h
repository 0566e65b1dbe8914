/* capture - what a program, or a function in a process of its own, says on standard error. */
#ifndef PITOT_CAPTURE_H
#define PITOT_CAPTURE_H

#include <stddef.h>

enum {
	CAPTURE_TEXT_MAX = 8192,
	CAPTURE_MS = 5000,     /* then it is killed */
	CAPTURE_NOT_RUN = 127, /* from here on a status says nothing of what was asked */
};

/*
 * Runs the program argv, or where that is NULL the function. The exit status, 128 + the signal, or
 * -errno; text gets the beginning of what it said.
 */
int capture(char *const argv[], int (*function)(const void *arg), const void *arg, char *text,
	    size_t size);

#endif
