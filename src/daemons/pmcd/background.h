/*
 * background - work in a thread of its own for which no part of the collector waits: looking names
 * up may take minutes, and the end of the collector must not.
 */
#ifndef PMCD_BACKGROUND_H
#define PMCD_BACKGROUND_H

#include <uv.h>

struct background;

struct background_ops {
	void (*work)(void *arg); /* in the thread: it may touch arg alone */
	void (*done)(void *arg); /* in the loop, after work: takes arg over */
	void (*drop)(void *arg); /* in either, instead of done: frees arg */
};

/* Starts the thread. 0, or -errno (arg stays the caller's). *ret_background is valid until done or
 * background_abandon. */
int background_start(uv_loop_t *loop, const struct background_ops *ops, void *arg,
		     struct background **ret_background);

/* The loop ends: done will not be called, and arg is dropped when work is over. NULL is fine. */
void background_abandon(struct background *b);

#endif
