/*
 * number - a value of any size in seven characters: docs/spec/pmapi.md 11.
 */
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

struct magnitude {
	double limit; /* values at or above it (below: at or under it) */
	double scale;
	char letter;
};

/* clang-format off */
static const struct magnitude above[] = {
	{ 999995e6, 1e12, 'T' },
	{ 999995e3, 1e9,  'G' },
	{ 999995,   1e6,  'M' },
	{ 999.995,  1e3,  'K' },
	{ 0.005,    1,    ' ' },
};
static const struct magnitude below[] = {
	{ -99995e6, 1e12, 'T' },
	{ -99995e3, 1e9,  'G' },
	{ -99995,   1e6,  'M' },
	{ -99.995,  1e3,  'K' },
	{ -0.005,   1,    ' ' },
};
/* clang-format on */

static void number_print(double value, const struct magnitude *table, int sign, char *buf,
			 size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(above); i++)
		if (sign * value >= sign * table[i].limit) {
			pmsprintf(buf, size, "%6.2f%c", value / table[i].scale, table[i].letter);
			return;
		}
	pmsprintf(buf, size, "  0.00 "); /* NaN too */
}

char *pmNumberStr_r(double value, char *buf, int buflen)
{
	size_t size = buflen > 0 ? (size_t)buflen : 0;

	if (value >= 999995e9)
		pmsprintf(buf, size, " inf?  ");
	else if (value <= -99995e9)
		pmsprintf(buf, size, "-inf?  ");
	else if (value >= 0)
		number_print(value, above, 1, buf, size);
	else
		number_print(value, below, -1, buf, size);
	return buf;
}

const char *pmNumberStr(double value)
{
	static char buf[8];

	return pmNumberStr_r(value, buf, sizeof(buf));
}
