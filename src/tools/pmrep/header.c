#include "tools/pmrep/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double header_seconds(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

static void print_time(const char *prefix, const char *title, const struct timespec *t)
{
	char when[32];
	time_t seconds = t->tv_sec;

	pmCtime(&seconds, when);
	when[strcspn(when, "\n")] = '\0';
	printf("%s%s%s\n", prefix, title, when);
}

/* The zone of the report and, if it is another one, the zone of this host. */
static void print_zone(const struct report *r, const char *prefix)
{
	char reporting[32], current[32];
	time_t now = time(NULL);
	struct tm tm;

	text_zone(r, reporting, sizeof(reporting));
	printf("%s timezone: %s", prefix, reporting);
	if (r->pm.timezone != NULL || r->pm.tzflag) {
		localtime_r(&now, &tm);
		long minutes = tm.tm_gmtoff / 60;

		pmsprintf(current, sizeof(current),
			  minutes % 60 != 0 ? "UTC%c%ld:%02ld" : "UTC%c%ld",
			  minutes < 0 ? '-' : '+', labs(minutes) / 60, labs(minutes) % 60);
		printf(" (reporting, current is %s)", current);
	}
	putchar('\n');
}

/* The number of samples that the window has. */
static double samples_in_window(const struct report *r, double interval)
{
	double window = header_seconds(&r->pm.finish) - header_seconds(&r->pm.origin);

	return interval > 0 && window >= 0 ? floor(window / interval) + 1 : 1;
}

static void print_duration(const char *prefix, double seconds)
{
	long s = (long)seconds;

	printf("%s duration: %02ld:%02ld:%02ld\n", prefix, s / 3600, s / 60 % 60, s % 60);
}

static double window_seconds(const struct report *r)
{
	return round(header_seconds(&r->pm.finish) - header_seconds(&r->pm.origin));
}

static void print_samples(const struct report *r, const char *prefix)
{
	double interval = header_seconds(&r->interval);
	double samples = r->samples;

	if (!r->settings.interpol && !r->settings.record) {
		if (r->pm.samples > 0)
			printf("%s  samples: %d (requested)\n", prefix, r->pm.samples);
		else
			printf("%s  samples: N/A\n", prefix);
		printf("%s interval: N/A\n", prefix);
		print_duration(prefix, window_seconds(r));
		return;
	}
	if (samples == 0 && r->archive)
		samples = samples_in_window(r, interval);
	if (samples > 0)
		printf("%s  samples: %.0f\n", prefix, samples);
	else
		printf("%s  samples: N/A\n", prefix);
	printf("%s interval: %.1f sec\n", prefix, interval);
	if (r->pm.finish_optarg != NULL)
		print_duration(prefix, window_seconds(r));
	else if (samples > 0)
		print_duration(prefix, (samples - 1) * interval);
	else
		printf("%s duration: N/A\n", prefix);
}

/* The end of the archive or of the report. Returns false if a live report has no end. */
static bool find_end(const struct report *r, struct timespec *ret_end)
{
	double seconds =
	    header_seconds(&r->pm.origin) + (r->samples - 1) * header_seconds(&r->interval);

	if (r->archive)
		return pmGetHighResArchiveEnd(ret_end) >= 0;
	*ret_end = r->pm.finish;
	if (r->pm.finish_optarg != NULL)
		return true;
	*ret_end = (struct timespec){.tv_sec = (time_t)seconds};
	return r->samples > 0;
}

void header_print_extended(struct report *r, const char *prefix)
{
	struct timespec end;
	int n = metrics_columns(&r->metrics);

	printf("%s\n", prefix);
	if (r->archive)
		printf("%s  archive: %s\n", prefix, r->source);
	printf("%s     host: %s\n", prefix, r->host);
	print_zone(r, prefix);
	print_time(prefix, "    start: ", &r->pm.origin);
	if (find_end(r, &end))
		print_time(prefix, "      end: ", &end);
	else
		printf("%s      end: N/A\n", prefix);
	printf("%s  metrics: %zu (%d instance%s)\n", prefix, r->metrics.n, n, n == 1 ? "" : "s");
	print_samples(r, prefix);
	printf("%s\n", prefix);
}

/*
 * Columns
 */

static void places_add(struct places *places, const struct metric *m, int inst, const char *name)
{
	if (places->n == places->room) {
		size_t room = places->room == 0 ? 64 : 2 * places->room;
		struct place *list = realloc(places->list, room * sizeof(list[0]));

		if (list == NULL)
			pmNoMem("columns", room * sizeof(list[0]), PM_FATAL_ERR);
		places->list = list;
		places->room = room;
	}
	places->list[places->n++] = (struct place){m, inst, name};
}

void places_add_all(struct places *places, const struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->n; i++)
		for (int c = 0; c < metrics->list[i].n_columns; c++)
			places_add(places, &metrics->list[i], metrics->list[i].columns[c].inst,
				   metrics->list[i].columns[c].name);
}

void places_add_current(struct places *places, const struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->n; i++)
		for (int v = 0; v < metrics->list[i].n_values; v++)
			places_add(places, &metrics->list[i], metrics->list[i].values[v].inst,
				   metrics->list[i].values[v].name);
}

bool places_equal(const struct places *a, const struct places *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].metric != b->list[i].metric || a->list[i].inst != b->list[i].inst)
			return false;
	return true;
}

void places_done(struct places *places)
{
	free(places->list);
	*places = (struct places){0};
}
