/* timespec - times compared, moved and measured. Nanoseconds are 0 to 999,999,999. */
#ifndef LIBBASE_TIMESPEC_H
#define LIBBASE_TIMESPEC_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
	TIMESPEC_NSEC = 1000000000, /* of a second */
	TIMESPEC_NSEC_PER_USEC = 1000,
	TIMESPEC_NSEC_PER_MSEC = 1000000,
};

static inline int timespec_compare(const struct timespec *a, const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

static inline bool timespec_before(const struct timespec *a, const struct timespec *b)
{
	return timespec_compare(a, b) < 0;
}

/* Seconds and nanoseconds of either sign are added; times at the ends of the range wrap. */
static inline struct timespec timespec_add(const struct timespec *t, const struct timespec *delta)
{
	int64_t nsec = (int64_t)t->tv_nsec + delta->tv_nsec;
	int64_t carry = nsec / TIMESPEC_NSEC;
	uint64_t sec = (uint64_t)t->tv_sec + (uint64_t)delta->tv_sec;

	nsec %= TIMESPEC_NSEC;
	if (nsec < 0) {
		nsec += TIMESPEC_NSEC;
		carry--;
	}
	return (struct timespec){(time_t)(sec + (uint64_t)carry), nsec};
}

static inline struct timespec timespec_add_ns(const struct timespec *t, int64_t ns)
{
	struct timespec delta = {ns / TIMESPEC_NSEC, ns % TIMESPEC_NSEC};

	return timespec_add(t, &delta);
}

/* Seconds from base to t. */
static inline double timespec_since(const struct timespec *t, const struct timespec *base)
{
	int64_t sec = (int64_t)((uint64_t)t->tv_sec - (uint64_t)base->tv_sec);

	return (double)sec + (double)((int64_t)t->tv_nsec - base->tv_nsec) / TIMESPEC_NSEC;
}

#endif
