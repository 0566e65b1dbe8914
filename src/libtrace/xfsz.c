/* xfsz - see xfsz.h. */
#include "libtrace/xfsz.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static void only(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGXFSZ);
}

void host_xfsz_hold(struct host_xfsz *x)
{
	sigset_t set, pending;

	only(&set);
	pthread_sigmask(SIG_BLOCK, &set, &x->old);
	sigpending(&pending);
	x->was_pending = sigismember(&pending, SIGXFSZ) == 1;
}

void host_xfsz_release(const struct host_xfsz *x, bool refused)
{
	const struct timespec at_once = { 0, 0 };
	int saved = errno;
	sigset_t set;

	only(&set);
	while (refused && !x->was_pending && sigtimedwait(&set, NULL, &at_once) < 0 &&
	       errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &x->old, NULL);
	errno = saved;
}
