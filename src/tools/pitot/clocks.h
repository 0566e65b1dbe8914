/*
 * clocks - does the wall clock run evenly? Time stamps of values are only as good as it is.
 *
 * The wall clock is compared with the one that counts from boot, which cannot be set.
 */
#ifndef PITOT_CLOCKS_H
#define PITOT_CLOCKS_H

#include <stdbool.h>

struct moment {
	double wall_s; /* since the epoch */
	double boot_s; /* since boot, suspended or not */
};

struct moment moment_now(void);

/* By how much the wall clock was set between the two, in seconds. */
double moment_step(const struct moment *from, const struct moment *to);

/* True if the kernel knows that no time service keeps the clock right. */
bool clock_is_unsynchronised(void);

/* The command that makes a time service of this host keep the clock right. */
const char *clock_service(void);

#endif
