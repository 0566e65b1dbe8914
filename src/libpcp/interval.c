/*
 * interval - lengths of time: "1min 30sec" as text (docs/spec/pmapi.md 15.1); sums and differences
 * of times, to and from seconds, and sleeping (13.6, 24).
 */
#include <ctype.h>
#include <stdbool.h>
#include <time.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/format.h"

/* Longer than any archive, and far from where seconds overflow. */
#define INTERVAL_MAX_S 1e15

/* clang-format off */
static const struct {
	const char *word;
	double seconds;
} units[] = {
	{ "nanosecond",  1e-9 }, { "nsec", 1e-9 },
	{ "microsecond", 1e-6 }, { "usec", 1e-6 },
	{ "millisecond", 1e-3 }, { "msec", 1e-3 },
	{ "second",  1 },     { "sec", 1 },     { "s", 1 },
	{ "minute",  60 },    { "min", 60 },    { "m", 60 },
	{ "hour",    3600 },  { "hr",  3600 },  { "h", 3600 },
	{ "day",     86400 }, { "d",   86400 },
};
/* clang-format on */

static const char *interval_blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* A word of letters as a unit, with or without a plural s; 0 for what is none. */
static double unit_seconds(const char *word, size_t len)
{
	if (len > 1 && (word[len - 1] == 's' || word[len - 1] == 'S'))
		len--;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].word) == len && strncasecmp(word, units[i].word, len) == 0)
			return units[i].seconds;
	return 0;
}

/* One "number unit" at *p, which is moved on if it is right. */
static bool take_component(const char **p, double *ret_seconds)
{
	char *after;
	double number = cnumber_parse(*p, &after);
	const char *word, *end;
	double seconds = 1;

	if (after == *p || !(number >= 0) || number > INTERVAL_MAX_S)
		return false;
	*p = word = interval_blanks(after);
	for (end = word; isalpha((unsigned char)*end);)
		end++;
	if (end != word)
		seconds = unit_seconds(word, (size_t)(end - word));
	if (seconds == 0)
		return false;
	*p = interval_blanks(end);
	*ret_seconds = number * seconds;
	return true;
}

/* NULL and the interval in seconds, or the position of the mistake in text. */
static const char *interval_parse(const char *text, double *ret_seconds)
{
	const char *p = interval_blanks(text);
	double sum = 0, seconds;

	while (*p != '\0') {
		if (!take_component(&p, &seconds) || sum + seconds > INTERVAL_MAX_S)
			return p;
		sum += seconds;
	}
	*ret_seconds = sum;
	return NULL;
}

/* The interval in seconds, or -1 with *errmsg. */
static double interval_read(const char *spec, char **errmsg)
{
	const char *wrong;
	double seconds;

	if (spec == NULL || *spec == '\0') {
		*errmsg = parse_error("", "", "Null or empty specification");
		return -1;
	}
	wrong = interval_parse(spec, &seconds);
	if (wrong == NULL)
		return seconds;
	*errmsg = parse_error(spec, wrong, "unexpected value");
	return -1;
}

int pmParseHighResInterval(const char *spec, struct timespec *interval, char **errmsg)
{
	static const struct timespec zero = {0};
	double seconds = interval_read(spec, errmsg);

	if (seconds < 0)
		return -1;
	pmtimespecFromReal(seconds, interval);
	pmtimespecInc(interval, &zero); /* carries what was rounded up */
	return 0;
}

int pmParseInterval(const char *spec, struct timeval *interval, char **errmsg)
{
	static const struct timeval zero = {0};
	double seconds = interval_read(spec, errmsg);

	if (seconds < 0)
		return -1;
	pmtimevalFromReal(seconds, interval);
	pmtimevalInc(interval, &zero);
	return 0;
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

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
