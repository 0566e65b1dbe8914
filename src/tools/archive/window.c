/*
 * window - times: as text, the window of time that options choose, and the heading.
 */
#include "tools/archive/window.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "tools/archive/recording.h"
#include "tools/common/cmdline.h"

/*
 * Times as text
 */

enum {
	CTIME_LEN = 26,
	CTIME_TIME = 11, /* offset of the time of day: "Www Mmm dd hh:mm:ss yyyy" */
	CTIME_TIME_LEN = 8,
	CTIME_YEAR = 20,
};

/*
 * The second that was formatted last, because archives have many records and events in one second.
 * The zone must be set before the first call.
 */
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

/* Appends ".fff"; an invalid fraction is printed as it is. */
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

/*
 * The window
 */

static bool window_failed(const char *what, const char *zone, int code)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr, "%s: Cannot set %s to \"%s\": %s\n", pmGetProgname(), what, zone,
		pmErrStr_r(code, text, sizeof(text)));
	return false;
}

bool window_zone(const pmOptions *opts, const struct log_label *label)
{
	int sts = 0;

	if (opts->tzflag) {
		sts = pmNewZone(label->timezone);
		if (sts < 0)
			return window_failed("context timezone", label->timezone, sts);
		printf("Note: timezone set to local timezone of host \"%s\" from archive\n\n",
		       label->host);
	} else if (opts->timezone != NULL) {
		sts = pmNewZone(opts->timezone);
		if (sts < 0)
			return window_failed("timezone", opts->timezone, sts);
		printf("Note: timezone set to \"TZ=%s\"\n\n", opts->timezone);
	}
	return true;
}

bool window_choose(const pmOptions *opts, const struct recording *r, struct window *ret_window)
{
	struct timespec start = r->label->start, end = r->end, origin;
	char *message = NULL;
	int sts;

	if (!window_zone(opts, r->label))
		return false;
	sts = pmParseHighResTimeWindow(opts->start_optarg, opts->finish_optarg, opts->align_optarg,
				       opts->origin_optarg, &start, &end, &ret_window->start,
				       &ret_window->finish, &origin, &message);
	if (sts < 0)
		fprintf(stderr, "%s: invalid time window.\n%s\n", pmGetProgname(), message);
	free(message);
	return sts >= 0;
}

/*
 * Empty windows
 */

bool window_misses(const struct window *window, const struct recording *r)
{
	return source_window_misses(window->start, window->finish, r->label->start, r->end);
}

/*
 * The heading
 */

enum stamp_digits heading_digits(const struct log_label *label)
{
	return label->version == DISK_V2 ? STAMP_MICRO : STAMP_NANO;
}

void heading_print(FILE *f, const struct log_label *label, const struct timespec *end,
		   const struct heading_style *style)
{
	char text[STAMP_ROOM];

	fprintf(f, "Log Label (Log Format Version %d)\n", label->version);
	fprintf(f, "Performance metrics from host %s\n", label->host);
	stamp_date(text, &label->start, style->digits);
	fprintf(f, "%*scommencing %s\n", style->indent, "", text);
	if (end != NULL)
		stamp_date(text, end, style->digits);
	fprintf(f, "%*sending     %s", style->indent, "", end != NULL ? text : "UNKNOWN");
	if (end == NULL && style->why != NULL)
		fprintf(f, " (%s)", style->why);
	fputc('\n', f);
}

void heading_more(FILE *f, const struct log_label *label, const struct heading_style *style)
{
	fprintf(f, "Archive timezone: %s\n", label->timezone);
	if (style->features && label->zoneinfo[0] != '\0')
		fprintf(f, "Archive zoneinfo: %s\n", label->zoneinfo);
	if (style->features && label->features != 0)
		fprintf(f, "Archive features: 0x%x\n", label->features);
	fprintf(f, "PID for pmlogger: %d\n", label->pid);
}
