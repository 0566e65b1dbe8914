/*
 * timetext - times that a user types, one by one (docs/spec/pmapi.md 15.2), and as the window of
 * the options -S, -T, -A and -O (15.3). Date texts, "next Monday 3pm", are read by datetext.c.
 */
#include "libpcp/timetext.h"

#include <ctype.h>
#include <stdbool.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libpcp/datetext.h"
#include "libpcp/format.h"

/* ---- "@ctime" ------------------------------------------------------------------------------- */

#define NSEC_PER_SEC 1000000000L

static const char *const weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", NULL};
static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul",
				     "Aug", "Sep", "Oct", "Nov", "Dec", NULL};

static void ctime_blanks(const char **p)
{
	while (isspace((unsigned char)**p))
		(*p)++;
}

/* Each take_ skips blanks, and moves *p on over what it takes; CTIME_NONE if that is not there. */
static int ctime_take_name(const char **p, const char *const *names)
{
	ctime_blanks(p);
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

	ctime_blanks(p);
	n = strtol(*p, &after, 10);
	if (after == *p || n < min || n > max)
		return CTIME_NONE;
	*p = after;
	return (int)n;
}

static bool ctime_take_char(const char **p, char c)
{
	ctime_blanks(p);
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

	ctime_blanks(p);
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
	ctime_blanks(p);
	if (tm->tm_hour == CTIME_NONE && tm->tm_mday <= 23 &&
	    (**p == ':' || tm->tm_mon == CTIME_NONE)) {
		tm->tm_hour = tm->tm_mday;
		tm->tm_mday = CTIME_NONE;
	}
}

static void take_minutes(const char **p, struct ctimetext *c)
{
	if (!ctime_take_char(p, ':'))
		return;
	if (c->tm.tm_hour == CTIME_NONE)
		c->tm.tm_hour = 0;
	c->tm.tm_min = take_int(p, 0, 59);
	if (c->tm.tm_min == CTIME_NONE)
		c->tm.tm_min = 0;
	if (ctime_take_char(p, ':'))
		take_seconds(p, c);
}

static void take_meridian(const char **p, struct tm *tm)
{
	ctime_blanks(p);
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

/* A weekday alone is not enough, nor is an hour alone. */
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
	weekday = ctime_take_name(&p, weekdays);
	c.tm.tm_mon = ctime_take_name(&p, months);
	take_day_and_hour(&p, &c.tm);
	take_minutes(&p, &c);
	take_meridian(&p, &c.tm);
	c.tm.tm_year = take_int(&p, 1900, 9999);
	if (c.tm.tm_year != CTIME_NONE)
		c.tm.tm_year -= 1900;
	ctime_blanks(&p);
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
	/* struct tm has no member for it */
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

/* ---- One time ------------------------------------------------------------------------------- */

static bool end_is_known(const struct timespec *end)
{
	return end->tv_sec != PM_MAX_TIME_T;
}

/* The time that a date text is relative to: the end for the past, the start for the future, now for
 * a date that is neither. */
static time_t date_base(const char *text, const struct timespec *start, const struct timespec *end)
{
	static const char *const words[] = {" YEAR", " MONTH",  " FORTNIGHT", " WEEK",   " DAY",
					    " HOUR", " MINUTE", " MIN",       " SECOND", " SEC"};
	bool relative = false;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		relative |= strcasestr(text, words[i]) != NULL;
	if (!relative)
		return clock_now().tv_sec;
	if (end_is_known(end) &&
	    (strcasestr(text, "last") != NULL || strcasestr(text, "ago") != NULL || *text == '-'))
		return end->tv_sec;
	return start->tv_sec;
}

static int parse_date(const char *text, const struct timespec *start, const struct timespec *end,
		      struct timespec *ret_time)
{
	time_t t;

	if (datetext_parse(text, date_base(text, start, end), &t) < 0)
		return -1;
	*ret_time = (struct timespec){.tv_sec = t};
	return 0;
}

/* "@ctime". 0, or -1 and the message, which is NULL where there is no memory for it. */
static int parse_absolute(const char *text, const struct timespec *start, struct timespec *ret_time,
			  char **ret_message)
{
	struct ctimetext c;
	const char *at;
	const char *why = ctimetext_parse(text, &c, &at);

	if (why != NULL) {
		*ret_message = parse_error(text, at, why);
		return -1;
	}
	*ret_time = ctimetext_resolve(&c, start);
	return 0;
}

/* An interval after the start or before the end. As parse_absolute. */
static int parse_offset(const char *text, bool from_end, const struct timespec *start,
			const struct timespec *end, struct timespec *ret_time, char **ret_message)
{
	struct timespec interval;

	if (pmParseHighResInterval(text, &interval, ret_message) < 0)
		return -1;
	*ret_time = from_end ? *end : *start;
	if (from_end)
		pmtimespecDec(ret_time, &interval);
	else
		pmtimespecInc(ret_time, &interval);
	return 0;
}

int timetext_parse(const char *text, const struct timespec *start, const struct timespec *end,
		   struct timespec *ret_time, char **ret_errmsg)
{
	const char *p = text;
	char *message = NULL;
	int r;

	while (isspace((unsigned char)*p))
		p++;
	if (*p == '@')
		r = parse_absolute(p + 1, start, ret_time, &message);
	else if (*p == '-' && end_is_known(end))
		r = parse_offset(p + 1, true, start, end, ret_time, &message);
	else
		r = parse_offset(*p == '+' ? p + 1 : p, false, start, end, ret_time, &message);
	if (r == 0)
		return 0;
	if (parse_date(*p == '@' ? p + 1 : p, start, end, ret_time) == 0) {
		free(message);
		return 0;
	}
	*ret_errmsg = message;
	return -1;
}

int __pmParseHighResTime(const char *text, struct timespec *start, struct timespec *end,
			 struct timespec *result, char **errmsg)
{
	return timetext_parse(text, start, end, result, errmsg);
}

int __pmParseTime(const char *text, struct timeval *start, struct timeval *end,
		  struct timeval *result, char **errmsg)
{
	struct timespec from = {.tv_sec = start->tv_sec, .tv_nsec = start->tv_usec * 1000};
	struct timespec to = {.tv_sec = end->tv_sec, .tv_nsec = end->tv_usec * 1000};
	struct timespec ts;
	int r = timetext_parse(text, &from, &to, &ts, errmsg);

	if (r == 0)
		*result = (struct timeval){.tv_sec = ts.tv_sec, .tv_usec = ts.tv_nsec / 1000};
	return r;
}

/* ---- A time window -------------------------------------------------------------------------- */

#define NO_ALIGNMENT "alignment specified by -A switch could not be applied"

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static __int128 in_ns(const struct timespec *ts)
{
	return (__int128)ts->tv_sec * NSEC_PER_SEC + ts->tv_nsec;
}

/* The next multiple of step since the epoch, or that many steps after it. */
static struct timespec round_up(const struct timespec *t, const struct timespec *step, int steps)
{
	__int128 width = in_ns(step);
	__int128 ns = (in_ns(t) + width - 1) / width * width + steps * width;

	return (struct timespec){.tv_sec = (time_t)(ns / NSEC_PER_SEC),
				 .tv_nsec = (long)(ns % NSEC_PER_SEC)};
}

/* Alignment: 0 and *step, or -1 with *errmsg. */
static int parse_align(const char *align, struct timespec *step, char **errmsg)
{
	if (pmParseHighResInterval(align, step, errmsg) < 0)
		return -1;
	if (step->tv_sec != 0 || step->tv_nsec != 0)
		return 0;
	*errmsg = parse_error(align, align, NO_ALIGNMENT);
	return -1;
}

/* Within [start, end] *t moves to a multiple of step: false if there is none. */
static bool align_start(struct timespec *t, const struct timespec *step,
			const struct timespec *start, const struct timespec *end)
{
	struct timespec aligned = round_up(t, step, 0);

	if (is_before(&aligned, start) || is_before(end, &aligned))
		return false;
	*t = aligned;
	return true;
}

/* The same for the offset, which may step back. */
static bool align_offset(struct timespec *t, const struct timespec *step,
			 const struct timespec *start, const struct timespec *end)
{
	struct timespec aligned = round_up(t, step, 0);

	if (is_before(end, &aligned))
		aligned = round_up(t, step, -1);
	if (is_before(&aligned, start) || is_before(end, &aligned))
		return false;
	*t = aligned;
	return true;
}

struct window {
	struct timespec start;
	struct timespec end;
	struct timespec offset;
};

/* On entry w is the window of the data, on return the wanted one. */
static int parse_window(const char *start, const char *end, const char *align, const char *offset,
			struct window *w, char **errmsg)
{
	struct timespec log_start = w->start, log_end = w->end, step;
	bool aligned = true;

	if (start != NULL && timetext_parse(start, &w->start, &w->end, &w->start, errmsg) < 0)
		return -1;
	if (is_before(&w->start, &log_start))
		w->start = log_start;
	if (align != NULL) {
		if (parse_align(align, &step, errmsg) < 0)
			return -1;
		aligned = align_start(&w->start, &step, &log_start, &log_end);
	}
	if (end != NULL && timetext_parse(end, &w->start, &w->end, &w->end, errmsg) < 0)
		return -1;
	if (is_before(&log_end, &w->end))
		w->end = log_end;
	w->offset = w->start;
	if (offset != NULL) {
		if (timetext_parse(offset, &w->start, &w->end, &w->offset, errmsg) < 0)
			return -1;
		if (is_before(&w->offset, &w->start))
			w->offset = w->start;
		else if (is_before(&w->end, &w->offset))
			w->offset = w->end;
		if (align != NULL)
			aligned &= align_offset(&w->offset, &step, &w->start, &w->end);
	}
	if (aligned)
		return 1;
	*errmsg = parse_error(align, align, NO_ALIGNMENT);
	return 0;
}

int pmParseHighResTimeWindow(const char *start, const char *end, const char *align,
			     const char *offset, const struct timespec *log_start,
			     const struct timespec *log_end, struct timespec *ret_start,
			     struct timespec *ret_end, struct timespec *ret_offset, char **errmsg)
{
	struct window w = {.start = *log_start, .end = *log_end};
	int r = parse_window(start, end, align, offset, &w, errmsg);

	if (r < 0)
		return r;
	*ret_start = w.start;
	*ret_end = w.end;
	*ret_offset = w.offset;
	return r;
}

static struct timespec to_timespec(const struct timeval *tv)
{
	return (struct timespec){.tv_sec = tv->tv_sec, .tv_nsec = tv->tv_usec * 1000};
}

static struct timeval to_timeval(const struct timespec *ts)
{
	return (struct timeval){.tv_sec = ts->tv_sec, .tv_usec = ts->tv_nsec / 1000};
}

int pmParseTimeWindow(const char *start, const char *end, const char *align, const char *offset,
		      const struct timeval *log_start, const struct timeval *log_end,
		      struct timeval *ret_start, struct timeval *ret_end,
		      struct timeval *ret_offset, char **errmsg)
{
	struct window w = {.start = to_timespec(log_start), .end = to_timespec(log_end)};
	int r = parse_window(start, end, align, offset, &w, errmsg);

	if (r < 0)
		return r;
	*ret_start = to_timeval(&w.start);
	*ret_end = to_timeval(&w.end);
	*ret_offset = to_timeval(&w.offset);
	return r;
}
