/* state - see state.h. */
#include "tools/pmlc/state.h"

#include <math.h>

#include <pcp/impl.h>

enum { DECIMALS_MAX = 3, WIDTH = 7 };

/*
 * Each unit is this many of the one before. Days are printed in hours: 6.0.3 divides once more by
 * 24 and still prints "hour".
 */
static const struct {
	const char *name;
	int of;
} units[] = {{"msec", 1}, {"sec ", 1000}, {"min ", 60}, {"hour", 60}};

enum { UNITS = sizeof(units) / sizeof(units[0]) };

static int decimals_of(double v)
{
	int n = 0;

	while (n < DECIMALS_MAX && fabs(v - round(v)) > 1e-6) {
		v *= 10;
		n++;
	}
	return n;
}

/* "     1.5 sec " for milliseconds from 1 up, "        once" for 0. */
static void state_interval(uint32_t delta_ms, char *buf, size_t size)
{
	double v = delta_ms;
	int unit = 0;
	int decimals;

	if (delta_ms == 0) {
		snprintf(buf, size, "%*s", STATE_INTERVAL_LEN, "once");
		return;
	}
	while (unit + 1 < UNITS && v >= units[unit + 1].of)
		v /= units[++unit].of;
	decimals = decimals_of(v);
	snprintf(buf, size, "%*.*f %s", WIDTH - decimals, decimals, v, units[unit].name);
}

void state_print(int word, FILE *f)
{
	char interval[32];

	if (PMLC_GET_ON(word))
		state_interval((uint32_t)PMLC_GET_DELTA(word), interval, sizeof(interval));
	else
		snprintf(interval, sizeof(interval), "%*s", STATE_INTERVAL_LEN, "");
	fprintf(f, "%s%s%s%s", PMLC_GET_MAND(word) ? "mand " : "adv  ",
		PMLC_GET_ON(word) ? "on  " : "off ",
		PMLC_GET_INLOG(word) ? (PMLC_GET_AVAIL(word) ? "   " : "na ") : "nl ", interval);
}
