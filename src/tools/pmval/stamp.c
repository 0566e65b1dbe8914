#include "tools/pmval/stamp.h"

#include <stdio.h>

#include <pcp/pmapi.h>

#define CTIME_LEN  26
#define CTIME_YEAR 20 /* the offset of the year: "Www Mmm dd hh:mm:ss yyyy" */

static const int widths[] = {12, 31, 34};

void stamp_print(const struct timespec *when, int detail)
{
	time_t clock = when->tv_sec;
	struct tm tm;
	char text[CTIME_LEN];

	pmLocaltime(&clock, &tm);
	if (detail == 0) {
		printf("%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
		       (int)(when->tv_nsec / 1000000));
		return;
	}
	pmCtime(&clock, text);
	printf("%.10s %02d:%02d:%02d.", text, tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (detail == 1)
		printf("%06d", (int)(when->tv_nsec / 1000));
	else
		printf("%09d", (int)when->tv_nsec);
	printf(" %4.4s", text + CTIME_YEAR);
}

int stamp_width(int detail)
{
	return widths[detail > 2 ? 2 : detail];
}
