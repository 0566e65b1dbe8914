#include "libpcp/timetext.h"

#include <ctype.h>
#include <stdbool.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libpcp/ctimetext.h"
#include "libpcp/datetext.h"
#include "libpcp/parse_error.h"

static bool end_is_known(const struct timespec *end)
{
	return end->tv_sec != PM_MAX_TIME_T;
}

/* Seen from where a date text counts: the end for what is past, the start for what is to come, now
 * for what is neither. */
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
