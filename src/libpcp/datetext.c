/*
 * datetext - see datetext.h.
 *
 * A text is a row of items in any order: time, zone, date, weekday, something relative, a bare
 * number. An item is known by its first word or two. They are gathered in a struct date and made
 * into an instant at the end.
 */
#include "libpcp/datetext.h"

#include <stdbool.h>
#include <stdint.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#define MINUTE      60
#define HOUR        3600
#define DAY         86400
#define NO_MERIDIAN -1

#define RELATIVE_MAX_MONTHS 12000
#define RELATIVE_MAX_S      (RELATIVE_MAX_MONTHS * 31LL * DAY)

struct date {
	struct dateword word; /* to be looked at next */
	const char *pos;      /* after it */

	/* how often each kind of item was given */
	int times, zones, dates, days, aligned, relatives;

	int year, month, day;
	int hour, minute, second;
	int zone_west; /* minutes */
	bool zone_summer;
	int weekday, ordinal;
	int aligned_days;
	int64_t rel_seconds, rel_months;
};

static void next(struct date *d)
{
	d->word = dateword_next(&d->pos);
}

/* The value of a word of this kind, which is then passed. */
static bool datetext_take(struct date *d, enum dateword_kind kind, int *ret_value)
{
	if (d->word.kind != kind)
		return false;
	*ret_value = d->word.value;
	next(d);
	return true;
}

static bool datetext_take_char(struct date *d, char c)
{
	if (d->word.kind != DATE_CHAR || d->word.value != c)
		return false;
	next(d);
	return true;
}

/* The clock's hour as 0..23; false if it has no such hour. */
static bool set_hour(struct date *d, int hour, int meridian)
{
	if (meridian != NO_MERIDIAN) {
		if (hour < 1 || hour > 12)
			return false;
		hour = hour % 12 + meridian;
	}
	d->hour = hour;
	return hour >= 0 && hour <= 23;
}

/* After "H:M" or "H:M:S": a meridian, a zone as "+0100", or nothing. */
static bool take_time_end(struct date *d, int hour)
{
	int meridian = NO_MERIDIAN, offset;

	if (datetext_take(d, DATE_SIGNED, &offset)) {
		d->zones++;
		d->zone_summer = false;
		d->zone_west = -(offset % 100 + offset / 100 * 60);
	} else {
		datetext_take(d, DATE_MERIDIAN, &meridian);
	}
	return set_hour(d, hour, meridian);
}

static bool take_time(struct date *d, int hour)
{
	d->times++;
	d->second = 0;
	if (!datetext_take(d, DATE_NUMBER, &d->minute))
		return false;
	if (datetext_take_char(d, ':') && !datetext_take(d, DATE_NUMBER, &d->second))
		return false;
	return d->minute <= 59 && d->second <= 59 && take_time_end(d, hour);
}

/* "M/D", "M/D/Y", "Y/M/D". */
static bool take_slash_date(struct date *d, int first)
{
	int second, third;

	d->dates++;
	if (!datetext_take(d, DATE_NUMBER, &second))
		return false;
	d->month = first;
	d->day = second;
	if (!datetext_take_char(d, '/'))
		return true;
	if (!datetext_take(d, DATE_NUMBER, &third))
		return false;
	if (first >= 100) {
		d->year = first;
		d->month = second;
		d->day = third;
	} else {
		d->year = third;
	}
	return true;
}

/* "Y-M-D": the hyphens are read as signs. */
static bool take_hyphen_date(struct date *d, int year, int month)
{
	int day;

	d->dates++;
	if (!datetext_take(d, DATE_SIGNED, &day))
		return false;
	d->year = year;
	d->month = -month;
	d->day = -day;
	return true;
}

/* "D Mon", "D Mon Y", "D-Mon-Y". */
static bool take_day_month(struct date *d, int day, int month)
{
	int year;

	d->dates++;
	d->day = day;
	d->month = month;
	if (datetext_take(d, DATE_SIGNED, &year))
		d->year = -year;
	else if (d->word.kind == DATE_NUMBER &&
		 dateword_next(&(const char *){d->pos}).kind != DATE_CHAR)
		datetext_take(d, DATE_NUMBER, &d->year);
	return true;
}

/* "Mon D", "Mon D, Y". */
static bool take_month_day(struct date *d, int month)
{
	d->dates++;
	d->month = month;
	if (!datetext_take(d, DATE_NUMBER, &d->day))
		return false;
	return !datetext_take_char(d, ',') || datetext_take(d, DATE_NUMBER, &d->year);
}

/* False for a time further away than any archive. */
static bool add_relative(struct date *d, int n, enum dateword_kind kind, int unit)
{
	int ignored;

	d->relatives++;
	if (kind == DATE_MONTHS)
		d->rel_months += (int64_t)n * unit;
	else
		d->rel_seconds += (int64_t)n * unit;
	if (datetext_take(d, DATE_AGO, &ignored)) {
		d->rel_seconds = -d->rel_seconds;
		d->rel_months = -d->rel_months;
	}
	return llabs(d->rel_seconds) <= RELATIVE_MAX_S &&
	       llabs(d->rel_months) <= RELATIVE_MAX_MONTHS;
}

/* Weekday, with how many weeks on: "Monday", "next Monday". */
static void set_weekday(struct date *d, int ordinal, int weekday)
{
	d->days++;
	d->ordinal = ordinal;
	d->weekday = weekday;
}

/* A number without a word after it that says what it counts. */
static bool bare_number(struct date *d, int n)
{
	if (d->times > 0 && d->dates > 0 && d->relatives == 0) {
		d->year = n;
		return true;
	}
	if (n > 10000) {
		d->dates++;
		d->day = n % 100;
		d->month = n / 100 % 100;
		d->year = n / 10000;
		return true;
	}
	d->times++;
	d->minute = n < 100 ? 0 : n % 100;
	d->second = 0;
	return d->minute <= 59 && set_hour(d, n < 100 ? n : n / 100, NO_MERIDIAN);
}

static bool number_item(struct date *d)
{
	int n = d->word.value, v;

	next(d);
	if (datetext_take_char(d, ':'))
		return take_time(d, n);
	if (datetext_take_char(d, '/'))
		return take_slash_date(d, n);
	if (datetext_take(d, DATE_MERIDIAN, &v)) {
		d->times++;
		d->minute = d->second = 0;
		return set_hour(d, n, v);
	}
	if (datetext_take(d, DATE_SIGNED, &v))
		return take_hyphen_date(d, n, v);
	if (datetext_take(d, DATE_MONTH, &v))
		return take_day_month(d, n, v);
	if (datetext_take(d, DATE_DAY, &v)) {
		set_weekday(d, n, v);
		return true;
	}
	if (datetext_take(d, DATE_UNIT, &v))
		return add_relative(d, n, DATE_UNIT, v);
	if (datetext_take(d, DATE_MONTHS, &v))
		return add_relative(d, n, DATE_MONTHS, v);
	return bare_number(d, n);
}

/* "-2 weeks". */
static bool signed_item(struct date *d)
{
	int n = d->word.value, unit;

	next(d);
	if (datetext_take(d, DATE_UNIT, &unit))
		return add_relative(d, n, DATE_UNIT, unit);
	if (datetext_take(d, DATE_MONTHS, &unit))
		return add_relative(d, n, DATE_MONTHS, unit);
	return false;
}

static bool zone_item(struct date *d, bool summer)
{
	int ignored;

	d->zones++;
	d->zone_west = d->word.value;
	next(d);
	d->zone_summer = summer || datetext_take(d, DATE_DST, &ignored);
	return true;
}

static bool take_item(struct date *d)
{
	enum dateword_kind kind = d->word.kind;
	int v = d->word.value;

	switch (kind) {
	case DATE_NUMBER:
		return number_item(d);
	case DATE_SIGNED:
		return signed_item(d);
	case DATE_MONTH:
		next(d);
		return take_month_day(d, v);
	case DATE_DAY:
		next(d);
		datetext_take_char(d, ',');
		set_weekday(d, 1, v);
		return true;
	case DATE_UNIT:
	case DATE_MONTHS:
		next(d);
		return add_relative(d, 1, kind, v);
	case DATE_ALIGN:
		next(d);
		d->aligned++;
		d->aligned_days = v;
		return true;
	case DATE_ZONE:
	case DATE_DAYZONE:
		return zone_item(d, kind == DATE_DAYZONE);
	default:
		return false;
	}
}

static bool days_exist(int year, int month, int day)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	if (month < 1 || month > 12 || day < 1)
		return false;
	return day <= lengths[month - 1] + (month == 2 && leap);
}

static int full_year(int year)
{
	if (year < 0)
		year = -year;
	if (year < 69)
		return year + 2000;
	return year < 100 ? year + 1900 : year;
}

/* Seconds since the epoch of a date and time in a zone of known offset. */
static time_t in_zone(const struct date *d, struct tm *tm)
{
	time_t t = timegm(tm) + (time_t)d->zone_west * MINUTE;

	return d->zone_summer ? t - HOUR : t;
}

static int given_instant(const struct date *d, time_t *ret_time)
{
	struct tm tm = {.tm_isdst = -1};
	int year = full_year(d->year);

	if (!days_exist(year, d->month, d->day))
		return -1;
	tm.tm_year = year - 1900;
	tm.tm_mon = d->month - 1;
	tm.tm_mday = d->day + (d->aligned > 0 ? d->aligned_days : 0);
	tm.tm_hour = d->hour;
	tm.tm_min = d->minute;
	tm.tm_sec = d->second;
	*ret_time = d->zones > 0 ? in_zone(d, &tm) : __pmMktime(&tm);
	return 0;
}

/* The clock shows the same n months later; the last day of a shorter month. -1 before year 0. */
static time_t add_months(time_t t, int64_t n)
{
	struct tm tm;
	int64_t month;

	if (n == 0)
		return t;
	pmLocaltime(&t, &tm);
	month = 12 * ((int64_t)tm.tm_year + 1900) + tm.tm_mon + n;
	if (month < 0)
		return -1;
	tm.tm_year = (int)(month / 12 - 1900);
	tm.tm_mon = (int)(month % 12);
	tm.tm_isdst = -1;
	while (!days_exist(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday))
		tm.tm_mday--;
	return __pmMktime(&tm);
}

/* The weekday on or after that day, and ordinal - 1 weeks on. */
static time_t move_to_weekday(const struct date *d, time_t t)
{
	struct tm tm;

	pmLocaltime(&t, &tm);
	tm.tm_mday += (d->weekday - tm.tm_wday + 7) % 7;
	tm.tm_mday += 7 * (d->ordinal <= 0 ? d->ordinal : d->ordinal - 1);
	tm.tm_isdst = -1;
	return __pmMktime(&tm);
}

static bool parse_items(struct date *d)
{
	next(d);
	while (d->word.kind != DATE_END)
		if (!take_item(d))
			return false;
	return d->times <= 1 && d->zones <= 1 && d->dates <= 1 && d->days <= 1 && d->aligned <= 1;
}

/* Today at midnight: fields that no item sets keep these values. */
static struct date date_from(const char *text, const struct tm *base)
{
	return (struct date){
	    .pos = text,
	    .year = base->tm_year + 1900,
	    .month = base->tm_mon + 1,
	    .day = base->tm_mday,
	};
}

int datetext_parse(const char *text, time_t base, time_t *ret_time)
{
	struct tm base_tm;
	struct date d;
	time_t t = base;

	pmLocaltime(&base, &base_tm);
	d = date_from(text, &base_tm);
	if (!parse_items(&d))
		return -1;
	if ((d.dates | d.times | d.days | d.aligned) != 0 || d.relatives == 0)
		if (given_instant(&d, &t) < 0)
			return -1;
	if (d.days > 0 && d.dates == 0)
		t = move_to_weekday(&d, t);
	t = add_months(t + (time_t)d.rel_seconds, d.rel_months);
	if (t < 0)
		return -1; /* there are no values from before the epoch */
	*ret_time = t;
	return 0;
}
