#include "tools/archive/stamp.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <pcp/pmapi.h>

enum {
	CTIME_LEN = 26,
	CTIME_TIME = 11, /* where the time of day begins: "Www Mmm dd hh:mm:ss yyyy" */
	CTIME_TIME_LEN = 8,
	CTIME_YEAR = 20,
};

/* The second that was put into text last: archives have many records and events in one. A zone is
 * chosen before the first. */
static struct {
	bool known;
	time_t second;
	char text[CTIME_LEN];
} last;

static const char *second_text(time_t second)
{
	if (!last.known || last.second != second) {
		pmCtime(&second, last.text);
		last.text[strcspn(last.text, "\n")] = '\0';
		last.second = second;
		last.known = true;
	}
	return last.text;
}

/* ".fff"; a fraction that is none comes as it is. */
static int put_fraction(char *p, long nsec, enum stamp_digits digits)
{
	static const int divisors[] = {
	    [STAMP_MILLI] = 1000000, [STAMP_MICRO] = 1000, [STAMP_NANO] = 1};
	long fraction = nsec / divisors[digits];
	bool odd = fraction < 0 || nsec >= 1000000000;

	if (odd)
		return snprintf(p, STAMP_ROOM / 2, ".%0*ld", (int)digits, fraction);
	p[0] = '.';
	for (int i = (int)digits; i > 0; i--, fraction /= 10)
		p[i] = (char)('0' + fraction % 10);
	p[digits + 1] = '\0';
	return (int)digits + 1;
}

int stamp_time(char *buf, const struct timespec *when, enum stamp_digits digits)
{
	memcpy(buf, second_text(when->tv_sec) + CTIME_TIME, CTIME_TIME_LEN);
	return CTIME_TIME_LEN + put_fraction(buf + CTIME_TIME_LEN, when->tv_nsec, digits);
}

int stamp_date(char *buf, const struct timespec *when, enum stamp_digits digits)
{
	const char *second = second_text(when->tv_sec);
	int len = CTIME_TIME + CTIME_TIME_LEN;

	memcpy(buf, second, (size_t)len);
	len += put_fraction(buf + len, when->tv_nsec, digits);
	return len + snprintf(buf + len, (size_t)(STAMP_ROOM - len), " %s", second + CTIME_YEAR);
}

double stamp_minus(const struct timespec *a, const struct timespec *b)
{
	int64_t sec = a->tv_sec - b->tv_sec, nsec = a->tv_nsec - b->tv_nsec;

	if (nsec < 0) {
		sec--;
		nsec += 1000000000;
	}
	return (double)sec + (double)nsec / 1e9;
}

int stamp_compare(const struct timespec *a, const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}
