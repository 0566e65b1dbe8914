/*
 * interval - "1min 30sec": docs/spec/pmapi.md 15.1.
 */
#include <ctype.h>
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/cnumber.h"
#include "libpcp/parse_error.h"

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

static const char *skip_blanks(const char *p)
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
	*p = word = skip_blanks(after);
	for (end = word; isalpha((unsigned char)*end);)
		end++;
	if (end != word)
		seconds = unit_seconds(word, (size_t)(end - word));
	if (seconds == 0)
		return false;
	*p = skip_blanks(end);
	*ret_seconds = number * seconds;
	return true;
}

/* NULL and the interval in seconds, or where in text the mistake is. */
static const char *interval_parse(const char *text, double *ret_seconds)
{
	const char *p = skip_blanks(text);
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
static double parse(const char *spec, char **errmsg)
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
	double seconds = parse(spec, errmsg);

	if (seconds < 0)
		return -1;
	pmtimespecFromReal(seconds, interval);
	pmtimespecInc(interval, &zero); /* carries what was rounded up */
	return 0;
}

int pmParseInterval(const char *spec, struct timeval *interval, char **errmsg)
{
	static const struct timeval zero = {0};
	double seconds = parse(spec, errmsg);

	if (seconds < 0)
		return -1;
	pmtimevalFromReal(seconds, interval);
	pmtimevalInc(interval, &zero);
	return 0;
}
