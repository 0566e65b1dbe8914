#include "tools/pmval/number.h"

#include <stdio.h>

/* For numbers up to a limit: digits after the point, and blanks in place of further digits. */
/* clang-format off */
static const struct {
	double limit;
	int digits;
	int blanks;
} forms[] = {
	{ 0.9999, 4, 0 },
	{ 9.999,  3, 1 },
	{ 99.99,  2, 2 },
	{ 999.9,  1, 3 },
};
/* clang-format on */

#define SCIENTIFIC_BELOW 0.1
#define SCIENTIFIC_ABOVE 9999

/* printf would left-adjust for a negative width, so a width that the tail uses up is 0. */
static int rest(int width, int tail)
{
	return width > tail ? width - tail : 0;
}

void number_print(double v, int width, int precision)
{
	if (precision >= 0) {
		printf("%*.*f", width, precision, v);
		return;
	}
	if (v == 0) {
		printf("%*.0f.0   ", rest(width, 5), v);
		return;
	}
	if (v < SCIENTIFIC_BELOW || v > SCIENTIFIC_ABOVE) {
		printf("%*.3E", width, v);
		return;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (v <= forms[i].limit) {
			printf("%*.*f%*s", rest(width, forms[i].blanks), forms[i].digits, v,
			       forms[i].blanks, "");
			return;
		}
	printf("%*.0f.    ", rest(width, 5), v);
}
