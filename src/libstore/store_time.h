/* store_time - comparing stamps. */
#ifndef LIBSTORE_STORE_TIME_H
#define LIBSTORE_STORE_TIME_H

#include <stdbool.h>
#include <time.h>

static inline bool store_time_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static inline bool store_time_equal(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

#endif
