#include "tools/pmrep/report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE "xxx" /* in place of a number that does not fit */

static const char *fit_real(double v, int precision, int width, char *buf, size_t size)
{
	if (isnan(v))
		return "NaN";
	if (isinf(v))
		return v > 0 ? "inf" : "-inf";
	pmsprintf(buf, size, "%.*f", precision, v);
	while (width > 0 && (int)strlen(buf) > width && precision > 0)
		pmsprintf(buf, size, "%.*f", --precision, v);
	return buf;
}

/* A delimiter that is not blank must not occur in a text. */
static const char *fit_string(const struct report *r, const char *text, char *buf, size_t size)
{
	const char *delimiter = r->settings.delimiter;
	size_t length = strlen(delimiter), n = 0;
	bool blank = strspn(delimiter, " \t\n\r") == length;

	while (*text != '\0' && n + 2 < size) {
		if (!blank && strncmp(text, delimiter, length) == 0) {
			buf[n++] = '_';
			text += length;
		} else if (*text == '\n') {
			buf[n++] = '\\';
			buf[n++] = 'n';
			text++;
		} else {
			buf[n++] = *text++;
		}
	}
	buf[n] = '\0';
	return buf;
}

const char *text_value(const struct report *r, const struct metric *m, const pmAtomValue *atom,
		       int width, char *buf, size_t size)
{
	const char *text = buf;

	switch (m->type) {
	case PM_TYPE_32:
		pmsprintf(buf, size, "%d", atom->l);
		break;
	case PM_TYPE_U32:
		pmsprintf(buf, size, "%u", atom->ul);
		break;
	case PM_TYPE_64:
		pmsprintf(buf, size, "%lld", (long long)atom->ll);
		break;
	case PM_TYPE_U64:
		pmsprintf(buf, size, "%llu", (unsigned long long)atom->ull);
		break;
	case PM_TYPE_DOUBLE:
		text = fit_real(atom->d, m->precision, width, buf, size);
		break;
	default:
		return fit_string(r, atom->cp != NULL ? atom->cp : "", buf, size);
	}
	return width > 0 && (int)strlen(text) > width ? WIDE : text;
}

/* Python's %f is the microseconds; strftime does not know it. */
static void add_microseconds(const char *format, long us, char *buf, size_t size)
{
	size_t n = 0;

	while (*format != '\0' && n + 8 < size) {
		if (format[0] == '%' && format[1] == 'f') {
			n += (size_t)pmsprintf(buf + n, size - n, "%06ld", us);
			format += 2;
		} else {
			if (format[0] == '%' && format[1] != '\0')
				buf[n++] = *format++;
			buf[n++] = *format++;
		}
	}
	buf[n] = '\0';
}

const char *text_stamp(const struct report *r, char *buf, size_t size)
{
	char format[512];
	struct tm tm;
	time_t t = r->metrics.stamp.tv_sec;

	if (!r->settings.timestamp || r->settings.timefmt[0] == '\0')
		return "";
	add_microseconds(r->settings.timefmt, r->metrics.stamp.tv_nsec / 1000, format,
			 sizeof(format));
	pmLocaltime(&t, &tm);
	if (strftime(buf, size, format, &tm) == 0)
		buf[0] = '\0';
	return buf;
}

static const char *zone_of(const struct tm *tm, time_t t, char *buf, size_t size)
{
	struct tm copy = *tm;
	long minutes = (timegm(&copy) - t) / 60;
	const char *sign = minutes < 0 ? "-" : "+";

	minutes = labs(minutes);
	if (minutes % 60 == 0)
		pmsprintf(buf, size, "UTC%s%ld", sign, minutes / 60);
	else
		pmsprintf(buf, size, "UTC%s%ld:%02ld", sign, minutes / 60, minutes % 60);
	return buf;
}

const char *text_zone(const struct report *r, char *buf, size_t size)
{
	time_t t = time(NULL);
	struct tm tm;

	(void)r;
	pmLocaltime(&t, &tm);
	return zone_of(&tm, t, buf, size);
}
