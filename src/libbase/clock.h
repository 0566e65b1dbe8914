/* clock - the two times that matter: since boot (for deadlines) and since the epoch (for stamps).
 */
#ifndef LIBBASE_CLOCK_H
#define LIBBASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "libbase/timespec.h"

/* CLOCK_MONOTONIC in nanoseconds or milliseconds. */
static inline uint64_t clock_mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * TIMESPEC_NSEC + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_mono_ms(void)
{
	return clock_mono_ns() / TIMESPEC_NSEC_PER_MSEC;
}

/* CLOCK_BOOTTIME in milliseconds: goes on while the machine is suspended, as the wall clock does.
 */
static inline uint64_t clock_boot_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000u + (uint64_t)ts.tv_nsec / TIMESPEC_NSEC_PER_MSEC;
}

/* CLOCK_REALTIME. */
static inline struct timespec clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts;
}

#endif
