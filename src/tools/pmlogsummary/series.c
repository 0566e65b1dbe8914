/*
 * series - the statistics of one instance of one metric, and the metrics that are summarised.
 */
#include "tools/pmlogsummary/pmlogsummary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libstore/archive_meta.h"
#include "tools/archive/names.h"
#include "tools/archive/window.h"

/*
 * Series
 */

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
static void series_hold(struct series *s, const struct timespec *when)
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
		series_hold(s, when);
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
		series_hold(s, when);
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

/*
 * Metrics
 */

/* Seconds of each time scale. */
static const double seconds_of[] = {1e-9, 1e-6, 1e-3, 1, 60, 3600};

/* The rate of a counter of time is a share of time: both are converted to seconds. */
static double scale_of(const pmUnits *units)
{
	if (units->dimTime == 0 || units->scaleTime >= sizeof(seconds_of) / sizeof(seconds_of[0]))
		return 1;
	return pow(seconds_of[units->scaleTime], units->dimTime);
}

static double wrap_of(int type)
{
	bool assumed = getenv("PCP_COUNTER_WRAP") != NULL;

	if (!assumed || type < PM_TYPE_32 || type > PM_TYPE_U64)
		return 0;
	return type == PM_TYPE_32 || type == PM_TYPE_U32 ? 0x1p32 : 0x1p64;
}

static bool is_numeric(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

static struct subject *new_subject(struct subjects *s, const char *name,
				   const struct archive_metric *m, uint64_t hash)
{
	struct subject *subject;

	if (s->n == s->room) {
		s->room = s->room * 2 + 64;
		s->list = reallocarray(s->list, s->room, sizeof(s->list[0]));
	}
	/* the table holds the index in the list plus 1, because the list moves when it grows */
	if (s->list == NULL || hash_add(&s->by_pmid, hash, (void *)(uintptr_t)(s->n + 1)) < 0)
		pmNoMem("metrics", s->room * sizeof(s->list[0]), PM_FATAL_ERR);
	subject = &s->list[s->n++];
	*subject = (struct subject){.name = name, .desc = m->desc};
	subject->kind = (struct series_kind){
	    .counter = m->desc.sem == PM_SEM_COUNTER,
	    .discrete = m->desc.sem == PM_SEM_DISCRETE,
	    .scale = scale_of(&m->desc.units),
	    .wrap = wrap_of(m->desc.type),
	};
	return subject;
}

/* Adds one word of the command line; spec NULL: all metrics, with all instances. */
struct request {
	struct subjects *subjects;
	const pmMetricSpec *spec;
};

static void add(const char *name, pmID pmid, void *arg)
{
	const struct request *request = arg;
	struct subjects *s = request->subjects;
	const pmMetricSpec *spec = request->spec;
	const struct archive_metric *m = archive_meta_metric(s->meta, pmid);
	struct subject *subject = subjects_get(s, pmid);

	if (m == NULL || !is_numeric(m->desc.type))
		return;
	if (subject == NULL)
		subject = new_subject(s, name, m, hash_u64(pmid));
	if (spec == NULL || spec->ninst == 0)
		subject->insts.all = true;
	for (int i = 0; spec != NULL && i < spec->ninst; i++)
		inst_set_add_name(&subject->insts, s->meta, m->desc.indom, spec->inst[i], 0);
}

/*
 * Skips the host or archive before the name, because the argument of the program names the source.
 */
static void add_word(struct subjects *s, const struct name_tree *tree, const char *word)
{
	static char none[] = "";
	struct request request = {.subjects = s};
	char text[PM_MAXERRMSGLEN];
	pmMetricSpec *spec;
	char *message;
	int sts = pmParseMetricSpec(word, 1, none, &spec, &message);

	if (sts < 0) {
		fputs(message, stderr);
		free(message);
		return;
	}
	request.spec = spec;
	sts = name_tree_walk(tree, spec->metric, add, &request);
	if (sts < 0)
		fprintf(stderr, "%s: PMNS traversal failed for %s: %s\n", pmGetProgname(),
			spec->metric, pmErrStr_r(sts, text, sizeof(text)));
	pmFreeMetricSpec(spec);
}

void subjects_find(struct subjects *s, struct archive_meta *meta, char **words, int n)
{
	struct name_tree *tree = name_tree_new(meta);
	struct request all = {.subjects = s};

	*s = (struct subjects){.meta = meta};
	if (n == 0)
		name_tree_walk(tree, "", add, &all);
	for (int i = 0; i < n; i++)
		add_word(s, tree, words[i]);
	name_tree_free(tree);
}

void subjects_done(struct subjects *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct subject *subject = &s->list[i];

		for (size_t j = 0; j < subject->n; j++) {
			free(subject->list[j]->bins);
			free(subject->list[j]);
		}
		free(subject->list);
		hash_done(&subject->by_inst);
		inst_set_done(&subject->insts);
	}
	free(s->list);
	hash_done(&s->by_pmid);
	hash_done(&s->unknown);
}

struct subject *subjects_get(const struct subjects *s, pmID pmid)
{
	uintptr_t place = (uintptr_t)hash_find(&s->by_pmid, hash_u64(pmid), NULL, NULL);

	return place > 0 ? &s->list[place - 1] : NULL;
}

static bool has_inst(const void *entry, const void *key)
{
	return ((const struct series *)entry)->inst == *(const int *)key;
}

static struct series *new_series(struct subject *subject, int inst, uint64_t hash)
{
	struct series *s = calloc(1, sizeof(*s));

	if (subject->n == subject->room) {
		subject->room = subject->room * 2 + 4;
		subject->list =
		    reallocarray(subject->list, subject->room, sizeof(subject->list[0]));
	}
	if (s == NULL || subject->list == NULL || hash_add(&subject->by_inst, hash, s) < 0)
		pmNoMem("instances", sizeof(*s), PM_FATAL_ERR);
	s->inst = inst;
	subject->list[subject->n++] = s;
	return s;
}

struct series *subject_series(struct subject *subject, int inst)
{
	uint64_t hash = hash_u64((uint32_t)inst);
	struct series *s;

	if (subject->next >= subject->n)
		subject->next = 0;
	if (subject->n > 0 && subject->list[subject->next]->inst == inst)
		return subject->list[subject->next++];
	s = hash_find(&subject->by_inst, hash, has_inst, &inst);
	return s != NULL ? s : new_series(subject, inst, hash);
}
