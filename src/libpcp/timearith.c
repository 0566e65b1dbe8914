/*
 * timearith - sums and differences of times, to and from seconds, and sleeping: docs/spec/pmapi.md
 * 13.6, 24.
 */
#include <time.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#define USEC_PER_SEC 1000000
#define NSEC_PER_SEC 1000000000

/* Rounded once, at the end. */
static double to_real(time_t sec, long fraction, long per_sec)
{
	return (double)((long double)sec + (long double)fraction / per_sec);
}

void pmtimevalNow(struct timeval *tv)
{
	gettimeofday(tv, NULL);
}

void pmtimevalInc(struct timeval *a, const struct timeval *b)
{
	a->tv_sec += b->tv_sec;
	a->tv_usec += b->tv_usec;
	if (a->tv_usec >= USEC_PER_SEC) {
		a->tv_usec -= USEC_PER_SEC;
		a->tv_sec++;
	}
}

void pmtimevalDec(struct timeval *a, const struct timeval *b)
{
	a->tv_sec -= b->tv_sec;
	a->tv_usec -= b->tv_usec;
	if (a->tv_usec < 0) {
		a->tv_usec += USEC_PER_SEC;
		a->tv_sec--;
	}
}

double pmtimevalAdd(const struct timeval *a, const struct timeval *b)
{
	return to_real(a->tv_sec + b->tv_sec, a->tv_usec + b->tv_usec, USEC_PER_SEC);
}

double pmtimevalSub(const struct timeval *a, const struct timeval *b)
{
	return to_real(a->tv_sec - b->tv_sec, a->tv_usec - b->tv_usec, USEC_PER_SEC);
}

double pmtimevalToReal(const struct timeval *tv)
{
	return to_real(tv->tv_sec, tv->tv_usec, USEC_PER_SEC);
}

void pmtimevalFromReal(double seconds, struct timeval *tv)
{
	tv->tv_sec = (time_t)seconds;
	tv->tv_usec = (suseconds_t)(((long double)seconds - tv->tv_sec) * USEC_PER_SEC + 0.5L);
}

int pmtimespecNow(struct timespec *ts)
{
	return clock_gettime(CLOCK_REALTIME, ts);
}

int __pmGetTimespec(struct timespec *ts)
{
	return pmtimespecNow(ts) < 0 ? -errno : 0;
}

void pmtimespecInc(struct timespec *a, const struct timespec *b)
{
	a->tv_sec += b->tv_sec;
	a->tv_nsec += b->tv_nsec;
	if (a->tv_nsec >= NSEC_PER_SEC) {
		a->tv_nsec -= NSEC_PER_SEC;
		a->tv_sec++;
	}
}

void pmtimespecDec(struct timespec *a, const struct timespec *b)
{
	a->tv_sec -= b->tv_sec;
	a->tv_nsec -= b->tv_nsec;
	if (a->tv_nsec < 0) {
		a->tv_nsec += NSEC_PER_SEC;
		a->tv_sec--;
	}
}

double pmtimespecAdd(const struct timespec *a, const struct timespec *b)
{
	return to_real(a->tv_sec + b->tv_sec, a->tv_nsec + b->tv_nsec, NSEC_PER_SEC);
}

double pmtimespecSub(const struct timespec *a, const struct timespec *b)
{
	return to_real(a->tv_sec - b->tv_sec, a->tv_nsec - b->tv_nsec, NSEC_PER_SEC);
}

double pmtimespecToReal(const struct timespec *ts)
{
	return to_real(ts->tv_sec, ts->tv_nsec, NSEC_PER_SEC);
}

void pmtimespecFromReal(double seconds, struct timespec *ts)
{
	ts->tv_sec = (time_t)seconds;
	ts->tv_nsec = (long)(((long double)seconds - ts->tv_sec) * NSEC_PER_SEC + 0.5L);
}

void __pmtimespecSleep(struct timespec interval)
{
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &interval, &interval) == EINTR)
		continue;
}

void __pmtimespecPause(struct timespec until)
{
	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == EINTR)
		continue;
}

void __pmtimevalSleep(struct timeval interval)
{
	__pmtimespecSleep(
	    (struct timespec){.tv_sec = interval.tv_sec, .tv_nsec = interval.tv_usec * 1000});
}

void __pmtimevalPause(struct timeval until)
{
	__pmtimespecPause(
	    (struct timespec){.tv_sec = until.tv_sec, .tv_nsec = until.tv_usec * 1000});
}
