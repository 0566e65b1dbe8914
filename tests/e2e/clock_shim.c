/*
 * clock_shim - a wall clock that is set by CLOCK_SET seconds: preloaded into a program under test.
 *
 * From CLOCK_FROM_MS after the first look on (0: from the start), until CLOCK_UNTIL_MS (0: for
 * ever); while the file CLOCK_WHEN is there, where one is named. CLOCK_SYNC=1: the kernel says that
 * a time service keeps the clock right; 0: that none does.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static long number(const char *name)
{
	const char *text = getenv(name);

	return text != NULL ? atol(text) : 0;
}

static long elapsed_ms(void)
{
	static long first;
	struct timespec ts;
	long now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	now = ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
	if (first == 0)
		first = now;
	return now - first;
}

static long offset_s(void)
{
	const char *when = getenv("CLOCK_WHEN");
	long ms = elapsed_ms();

	if (when != NULL && access(when, F_OK) != 0)
		return 0;
	if (ms < number("CLOCK_FROM_MS") ||
	    (number("CLOCK_UNTIL_MS") > 0 && ms >= number("CLOCK_UNTIL_MS")))
		return 0;
	return number("CLOCK_SET");
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int r = (int)syscall(SYS_clock_gettime, id, ts);

	if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		ts->tv_sec += offset_s();
	return r;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec ts;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

int adjtimex(struct timex *t)
{
	memset(t, 0, sizeof(*t));
	t->status = number("CLOCK_SYNC") ? 0 : STA_UNSYNC;
	return number("CLOCK_SYNC") ? TIME_OK : TIME_ERROR;
}
