/* sequenced - linked to a test: its streams use the clock of machines whose counter is too slow. */
#include "libtrace/clock.h"

enum {
	SLOW_BITS = 6, /* from 2 or 3 GHz to about 40 MHz */
};

__attribute__((constructor(101))) static void sequenced(void)
{
	if (clock_kind() == CLOCK_KIND_MONO && clock_usable(CLOCK_KIND_TSC))
		return; /* a counter that is not to be trusted does not make a clock */
	if (clock_usable(CLOCK_KIND_SEQ))
		clock_force(CLOCK_KIND_SEQ, SLOW_BITS);
}
