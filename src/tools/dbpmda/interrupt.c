/* interrupt - see interrupt.h. */
#include "tools/dbpmda/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t seen;

static void on_interrupt(int sig)
{
	if (seen) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	seen = 1;
}

void interrupt_begin(void)
{
	struct sigaction action = {.sa_handler = on_interrupt}; /* without SA_RESTART: system calls end */

	seen = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

void interrupt_end(void)
{
	signal(SIGINT, SIG_DFL);
}

void interrupt_sleep(long seconds)
{
	struct timespec left = {.tv_sec = seconds};
	sigset_t held, before;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigprocmask(SIG_BLOCK, &held, &before);
	if (!seen)
		ppoll(NULL, 0, &left, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

bool interrupt_seen(void)
{
	return seen != 0;
}
