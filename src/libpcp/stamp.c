/*
 * stamp - time of day in the reporting zone: docs/spec/pmapi.md 13.1.
 */
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

void pmPrintStamp(FILE *f, const struct timeval *tv)
{
	struct tm tm;

	pmLocaltime(&tv->tv_sec, &tm);
	fprintf(f, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
		(int)(tv->tv_usec / 1000));
}

void pmPrintHighResStamp(FILE *f, const struct timespec *ts)
{
	struct tm tm;

	pmLocaltime(&ts->tv_sec, &tm);
	fprintf(f, "%02d:%02d:%02d.%09d", tm.tm_hour, tm.tm_min, tm.tm_sec, (int)ts->tv_nsec);
}

void __pmPrintTimestamp(FILE *f, const __pmTimestamp *stamp)
{
	const struct timespec ts = {(time_t)stamp->sec, stamp->nsec};

	pmPrintHighResStamp(f, &ts);
}
