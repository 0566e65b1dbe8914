/*
 * cnumber - see cnumber.h. The locale is made once and kept; where there is no memory for it, that
 * of the process has to do.
 */
#include "libpcp/cnumber.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make_locale(void)
{
	c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

double cnumber_parse(const char *text, char **ret_end)
{
	pthread_once(&once, make_locale);
	return c_locale == (locale_t)0 ? strtod(text, ret_end) : strtod_l(text, ret_end, c_locale);
}

int cnumber_print(char *buf, size_t size, const char *format, double value)
{
	locale_t own;
	int r;

	pthread_once(&once, make_locale);
	if (c_locale == (locale_t)0)
		return snprintf(buf, size, format, value);
	own = uselocale(c_locale);
	r = snprintf(buf, size, format, value);
	uselocale(own);
	return r;
}
