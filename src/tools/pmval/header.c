#include "tools/pmval/header.h"

#include <stdio.h>

#include "tools/pmval/options.h"
#include "tools/pmval/rate.h"
#include "tools/pmval/target.h"

static void print_time(const char *what, const struct timespec *when)
{
	time_t clock = when->tv_sec;
	char text[26];

	printf("%-10s %s", what, pmCtime(&clock, text));
}

static const char *semantics(int sem)
{
	switch (sem) {
	case PM_SEM_COUNTER:
		return "cumulative counter";
	case PM_SEM_INSTANT:
		return "instantaneous value";
	case PM_SEM_DISCRETE:
		return "discrete instantaneous value";
	default:
		return "unknown";
	}
}

static const char *units_text(const pmUnits *units, char *buf, int len)
{
	pmUnitsStr_r(units, buf, len);
	return buf[0] != '\0' ? buf : "none";
}

static void print_units(const struct target *t)
{
	pmUnits rate = rate_units(t->desc.units);
	char buf[64];

	printf("units:     %s", units_text(&t->desc.units, buf, sizeof(buf)));
	if (t->rate && rate.dimSpace == 0 && rate.dimTime == 0 && rate.dimCount == 0)
		fputs(" (converting to time utilization)", stdout);
	else if (t->rate)
		printf(" (converting to %s)", units_text(&rate, buf, sizeof(buf)));
	putchar('\n');
}

static int print_source(const struct options *o)
{
	const char *host = pmGetContextHostName(pmWhichContext());

	if (options_archive(o))
		printf("archive:   %s\n", o->source);
	if (host == NULL || host[0] == '\0') {
		fprintf(stderr, "%s: Cannot evaluate context host name: %s\n", pmGetProgname(),
			pmErrStr(PM_ERR_NOCONTEXT));
		return PM_ERR_NOCONTEXT;
	}
	printf("host:      %s\n", host);
	if (options_archive(o)) {
		print_time("start:", &o->pm.origin);
		if (o->pm.finish.tv_sec != PM_MAX_TIME_T)
			print_time("end:", &o->pm.finish);
	}
	return 0;
}

static void print_samples(const struct options *o, const struct target *t)
{
	const struct timespec *interval = &o->pm.interval;
	bool all = o->pm.samples == OPTIONS_ALL_SAMPLES;

	if (all)
		puts("samples:   all");
	else
		printf("samples:   %d\n", o->pm.samples);
	if (o->recorded == NULL && (all ? !t->event : o->pm.samples > 1))
		printf("interval:  %1.2f sec\n",
		       (double)interval->tv_sec + interval->tv_nsec / 1e9);
}

int header_print(const struct options *o, const struct target *t)
{
	int sts;

	if (!t->event)
		printf("metric:    %s\n", t->name);
	sts = print_source(o);
	if (sts < 0)
		return sts;
	if (!t->event) {
		printf("semantics: %s%s\n", semantics(t->desc.sem),
		       t->rate ? " (converting to rate)" : "");
		print_units(t);
	}
	print_samples(o, t);
	return 0;
}
