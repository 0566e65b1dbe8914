#include "tools/pmlogsummary/series.h"

#include <stdlib.h>

#include <pcp/pmapi.h>

#include "tools/archive/stamp.h"

double series_bound(const struct series *s, int i, int nbins)
{
	if (i == nbins - 1)
		return s->max;
	return s->min + (s->max - s->min) / nbins * (i + 1);
}

/*
 * Counts the value in the first bin that holds it. The search begins one before the computed bin,
 * because rounding may be off by one. Not-a-number is counted in the first bin.
 */
static void put_bin(struct series *s, double v, int nbins)
{
	double width = (s->max - s->min) / nbins;
	double place = width > 0 ? (v - s->min) / width - 1 : 0;
	int i = place > 0 && place < nbins ? (int)place : 0;

	while (i < nbins - 1 && v > series_bound(s, i, nbins))
		i++;
	s->bins[i]++;
}

static void take(struct series *s, double v, const struct timespec *when, int nbins)
{
	if (s->bins != NULL) {
		put_bin(s, v, nbins);
	} else {
		if (s->count == 0 || v < s->min) {
			s->min = v;
			s->min_when = *when;
		}
		if (s->count == 0 || v > s->max) {
			s->max = v;
			s->max_when = *when;
		}
	}
	s->rates += v;
	s->averaged++;
	s->count++;
}

static void add_counter(struct series *s, const struct series_kind *kind, double value,
			const struct timespec *when, int nbins)
{
	double seconds = stamp_minus(when, &s->last_when);
	double growth = value - s->last;

	if (!s->known || seconds <= 0)
		return;
	if (growth < 0 && kind->wrap > 0)
		growth += kind->wrap;
	if (growth < 0)
		return;
	s->total += growth;
	s->seconds += seconds;
	s->area += growth * kind->scale;
	/*
	 * as in 6.0.3, the first rate gets the time of the first value, later rates the end of
	 * their interval
	 */
	take(s, growth * kind->scale / seconds, s->count == 0 ? &s->first_when : when, nbins);
}

/* The previous value was valid until now. */
static void hold(struct series *s, const struct timespec *when)
{
	double seconds = stamp_minus(when, &s->last_when);

	if (!s->known || seconds <= 0)
		return;
	s->area += s->last * seconds;
	s->seconds += seconds;
}

void series_add(struct series *s, const struct series_kind *kind, double value,
		const struct timespec *when, int nbins)
{
	if (!s->seen)
		s->first_when = *when;
	s->seen = true;
	if (kind->counter) {
		add_counter(s, kind, value, when, nbins);
	} else {
		hold(s, when);
		s->total += value;
		take(s, value, when, nbins);
	}
	s->known = true;
	s->last = value;
	s->last_when = *when;
}

void series_break(struct series *s, const struct series_kind *kind, const struct timespec *when)
{
	/* as in 6.0.3, each of several marks in a row counts, but the time counts once */
	if (kind->discrete && s->seen) {
		hold(s, when);
		s->rates += s->last;
		s->averaged++;
	}
	s->known = false;
}

void series_restart(struct series *s, int nbins)
{
	struct series fresh = {.inst = s->inst,
			       .min = s->min,
			       .max = s->max,
			       .min_when = s->min_when,
			       .max_when = s->max_when};

	fresh.bins = calloc((size_t)nbins, sizeof(fresh.bins[0]));
	if (fresh.bins == NULL)
		pmNoMem("bins", (size_t)nbins * sizeof(fresh.bins[0]), PM_FATAL_ERR);
	*s = fresh;
}
