/*
 * parity_times - intervals, times and time windows as users type them: see parity.py.
 */
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void print_error(char *msg)
{
	if (msg == NULL) {
		printf("no message\n");
		return;
	}
	for (const char *p = msg; *p != '\0'; p++)
		if (*p == '\n')
			printf("\\n");
		else
			putchar(*p);
	printf("\n");
	free(msg);
}

/* Times relative to now differ between two runs, so they are printed as differences. */
static void print_time(long sec, long nsec)
{
	long after_now = sec - (long)time(NULL);

	if (sec % 600 != 0 && labs(after_now) < 400 * 86400)
		printf(" now%+ld", (after_now + (after_now < 0 ? -5 : 5)) / 10 * 10);
	else
		printf(" %ld.%09ld", sec, nsec);
}

static void interval(const char *spec)
{
	struct timeval tv = {0};
	struct timespec ts = {0};
	char *msg = NULL;

	if (pmParseInterval(spec, &tv, &msg) == 0) {
		printf("interval <%s>: %ld.%06ld\n", spec, tv.tv_sec, tv.tv_usec);
	} else {
		printf("interval <%s>: ", spec ? spec : "NULL");
		print_error(msg);
	}
	if (pmParseHighResInterval(spec, &ts, &msg) == 0) {
		printf("highres <%s>: %ld.%09ld\n", spec, ts.tv_sec, ts.tv_nsec);
	} else {
		printf("highres <%s>: ", spec ? spec : "NULL");
		print_error(msg);
	}
}

static void intervals(void)
{
	static const char *const numbers[] = {
	    "1",  "5",     "0",   "0.5",  ".25",         "1.9999999",       "1e3",       "0x10",
	    "-1", "+2",    "-0",  "1e-9", "0.000000001", "12345.678901234", "999999999", "-5",
	    "1e", "1.2.3", "--1", "."};
	static const char *const units[] = {"",           "s",
					    "sec",        "secs",
					    "second",     "seconds",
					    "S",          "m",
					    "min",        "mins",
					    "minute",     "minutes",
					    "h",          "hr",
					    "hrs",        "hour",
					    "hours",      "d",
					    "day",        "days",
					    "ms",         "msec",
					    "msecs",      "millisecond",
					    "usec",       "microseconds",
					    "us",         "nsec",
					    "nanosecond", "nsecs",
					    "ns",         "foo",
					    "secss",      "ss",
					    "ds",         "MIN",
					    "Sec",        "month",
					    "w",          "x",
					    "@",          "min5",
					    "_",          "sec.",
					    "m m"};
	static const char *const others[] = {"",
					     " ",
					     "  \t ",
					     "10foo",
					     "1min 30sec",
					     "1min30sec",
					     "1 min 30",
					     "1m 2h 3d",
					     "3 4 5",
					     " 7 s ",
					     "sec",
					     "1sec foo",
					     "5 sec 1.5 min -1",
					     "1 hour, 2 min",
					     "1day1day1day",
					     "2sec-",
					     "1s1s1s1s",
					     "0.1sec 0.2sec",
					     "1e10d",
					     "\n5",
					     "5\n",
					     "5 \v sec",
					     "1.0000005",
					     "0.9999995",
					     "0.9999999995"};
	char spec[64];

	for (size_t i = 0; i < COUNT(numbers); i++)
		for (size_t j = 0; j < COUNT(units); j++)
			for (int space = 0; space < 3; space++) {
				snprintf(spec, sizeof(spec), "%s%s%s%s", space == 2 ? " " : "",
					 numbers[i], space == 1 ? " " : "", units[j]);
				interval(spec);
			}
	for (size_t i = 0; i < COUNT(others); i++)
		interval(others[i]);
	interval(NULL);
}

static void ctime_text(const char *text)
{
	struct tm tm;
	char *msg = NULL;

	memset(&tm, 0, sizeof(tm));
	if (__pmParseCtime(text, &tm, &msg) == 0) {
		printf("ctime <%s>: y %d m %d d %d %d:%d:%d w %d y %d dst %d\n", text, tm.tm_year,
		       tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_wday,
		       tm.tm_yday, tm.tm_isdst);
	} else {
		printf("ctime <%s>: ", text);
		print_error(msg);
	}
}

static const char *const ctimes[] = {"",
				     " ",
				     "Fri",
				     "fri",
				     "FRI",
				     "Friday",
				     "Fri Nov",
				     "Fri Nov 20",
				     "Nov",
				     "Nov 20",
				     "November 20",
				     "Nov 20 15",
				     "Nov 20 15:36",
				     "Nov 20 15:36:08",
				     "Nov 20 15:36:08 2026",
				     "Fri Nov 20 15:36:08 2026",
				     "Fri Nov 20 15:36:08.25 2026",
				     "20",
				     "25",
				     "31",
				     "32",
				     "24",
				     "23",
				     "0",
				     "15:36",
				     "15:",
				     ":36",
				     ":",
				     "::",
				     "::8",
				     ":36:8",
				     "15:36:",
				     "15::8",
				     "20 15:36",
				     "25 15:36",
				     "10 5",
				     "10 5:3",
				     "3pm",
				     "3 pm",
				     "3:30pm",
				     "12pm",
				     "12am",
				     "13pm",
				     "0am",
				     "3:30 am",
				     "15:30 am",
				     "pm",
				     "2026",
				     "1900",
				     "1899",
				     "9999",
				     "10000",
				     "Nov 2026",
				     "Nov 20 2026",
				     "20 2026",
				     "20 10 2026",
				     "15:36 2026",
				     "Fri 15:36",
				     "Fri 20",
				     "Fri 20 15:36",
				     "Mon 3",
				     "Mon 3:",
				     "61",
				     "60",
				     "12:60",
				     "12:59:61",
				     "12:59:62",
				     "12:59:61.5",
				     "24:00",
				     "23:59:60",
				     "Jan 0",
				     "Jan 1",
				     "Jan 31",
				     "Jan 32",
				     "foo",
				     "Foo 20",
				     "Nov foo",
				     "Nov 20 foo",
				     "Nov 20 15:36 foo",
				     "15:36 foo",
				     "Nov20",
				     "Nov 20 15:36:08 2026 x",
				     "Fri Fri",
				     "Nov Nov",
				     "Nov-20",
				     "1.5",
				     "15:36:08.",
				     "15:36:08.999",
				     "-1",
				     "+5",
				     "Sat Jan 1 00:00:00 2000",
				     "Jan 1 0:0:0",
				     " 5 ",
				     "  Nov   20   ",
				     "Thu Jan 1 2000",
				     "5 2000",
				     "Nov 5 5",
				     "Nov 25 5",
				     "Nov 5 25",
				     "Nov 5 2000 5",
				     "Nov:5",
				     "Nov 5:5",
				     "Fri :5",
				     "Fri 5:5:5",
				     "5:5:5 5",
				     "5 5 5",
				     "12:30 12:30",
				     "1:2:3:4",
				     "10am 2026",
				     "10am",
				     "10 a",
				     "10 AM",
				     "10 Pm",
				     "10m",
				     "Tue Jul",
				     "Tue 3pm",
				     "jul 4 3pm",
				     "jul 4 3pm 1999",
				     "23:59:59.999999",
				     "000005",
				     "05:05",
				     "1990",
				     "Nov 1990",
				     "0 1990",
				     "Wed 2020",
				     "1e3",
				     "0x5",
				     "2026 5"};

static void ctime_texts(void)
{
	for (size_t i = 0; i < COUNT(ctimes); i++)
		ctime_text(ctimes[i]);
}

static const char *const dates[] = {
    /* absolute dates */
    "1/2/2024", "12/31/2024", "2024/2/29", "2023/2/29", "2024-02-29", "2024-13-01", "2024-00-10",
    "2024-01-32", "5-Nov-2023", "05-nov-23", "Nov 5 2023", "Nov 5, 2023", "November 5, 2023",
    "5 Nov 2023", "5 November 2023", "sept 3, 2020", "3 sep 1999", "1/1/70", "1/1/69", "1/1/68",
    "1/1/00", "1/1/99", "1/1/100", "1/1/2040", "jan 1, 1960", "20231105", "20231301", "19700101",
    "99991231", "10001", "12345678",
    /* with a time */
    "Nov 5 2023 10:30", "10:30 Nov 5, 2023", "Nov 5, 2023 10:30:15", "Nov 5, 2023 3pm",
    "3:15 p.m. Nov 5, 2023", "12am Nov 5, 2023", "12pm Nov 5, 2023", "0am Nov 5, 2023",
    "13pm Nov 5, 2023", "24:00 Nov 5, 2023", "23:60 Nov 5, 2023", "23:59:60 Nov 5, 2023",
    "Nov 5, 2023 10:30 am", "Nov 5, 2023 1030", "Nov 5, 2023 10", "20231105 10:30", "20231105 1030",
    "2023-11-05 10:30", "10:30 2023-11-05", "Sun Nov 5 10:30:00 2023", "Nov 5 10:30 2023",
    "Mon Nov 5 10:30:00 2023", "11/5/2023 10:30:00", "Nov 5, 2023 10:30 (a comment)",
    "Nov (x (nested) y) 5, 2023", "nov 5, 2023 noon", "Nov 5, 2023 10:30:15.5",
    /* zones */
    "Nov 5, 2023 10:30 GMT", "Nov 5, 2023 10:30 EST", "Nov 5, 2023 10:30 EDT",
    "Nov 5, 2023 10:30 CET", "Nov 5, 2023 10:30 CET DST", "Nov 5, 2023 10:30 BST",
    "Nov 5, 2023 10:30+0100", "Nov 5, 2023 10:30-0530", "Nov 5, 2023 10:30:15 +0100",
    "Nov 5, 2023 10:30 Z", "Nov 5, 2023 10:30 A", "Nov 5, 2023 10:30 N", "Nov 5, 2023 10:30 J",
    "Nov 5, 2023 10:30 JST", "Nov 5, 2023 10:30 NZDT", "Nov 5, 2023 10:30 PST8PDT",
    "Nov 5, 2023 10:30 ZP4", "Nov 5, 2023 10:30 IDLE", "Nov 5, 2023 10:30 NST",
    "Nov 5, 2023 10:30 IST", "Jul 5, 2023 10:30 MET", "Jul 5, 2023 10:30", "Jul 5, 2023 10:30 mest",
    "Nov 5, 2023 10:30 EST EST", "Nov 5, 2023 10:30 yst", "Nov 5, 2023 10:30 nt",
    "Nov 5, 2023 10:30 gst", "Nov 5, 2023 10:30 u.t.c.",
    /* weekdays */
    "Monday Nov 5, 2023", "next Monday Nov 5, 2023", "Nov 5, 2023 Nov 6, 2023",
    /* relative: from the start, or from the end */
    "1 day", "2 days", "1 week", "next week", "last week", "1 week ago", "2 weeks ago",
    "1 hour ago", "3 hours", " 3 hours", "5 minutes ago", "5 min ago", "10 seconds", "1 month",
    "1 month ago", "2 months", "1 year", "1 year ago", "-1 day", "+1 day", "-1 week", "-2 months",
    "1 fortnight", "last month", "next month", "last year", "1 day 3 hours", "1 day 3 hours ago",
    "1 month 2 days ago", "1 day ago 3 hours", "third week", "twelfth month", "+2 hours",
    "last hour", "first hour", "2 day", "week", "1 weeks", "1 day 1 day", "- 1 day", "1 decade",
    "1 month 30 days", "1.5 days", "month", "1 second ago ago", "hour ago", "last min",
    /* not dates at all */
    "foo", "Nov", "Nov foo", "5 foo", "?", "a b c", "1/2/3/4", "1:2:3:4", "2024-02", "/", ":", ",",
    "(", ")", "(only a comment)", "Nov 31 2023", "feb 29, 2023", "feb 29, 2024", "mon", "monday,",
    "0/0/2000", "1/0/2000"};

static void window(const char *start, const char *end, const char *align, const char *offset,
		   int bounded)
{
	static const struct timespec from = {1690000000, 250000000};
	struct timespec to = {1690099000, 750000000};
	struct timespec rs = {0}, re = {0}, ro = {0};
	char *msg = NULL;
	int r;

	if (!bounded)
		to = (struct timespec){PM_MAX_TIME_T, 0};
	r = pmParseHighResTimeWindow(start, end, align, offset, &from, &to, &rs, &re, &ro, &msg);
	printf("window S <%s> T <%s> A <%s> O <%s> %d: %d", start ? start : "-", end ? end : "-",
	       align ? align : "-", offset ? offset : "-", bounded, r);
	print_time(rs.tv_sec, rs.tv_nsec);
	print_time(re.tv_sec, re.tv_nsec);
	print_time(ro.tv_sec, ro.tv_nsec);
	if (r < 0) {
		print_error(msg);
	} else {
		printf("\n");
		free(msg);
	}
}

static void windows(void)
{
	static const char *const times[] = {NULL,
					    "10min",
					    "+10min",
					    "-10min",
					    "@13:00",
					    "@Jul 22",
					    "@Jul 23 10:30",
					    "@Jul 22 2023",
					    "@:30",
					    "@",
					    "@Jan 1",
					    "@25",
					    "1day",
					    "5days",
					    "-5days",
					    " 10min",
					    "  -10min",
					    " @Jul 22",
					    "-0",
					    "0",
					    "10 foo",
					    "@foo",
					    "@20",
					    "-",
					    "+",
					    "",
					    "1hour ago",
					    "@10",
					    "-1hour 30min",
					    "@Jul 22 04:26:40.25",
					    "@Jun",
					    "@Aug",
					    "@3:00pm"};
	static const char *const aligns[] = {NULL,  "1hour", "10sec",  "1day", "0",
					     "foo", "2days", "0.3sec", "",     "400days"};
	struct timeval from = {1690000000, 250000}, to = {1690099000, 750000}, rs, re, ro;
	char *msg;

	for (size_t s = 0; s < COUNT(times); s++)
		for (size_t e = 0; e < COUNT(times); e++)
			for (int bounded = 0; bounded < 2; bounded++) {
				window(times[s], times[e], NULL, NULL, bounded);
				window(times[s], times[e], aligns[(s + e) % COUNT(aligns)], NULL,
				       bounded);
			}
	for (size_t o = 0; o < COUNT(times); o++)
		for (size_t a = 0; a < COUNT(aligns); a++)
			for (int bounded = 0; bounded < 2; bounded++) {
				window(NULL, NULL, aligns[a], times[o], bounded);
				window("10min", "-10min", aligns[a], times[o], bounded);
			}
	for (size_t s = 0; s < COUNT(times); s++) {
		int r;

		msg = NULL;
		r = pmParseTimeWindow(times[s], "-1.0000015min", "0.7sec", "7min", &from, &to, &rs,
				      &re, &ro, &msg);

		printf("timeval window <%s>: %d", times[s] ? times[s] : "-", r);
		if (r >= 0 && times[s] != NULL && strstr(times[s], "ago") == NULL)
			printf(" %ld.%06ld %ld.%06ld %ld.%06ld", rs.tv_sec, rs.tv_usec, re.tv_sec,
			       re.tv_usec, ro.tv_sec, ro.tv_usec);
		free(msg);
		printf("\n");
	}
}

static void date_texts(const char *zone)
{
	struct timeval start = {1690000000, 250000}, end = {1699999999, 0};
	struct timeval none = {PM_MAX_TIME_T, 0}, tv;
	char *msg;

	pmNewZone(zone);
	for (size_t i = 0; i < COUNT(dates); i++)
		for (int bounded = 0; bounded < 2; bounded++) {
			tv = (struct timeval){0};
			msg = NULL;
			printf("date %s <%s> %d: ", zone, dates[i], bounded);
			if (__pmParseTime(dates[i], &start, bounded ? &end : &none, &tv, &msg) < 0)
				print_error(msg);
			else {
				print_time(tv.tv_sec, tv.tv_usec);
				printf("\n");
			}
		}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	intervals();
	ctime_texts();
	date_texts("UTC");
	date_texts("CET-1CEST,M3.5.0,M10.5.0/3");
	windows();
	return 0;
}
