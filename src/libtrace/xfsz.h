/*
 * xfsz - growing a file where files may not grow: the limit on their size binds memory files too,
 * and a refusal comes with SIGXFSZ, which ends a process that has done nothing but link with us.
 * System calls only.
 */
#ifndef LIBTRACE_XFSZ_H
#define LIBTRACE_XFSZ_H

#include <signal.h>
#include <stdbool.h>

struct xfsz {
	sigset_t old;
	bool was_pending;
};

/* Holds the signal of the calling thread back from here on. */
void xfsz_hold(struct xfsz *x);
/* As before; the signal that a refusal brought is taken away. Keeps errno. */
void xfsz_release(const struct xfsz *x, bool refused);

#endif
