/*
 * calls - intercepts the system calls of libstore that change files (linked with --wrap): counts
 * them, and at the n-th one dies or fails, or records the call.
 */
#ifndef TESTS_STORE_CALLS_H
#define TESTS_STORE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum call_action {
	CALLS_COUNT,
	CALLS_KILL, /* before the n-th call: SIGKILL */
	CALLS_FAIL, /* the n-th call fails */
};

enum call_kind {
	CALL_CREATE,
	CALL_WRITE,
	CALL_TRUNCATE,
	CALL_ALLOCATE,
	CALL_SYNC,
	CALL_RENAME,
	CALL_UNLINK,
};

/* The recorded call. */
struct call {
	enum call_kind kind;
	int file; /* number of the file, by creation; -1: a folder or one that was not created here
		   */
	uint64_t offset;
	size_t len;
	uint8_t *bytes;
	char path[160], to[160];
};

struct call_plan {
	enum call_action action;
	long at;       /* from 1 on; 0: never */
	bool torn;     /* a write: half of it is done first */
	int error;     /* errno of a failure */
	long span;     /* so many calls in a row fail */
	long count;    /* how many there were */
	bool dry_sync; /* the disk is not asked */
	bool log;
	struct call *calls; /* what was done, with log */
	size_t ncalls;
};

extern struct call_plan calls;

void calls_forget(void); /* frees the log */

/* The replaced functions, which the linker's --wrap options name. */
#endif
