/*
 * explore - runs a few threads of real code in every possible order.
 *
 * A thread is a coroutine; it yields at each explore_point(), which is before every atomic
 * operation of the code under test (hooks.h inserts it). At each point the explorer continues with
 * every remaining thread, one after the other, and may kill one instead. A state that was reached
 * before (the same bytes in shared memory and on the stacks, the same registers) is not explored
 * again. So a finite program is explored completely: every interleaving of atomic operations, with
 * sequential consistency. (TSan and the written argument cover weaker orders.)
 */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EXPLORE_THREADS = 4,
	EXPLORE_REGIONS = 24,
	EXPLORE_STACK = 32 * 1024,
};

struct explore_thread {
	const char *name;
	void (*run)(void *arg);
	void *arg;
	bool mortal;                /* may be killed between any two atomic operations */
	void (*handler)(void *arg); /* runs between any two of them, as a signal handler would */
	/* Called when the explorer comes to this thread: thread-local words are set here. */
	void (*resumed)(void *arg);
};

struct explore_region {
	void *base;
	size_t size;
};

struct explore {
	struct explore_region regions[EXPLORE_REGIONS]; /* the world: saved, restored, compared */
	unsigned nregions;
	/* The memory that threads share: operations on other memory commute with all others, so
	 * threads do not yield at them. Size 0: all memory is shared. */
	struct explore_region shared;
	struct explore_thread threads[EXPLORE_THREADS];
	unsigned nthreads;
	unsigned kills;      /* at most so many threads die in one run */
	unsigned signals;    /* at most so many handlers run in one run */
	uint64_t max_states; /* gives up beyond it: the caller says that this is a failure */
	/* Called at the end of each run, when every thread has ended or died. Returns NULL, or the
	   text of an error. */
	const char *(*check)(void *arg);
	void *arg;
};

struct explore_result {
	uint64_t states, runs, depth;
	bool complete;
	const char *wrong; /* with the schedule that leads there on stderr */
};

/* Runs everything; the world is as it was before when it returns. */
struct explore_result explore_run(const struct explore *explore);

/* Gives way. Outside of a run, or inside of check, it does nothing. */
void explore_point(void);

/* Yields, if the memory there is shared. */
void explore_touch(const volatile void *at, size_t size);

/* Index of the running thread, -1 outside; and whether one was killed (by index). */
int explore_self(void);
bool explore_dead(unsigned thread);

#endif
