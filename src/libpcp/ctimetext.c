#include "libpcp/ctimetext.h"

#include <ctype.h>
#include <stdbool.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libpcp/cnumber.h"
#include "libpcp/parse_error.h"

#define NSEC_PER_SEC 1000000000L

static const char *const weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", NULL};
static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul",
				     "Aug", "Sep", "Oct", "Nov", "Dec", NULL};

static void skip_blanks(const char **p)
{
	while (isspace((unsigned char)**p))
		(*p)++;
}

/* Each take_ skips blanks, and moves *p on over what it takes; CTIME_NONE if that is not there. */
static int take_name(const char **p, const char *const *names)
{
	skip_blanks(p);
	for (int i = 0; names[i] != NULL; i++) {
		if (strncasecmp(*p, names[i], 3) == 0) {
			*p += 3;
			return i;
		}
	}
	return CTIME_NONE;
}

static int take_int(const char **p, long min, long max)
{
	char *after;
	long n;

	skip_blanks(p);
	n = strtol(*p, &after, 10);
	if (after == *p || n < min || n > max)
		return CTIME_NONE;
	*p = after;
	return (int)n;
}

static bool take_char(const char **p, char c)
{
	skip_blanks(p);
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* Seconds with a fraction, up to 61 for leap seconds; not there is 0. */
static void take_seconds(const char **p, struct ctimetext *c)
{
	char *after;
	double seconds;

	skip_blanks(p);
	c->tm.tm_sec = 0;
	if (!isdigit((unsigned char)**p))
		return;
	seconds = cnumber_parse(*p, &after);
	if (!(seconds <= 61))
		return;
	*p = after;
	c->tm.tm_sec = (int)seconds;
	c->nsec = (long)((seconds - (double)c->tm.tm_sec) * (double)NSEC_PER_SEC + 0.5);
	if (c->nsec >= NSEC_PER_SEC)
		c->nsec = NSEC_PER_SEC - 1;
}

/* A number is the day, unless it reads as the hour: before a colon, or alone and without month. */
static void take_day_and_hour(const char **p, struct tm *tm)
{
	tm->tm_mday = take_int(p, 0, 31);
	tm->tm_hour = take_int(p, 0, 23);
	skip_blanks(p);
	if (tm->tm_hour == CTIME_NONE && tm->tm_mday <= 23 &&
	    (**p == ':' || tm->tm_mon == CTIME_NONE)) {
		tm->tm_hour = tm->tm_mday;
		tm->tm_mday = CTIME_NONE;
	}
}

static void take_minutes(const char **p, struct ctimetext *c)
{
	if (!take_char(p, ':'))
		return;
	if (c->tm.tm_hour == CTIME_NONE)
		c->tm.tm_hour = 0;
	c->tm.tm_min = take_int(p, 0, 59);
	if (c->tm.tm_min == CTIME_NONE)
		c->tm.tm_min = 0;
	if (take_char(p, ':'))
		take_seconds(p, c);
}

static void take_meridian(const char **p, struct tm *tm)
{
	skip_blanks(p);
	if (tm->tm_hour == CTIME_NONE || tm->tm_hour > 12)
		return;
	if (strncasecmp(*p, "am", 2) == 0) {
		tm->tm_hour %= 12;
		*p += 2;
	} else if (strncasecmp(*p, "pm", 2) == 0) {
		tm->tm_hour = tm->tm_hour % 12 + 12;
		*p += 2;
	}
}

static void default_to(int *field, int value)
{
	if (*field == CTIME_NONE)
		*field = value;
}

/* The fields to the right of one that is given have their first value. */
static void complete(struct tm *tm)
{
	if (tm->tm_year != CTIME_NONE)
		default_to(&tm->tm_mon, 0);
	if (tm->tm_mon != CTIME_NONE)
		default_to(&tm->tm_mday, 1);
	if (tm->tm_mday != CTIME_NONE)
		default_to(&tm->tm_hour, 0);
	if (tm->tm_hour != CTIME_NONE) {
		default_to(&tm->tm_min, 0);
		default_to(&tm->tm_sec, 0);
	}
}

/* A weekday says nothing by itself, nor does an hour alone. */
static bool says_enough(const struct tm *tm, int weekday)
{
	if (tm->tm_mon != CTIME_NONE || tm->tm_mday != CTIME_NONE)
		return true;
	if (weekday != CTIME_NONE)
		return false;
	return tm->tm_hour == CTIME_NONE || tm->tm_min != CTIME_NONE || tm->tm_year != CTIME_NONE;
}

const char *ctimetext_parse(const char *text, struct ctimetext *ret, const char **ret_at)
{
	struct ctimetext c = {.nsec = 0};
	const char *p = text;
	int weekday;

	c.tm = (struct tm){
	    .tm_year = CTIME_NONE, .tm_min = CTIME_NONE, .tm_sec = CTIME_NONE, .tm_isdst = -1};
	weekday = take_name(&p, weekdays);
	c.tm.tm_mon = take_name(&p, months);
	take_day_and_hour(&p, &c.tm);
	take_minutes(&p, &c);
	take_meridian(&p, &c.tm);
	c.tm.tm_year = take_int(&p, 1900, 9999);
	if (c.tm.tm_year != CTIME_NONE)
		c.tm.tm_year -= 1900;
	skip_blanks(&p);
	*ret_at = p;
	if (*p != '\0')
		return "unexpected value";
	if (!says_enough(&c.tm, weekday))
		return "more information expected";
	complete(&c.tm);
	*ret = c;
	return NULL;
}

int __pmParseCtime(const char *text, struct tm *tm, char **errmsg)
{
	struct ctimetext c;
	const char *at;
	const char *why = ctimetext_parse(text, &c, &at);

	if (why != NULL) {
		*errmsg = parse_error(text, at, why);
		return -1;
	}
	*tm = c.tm;
	/* there is no other place for it */
	tm->tm_yday = tm->tm_sec == CTIME_NONE ? CTIME_NONE : (int)c.nsec;
	return 0;
}

/* The fields from large to small, as far as a text can leave them to the base. */
static void fill_from(struct tm *tm, const struct tm *base)
{
	if (tm->tm_mon != CTIME_NONE) {
		tm->tm_year = base->tm_year + (tm->tm_mon < base->tm_mon);
	} else if (tm->tm_mday != CTIME_NONE) {
		tm->tm_year = base->tm_year;
		tm->tm_mon = base->tm_mon + (tm->tm_mday < base->tm_mday);
	} else if (tm->tm_hour != CTIME_NONE) {
		tm->tm_year = base->tm_year;
		tm->tm_mon = base->tm_mon;
		tm->tm_mday = base->tm_mday + (tm->tm_hour < base->tm_hour);
	} else {
		*tm = *base;
	}
}

struct timespec ctimetext_resolve(const struct ctimetext *c, const struct timespec *base)
{
	struct tm tm = c->tm, base_tm;
	long nsec = c->nsec;

	if (tm.tm_year == CTIME_NONE) {
		bool nothing_given = tm.tm_hour == CTIME_NONE;

		pmLocaltime(&base->tv_sec, &base_tm);
		fill_from(&tm, &base_tm);
		if (nothing_given)
			nsec = base->tv_nsec;
	}
	tm.tm_isdst = -1;
	return (struct timespec){.tv_sec = __pmMktime(&tm), .tv_nsec = nsec};
}
