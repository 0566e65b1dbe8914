#include "tools/pmdumplog/when.h"

#include "libdisk/log_label.h"
#include "tools/archive/heading.h"
#include "tools/pmdumplog/dump.h"

static void print(const struct dump *d, const struct timespec *when, enum stamp_digits digits,
		  int detail)
{
	struct timespec start = d->recording.label->start;
	char text[STAMP_ROOM];
	int len = detail == 0 ? stamp_time(text, when, digits) : stamp_date(text, when, digits);

	fwrite(text, 1, (size_t)len, stdout);
	if (digits == STAMP_MICRO)
		start.tv_nsec -= start.tv_nsec % 1000;
	if (detail > 1)
		printf(" (%.*f)", (int)digits, stamp_minus(when, &start));
	if (detail > 2)
		printf(" %lld", (long long)when->tv_sec);
}

void when_print(const struct dump *d, const struct timespec *when)
{
	print(d, when, heading_digits(d->recording.label), d->options->detail);
}

void when_print_event(const struct dump *d, const struct timespec *when, bool highres)
{
	int detail = d->options->detail;

	if (highres)
		print(d, when, STAMP_NANO, 0);
	else
		print(d, when, STAMP_MICRO, detail > 2 ? 2 : detail);
}
