/*
 * crowd - sixteen threads, each with a context of its own and all with some in common, while the
 * collector dies and comes back: every call returns the right result, or the error that the
 * connection or the context is lost; reconnecting works; and no thread waits for ever (an alarm
 * checks this).
 */
#ifndef TESTS_LIBPCP_CROWD_H
#define TESTS_LIBPCP_CROWD_H

#include <stdbool.h>

struct crowd {
	const char *spec; /* of the collector */
	int crashes;
	unsigned int deadline_s;
	/* Readies the thread's own context, which is current; NULL: nothing. A code, as below. */
	int (*prepare)(void);
	/*
	 * Makes a request, selected by which, in the current context: own, or shared with others.
	 * Returns 0 or more if the answer is right, PM_ERR_VALUE if it is wrong, else the error.
	 */
	int (*ask)(unsigned int which, bool own);
	void (*crash)(void);
	void (*revive)(void);
};

/* All of it; cmocka's assertions say what was wrong. */
void crowd_run(const struct crowd *crowd);

/* True for what a call may say when the collector or the context is gone. */
bool crowd_is_gone(int error);

#endif
