/*
 * metric_track - metrics of an archive as tracks of numbers over time, for exports.
 */
#include "tools/pitot/export/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pitot/pitot.h"

#define NS 1000000000

enum {
	BEFORE_S = 60, /* seconds before the first sample in which a rate may begin */
	UNITS_TEXT = 60,
};

/* A requested metric. */
struct metric {
	char *name;
	pmID pmid;
	pmDesc desc;
	char **only; /* requested instances; none: all */
	int nonly;
	bool rate;
	char units[UNITS_TEXT];
};

/* A track, and the data for its next rate. */
struct series {
	struct metric_track track;
	const struct metric *metric;
	int inst;
	char *instance;
	bool wanted, seen;
	int64_t last_ns;
	double last;
};

struct metric_tracks {
	const char *command, *archive;
	bool raw;
	int64_t from_ns, to_ns;
	int context;
	struct metric *metrics;
	size_t nmetric;
	pmID *pmids;
	struct series **series; /* sorted by metric and instance */
	size_t nseries;
	unsigned next_id;
	pmHighResResult *result; /* the result whose samples are returned */
	int vset, value;         /* index of the next sample */
	int64_t result_ns;
};

void metric_tracks_split(struct wordlist *list, const char *text)
{
	while (*text != '\0') {
		size_t len = 0;
		int depth = 0;

		while (text[len] != '\0' && (depth > 0 || text[len] != ',')) {
			depth += text[len] == '[' ? 1 : text[len] == ']' ? -1 : 0;
			len++;
		}
		if (len > 0)
			wordlist_add_word(list, text, len);
		text += len + (text[len] == ',');
	}
}

static int metric_track_complain(const struct metric_tracks *m, const char *subject, int error)
{
	pitot_complain("trace %s: %s: %s", m->command, subject, pmErrStr(error));
	return error;
}

/* Makes the name of the values, and whether they are rates. */
static void choose_units(const struct metric_tracks *m, struct metric *metric)
{
	pmUnits units = metric->desc.units;

	metric->rate = metric->desc.sem == PM_SEM_COUNTER && !m->raw;
	if (metric->rate) {
		units.dimTime--;
		units.scaleTime = PM_TIME_SEC;
	}
	if (units.dimSpace == 0 && units.dimTime == 0 && units.dimCount == 0)
		metric->units[0] = '\0'; /* a share of time, or a number without unit */
	else
		pmUnitsStr_r(&units, metric->units, sizeof(metric->units));
}

static bool is_number(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

static int metric_track_add_metric(struct metric_tracks *m, const char *name, pmID pmid,
				   const pmMetricSpec *spec)
{
	struct metric *metrics = reallocarray(m->metrics, m->nmetric + 1, sizeof(m->metrics[0]));
	struct metric *metric;
	int r;

	if (metrics == NULL)
		return metric_track_complain(m, name, -ENOMEM);
	m->metrics = metrics;
	metric = &metrics[m->nmetric];
	*metric = (struct metric){.pmid = pmid};
	r = pmLookupDesc(pmid, &metric->desc);
	if (r < 0)
		return metric_track_complain(m, name, r);
	if (!is_number(metric->desc.type))
		return 0;
	metric->name = strdup(name);
	metric->only = calloc((size_t)spec->ninst + 1, sizeof(metric->only[0]));
	m->nmetric++;
	if (metric->name == NULL || metric->only == NULL)
		return metric_track_complain(m, name, -ENOMEM);
	for (int i = 0; i < spec->ninst; i++) {
		metric->only[i] = strdup(spec->inst[i]);
		if (metric->only[i] == NULL)
			return metric_track_complain(m, name, -ENOMEM);
		metric->nonly++;
	}
	choose_units(m, metric);
	return 0;
}

/* Collects the names below a node. */
struct found {
	struct metric_tracks *m;
	const pmMetricSpec *spec;
	int error;
};

static void take_name(const char *name, void *closure)
{
	struct found *f = closure;
	pmID pmid;
	int r = f->error;

	if (r == 0)
		r = pmLookupName(1, &name, &pmid);
	if (r >= 0 && f->error == 0)
		r = metric_track_add_metric(f->m, name, pmid, f->spec);
	f->error = r < 0 ? r : 0;
}

static int take_spec(struct metric_tracks *m, const char *text)
{
	pmMetricSpec *spec;
	char *message;
	struct found found = {.m = m};
	size_t before = m->nmetric;
	int r = pmParseMetricSpec(text, 1, (char *)m->archive, &spec, &message);

	if (r < 0) {
		pitot_complain("trace %s: --metrics: %s", m->command,
			       r == PM_ERR_GENERIC ? message : pmErrStr(r));
		if (r == PM_ERR_GENERIC)
			free(message);
		return r;
	}
	found.spec = spec;
	r = pmTraversePMNS_r(spec->metric, take_name, &found);
	if (r < 0)
		metric_track_complain(m, spec->metric, r);
	else if (found.error < 0)
		r = found.error;
	else if (m->nmetric == before) {
		pitot_complain("trace %s: %s: has no numbers", m->command, spec->metric);
		r = -EINVAL;
	}
	pmFreeMetricSpec(spec);
	return r < 0 ? r : 0;
}

static int take_specs(struct metric_tracks *m, const struct wordlist *metrics)
{
	struct timespec from = {.tv_sec = m->from_ns / NS - BEFORE_S};
	const struct timespec step = {0};
	int r = 0;

	for (size_t i = 0; i < metrics->n && r >= 0; i++)
		r = take_spec(m, metrics->words[i]);
	if (r < 0)
		return r;
	m->pmids = calloc(m->nmetric, sizeof(m->pmids[0]));
	if (m->pmids == NULL)
		return metric_track_complain(m, m->archive, -ENOMEM);
	for (size_t i = 0; i < m->nmetric; i++)
		m->pmids[i] = m->metrics[i].pmid;
	r = pmSetModeHighRes(PM_MODE_FORW, &from, &step);
	return r < 0 ? metric_track_complain(m, m->archive, r) : 0;
}

struct metric_tracks *metric_tracks_open(const char *command, const char *archive,
					 const struct wordlist *metrics, bool raw, int64_t from_ns,
					 int64_t to_ns)
{
	struct metric_tracks *m = calloc(1, sizeof(*m));

	if (m == NULL) {
		pitot_complain("trace %s: %s", command, strerror(ENOMEM));
		return NULL;
	}
	*m = (struct metric_tracks){
	    .command = command, .archive = archive, .raw = raw, .from_ns = from_ns, .to_ns = to_ns};
	m->context = pmNewContext(PM_CONTEXT_ARCHIVE, archive);
	if (m->context < 0)
		metric_track_complain(m, archive, m->context);
	if (m->context < 0 || take_specs(m, metrics) < 0) {
		metric_tracks_free(m);
		return NULL;
	}
	return m;
}

static bool is_wanted(const struct metric *metric, const char *instance)
{
	for (int i = 0; i < metric->nonly; i++) {
		const char *only = metric->only[i];
		size_t len = strcspn(instance, " ");

		if (strcmp(only, instance) == 0 ||
		    (strlen(only) == len && strncmp(only, instance, len) == 0))
			return true;
	}
	return metric->nonly == 0;
}

static struct series *make_series(struct metric_tracks *m, const struct metric *metric, int inst)
{
	struct series *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	*s = (struct series){.metric = metric, .inst = inst, .wanted = true};
	if (inst != (int)PM_IN_NULL) {
		if (pmNameInDomArchive(metric->desc.indom, inst, &s->instance) < 0 &&
		    asprintf(&s->instance, "%d", inst) < 0)
			s->instance = NULL;
		s->wanted = s->instance != NULL && is_wanted(metric, s->instance);
	}
	s->track =
	    (struct metric_track){.metric = metric->name,
				  .instance = s->instance,
				  .units = metric->units,
				  .whole = !metric->rate && metric->desc.type <= PM_TYPE_U64};
	if (s->wanted)
		s->track.id = m->next_id++;
	return s;
}

static int order(const struct series *s, const struct metric *metric, int inst)
{
	if (s->metric != metric)
		return s->metric < metric ? -1 : 1;
	return s->inst < inst ? -1 : s->inst > inst;
}

/* The track of an instance; NULL: no memory. */
static struct series *find_series(struct metric_tracks *m, const struct metric *metric, int inst)
{
	size_t low = 0, high = m->nseries;
	struct series **all, *s;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = order(m->series[middle], metric, inst);

		if (c == 0)
			return m->series[middle];
		if (c < 0)
			low = middle + 1;
		else
			high = middle;
	}
	all = reallocarray(m->series, m->nseries + 1, sizeof(m->series[0]));
	if (all == NULL)
		return NULL;
	m->series = all;
	s = make_series(m, metric, inst);
	if (s == NULL)
		return NULL;
	memmove(all + low + 1, all + low, (m->nseries - low) * sizeof(all[0]));
	all[low] = s;
	m->nseries++;
	return s;
}

/* The rate per second since the last value. Returns false if there is none. */
static bool metric_track_rate(const struct metric_tracks *m, struct series *s, double value,
			      double *ret_rate)
{
	const pmUnits *units = &s->metric->desc.units;
	const int64_t took = m->result_ns - s->last_ns;
	const double grown = value - s->last;
	const bool known = s->seen && took > 0 && grown >= 0;
	pmAtomValue in = {.d = grown}, out;
	pmUnits seconds = *units;

	s->seen = true;
	s->last = value;
	s->last_ns = m->result_ns;
	if (!known)
		return false;
	seconds.scaleTime = PM_TIME_SEC;
	if (units->dimTime == 1 && pmConvScale(PM_TYPE_DOUBLE, &in, units, &out, &seconds) >= 0)
		in = out;
	*ret_rate = in.d / ((double)took / NS);
	return true;
}

/* A value of the result as a sample. Returns false if there is none; -ENOMEM in ret_error. */
static bool take_value(struct metric_tracks *m, const pmValueSet *vset, int i,
		       struct metric_sample *ret_sample, int *ret_error)
{
	const struct metric *metric = &m->metrics[m->vset];
	const pmValue *value = &vset->vlist[i];
	struct series *s = find_series(m, metric, value->inst);
	pmAtomValue atom, whole = {.ll = 0};
	double number;

	if (s == NULL) {
		*ret_error = -ENOMEM;
		return false;
	}
	if (!s->wanted ||
	    pmExtractValue(vset->valfmt, value, metric->desc.type, &atom, PM_TYPE_DOUBLE) < 0)
		return false;
	number = atom.d;
	if (metric->rate && !metric_track_rate(m, s, atom.d, &number))
		return false;
	if (s->track.whole &&
	    pmExtractValue(vset->valfmt, value, metric->desc.type, &whole, PM_TYPE_64) < 0)
		whole.ll = INT64_MAX; /* the number does not fit */
	*ret_sample = (struct metric_sample){
	    .track = &s->track, .ns = m->result_ns, .value = number, .integer = whole.ll};
	return m->result_ns >= m->from_ns;
}

/* The next sample of the current result. Returns 0 if there are no more. */
static int next_of_result(struct metric_tracks *m, struct metric_sample *ret_sample)
{
	int error = 0;

	for (; m->vset < m->result->numpmid; m->vset++, m->value = 0) {
		const pmValueSet *vset = m->result->vset[m->vset];

		while (m->value < vset->numval) {
			if (take_value(m, vset, m->value++, ret_sample, &error))
				return 1;
			if (error < 0)
				return metric_track_complain(m, m->archive, error);
		}
	}
	pmFreeHighResResult(m->result);
	m->result = NULL;
	return 0;
}

/* Reads the next result. Returns 1, 0 at the end, or -errno after a message. */
static int read_result(struct metric_tracks *m)
{
	int r;

	if (m->result_ns > m->to_ns)
		return 0;
	pmUseContext(m->context);
	r = pmFetchHighRes((int)m->nmetric, m->pmids, &m->result);
	if (r == PM_ERR_EOL) {
		m->result_ns = INT64_MAX;
		return 0;
	}
	if (r < 0)
		return metric_track_complain(m, m->archive, r);
	m->result_ns = (int64_t)m->result->timestamp.tv_sec * NS + m->result->timestamp.tv_nsec;
	m->vset = m->value = 0;
	if (m->result->numpmid == 0) {
		for (size_t i = 0; i < m->nseries; i++)
			m->series[i]->seen = false;
	}
	return 1;
}

int metric_tracks_next(struct metric_tracks *m, int64_t until_ns, struct metric_sample *ret_sample)
{
	int r = 1;

	while (r > 0) {
		if (m->result == NULL) {
			r = read_result(m);
			continue;
		}
		if (m->result_ns > until_ns || m->result_ns > m->to_ns)
			return 0;
		r = next_of_result(m, ret_sample);
		if (r != 0)
			return r;
		r = 1;
	}
	return r;
}

void metric_tracks_free(struct metric_tracks *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->nseries; i++) {
		free(m->series[i]->instance);
		free(m->series[i]);
	}
	for (size_t i = 0; i < m->nmetric; i++) {
		for (int j = 0; j < m->metrics[i].nonly; j++)
			free(m->metrics[i].only[j]);
		free(m->metrics[i].only);
		free(m->metrics[i].name);
	}
	if (m->result != NULL)
		pmFreeHighResResult(m->result);
	if (m->context >= 0)
		pmDestroyContext(m->context);
	free(m->series);
	free(m->metrics);
	free(m->pmids);
	free(m);
}
