/*
 * xfsz - grow a file under RLIMIT_FSIZE.
 *
 * The limit applies to memory files too, and the kernel refuses with SIGXFSZ, which would kill a
 * process that has done nothing but link with the library. System calls only.
 */
#ifndef LIBTRACE_XFSZ_H
#define LIBTRACE_XFSZ_H

#include <signal.h>
#include <stdbool.h>

struct host_xfsz {
	sigset_t old;
	bool was_pending;
};

/* Blocks SIGXFSZ in the calling thread. */
void host_xfsz_hold(struct host_xfsz *x);
/* Restores the signal mask; removes the signal that a refusal raised. Keeps errno. */
void host_xfsz_release(const struct host_xfsz *x, bool refused);

#endif
