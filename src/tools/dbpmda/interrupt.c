/* interrupt - see interrupt.h. */
#include "tools/dbpmda/interrupt.h"

#include <signal.h>

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
	struct sigaction action = {.sa_handler = on_interrupt}; /* calls do not go on after it */

	seen = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

void interrupt_end(void)
{
	signal(SIGINT, SIG_DFL);
}

bool interrupt_seen(void)
{
	return seen != 0;
}
